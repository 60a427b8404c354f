"""What a controller reads: cash, profit and loss, capital expenditure by fiscal year (F24)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class YearRow:
    """One row of an accounting view, by fiscal year."""

    key: str  # of the ledger line
    label: str
    fleet: str
    kind: (
        str  # cash: its category; P&L: depreciation | written_off | interest | lease | running ...
    )
    years_usd: tuple[float, ...]
    total_usd: float


@dataclass(frozen=True, slots=True)
class AccountingViews:
    """Cash, profit and loss, and capital expenditure from one ledger (F12.9, F24)."""

    years: tuple[str, ...]  # FY2027 ...
    cash: tuple[YearRow, ...]
    pnl: tuple[YearRow, ...]
    capex: tuple[YearRow, ...]  # cash for assets; a loan drawn for them stands in cash
    cash_usd: tuple[float, ...]  # by year
    pnl_usd: tuple[float, ...]
    capex_usd: tuple[float, ...]
    summary: tuple[YearRow, ...]  # the rows that a page prints, first to last
    complete: bool  # False when a price is missing: sums of what is known
    notes: tuple[str, ...] = ()

"""Cash, P&L and capital expenditure by fiscal year, as text (F12.9, F24)."""

from __future__ import annotations

from cli.text_table import shortened, text_table
from tco.results import OptionResult
from tco.results.accounting import AccountingViews


def accounting_text(options: tuple[OptionResult, ...], currency: str) -> list[str]:
    """One table for each option; they agree in total, not within a year."""
    return [_table(x.key, x.views, currency) for x in options if x.views is not None]


def _table(key: str, views: AccountingViews, currency: str) -> str:
    rows = [
        [
            f"  {row.label}" if row.kind == "part" else row.label,
            *(shortened(usd) for usd in row.years_usd),
            shortened(row.total_usd),
        ]
        for row in views.summary
    ]
    known = "" if views.complete else ", of what is known"
    head = [f"{key}: {currency} by fiscal year{known}", *views.years, "total"]
    notes = [f"  ({note})" for note in views.notes]
    return "\n".join([text_table(head, rows, left=(0,)), *notes])

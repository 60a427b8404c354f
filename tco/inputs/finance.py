"""Dates, rates and conventions (F0, F12)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.currency import BASE, ExchangePath
from tco.inputs.figure import Figure


@dataclass(frozen=True, slots=True)
class Tax:
    """Optional income tax (F12.6)."""

    rate_fraction: Figure
    depreciation: str  # straight_line | declining | macrs_3 | macrs_5 | macrs_7 | macrs_15
    life_years: int
    bonus_fraction: float = 0.0


@dataclass(frozen=True, slots=True)
class Finance:
    """Conventions of a scenario; every one is printed with the result."""

    valuation_date: str  # ISO; month 0, common to all options (F0.1)
    horizon_months: int
    discount_rate_fraction: Figure  # per year
    discount_basis: str = "nominal_pre_tax"  # nominal_pre_tax | nominal_after_tax | real_*
    monthly_rate: str = "effective"  # effective (1+r)^(1/12)-1 | nominal r/12 (F0.3)
    hours_mode: str = "730"  # 730 | 720 | calendar: hours per month (F0.2)
    escalation_mode: str = "annual_step"  # annual_step | monthly (F0.4)
    electricity_escalation_fraction: Figure | None = None
    opex_escalation_fraction: Figure | None = None
    currency: str = BASE  # that every amount is in once the scenario is resolved (F0.6)
    exchange_rates: tuple[ExchangePath, ...] = ()  # currencies of its prices, in that one, by month
    tax: Tax | None = None
    fiscal_year_start_month: int = 1  # 1: fiscal years are calendar years (F24)
    lease_standard: str = "asc_842"  # asc_842 | ifrs_16: operating leases in the P&L view

    @property
    def per_usd(self) -> float:
        """Unit of account for one US dollar at month 0 (F0.6)."""
        return next(
            (path.account_per_unit[0] for path in self.exchange_rates if path.currency == BASE), 1.0
        )

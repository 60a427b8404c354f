"""Optional income tax as lines (F12.6): cost x (1 - tau) - tau x depreciation.

A tax year is twelve months of the ledger from the valuation date on; the year's deduction is
worth tau x deduction at its end. What is not deducted at the horizon is deducted then, against
the resale: disposal tax = tau x (sale - book).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import mean, once, summed
from tco.cost.depreciation import mid_quarter_applies, shares, with_bonus
from tco.cost.finance import FloatArray
from tco.cost.placed import CAPITALISED, DEBT, placed_usd
from tco.inputs import Status, Tax
from tco.results import LedgerLine, Term
from tco.units import MONTHS_PER_YEAR

# What a site pays once has no fleet to deduct it from: it stays outside.
_DEPRECIATED = CAPITALISED - {"facility_stranded", "colocation_install"}


def tax_lines(case: FleetCase, lines: Sequence[LedgerLine]) -> list[LedgerLine]:
    """Relief on running costs, relief on depreciation, tax on disposal."""
    tax = case.calendar.finance.tax
    if tax is None or not case.months:
        return []
    bought = [line for line in lines if line.key in _DEPRECIATED]
    apart = _DEPRECIATED | DEBT | {"residual"}
    expensed = [line for line in lines if line.key not in apart]
    sales = [line for line in lines if line.key == "residual"]
    rate = tax.rate_fraction.value
    basis = np.zeros(case.months)
    for each in bought:
        basis = basis + placed_usd(case, each)
    deducted, book = deductions(basis, tax)
    status = max((line.status for line in lines), key=lambda s: s.rank, default=Status.ASSUMED)
    tau = Term.of("tax rate", tax.rate_fraction)

    def line(key: str, label: str, amounts: FloatArray, formula: str, *terms: Term) -> LedgerLine:
        return case.line(
            key,
            label,
            "tax",
            end=amounts,
            formula=formula,
            reference="F12.6",
            terms=(tau, *terms),
        )

    running = summed(expensed, case.months, "start_usd", "end_usd")
    proceeds = -summed(sales, case.months, "start_usd", "end_usd")
    left = once(case.months, case.months - 1, np.asarray(book)[..., None])
    disposal = rate * (proceeds - left)
    return [
        line(
            "tax_on_running_costs",
            "Tax relief on running costs",
            -rate * running,
            "- tax rate x running costs",
            computed("running costs", mean(np.sum(running, axis=-1)), "USD", status, "ledger"),
        ),
        line(
            "tax_shield_depreciation",
            "Tax relief on depreciation",
            -rate * deducted,
            f"- tax rate x depreciation ({tax.depreciation.replace('_', ' ')})",
            computed(
                "depreciation deducted", mean(np.sum(deducted, axis=-1)), "USD", status, "F12.6"
            ),
        ),
        line(
            "tax_on_disposal",
            "Tax on disposal",
            disposal,
            "tax rate x (resale - book value left)",
            computed("resale", mean(np.sum(proceeds, axis=-1)), "USD", status, "ledger"),
            computed("book value at the end", book, "USD", status, "F12.6"),
        ),
    ]


def deductions(bought_usd: FloatArray, tax: Tax) -> tuple[FloatArray, FloatArray]:
    """Deductions at the end of each tax year, and the book value left at the horizon (F12.6).

    Parameters
    ----------
    bought_usd
        Depreciable cost by month, shape (months,) or (draws, months).
    tax
        Method, life, bonus. MACRS turns to the mid-quarter convention in a year that places more
        than 40 % of its basis in its last quarter.
    """
    months = bought_usd.shape[-1]
    result = np.zeros(bought_usd.shape)
    years = -(-months // MONTHS_PER_YEAR)
    for year in range(years):
        quarters = _quarters(bought_usd, year)
        in_quarters = tax.depreciation.startswith("macrs_") & mid_quarter_applies(quarters)
        for number, basis in enumerate(quarters, start=1):
            if not np.any(basis):
                continue
            whole = _yearly(tax, None)
            parts = _yearly(tax, number) if np.any(in_quarters) else whole
            for later, (half_year, quarter) in enumerate(zip(whole, parts, strict=True)):
                end = (year + later + 1) * MONTHS_PER_YEAR - 1
                if year + later < years:
                    share = np.where(in_quarters, quarter, half_year)
                    result[..., min(end, months - 1)] += share * basis
    return result, np.sum(bought_usd, axis=-1) - np.sum(result, axis=-1)


def _yearly(tax: Tax, quarter: int | None) -> tuple[float, ...]:
    return with_bonus(shares(tax.depreciation, tax.life_years, quarter), tax.bonus_fraction)


def _quarters(bought_usd: FloatArray, year: int) -> list[FloatArray]:
    first = year * MONTHS_PER_YEAR
    starts = (first + 3 * k for k in range(4))
    return [np.sum(bought_usd[..., start : start + 3], axis=-1) for start in starts]

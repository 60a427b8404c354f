"""Optional income tax as lines (F12.6): cost x (1 - tau) - tau x depreciation.

A tax year is twelve months of the ledger from the valuation date on; the year's deduction is
worth tau x deduction at its end. What is not deducted at the horizon is deducted then, against
the resale: disposal tax = tau x (sale - book).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.depreciation import mid_quarter_applies, shares, with_bonus
from tco.cost.finance import FloatArray
from tco.inputs import Status, Tax
from tco.results import LedgerLine, Term
from tco.units import MONTHS_PER_YEAR

_DEPRECIATED = ("servers", "network", "integration", "racks", "facility_build")


def tax_lines(case: FleetCase, lines: Sequence[LedgerLine]) -> list[LedgerLine]:
    """Relief on running costs, relief on depreciation, tax on disposal."""
    tax = case.calendar.finance.tax
    if tax is None or not case.months:
        return []
    bought = [line for line in lines if line.key in _DEPRECIATED]
    expensed = [line for line in lines if line.key not in _DEPRECIATED and line.key != "residual"]
    sales = [line for line in lines if line.key == "residual"]
    rate = tax.rate_fraction.value
    basis = _columns(bought, case.months)
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

    running = _columns(expensed, case.months)
    proceeds = -_columns(sales, case.months)
    disposal = rate * proceeds
    disposal[-1] -= rate * book
    return [
        line(
            "tax_on_running_costs",
            "Tax relief on running costs",
            -rate * running,
            "- tax rate x running costs",
            computed("running costs", float(np.sum(running)), "USD", status, "ledger"),
        ),
        line(
            "tax_shield_depreciation",
            "Tax relief on depreciation",
            -rate * deducted,
            f"- tax rate x depreciation ({tax.depreciation.replace('_', ' ')})",
            computed("depreciation deducted", float(np.sum(deducted)), "USD", status, "F12.6"),
        ),
        line(
            "tax_on_disposal",
            "Tax on disposal",
            disposal,
            "tax rate x (resale - book value left)",
            computed("resale", float(np.sum(proceeds)), "USD", status, "ledger"),
            computed("book value at the end", book, "USD", status, "F12.6"),
        ),
    ]


def deductions(bought_usd: FloatArray, tax: Tax) -> tuple[FloatArray, float]:
    """Deductions at the end of each tax year, and the book value left at the horizon (F12.6).

    Parameters
    ----------
    bought_usd
        Depreciable cost by month.
    tax
        Method, life, bonus. MACRS turns to the mid-quarter convention in a year that places more
        than 40 % of its basis in its last quarter.
    """
    months = bought_usd.size
    result = np.zeros(months)
    years = -(-months // MONTHS_PER_YEAR)
    for year in range(years):
        quarters = _quarters(bought_usd, year)
        by_quarter = tax.depreciation.startswith("macrs_") and mid_quarter_applies(quarters)
        for number, basis in enumerate(quarters, start=1):
            if basis == 0.0:
                continue
            yearly = shares(tax.depreciation, tax.life_years, number if by_quarter else None)
            for later, share in enumerate(with_bonus(yearly, tax.bonus_fraction)):
                end = (year + later + 1) * MONTHS_PER_YEAR - 1
                if year + later < years:
                    result[min(end, months - 1)] += share * basis
    return result, float(np.sum(bought_usd) - np.sum(result))


def _quarters(bought_usd: FloatArray, year: int) -> tuple[float, float, float, float]:
    first = year * MONTHS_PER_YEAR
    q = [float(np.sum(bought_usd[first + 3 * k : first + 3 * k + 3])) for k in range(4)]
    return q[0], q[1], q[2], q[3]


def _columns(lines: Sequence[LedgerLine], months: int) -> FloatArray:
    total = np.zeros(months)
    for line in lines:
        total += np.asarray(line.start_usd) + np.asarray(line.end_usd)
    return total

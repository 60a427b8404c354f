"""Fiscal years of the ledger's months (F24)."""

from __future__ import annotations

import numpy as np

from tco.cost.finance import FloatArray
from tco.errors import InputError
from tco.units import MONTHS_PER_YEAR, date_of


def fiscal_years(
    valuation_date: str, months: int, start_month: int = 1
) -> tuple[tuple[str, ...], tuple[int, ...]]:
    """Names of the fiscal years, and the place of each month's year among them.

    A fiscal year is named after the calendar year in which it ends. A month of the ledger belongs
    to the fiscal year in which it starts, both its ends.

    Parameters
    ----------
    valuation_date
        Month 0.
    months
        Length of the ledger.
    start_month
        1 for January.

    Examples
    --------
    >>> fiscal_years("2026-12-01", 3)
    (('FY2026', 'FY2027'), (0, 1, 1))
    >>> fiscal_years("2026-12-01", 3, start_month=7)
    (('FY2027',), (0, 0, 0))
    """
    begin = date_of(valuation_date)
    if begin is None:
        raise InputError("finance.valuation_date", f"{valuation_date!r} is no date", "2026-12-01")
    if not 1 <= start_month <= MONTHS_PER_YEAR:
        raise InputError(
            "finance.fiscal_year_start_month", f"{start_month} is no month", "enter 1 to 12"
        )
    first = begin.year * MONTHS_PER_YEAR + begin.month - 1
    late = MONTHS_PER_YEAR - start_month + 1  # months of the calendar year already in the next
    ends = [
        (first + month + (late if start_month > 1 else 0)) // MONTHS_PER_YEAR
        for month in range(months)
    ]
    years = sorted(set(ends))
    places = {year: place for place, year in enumerate(years)}
    return tuple(f"FY{year}" for year in years), tuple(places[year] for year in ends)


def by_fiscal_year(column: FloatArray, places: tuple[int, ...]) -> tuple[float, ...]:
    """Sums of a column by month over the months of each fiscal year.

    Examples
    --------
    >>> by_fiscal_year(np.array([1.0, 2.0, 4.0]), (0, 1, 1))
    (1.0, 6.0)
    """
    count = max(places, default=-1) + 1
    sums = np.bincount(np.asarray(places, dtype=np.intp), weights=column, minlength=count)
    return tuple(sums.tolist())

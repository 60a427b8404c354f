"""The electricity bill as people read it: parts by month of the first year (F4)."""

from __future__ import annotations

from collections.abc import Sequence

from tco.units import MONTHS_PER_YEAR

BILL_PREFIX = "electricity_"  # keys of the lines of a bill
BESIDE_BILL = ("carbon_price", "heat_credit")


def first_year(columns: Sequence[Sequence[float]]) -> range:
    """Months of the first year with electricity; the first twelve where there is none.

    Parameters
    ----------
    columns
        Amounts of each part by month.

    Examples
    --------
    >>> first_year([[0.0] * 6 + [5.0] * 20])
    range(6, 18)
    >>> first_year([[0.0] * 3])
    range(0, 3)
    """
    months = max((len(column) for column in columns), default=0)
    used = [month for month in range(months) if any(column[month] for column in columns)]
    first = used[0] if used else 0
    return range(first, min(first + MONTHS_PER_YEAR, months))

"""Depreciation for tax: yearly deductions as shares of the basis (F12.6)."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tco.cost.finance import FloatArray
from tco.errors import InputError

# IRS Publication 946, table A-1: half-year convention, 200 % declining (15 years: 150 %),
# in per cent as printed there, which is why they are not quite the computed values.
MACRS_HALF_YEAR_PERCENT: dict[int, tuple[float, ...]] = {
    3: (33.33, 44.45, 14.81, 7.41),
    5: (20.0, 32.0, 19.2, 11.52, 11.52, 5.76),
    7: (14.29, 24.49, 17.49, 12.49, 8.93, 8.92, 8.93, 4.46),
    15: (
        *(5.0, 9.5, 8.55, 7.7, 6.93, 6.23, 5.9, 5.9),
        *(5.91, 5.9, 5.91, 5.9, 5.91, 5.9, 5.91, 2.95),
    ),
}
MID_QUARTER_SHARE = 0.4  # of the year's basis placed in its fourth quarter

METHODS = ("straight_line", "declining", "macrs_3", "macrs_5", "macrs_7", "macrs_15")


def straight_line(life_years: int) -> tuple[float, ...]:
    """Equal shares of the basis.

    Examples
    --------
    >>> straight_line(4)
    (0.25, 0.25, 0.25, 0.25)
    """
    _check_life(life_years)
    return (1.0 / life_years,) * life_years


def declining_balance(life_years: int, rate_multiple: float = 2.0) -> tuple[float, ...]:
    """Declining balance of full years that changes to straight line where that is faster.

    Examples
    --------
    >>> [round(share, 4) for share in declining_balance(5)]
    [0.4, 0.24, 0.144, 0.108, 0.108]
    """
    _check_life(life_years)
    return _declining(life_years, rate_multiple, 1.0)


@lru_cache(maxsize=32)
def macrs(class_years: int, quarter: int | None = None) -> tuple[float, ...]:
    """MACRS deductions by tax year, one year more than the class.

    Parameters
    ----------
    class_years
        3, 5, 7 or 15.
    quarter
        None for the half-year convention (the printed table); 1 to 4 for the mid-quarter one, of
        the quarter placed in service, computed by the statute's rule.

    Examples
    --------
    >>> macrs(5)
    (0.2, 0.32, 0.192, 0.1152, 0.1152, 0.0576)
    >>> [round(share, 4) for share in macrs(5, quarter=4)]
    [0.05, 0.38, 0.228, 0.1368, 0.1094, 0.0958]
    """
    if class_years not in MACRS_HALF_YEAR_PERCENT:
        raise InputError(
            "finance.tax.depreciation", f"{class_years} is no MACRS class", "use 3, 5, 7 or 15"
        )
    if quarter is None:
        return tuple(round(share / 100.0, 6) for share in MACRS_HALF_YEAR_PERCENT[class_years])
    if quarter not in (1, 2, 3, 4):
        raise InputError("quarter", f"{quarter} is no quarter", "use 1 to 4")
    first_year = (4 - quarter + 0.5) / 4.0
    return _declining(class_years, 1.5 if class_years == 15 else 2.0, first_year)


def mid_quarter_applies(basis_usd_by_quarter: Sequence[float | FloatArray]) -> NDArray[np.bool_]:
    """Whether more than 40 % of a year's basis was placed in its fourth quarter (F12.6).

    Examples
    --------
    >>> mid_quarter_applies((60.0, 0.0, 0.0, 40.0)), mid_quarter_applies((59.0, 0.0, 0.0, 41.0))
    (array(False), array(True))
    """
    basis = np.asarray(basis_usd_by_quarter)
    total = np.sum(basis, axis=0)
    return np.asarray((total > 0) & (basis[3] > MID_QUARTER_SHARE * total))


def shares(method: str, life_years: int, quarter: int | None = None) -> tuple[float, ...]:
    """Yearly shares of the basis by method name; they sum to 1.

    `life_years` counts for ``straight_line`` and ``declining``, `quarter` for ``macrs_*``.

    Examples
    --------
    >>> shares("macrs_5", 5)[0], shares("straight_line", 5)[0]
    (0.2, 0.2)
    """
    if method == "straight_line":
        return straight_line(life_years)
    if method == "declining":
        return declining_balance(life_years)
    if method in METHODS:
        return macrs(int(method.removeprefix("macrs_")), quarter)
    raise InputError(
        "finance.tax.depreciation", f"{method!r} is not known", f"use one of {', '.join(METHODS)}"
    )


def with_bonus(yearly: tuple[float, ...], bonus_fraction: float) -> tuple[float, ...]:
    """Deduct `bonus_fraction` in the first year, the rest by `yearly`.

    Examples
    --------
    >>> with_bonus((0.5, 0.5), 0.6)
    (0.8, 0.2)
    """
    rest = 1.0 - bonus_fraction
    return (bonus_fraction + rest * yearly[0], *(rest * share for share in yearly[1:]))


def _check_life(life_years: int) -> None:
    if life_years < 1:
        raise InputError("finance.tax.life_years", f"{life_years} is below 1", "enter 1 or more")


def _declining(life_years: int, rate_multiple: float, first_year: float) -> tuple[float, ...]:
    """Declining balance from `first_year` (a part of a year) on, then straight line."""
    result: list[float] = []
    left, age = 1.0, 0.0
    span = first_year
    while left > 1e-12:
        years_left = max(life_years - age, span)
        if span < 1.0 and age == 0.0:
            share = left * rate_multiple / life_years * span
        else:
            share = left * max(rate_multiple / life_years, 1.0 / max(years_left, 1.0))
        share = left if years_left <= 1.0 and age > 0.0 else min(share, left)
        result.append(share)
        left -= share
        age += span
        span = 1.0
    return tuple(result)

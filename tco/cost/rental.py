"""Rented hours with increment and minimum, and traffic billed on both sides (F13.1, F13.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tco.errors import InputError


def rental_usd(
    count: float,
    hours: float,
    usd_per_hour: float,
    *,
    increment_hours: float = 0.0,
    minimum_hours: float = 0.0,
) -> float:
    """Instances x hours x rate [USD]; hours and devices both multiply (F13.1).

    Parameters
    ----------
    count, hours, usd_per_hour
        Instances (or devices), hours of each, rate of one.
    increment_hours
        Billing increment: hours round up to it; 0 bills by the second.
    minimum_hours
        Least that is billed for each.

    Examples
    --------
    >>> round(rental_usd(4, 730, 0.1719), 2), rental_usd(1, 0.2, 10.0, increment_hours=1.0)
    (501.95, 10.0)
    """
    for name, value in (("count", count), ("hours", hours), ("usd_per_hour", usd_per_hour)):
        if not (math.isfinite(value) and value >= 0):
            raise InputError(name, f"{value} is not a number of 0 or more", "enter 0 or more")
    billed = max(hours, minimum_hours)
    if increment_hours > 0:
        billed = math.ceil(billed / increment_hours - 1e-9) * increment_hours
    return count * billed * usd_per_hour


def tier_bounds(widths: Sequence[float]) -> tuple[float, ...]:
    """Upper bounds of tiers given as widths; the last may be infinite (F13.4).

    Raises
    ------
    InputError
        A tier without width: it would leave a gap or an overlap.

    Examples
    --------
    >>> tier_bounds((10_240, 40_960, 102_400, float("inf")))
    (10240.0, 51200.0, 153600.0, inf)
    """
    bounds, upper = [], 0.0
    for index, width in enumerate(widths):
        if not width > 0:
            raise InputError(
                f"tiers[{index}]", f"{width} GB is not above 0", "enter the GB that the tier holds"
            )
        if math.isinf(upper):
            raise InputError(
                f"tiers[{index}]", "follows a tier without end", "put the open tier last"
            )
        upper += width
        bounds.append(upper)
    return tuple(bounds)


def both_ways_usd(gb: float, usd_per_gb: float) -> float:
    """Traffic inside a region, billed when it leaves and when it arrives [USD] (F13.4).

    Examples
    --------
    >>> both_ways_usd(1000.0, 0.01)
    20.0
    """
    return 2.0 * gb * usd_per_gb

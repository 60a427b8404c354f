"""Hours that are billed for instances switched on and off through a day (F13.1, F14.3)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tco.cost.rental import rental_usd
from tco.units import HOURS_PER_DAY


def billed_hours_per_day(
    instances: Sequence[float],
    *,
    warm_up_hours: float = 0.0,
    minimum_hours: float = 0.0,
    increment_hours: float = 0.0,
) -> float:
    """Instance-hours billed for one typical day that repeats.

    An instance that stays on around the clock is never started. Each other one is billed from
    its start to its stop: warm-up and use, at least the minimum, rounded up to the increment;
    where that comes to more than a day it is left on.

    Parameters
    ----------
    instances
        Switched on in each hour of the day; the last hour is followed by the first.
    warm_up_hours
        From the start of an instance until it serves; billed.

    Examples
    --------
    >>> billed_hours_per_day([0] * 20 + [2] * 4), billed_hours_per_day([3] * 24)
    (8.0, 72.0)
    >>> billed_hours_per_day([0] * 20 + [2] * 4, warm_up_hours=0.25, increment_hours=1.0)
    10.0
    """
    hours = len(instances)
    total, below = [], 0.0
    for level in sorted({float(count) for count in instances if count > 0}):
        on = [count >= level for count in instances]
        weight, below = level - below, level
        if all(on):
            total.append(weight * HOURS_PER_DAY)
            continue
        each = 0.0
        for run in _runs(on):
            each += rental_usd(
                1.0,
                run * HOURS_PER_DAY / hours + warm_up_hours,
                1.0,
                increment_hours=increment_hours,
                minimum_hours=minimum_hours,
            )
        # nobody switches off where staying on costs less
        total.append(weight * min(each, HOURS_PER_DAY))
    return math.fsum(total)


def _runs(on: list[bool]) -> list[int]:
    """Lengths of the runs of a circle that is not on all around."""
    start = on.index(False)
    runs, length = [], 0
    for flag in (*on[start:], *on[:start], False):
        if flag:
            length += 1
        elif length:
            runs.append(length)
            length = 0
    return runs

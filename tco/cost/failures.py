"""Failure rates from what was seen in a run (F10.1)."""

from __future__ import annotations

import math

from tco.errors import InputError
from tco.units import HOURS_PER_YEAR


def failures_per_device_year(failures: float, devices: float, hours: float) -> float:
    """Annual rate of one device from the failures of many [1/yr] (F10.1).

    The time between failures of a job is `tco.performance.training.goodput.time_between_failures`
    of this rate.

    Examples
    --------
    >>> round(failures_per_device_year(419, 16384, 54 * 24), 4)
    0.1729
    """
    for name, value in (("devices", devices), ("hours", hours)):
        if not (math.isfinite(value) and value > 0):
            raise InputError(name, f"{value} is not above 0", "enter a number above 0")
    if not failures >= 0:
        raise InputError("failures", f"{failures} is below 0", "enter 0 or more")
    return failures * HOURS_PER_YEAR / (devices * hours)


def device_hours_per_failure(rate_per_device_year: float) -> float:
    """Device-hours between failures; infinite when nothing fails (F10.1).

    Examples
    --------
    >>> device_hours_per_failure(0.1752)
    50000.0
    """
    return HOURS_PER_YEAR / rate_per_device_year if rate_per_device_year > 0 else math.inf

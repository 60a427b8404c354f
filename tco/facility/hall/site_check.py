"""A site as a whole: diversity, the peak hour at the utility, oversubscription (F2.8)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

from tco.errors import InputError

P999 = NormalDist().inv_cdf(0.999)  # provisioned watts are the 99.9 % point of a server (F2.5)


@dataclass(frozen=True, slots=True)
class WorkClass:
    """Servers that do work of one class.

    Parameters
    ----------
    average_kw, provisioned_kw
        Of one server: mean, and 99.9 % point (F2.5).
    correlation
        Between two servers: 1 for synchronous training, near 0 for independent serving.
    """

    name: str
    servers: int
    average_kw: float
    provisioned_kw: float
    correlation: float


@dataclass(frozen=True, slots=True)
class Oversubscription:
    """Chance that the sum of all servers is above a limit at a moment."""

    probability_fraction: float
    mean_kw: float
    deviation_kw: float
    provisioned_kw: float
    limit_kw: float


def oversubscription(classes: Sequence[WorkClass], limit_kw: float) -> Oversubscription:
    """Probability that the servers together draw more than `limit_kw` (F2.8).

    A server's spread is (provisioned - average) / 3.09, its 99.9 % point over its mean. Within a
    class of n servers the variance is s^2 (n + n (n - 1) rho); classes are independent of each
    other; the sum is taken as normal, which many servers make it.

    Raises
    ------
    InputError
        A correlation outside 0..1, an average above what is provisioned, a limit not above 0.

    Examples
    --------
    >>> train = WorkClass("training", 100, 8.0, 10.0, 1.0)
    >>> serve = WorkClass("serving", 100, 8.0, 10.0, 0.0)
    >>> round(oversubscription([train], 1000.0).probability_fraction, 6)
    0.001
    >>> oversubscription([serve], 1000.0).probability_fraction < 1e-12
    True
    """
    if not limit_kw > 0:
        raise InputError("limit_kw", f"{limit_kw:g} is not above 0", "enter kW")
    mean = variance = provisioned = 0.0
    for item in classes:
        if not 0 <= item.correlation <= 1:
            message = f"{item.name}: correlation {item.correlation:g} is not within 0 and 1"
            raise InputError("correlation", message, "enter 1 for training, near 0 for serving")
        if item.average_kw > item.provisioned_kw:
            message = f"{item.name}: average {item.average_kw:g} kW is above the provisioned"
            raise InputError("average_kw", f"{message} {item.provisioned_kw:g}", "swap them")
        deviation = (item.provisioned_kw - item.average_kw) / P999
        count = item.servers
        mean += count * item.average_kw
        provisioned += count * item.provisioned_kw
        variance += deviation**2 * (count + count * (count - 1) * item.correlation)
    deviation = math.sqrt(variance)
    if deviation == 0:
        above = 1.0 if mean > limit_kw else 0.0
    else:
        above = 0.5 * math.erfc((limit_kw - mean) / deviation / math.sqrt(2))
    return Oversubscription(above, mean, deviation, provisioned, limit_kw)


@dataclass(frozen=True, slots=True)
class PeakHour:
    """What the utility must deliver in the hottest hour."""

    hall_kw: float
    site_kw: float


def peak_hour(
    rack_kw: float, *, diversity_fraction: float, peak_pue: float, recharge_kw: float = 0.0
) -> PeakHour:
    """Utility kilowatts in the peak hour: hall x PUE of that hour, plus UPS recharge (F2.8).

    Parameters
    ----------
    rack_kw
        Sum of what the racks are provisioned for.
    peak_pue
        At the design wet bulb; the mean of the year is not it.
    recharge_kw
        What recharging the UPS batteries takes after an outage, at the utility.

    Raises
    ------
    InputError
        Diversity outside 0..1, a PUE below 1, negative kW.

    Examples
    --------
    >>> peak_hour(1000.0, diversity_fraction=0.9, peak_pue=1.5, recharge_kw=50.0)
    PeakHour(hall_kw=900.0, site_kw=1400.0)
    """
    if not 0 < diversity_fraction <= 1:
        raise InputError("diversity_fraction", f"{diversity_fraction:g} is not a share", "enter 1")
    if peak_pue < 1:
        raise InputError("peak_pue", f"{peak_pue:g} is below 1", "enter the PUE of the peak hour")
    if rack_kw < 0 or recharge_kw < 0:
        raise InputError("rack_kw", "kilowatts below 0", "enter 0 or more")
    hall_kw = rack_kw * diversity_fraction
    return PeakHour(hall_kw, hall_kw * peak_pue + recharge_kw)

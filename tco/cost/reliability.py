"""How often things are down: units, layers of k of n, sites (F16.1 to F16.3).

Everything broadcasts: an availability may be a number or a column of draws, a count may change
by month. A unit is up or down independently of the others, but for a common cause that takes
them all; a layer is down while fewer units are up than are needed; layers are in series.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.special import betainc, gammaln, xlog1py, xlogy

from tco.cost.finance import FloatArray
from tco.errors import InputError
from tco.units import HOURS_PER_YEAR

SCHEMES = ("N", "N+1", "N+2", "2N", "2(N+1)")


@dataclass(frozen=True, slots=True)
class Down:
    """Share of the time that something is down, and how often it goes down in a year."""

    fraction: Any  # number or array, 0..1
    events_per_year: Any

    def mean_hours(self) -> FloatArray:
        """Mean length of an outage [h]; 0 where there is none."""
        events = np.asarray(self.events_per_year, dtype=np.float64)
        down_hours = np.asarray(self.fraction, dtype=np.float64) * HOURS_PER_YEAR
        return np.asarray(np.where(events > 0.0, down_hours / np.maximum(events, 1e-300), 0.0))


NEVER = Down(0.0, 0.0)


def unit_unavailability(mtbf_hours: Any, repair_hours: Any) -> FloatArray:
    """Share of the time that one unit is down, MTTR / (MTBF + MTTR) (F16.1).

    Examples
    --------
    >>> round(float(unit_unavailability(9_990.0, 10.0)), 6)
    0.001
    """
    mtbf, repair = np.asarray(mtbf_hours, dtype=np.float64), np.asarray(repair_hours, float)
    if np.any(mtbf <= 0.0):
        raise InputError("mtbf_hours", f"{np.min(mtbf):g} is not above 0", "enter a number above 0")
    if np.any(repair < 0.0):
        raise InputError("repair_hours", f"{np.min(repair):g} is below 0", "enter 0 or more")
    return np.asarray(repair / (mtbf + repair))


def installed_units(needed: int, scheme: str) -> int:
    """Units that a scheme puts up where `needed` carry the load (F16.3).

    Examples
    --------
    >>> [installed_units(3, scheme) for scheme in SCHEMES]
    [3, 4, 5, 6, 8]
    """
    if scheme not in SCHEMES:
        raise InputError("scheme", f"{scheme!r} is not known", f"use {' or '.join(SCHEMES)}")
    return {
        "N": needed,
        "N+1": needed + 1,
        "N+2": needed + 2,
        "2N": 2 * needed,
        "2(N+1)": 2 * (needed + 1),
    }[scheme]


def sides_of(scheme: str) -> int:
    """Separate sides of a scheme: each of two carries the whole load, none lends units.

    Examples
    --------
    >>> sides_of("N+1"), sides_of("2(N+1)")
    (1, 2)
    """
    return 2 if scheme.startswith("2") else 1


def k_of_n(
    unit_down: Any,
    needed: Any,
    installed: Any,
    repair_hours: Any,
    *,
    common_cause_fraction: Any = 0.0,
    sides: int = 1,
) -> Down:
    """A layer that is up while `needed` of `installed` units are (F16.2).

    Parameters
    ----------
    unit_down
        Share of the time that a unit is down, 0..1, common cause included.
    needed, installed
        k and n. With two sides, each has half of the units and carries the load alone.
    repair_hours
        Mean time that a unit is down.
    common_cause_fraction
        Beta: share of a unit's unavailability in which all units are down together. The rest is
        taken given that no common cause is at work, so that a single unit is down for
        `unit_down` whatever beta is.

    Raises
    ------
    InputError
        An availability outside 0..1, more units needed than there are, beta outside 0..1.

    Notes
    -----
    Down = c + (1 - c) I(n - k + 1, k; q), with c = beta u, q = (u - c) / (1 - c) and I the
    regularised incomplete beta function, the binomial's tail. How often: units at the edge fail
    at k a^(k-1) q^(n-k+1) C(n, k) / MTTR, a common cause at c / MTTR.

    Examples
    --------
    >>> layer = k_of_n(0.01, 1, 2, 4.0)
    >>> round(float(layer.fraction), 9)
    0.0001
    >>> round(float(k_of_n(0.01, 1, 2, 4.0, common_cause_fraction=0.1).fraction), 9)
    0.001081081
    """
    u, beta = _share(unit_down, "availability_fraction"), _share(common_cause_fraction, "beta")
    k, n = np.asarray(needed, dtype=np.float64), np.asarray(installed, dtype=np.float64)
    per_side = n / sides
    if np.any(k < 1.0) or np.any(k > per_side):
        raise InputError(
            "needed",
            f"{np.max(k):g} of {np.min(per_side):g} units cannot be up",
            "enter as many units as are needed, or more",
        )
    common = beta * u
    q = np.where(common < 1.0, (u - common) / np.where(common < 1.0, 1.0 - common, 1.0), 0.0)
    spare = per_side - k
    side_down = betainc(spare + 1.0, k, q)
    hours = np.asarray(repair_hours, dtype=np.float64)
    ways = gammaln(per_side + 1.0) - gammaln(k + 1.0) - gammaln(spare + 1.0)
    edge = k * np.exp(ways + xlogy(spare + 1.0, q) + xlog1py(k - 1.0, -q))
    per_hour = 1.0 / np.maximum(hours, 1e-300)
    side_events = np.where(hours > 0.0, edge * per_hour, 0.0)
    if sides == 2:  # down while both are; either may be the one that goes second
        side_down, side_events = side_down**2, 2.0 * side_down * side_events
    down = common + (1.0 - common) * side_down
    events = (1.0 - common) * side_events + np.where(hours > 0.0, common * per_hour, 0.0)
    return Down(np.asarray(down), np.asarray(events * HOURS_PER_YEAR))


def in_series(*parts: Down) -> Down:
    """All must be up: availabilities multiply (F16.2).

    Examples
    --------
    >>> both = in_series(Down(0.01, 2.0), Down(0.02, 3.0))
    >>> round(float(both.fraction), 6), round(float(both.events_per_year), 3)
    (0.0298, 4.93)
    """
    up, events = np.asarray(1.0), np.asarray(0.0)
    with np.errstate(divide="ignore"):
        for part in parts:
            a = 1.0 - np.asarray(part.fraction)
            events = events * a + np.asarray(part.events_per_year) * up
            up = up * a
        logs = [np.log1p(-np.asarray(part.fraction)) for part in parts]
    total = sum(logs, start=np.asarray(0.0))
    return Down(np.asarray(-np.expm1(total)), np.asarray(events))


def two_sites(
    first: Down,
    mode: str,
    *,
    failover_hours: Any = 0.0,
    failover_success_fraction: Any = 1.0,
    common_cause_fraction: Any = 0.0,
) -> Down:
    """Two sites alike, either of which can serve everything (F16.3).

    Parameters
    ----------
    mode
        ``active_active``: the other goes on at once. ``active_passive``: each outage of the active
        one lasts until the failover, or until its own end where that is sooner or the failover
        does not work.

    Examples
    --------
    >>> one = Down(0.001, 1.0)
    >>> round(float(two_sites(one, "active_active").fraction), 9)
    1e-06
    >>> passive = two_sites(one, "active_passive", failover_hours=0.5)
    >>> round(float(passive.fraction), 9), float(passive.events_per_year)
    (5.8021e-05, 1.0)
    """
    u = np.asarray(first.fraction)
    hours = first.mean_hours()
    both = k_of_n(u, 1, 2, hours, common_cause_fraction=common_cause_fraction)
    if mode == "active_active":
        return both
    if mode != "active_passive":
        raise InputError("mode", f"{mode!r} is not known", "use active_active or active_passive")
    works = _share(failover_success_fraction, "failover_success_fraction")
    gap_hours = np.minimum(np.asarray(failover_hours, dtype=np.float64), hours)
    # an outage that the other site takes over: all but those in which it is down too
    taken = np.where(u > 0.0, (u - both.fraction) / np.where(u > 0.0, u, 1.0), 0.0)
    waits = np.asarray(first.events_per_year) * taken * gap_hours / HOURS_PER_YEAR
    alone = u - both.fraction
    down = both.fraction + (1.0 - works) * alone + works * np.minimum(waits, alone)
    return Down(np.asarray(down), np.asarray(first.events_per_year))


def _share(value: Any, name: str) -> FloatArray:
    given = np.asarray(value, dtype=np.float64)
    if not np.all((given >= 0.0) & (given <= 1.0)):
        wrong = given[~((given >= 0.0) & (given <= 1.0))].flat[0]
        raise InputError(name, f"{wrong:g} is not in 0 to 1", "enter a fraction from 0 to 1")
    return given

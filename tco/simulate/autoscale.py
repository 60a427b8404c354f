"""Replicas switched on and off after the arrivals: hours paid, hours idle, requests short (P7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tco.errors import InputError
from tco.simulate.router import Life


@dataclass(frozen=True, slots=True)
class Policy:
    """When replicas come and go.

    Parameters
    ----------
    target_fraction
        Of a replica's capacity that is planned for.
    cold_start_s
        From the order to the first answer: machine, container, weights, warm-up; measured.
    down_delay_s
        A replica goes when it has been too many for so long.
    """

    target_fraction: float = 0.7
    window_s: float = 60.0
    cold_start_s: float = 120.0
    down_delay_s: float = 300.0
    minimum: int = 1
    maximum: int = 10_000


@dataclass(frozen=True, slots=True)
class Scaling:
    """A run of the policy over the arrivals."""

    replica_hours: float  # paid, cold starts included
    idle_replica_hours: float  # paid and not needed by the load
    starting_replica_hours: float  # of those, in cold starts, each counted in whole windows
    most: int
    short_fraction: float  # of the requests, arrived while less was up than the load needs
    replicas_by_window: tuple[int, ...]  # up
    cost_usd: float | None
    lives: tuple[Life, ...] = ()  # of each replica, for `tco.simulate.cluster.simulate_cluster`

    @property
    def idle_fraction(self) -> float:
        """Share of the paid hours that served nothing."""
        return self.idle_replica_hours / self.replica_hours if self.replica_hours else 0.0


def autoscale(
    arrival_s: Sequence[float],
    capacity_per_s: float,
    policy: Policy,
    *,
    usd_per_replica_hour: float | None = None,
) -> Scaling:
    """Follow `arrival_s` with replicas of `capacity_per_s` each.

    The policy looks at the last window's rate; what it orders is up a cold start later.

    Raises
    ------
    InputError
        A capacity, window or target that is not above 0; a minimum above the maximum.

    Examples
    --------
    >>> import numpy as np
    >>> quiet = np.arange(0, 3600, 1.0)
    >>> run = autoscale(quiet, 2.0, Policy(target_fraction=1.0, cold_start_s=0.0))
    >>> run.most, run.idle_fraction
    (1, 0.5)
    """
    for name, value in (
        ("capacity_per_s", capacity_per_s),
        ("window_s", policy.window_s),
        ("target_fraction", policy.target_fraction),
    ):
        if not value > 0:
            raise InputError(name, f"{value:g} is not above 0", "enter a number above 0")
    for name, value in (
        ("cold_start_s", policy.cold_start_s),
        ("down_delay_s", policy.down_delay_s),
    ):
        if not 0 <= value < math.inf:
            raise InputError(name, f"{value:g} s cannot be waited", "enter 0 or more seconds")
    if not 0 <= policy.minimum <= policy.maximum:
        said = f"{policy.minimum} is above the maximum of {policy.maximum}"
        raise InputError("minimum", said, "let the minimum be at most the maximum")
    times = np.asarray(arrival_s, dtype=np.float64)
    windows = max(1, math.ceil((float(times[-1]) + 1e-9) / policy.window_s)) if len(times) else 1
    counts = np.bincount(
        np.minimum((times / policy.window_s).astype(np.int64), windows - 1), minlength=windows
    )
    delay = math.ceil(policy.cold_start_s / policy.window_s - 1e-9)
    hold = math.ceil(policy.down_delay_s / policy.window_s - 1e-9)
    up, starting = policy.minimum, [0] * (windows + delay + 1)
    excess: list[int] = []
    by_window, paid, cold, idle, short = [], 0.0, 0.0, 0.0, 0
    ordered = policy.minimum
    for window in range(windows):
        up += starting[window]
        rate = float(counts[window]) / policy.window_s
        needed = rate / capacity_per_s
        by_window.append(up)
        pending = ordered - up
        paid += up + pending
        cold += pending
        idle += max(0.0, up - needed) + pending
        if needed > up:
            short += round(float(counts[window]) * (1 - up / needed))
        wanted = math.ceil(rate / (capacity_per_s * policy.target_fraction) - 1e-9)
        wanted = min(max(wanted, policy.minimum), policy.maximum)
        if wanted > ordered:
            # seen when the window is over: up a cold start after its end
            starting[window + 1 + delay] += wanted - ordered
            ordered, excess = wanted, []
        excess.append(wanted)
        recent = max(excess[-(hold + 1) :])
        if len(excess) > hold and recent < up and ordered == up:
            up = ordered = recent
    hours = policy.window_s / 3600
    total = paid * hours
    return Scaling(
        replica_hours=total,
        idle_replica_hours=idle * hours,
        starting_replica_hours=cold * hours,
        most=max(by_window),
        short_fraction=short / max(1, len(times)),
        replicas_by_window=tuple(by_window),
        cost_usd=None if usd_per_replica_hour is None else total * usd_per_replica_hour,
        lives=tuple(_lives(by_window, policy.window_s)),
    )


def _lives(by_window: Sequence[int], window_s: float) -> list[Life]:
    """Return the lives of replicas of which the last to come is the first to go."""
    lives: list[Life] = []
    began = [-math.inf] * by_window[0]
    for window, count in enumerate(by_window):
        now = window * window_s
        while len(began) > count:
            lives.append(Life(began.pop(), now))
        began += [now] * (count - len(began))
    return lives + [Life(start) for start in began]

"""Spot machines: what interruptions and checkpoints make of the rate (F13.3, F10.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.performance.training.goodput import Goodput, goodput


@dataclass(frozen=True, slots=True)
class SpotRun:
    """A run of so many useful device-hours on interruptible machines."""

    goodput: Goodput
    useful_hours: float
    usd_per_hour: float

    @property
    def overhead_fraction(self) -> float:
        """Hours billed beyond the useful ones, as a share of them."""
        return self.goodput.factor - 1.0

    @property
    def cost_usd(self) -> float:
        """Useful hours x T/T_useful x spot rate (F13.3)."""
        return self.useful_hours * self.goodput.factor * self.usd_per_hour


def spot_run(
    useful_hours: float,
    usd_per_hour: float,
    *,
    between_interruptions_hours: float,
    checkpoint_hours: float,
    restart_hours: float,
    interval_hours: float | None = None,
) -> SpotRun:
    """Cost and stretch of a run on spot machines, Daly's expected time (F13.3, F10.4).

    Parameters
    ----------
    useful_hours, usd_per_hour
        Device-hours of work, and the spot rate of one.
    between_interruptions_hours, checkpoint_hours, restart_hours
        M, delta and R of F10.4.
    interval_hours
        Between checkpoints; left out: Young's sqrt(2 delta M).

    Raises
    ------
    InputError
        Where a checkpoint takes half the time between interruptions or more.

    Examples
    --------
    >>> run = spot_run(1000.0, 2.4, between_interruptions_hours=6.0, checkpoint_hours=0.1,
    ...                restart_hours=0.25)
    >>> round(run.cost_usd, 1), round(run.overhead_fraction, 4)
    (3021.5, 0.259)
    """
    found = goodput(
        between_interruptions_hours,
        checkpoint=checkpoint_hours,
        restart=restart_hours,
        interval=interval_hours,
    )
    return SpotRun(found, useful_hours, usd_per_hour)


def missed_deadline_fraction(
    useful_hours: float,
    deadline_hours: float,
    *,
    between_interruptions_hours: float,
    checkpoint_hours: float,
    restart_hours: float,
    interval_hours: float | None = None,
) -> float:
    """Chance that a run of so many useful hours ends after its deadline (F13.3).

    The time of one interval with its interruptions has the mean of F10.4 and a variance of its
    own: interruptions come at random, in restarts too. A run is many intervals, so its time is
    taken as normal; for a run of a few intervals this is rough.

    Examples
    --------
    >>> known = {"between_interruptions_hours": 6.0, "checkpoint_hours": 0.1, "restart_hours": 0.25}
    >>> [round(missed_deadline_fraction(100.0, limit, **known), 3) for limit in (120, 125.9, 132)]
    [0.957, 0.499, 0.037]
    """
    mean_each = between_interruptions_hours
    found = goodput(
        mean_each, checkpoint=checkpoint_hours, restart=restart_hours, interval=interval_hours
    )
    whole = found.interval_hours + checkpoint_hours
    if math.isinf(mean_each):
        return float(useful_hours * whole / found.interval_hours > deadline_hours)
    restart_mean, restart_square = _retried(restart_hours, mean_each, 0.0, 0.0)
    mean, square = _retried(whole, mean_each, restart_mean, restart_square)
    intervals = useful_hours / found.interval_hours
    spread = math.sqrt(max(intervals * (square - mean * mean), 0.0))
    late = deadline_hours - intervals * mean
    if spread == 0.0:
        return float(late < 0.0)
    return 0.5 * math.erfc(late / (spread * math.sqrt(2.0)))


def _retried(
    span: float, between: float, pause_mean: float, pause_square: float
) -> tuple[float, float]:
    """Mean and mean square of the time until `span` passes whole, with a pause after each break."""
    if span <= 0.0:
        return 0.0, 0.0
    whole = math.exp(-span / between)
    broken = 1.0 - whole
    # of the time to a break, over breaks before the span ends
    first = between * broken - span * whole
    second = 2.0 * between * first - span * span * whole
    mean = (span * whole + first + broken * pause_mean) / whole
    square = (
        span * span * whole
        + second
        + 2.0 * first * (pause_mean + mean)
        + broken * (pause_square + 2.0 * pause_mean * mean)
    ) / whole
    return mean, square

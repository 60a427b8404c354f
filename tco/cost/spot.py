"""Spot machines: what interruptions and checkpoints make of the rate (F13.3, F10.4)."""

from __future__ import annotations

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

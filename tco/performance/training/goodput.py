"""Share of the time that training gets anywhere: failures, checkpoints, restarts (F10.1, F10.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.defaults import default
from tco.errors import InputError

HOURS_PER_YEAR = 8760.0

FAILURES_PER_DEVICE_YEAR = default("training.goodput.failures_per_device_year")


@dataclass(frozen=True, slots=True)
class Goodput:
    """What failures leave of the time; hours."""

    between_failures_hours: float
    interval_hours: float
    factor: float  # T / T_useful, at least 1

    @property
    def fraction(self) -> float:
        """G: useful share of the time."""
        return 1 / self.factor


def time_between_failures(devices: float, failures_per_device_year: float) -> float:
    """Return hours between failures of a job: one failing device stops all (F10.1).

    Examples
    --------
    >>> round(time_between_failures(16384, 0.173), 2)
    3.09
    """
    if devices <= 0 or failures_per_device_year <= 0:
        return math.inf
    return HOURS_PER_YEAR / (devices * failures_per_device_year)


def goodput(
    between_failures: float,
    *,
    checkpoint: float,
    restart: float,
    interval: float | None = None,
) -> Goodput:
    """Return the useful share of the time, all in hours (F10.4, Daly 2006).

    Parameters
    ----------
    between_failures
        Mean time between failures of the whole job, M.
    checkpoint
        Time one checkpoint stops the job, delta.
    restart
        Time from a failure until the job runs again, R.
    interval
        Between checkpoints, tau; left out: sqrt(2·delta·M), Young's.

    Raises
    ------
    InputError
        Where a checkpoint takes half the time between failures or more: nothing gets done.

    Examples
    --------
    >>> round(goodput(6.0, checkpoint=0.1, restart=0.25).factor, 4)
    1.259
    """
    if min(checkpoint, restart) < 0 or between_failures <= 0:
        raise InputError("checkpoint", "times must not be negative", "enter hours of 0 or more")
    if math.isinf(between_failures):
        factor = 1.0 + (checkpoint / interval if interval else 0.0)
        return Goodput(between_failures, interval or math.inf, factor)
    if checkpoint >= between_failures / 2:
        raise InputError(
            "checkpoint",
            f"{checkpoint:.3g} h a checkpoint against {between_failures:.3g} h between failures",
            "write checkpoints faster, or train on fewer devices",
        )
    tau = interval or math.sqrt(2 * checkpoint * between_failures)
    if tau <= 0:  # a checkpoint that costs nothing is written all the time
        return Goodput(between_failures, 0.0, math.exp(restart / between_failures))
    factor = (
        between_failures
        * math.exp(restart / between_failures)
        * math.expm1((tau + checkpoint) / between_failures)
        / tau
    )
    return Goodput(between_failures, tau, factor)

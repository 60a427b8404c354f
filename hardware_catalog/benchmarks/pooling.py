"""From the readings of several runs to one figure with an honest range (rules G8 and G11).

The interval within a run says nothing of the next run. So the range adds a term for the spread
between runs: the device's own once five runs are known, before that a class default.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, stdev

OWN_SPREAD_RUNS = 5
DEFAULT_SPREAD = {"cpu": 0.10, "device": 0.03}
NORMAL_975 = 1.96


@dataclass(frozen=True, slots=True)
class RunReading:
    """One run's value with its 95 % interval within the run, and the run's id."""

    run_id: str
    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True)
class Pooled:
    """Median over runs, its range, and the runs it rests on."""

    value: float
    low: float
    high: float
    runs: tuple[str, ...]


def pool(readings: Sequence[RunReading], kind: str) -> Pooled:
    """Return the median over runs with the half-width sqrt(CI_within² + (1.96 sigma_between)²).

    Half-widths are fractions of the value. `kind` is `cpu` or `device` and chooses the default
    spread between runs, 10 % or 3 %. Several devices of one run give several readings. Raises
    ValueError without a reading.

    >>> one = RunReading("a", 100.0, 99.0, 101.0)
    >>> pooled = pool([one], "device")
    >>> round(pooled.low, 2), round(pooled.high, 2)
    (94.04, 105.96)
    """
    if not readings:
        raise ValueError("no readings")
    value = float(median(reading.value for reading in readings))
    runs = tuple(dict.fromkeys(reading.run_id for reading in readings))
    within = float(median((r.high - r.low) / 2 / r.value for r in readings))
    if len(runs) >= OWN_SPREAD_RUNS:
        between = stdev(math.log(reading.value) for reading in readings)
    else:
        between = DEFAULT_SPREAD[kind]
    half = math.hypot(within, NORMAL_975 * between)
    return Pooled(value, value * max(0.0, 1 - half), value * (1 + half), runs)

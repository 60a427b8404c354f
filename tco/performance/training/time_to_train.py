"""Minutes to train the public benchmarks, by device and scale: measured, interpolated only (P11).

MLPerf Training v5.1, mlcommons/training_results_v5.1@441d65f (Apache-2.0), closed division, read
2026-08-22: the median over submissions of the olympic mean of each. MLPerf is a trademark of
MLCommons; figures derived from its results are not verified by MLCommons. Each scale was run at
its own batch, so more devices also mean more samples.
"""

from __future__ import annotations

import csv
import functools
import importlib.resources
import math
from dataclasses import dataclass

SOURCE = "MLPerf Training v5.1, closed, median over submissions; interpolation not verified"


@dataclass(frozen=True, slots=True)
class MeasuredScale:
    """One device count of one benchmark; minutes."""

    devices: int
    minutes: float
    low: float
    high: float
    submissions: int
    batch: int


@dataclass(frozen=True, slots=True)
class TimeToTrain:
    """Minutes on a device count, and whether they lie in the measured range."""

    minutes: float
    low: float
    high: float
    in_range: bool
    scales: tuple[int, ...]  # measured


@functools.cache
def _table() -> dict[tuple[str, str], tuple[MeasuredScale, ...]]:
    path = importlib.resources.files("tco.performance.training") / "tables" / "time_to_train.csv"
    found: dict[tuple[str, str], list[MeasuredScale]] = {}
    with path.open("r", encoding="utf-8") as text:
        for row in csv.DictReader(text):
            found.setdefault((row["benchmark"], row["device"]), []).append(
                MeasuredScale(
                    int(row["devices"]),
                    float(row["minutes"]),
                    float(row["least_minutes"]),
                    float(row["most_minutes"]),
                    int(row["submissions"]),
                    int(row["batch"]),
                )
            )
    return {key: tuple(sorted(rows, key=lambda r: r.devices)) for key, rows in found.items()}


def benchmarks() -> dict[str, tuple[str, ...]]:
    """Return the measured devices of each benchmark.

    Examples
    --------
    >>> benchmarks()["flux1"]
    ('b200', 'gb200')
    """
    names = sorted({name for name, _ in _table()})
    return {name: tuple(sorted(d for n, d in _table() if n == name)) for name in names}


def time_to_train(benchmark: str, device: str, devices: int) -> TimeToTrain | None:
    """Return the minutes of a benchmark, log-log between measured scales (P11, P0.2).

    Outside them the nearest measured value is held and flagged; None where the benchmark was not
    run on the device: another device's minutes say nothing (P0.5).

    Examples
    --------
    >>> round(time_to_train("flux1", "b200", 48).minutes, 1), time_to_train("flux1", "b200", 8)
    (72.1, TimeToTrain(minutes=173.641, low=162.969, high=179.889, in_range=False, scales=(16, 32, 64, 72, 128)))
    """  # noqa: E501
    rows = _table().get((benchmark, device))
    if rows is None or devices <= 0:
        return None
    scales = tuple(row.devices for row in rows)
    for row in rows:
        if row.devices == devices:
            return TimeToTrain(row.minutes, row.low, row.high, True, scales)
    if not scales[0] < devices < scales[-1]:
        row = rows[0] if devices < scales[0] else rows[-1]
        return TimeToTrain(row.minutes, row.low, row.high, False, scales)
    above = next(i for i, row in enumerate(rows) if row.devices > devices)
    a, b = rows[above - 1], rows[above]
    share = math.log(devices / a.devices) / math.log(b.devices / a.devices)

    def between(first: float, second: float) -> float:
        return math.exp((1 - share) * math.log(first) + share * math.log(second))

    return TimeToTrain(
        between(a.minutes, b.minutes),
        between(a.low, b.low),
        between(a.high, b.high),
        True,
        scales,
    )

"""What a simulated run says: percentiles with confidence intervals, once it is steady (P6.2)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from tco.simulate.replica import Served
from tco.simulate.step_table import StepTable

Array = NDArray[np.float64]
STATISTICS = ("mean", "p50", "p90", "p95", "p99")
BATCHES = 20  # of a run, for confidence intervals
CONFIDENCE = 0.95
LEAST_REQUESTS = 200  # in the steady part
_GROWING = 0.2  # the last quarter waits so much longer than the one before: arrivals outrun service


@dataclass(frozen=True, slots=True)
class Measure:
    """One statistic with its confidence interval, seconds; None: too few batches to say."""

    value_s: float
    low_s: float | None
    high_s: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Percentiles of the steady part of a run.

    ``measures`` has, for ttft, tpot and e2e, the mean and the percentiles 50, 90, 95, 99.
    """

    measures: dict[str, dict[str, Measure]]
    requests: int  # in the steady part
    warm_up: int  # requests dropped at the start
    saturated: bool  # arrivals outrun service: the numbers grow with the length of the run
    steady: bool  # enough requests after the warm-up
    batch: float  # mean number of sequences decoding while busy
    kv_fraction: float | None  # mean share of the KV room held by decoding sequences
    busy_fraction: float
    iterations_per_s: float
    preemptions: int


def warm_up(series: Sequence[float], size: int = 5) -> int:
    """Return how many observations to drop: MSER over means of `size` (White 1997).

    The cut minimises the standard error of what is left; at most half is dropped.

    Examples
    --------
    >>> warm_up([10.0] * 50 + [1.0, 1.2, 0.8, 1.1, 0.9] * 100)
    50
    """
    means = np.array(series[: len(series) // size * size], dtype=np.float64).reshape(-1, size)
    means = means.mean(axis=1)
    count = len(means)
    if count < 4:
        return 0
    tail_sum = np.cumsum(means[::-1])[::-1]
    tail_square = np.cumsum((means**2)[::-1])[::-1]
    left = np.arange(count, 0, -1, dtype=np.float64)
    error = np.maximum(tail_square - tail_sum**2 / left, 0.0) / left**2
    return int(np.argmin(error[: count // 2 + 1])) * size


def _statistic(values: Array, name: str) -> float:
    if name == "mean":
        return float(values.mean())
    return float(np.percentile(values, float(name[1:])))


def measure(values: Sequence[float], name: str) -> Measure:
    """Return a statistic with a confidence interval from batch statistics."""
    found = np.asarray(values, dtype=np.float64)
    value = _statistic(found, name)
    if len(found) < BATCHES * 20:
        return Measure(value, None, None)
    parts = np.array([_statistic(part, name) for part in np.array_split(found, BATCHES)])
    reach = stdtrit(BATCHES - 1, (1 + CONFIDENCE) / 2) * parts.std(ddof=1) / math.sqrt(BATCHES)
    return Measure(value, value - float(reach), value + float(reach))


def is_growing(e2e_s: Sequence[float]) -> bool:
    """Return whether requests wait longer and longer: the queue of an overloaded replica."""
    count = len(e2e_s)
    if count < 40:
        return False
    found = np.asarray(e2e_s, dtype=np.float64)
    half, last = found[count // 2 : 3 * count // 4].mean(), found[3 * count // 4 :].mean()
    first = found[count // 4 : count // 2].mean()
    return bool(last > half * (1 + _GROWING) and half > first * (1 + _GROWING))


def outcome(served: Served, table: StepTable, *, offered_per_s: float | None = None) -> Outcome:
    """Sum up a run.

    Parameters
    ----------
    offered_per_s
        Arrival rate; with it, completions well below arrivals also say that the replica is
        saturated.
    """
    count = len(served.e2e_s)
    dropped = warm_up(served.e2e_s)
    kept = slice(dropped, count - count // 20)  # the last ones decode in an emptying replica
    tokens = served.output_tokens
    pairs = zip(served.ttft_s, served.e2e_s, tokens, strict=True)
    per_token = [(b - a) / (n - 1) if n > 1 else math.nan for a, b, n in pairs]
    columns = {
        "ttft": served.ttft_s[kept],
        "tpot": [value for value in per_token[kept] if not math.isnan(value)],
        "e2e": served.e2e_s[kept],
    }
    measures = {
        metric: {name: measure(values, name) for name in STATISTICS}
        for metric, values in columns.items()
        if values
    }
    saturated = is_growing(served.e2e_s)
    if offered_per_s is not None and served.end_s > 0:
        span = served.arrival_s[-1] - served.arrival_s[0]
        saturated = saturated or served.end_s > 1.5 * max(span, 1e-9) + 2 * max(served.e2e_s[:1])
    room = table.kv_tokens
    busy = max(served.busy_s, 1e-12)
    return Outcome(
        measures=measures,
        requests=len(columns["e2e"]),
        warm_up=dropped,
        saturated=saturated,
        steady=len(columns["e2e"]) >= LEAST_REQUESTS and not saturated,
        batch=served.decoding_s / busy,
        kv_fraction=served.kv_token_s / busy / room if math.isfinite(room) else None,
        busy_fraction=min(1.0, served.busy_s / max(served.end_s, 1e-12)),
        iterations_per_s=served.iterations / max(served.end_s, 1e-12),
        preemptions=served.preemptions,
    )

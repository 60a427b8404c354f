"""How one kernel is timed: inner calls, warm-up until steady, and the test of the clock."""

from __future__ import annotations

import itertools
import math
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tco_agent.device.base import measured_resolution_ns

TimeCalls = Callable[[int], int]
"""Time of so many calls in a row [ns]."""

RESOLUTIONS_PER_SAMPLE = 200
LEAST_WARMUP_CALLS = 3
LEAST_WARMUP_NS = 100_000_000
WINDOW = 5
STEADY_WITHIN = 0.02
MOST_INNER = 1_000_000


@dataclass(frozen=True)
class WarmUp:
    """What the warm-up took, and whether it ended because the timings were steady."""

    calls: int
    ns: int
    steady: bool
    typical_ns: float


def inner_calls(call_ns: float, resolution_ns: int, sample_target_ns: int) -> int:
    """Calls per sample (rule G2), so that a sample is long against the clock's resolution.

    >>> inner_calls(3_400, 40, 1_000_000)
    295
    >>> inner_calls(20_000_000, 40, 1_000_000)
    1
    """
    wanted = max(RESOLUTIONS_PER_SAMPLE * resolution_ns, sample_target_ns)
    return max(1, min(MOST_INNER, math.ceil(wanted / max(call_ns, 1.0))))


def warm_up(time_calls: TimeCalls, inner: int, cap_ns: int) -> WarmUp:
    """Call until steady (rule G3): at least 3 calls and 100 ms, and the medians of two successive
    windows of 5 within 2 %, or until `cap_ns`.
    """
    elapsed_ns = calls = 0
    recent: list[float] = []
    steady = False
    while True:
        took = time_calls(inner)
        elapsed_ns += took
        calls += inner
        recent.append(took / inner)
        if calls >= LEAST_WARMUP_CALLS and elapsed_ns >= LEAST_WARMUP_NS:
            steady = _is_steady(recent)
            if steady:
                break
        if elapsed_ns >= cap_ns and calls >= LEAST_WARMUP_CALLS:
            break
    return WarmUp(calls, elapsed_ns, steady, statistics.median(recent[-WINDOW:]))


def _is_steady(recent: list[float]) -> bool:
    if len(recent) < 2 * WINDOW:
        return False
    before = statistics.median(recent[-2 * WINDOW : -WINDOW])
    now = statistics.median(recent[-WINDOW:])
    return abs(now - before) <= STEADY_WITHIN * before


def clock_self_test() -> dict[str, Any]:
    """The clock's resolution, the cost of a pair of readings [ns], and whether it only rises."""
    readings = [time.perf_counter_ns() for _ in range(2000)]
    steps = [b - a for a, b in itertools.pairwise(readings)]
    return {
        "resolution_ns": measured_resolution_ns(time.perf_counter_ns),
        "pair_ns": round(statistics.median(steps)),
        "monotonic": min(steps) >= 0,
    }

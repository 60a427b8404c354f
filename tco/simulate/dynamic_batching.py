"""Event simulation of a server that gathers requests into batches (P10).

A free worker takes what waits, up to the batch limit; with fewer than that it waits for more
until the oldest request has waited `timeout_s`. With a limit of 1 the queue is M/D/c; with a
time-out of 0 and no limit it is a bulk-service queue.
"""

from __future__ import annotations

import heapq
import math
from bisect import bisect_right
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

WARM_UP_FRACTION = 0.1
_Z80 = 1.2816


@dataclass(frozen=True, slots=True)
class BatchRun:
    """What one simulated run shows; seconds."""

    latency_s: Array  # of every request after the warm-up, in order of arrival
    start_s: Array  # when the batch of each of them began
    requests_per_batch: float
    busy_fraction: float  # share of the workers' time spent on batches

    @property
    def mean_s(self) -> float:
        """Mean time in the system."""
        return float(self.latency_s.mean())

    def percentile_s(self, percentile: float) -> float:
        """Return a percentile (0..100) of the time in the system."""
        return float(np.percentile(self.latency_s, percentile))

    def interval_s(self, percentile: float) -> tuple[float, float]:
        """Return an 80 % interval of a percentile from ten consecutive parts of the run."""
        parts = [float(np.percentile(part, percentile)) for part in batches(self.latency_s)]
        half = _Z80 * float(np.std(parts, ddof=1)) / math.sqrt(len(parts))
        middle = self.percentile_s(percentile)
        return middle - half, middle + half


def batches(values: Array, parts: int = 10) -> list[Array]:
    """Return `values` in consecutive parts: neighbours are correlated, parts hardly."""
    return [part for part in np.array_split(values, parts) if part.size]


def sample_size(batch: float) -> int:
    """Return requests to simulate for batches of about this size: a hundred batches or more."""
    return int(min(max(8_000, 100 * batch), 200_000))


def poisson_arrivals(rate_per_s: float, requests: int, seed: int) -> Array:
    """Return arrival times of a Poisson stream; the same seed gives the same stream, scaled."""
    gaps = np.random.default_rng(seed).exponential(size=requests)
    return np.asarray(np.cumsum(gaps) / rate_per_s)


def simulate_batches(
    arrivals_s: Array,
    service_s: Array,
    *,
    batch_limit: int,
    timeout_s: float = 0.0,
    workers: int = 1,
    warm_up_fraction: float = WARM_UP_FRACTION,
) -> BatchRun:
    """Run every request through the batching server (P10).

    Parameters
    ----------
    arrivals_s
        Rising arrival times.
    service_s
        Seconds of a batch by its size; index 0 is unused, at least ``batch_limit + 1`` long.
    workers
        Workers behind the one queue.

    Raises
    ------
    ValueError
        A batch limit below 1, no time for it, arrivals that fall, or no arrivals.

    Examples
    --------
    Two requests together, then one alone:

    >>> run = simulate_batches(np.array([0.0, 0.0, 5.0]), np.array([0.0, 1.0, 1.5]),
    ...                        batch_limit=2, warm_up_fraction=0.0)
    >>> run.latency_s.tolist()
    [1.5, 1.5, 1.0]
    """
    if batch_limit < 1 or len(service_s) <= batch_limit:
        raise ValueError(f"batch limit {batch_limit}: 1 or more, with a time for every size")
    if arrivals_s.size == 0 or workers < 1 or timeout_s < 0:
        raise ValueError("at least one arrival and one worker, and a time-out of 0 or more")
    if bool((np.diff(arrivals_s) < 0).any()):
        raise ValueError("arrival times must not fall")
    arrivals = arrivals_s.tolist()
    count = len(arrivals)
    seconds = service_s.tolist()
    finish, began = np.empty(count), np.empty(count)
    free = [0.0] * workers
    busy = taken = 0.0
    runs = first = 0
    while first < count:
        at = heapq.heappop(free)
        full = arrivals[first + batch_limit - 1] if first + batch_limit <= count else math.inf
        start = max(at, arrivals[first], min(arrivals[first] + timeout_s, full))
        last = bisect_right(arrivals, start, first + 1, min(count, first + batch_limit))
        spent = seconds[last - first]
        finish[first:last], began[first:last] = start + spent, start
        heapq.heappush(free, start + spent)
        busy, taken, runs = busy + spent, taken + (last - first), runs + 1
        first = last
    skip = int(count * warm_up_fraction)
    span = max(float(finish.max()) - arrivals[0], 1e-300)
    return BatchRun(
        latency_s=(finish - arrivals_s)[skip:],
        start_s=began[skip:],
        requests_per_batch=taken / runs,
        busy_fraction=min(busy / (workers * span), 1.0),
    )


def full_rate_per_s(service_s: Array, batch_limit: int, workers: int = 1) -> float:
    """Return the rate that full batches sustain: the queue settles below it and only below it.

    Examples
    --------
    >>> round(full_rate_per_s(np.array([0.0, 1.0, 1.5]), 2), 6)
    1.333333
    """
    return workers * batch_limit / float(service_s[batch_limit])


def settled_batch(service_s: Array, batch_limit: int, rate_per_s: float) -> float:
    """Return the batch at which gathering and serving keep pace: ``b = rate x s(b)``.

    The smallest such size, between sizes on a line; the limit where none holds.
    """
    sizes = np.arange(1, batch_limit + 1)
    pace = rate_per_s * service_s[1 : batch_limit + 1] - sizes
    if pace[0] <= 0:
        return 1.0
    below = np.nonzero(pace <= 0)[0]
    if not below.size:
        return float(batch_limit)
    at = int(below[0])
    step = pace[at - 1] / (pace[at - 1] - pace[at])
    return float(sizes[at - 1] + step)

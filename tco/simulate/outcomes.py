"""What a simulated run says: percentiles with confidence intervals, once it is steady (P6.2)."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from tco.errors import InputError
from tco.simulate.requests import Gaps, Served
from tco.simulate.step_table import StepTable

Array = NDArray[np.float64]
STATISTICS = ("mean", "p50", "p90", "p95", "p99")
BATCHES = 20  # of a run, for confidence intervals
CONFIDENCE = 0.95
LEAST_REQUESTS = 200  # in the steady part
LEAST_TO_JUDGE = 40  # requests, to say that arrivals outrun service
_STAYING = 0.01  # share of the arrivals by which the backlog grows
_LONGER = 1.1  # ratio of the answers' times


@dataclass(frozen=True, slots=True)
class Measure:
    """One statistic with its confidence interval, seconds; None: too few batches to say."""

    value_s: float
    low_s: float | None
    high_s: float | None


@dataclass(frozen=True, slots=True)
class Outcome:
    """Percentiles of the steady part of a run.

    ``measures`` has, for ttft, tpot and e2e, the mean and the percentiles 50, 90, 95, 99; for itl,
    the wait between one token and the next, where the run recorded the waits.
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
    left_at_last_arrival: int = 0  # requests not yet answered when the last one comes


@dataclass(frozen=True, slots=True)
class Stage:
    """The requests that arrived in one stretch of time; seconds."""

    from_s: float
    to_s: float
    requests: int
    measures: dict[str, dict[str, Measure]]
    left_at_start: int  # requests in the system
    left_at_end: int

    @property
    def backlog_per_s(self) -> float:
        """Requests a second by which the backlog grew: near 0 where service keeps up."""
        return (self.left_at_end - self.left_at_start) / (self.to_s - self.from_s)


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


def measure(values: Sequence[float] | Array, name: str) -> Measure:
    """Return a statistic with a confidence interval from batch statistics."""
    found = np.asarray(values, dtype=np.float64)
    value = _statistic(found, name)
    if len(found) < BATCHES * 20:
        return Measure(value, None, None)
    parts = np.array([_statistic(part, name) for part in np.array_split(found, BATCHES)])
    return _with_interval(value, parts)


def _with_interval(value: float, parts: Array) -> Measure:
    reach = stdtrit(BATCHES - 1, (1 + CONFIDENCE) / 2) * parts.std(ddof=1) / math.sqrt(BATCHES)
    return Measure(value, value - float(reach), value + float(reach))


def outruns(served: Served) -> bool:
    """Return whether arrivals outrun service: what is in the system grows and never falls back.

    Looked at over quarters of the run, by arrival. All of: in the last quarter there are always
    more in the system than on average in the second; of the requests that arrive between the two,
    more than 1 % stay; and answers take longer (a load that rises while service keeps up has more
    in the system, but not longer answers).

    Examples
    --------
    >>> from tco.simulate.replica import Requests, simulate
    >>> table = StepTable(np.full(100, 0.01), 0.0, 0.0, 1e6, 4, 64)
    >>> def served(gap_s):
    ...     return simulate(table, Requests([gap_s * n for n in range(80)], [60] * 80, [1] * 80))
    >>> outruns(served(0.011)), outruns(served(0.009))
    (False, True)
    """
    arrival, lasted = np.asarray(served.arrival_s), np.asarray(served.e2e_s)
    count = len(arrival)
    if count < LEAST_TO_JUDGE:
        return False
    ended = np.sort(arrival + lasted)
    inside = np.arange(1, count + 1) - np.searchsorted(ended, arrival, side="right")
    second, last = slice(count // 4, count // 2), slice(3 * count // 4, count)
    before, after = inside[second].mean(), inside[last].mean()
    longer = lasted[last].mean() > _LONGER * lasted[second].mean()
    stay = (after - before) / (count / 2) > _STAYING
    return bool(longer and stay and inside[last].min() > before)


def token_waits(gaps: Gaps, from_s: float, to_s: float) -> dict[str, Measure]:
    """Return the measures of the waits that began in a stretch of time, each token counted."""
    at = np.asarray(gaps.at_s)
    kept = (at >= from_s) & (at <= to_s)
    turns = np.asarray(gaps.turns)[kept]
    run = np.repeat(np.arange(len(turns)), turns)
    if not len(run):
        return {}
    place = np.arange(len(run)) - np.repeat(np.cumsum(turns) - turns, turns)
    waits = np.asarray(gaps.first_s)[kept][run] + np.asarray(gaps.growth_s)[kept][run] * place
    weights = np.asarray(gaps.sequences)[kept][run].astype(np.float64)
    found = _weighted(waits, weights)
    if len(run) < BATCHES * 20:
        return {name: Measure(value, None, None) for name, value in found.items()}
    pairs = zip(np.array_split(waits, BATCHES), np.array_split(weights, BATCHES), strict=True)
    parts = [_weighted(*pair) for pair in pairs]
    return {
        name: _with_interval(value, np.array([part[name] for part in parts]))
        for name, value in found.items()
    }


def _weighted(values: Array, weights: Array) -> dict[str, float]:
    order = np.argsort(values)
    reached = np.cumsum(weights[order])
    found = {"mean": float(np.average(values, weights=weights))}
    for name in STATISTICS[1:]:
        place = np.searchsorted(reached, float(name[1:]) / 100 * reached[-1])
        found[name] = float(values[order[min(int(place), len(order) - 1)]])
    return found


def _columns(served: Served, kept: NDArray[np.int64]) -> dict[str, dict[str, Measure]]:
    """Measures of ttft, tpot and e2e of the requests at these places."""
    first, end = np.asarray(served.ttft_s)[kept], np.asarray(served.e2e_s)[kept]
    tokens = np.asarray(served.output_tokens)[kept]
    many = tokens > 1
    columns = {"ttft": first, "tpot": (end - first)[many] / (tokens[many] - 1), "e2e": end}
    return {
        metric: {name: measure(values, name) for name in STATISTICS}
        for metric, values in columns.items()
        if len(values)
    }


def _left_at(served: Served, at_s: float) -> int:
    arrival = np.asarray(served.arrival_s)
    ended = arrival + np.asarray(served.e2e_s)
    return int(np.sum(arrival <= at_s) - np.sum(ended <= at_s))


def stages(served: Served, edges_s: Sequence[float]) -> list[Stage]:
    """Return what the requests of each stage met, by the time of their arrival.

    Parameters
    ----------
    edges_s
        Where stages begin and end: n + 1 rising times for n stages.

    Examples
    --------
    >>> ttft_s, e2e_s = [0.1, 0.1, 0.4], [0.1, 5.0, 0.4]
    >>> run = Served([0.0, 1.0, 5.0], ttft_s, e2e_s, [1, 9, 1], 0, 0, 6, 0, 0, 0, 0)
    >>> [(one.requests, one.left_at_end) for one in stages(run, [0, 2, 6])]
    [(2, 1), (1, 0)]
    """
    edges = [float(edge) for edge in edges_s]
    pairs = list(itertools.pairwise(edges))
    if not pairs or any(not (a < b and math.isfinite(b - a)) for a, b in pairs):
        mend = "give at least two times, each after the one ahead"
        raise InputError("edges_s", f"{edges} do not rise", mend)
    arrival = np.asarray(served.arrival_s)
    found = []
    for start, stop in pairs:
        kept = np.flatnonzero((arrival >= start) & (arrival < stop)).astype(np.int64)
        left = _left_at(served, start), _left_at(served, stop)
        found.append(Stage(start, stop, len(kept), _columns(served, kept), *left))
    return found


def outcome(served: Served, table: StepTable, *, offered_per_s: float | None = None) -> Outcome:
    """Sum up a run.

    Parameters
    ----------
    offered_per_s
        Arrival rate; with it, completions well below arrivals also say that the replica is
        saturated.
    """
    count = len(served.e2e_s)
    if not count:
        raise InputError("requests", "there is none", "serve at least one request")
    dropped = warm_up(served.e2e_s)
    kept = slice(dropped, count - count // 20)  # the last ones decode in an emptying replica
    rows = np.arange(count, dtype=np.int64)[kept]
    measures = _columns(served, rows)
    if served.gaps is not None and len(rows):
        window = served.arrival_s[rows[0]], served.arrival_s[rows[-1]]
        waits = token_waits(served.gaps, *window)
        measures |= {"itl": waits} if waits else {}
    saturated = outruns(served)
    if offered_per_s is not None and served.end_s > 0:
        span = served.arrival_s[-1] - served.arrival_s[0]
        saturated = saturated or served.end_s > 1.5 * max(span, 1e-9) + 2 * max(served.e2e_s[:1])
    room = table.kv_tokens
    busy = max(served.busy_s, 1e-12)
    return Outcome(
        measures=measures,
        requests=len(rows),
        warm_up=dropped,
        saturated=saturated,
        steady=len(rows) >= LEAST_REQUESTS and not saturated,
        batch=served.decoding_s / busy,
        kv_fraction=served.kv_token_s / busy / room if math.isfinite(room) else None,
        busy_fraction=min(1.0, served.busy_s / max(served.end_s, 1e-12)),
        iterations_per_s=served.iterations / max(served.end_s, 1e-12),
        preemptions=served.preemptions,
        left_at_last_arrival=_left_at(served, served.arrival_s[-1]),
    )

"""A pipeline simulated request by request: stages in series, parallel or routed by share (P9).

Percentiles are those of the simulated whole. They are never sums of the stages' percentiles: a
request that is slow in one stage is seldom slow in all.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tco.simulate.dynamic_batching import WARM_UP_FRACTION, batches
from tco.simulate.stages import CpuTier, Tier

Array = NDArray[np.float64]
_Z80 = 1.2816
_BLOCKS = 10


@dataclass(frozen=True, eq=False)
class Node:
    """One stage with what serves it."""

    key: str
    tier: Tier
    after: tuple[str, ...] = ()
    share_fraction: float = 1.0
    request_gb: float = 0.0


@dataclass(frozen=True, eq=False)
class StageTimes:
    """Times of one stage; a request that passes it by leaves as it comes."""

    arrive_s: Array
    leave_s: Array
    taken: NDArray[np.bool_]
    most_in_flight: int
    busy_fraction: float  # offered over the rate of full load

    @property
    def spent_s(self) -> Array:
        """Time in the stage, 0 where it is passed by."""
        return self.leave_s - self.arrive_s


@dataclass(frozen=True, eq=False)
class PipelineRun:
    """One simulated run."""

    arrivals_s: Array
    stages: Mapping[str, StageTimes]
    critical: Mapping[str, Array]  # seconds of each request that each stage holds the whole up
    skip: int

    @property
    def whole_s(self) -> Array:
        """Time of each request from its arrival to its last stage, after the warm-up."""
        last = np.max([times.leave_s for times in self.stages.values()], axis=0)
        return np.asarray((last - self.arrivals_s)[self.skip :])

    def percentile_s(self, percentile: float) -> float:
        """Return a percentile (0..100) of the whole."""
        return float(np.percentile(self.whole_s, percentile))

    def interval_s(self, percentile: float) -> tuple[float, float]:
        """Return its 80 % interval from consecutive parts of the run."""
        parts = [float(np.percentile(p, percentile)) for p in batches(self.whole_s, _BLOCKS)]
        half = _Z80 * float(np.std(parts, ddof=1)) / math.sqrt(len(parts))
        middle = self.percentile_s(percentile)
        return middle - half, middle + half

    def stage_percentile_s(self, key: str, percentile: float) -> float:
        """Return a percentile of one stage among the requests that take it."""
        times = self.stages[key]
        spent = times.spent_s[self.skip :][times.taken[self.skip :]]
        return float(np.percentile(spent, percentile)) if spent.size else 0.0

    def slow_share(self, key: str, percentile: float) -> float:
        """Return the stage's mean share of the whole in the requests at and above a percentile.

        Shares are taken along the path that held each request up, so they add up to 1.
        """
        whole = self.whole_s
        slow = whole >= np.percentile(whole, percentile)
        held = self.critical[key][self.skip :][slow]
        total = float(whole[slow].sum())
        return float(held.sum()) / total if total > 0 else 0.0

    def binds(self, percentile: float) -> str:
        """Return the stage with the largest share of the slow requests."""
        return max(self.stages, key=lambda key: self.slow_share(key, percentile))

    @property
    def saturated(self) -> str:
        """Return a stage that takes more than it serves, or an empty text."""
        return next((key for key, t in self.stages.items() if t.busy_fraction >= 1.0), "")


def ordered(nodes: Sequence[Node]) -> list[Node]:
    """Return the stages so that each comes after those it waits for.

    Raises
    ------
    ValueError
        A stage waits for one that is not there, or for itself in a circle.
    """
    left = {node.key: node for node in nodes}
    unknown = [name for node in nodes for name in node.after if name not in left]
    if unknown:
        raise ValueError(f"no stage has the key {unknown[0]!r}")
    found: list[Node] = []
    while left:
        ready = [node for node in left.values() if not set(node.after) & left.keys()]
        if not ready:
            raise ValueError(f"the stages {', '.join(left)} wait for each other")
        found += ready
        for node in ready:
            del left[node.key]
    return found


def simulate_pipeline(
    nodes: Sequence[Node],
    arrivals_s: Array,
    *,
    seed: int = 9,
    warm_up_fraction: float = WARM_UP_FRACTION,
    memo: dict[object, Array] | None = None,
) -> PipelineRun:
    """Run every request through every stage (P9).

    `memo` keeps what a stage did, for runs that differ in the units of other stages only.

    No stage sends requests back, so the stages are run one after the other, each over all
    requests in the order they reach it: this is the joint law, not one stage at a time.

    Raises
    ------
    ValueError
        From `ordered`.
    """
    order = ordered(nodes)
    chance = np.random.default_rng(seed)
    stages: dict[str, StageTimes] = {}
    chain: dict[str, object] = {}
    for index, node in enumerate(order):
        chain[node.key] = (node.key, _count(node), *(chain[name] for name in node.after))
        begun = arrivals_s
        for name in node.after:
            begun = np.maximum(begun, stages[name].leave_s)
        taken = chance.random(arrivals_s.size) < node.share_fraction
        leave = begun.copy()
        at = np.nonzero(taken)[0]
        if at.size:
            at = at[np.argsort(begun[at], kind="stable")]
            done = memo.get(chain[node.key]) if memo is not None else None
            if done is None:
                done = node.tier.finish(begun[at], seed + 7919 * (index + 1))
                if memo is not None:
                    memo[chain[node.key]] = done
            leave[at] = done
        stages[node.key] = StageTimes(
            begun,
            leave,
            taken,
            most_in_flight(begun[at], leave[at]),
            _busy(node, arrivals_s, int(at.size)),
        )
    skip = int(arrivals_s.size * warm_up_fraction)
    return PipelineRun(arrivals_s, stages, _critical(order, stages, arrivals_s), skip)


def _count(node: Node) -> int:
    return node.tier.cores if isinstance(node.tier, CpuTier) else node.tier.replicas


def _busy(node: Node, arrivals: Array, count: int) -> float:
    span = float(arrivals[-1] - arrivals[0]) if arrivals.size > 1 else 0.0
    return count / span / node.tier.rate_per_s if span > 0 else 0.0


def most_in_flight(arrive: Array, leave: Array) -> int:
    """Most requests in the stage at once."""
    if not arrive.size:
        return 0
    steps = np.concatenate([np.ones(arrive.size), -np.ones(leave.size)])
    at = np.concatenate([arrive, leave])
    # a request that leaves makes room before another comes at the same instant
    return int(np.cumsum(steps[np.lexsort((steps, at))]).max())


def _critical(
    order: Sequence[Node], stages: Mapping[str, StageTimes], arrivals: Array
) -> dict[str, Array]:
    """Walk back from the stage that ended last along the stages that were waited for."""
    keys = [node.key for node in order]
    after = {node.key: node.after for node in order}
    held = {key: np.zeros(arrivals.size) for key in keys}
    leave = np.array([stages[key].leave_s for key in keys])
    on = {key: np.zeros(arrivals.size, dtype=bool) for key in keys}
    last = np.argmax(leave, axis=0)
    for index, key in enumerate(keys):
        on[key] = last == index
    for key in reversed(keys):
        here = on[key]
        held[key][here] = stages[key].spent_s[here]
        if after[key]:
            ends = np.array([stages[name].leave_s for name in after[key]])
            latest = np.argmax(ends, axis=0)
            for position, name in enumerate(after[key]):
                on[name] |= here & (latest == position)
    return held


@dataclass(frozen=True, slots=True)
class Sized:
    """Least units of each stage that keep the whole within its target, or why none do."""

    units: Mapping[str, int]
    met: bool
    binds: str
    reason: str = ""
    hopeless: bool = False  # over the limit even with every request alone


def least_units(
    nodes: Sequence[Node],
    arrivals_s: Array,
    *,
    percentile: float,
    limit_s: float,
    per_unit: Mapping[str, int],
    host: Mapping[str, str] | None = None,
    fixed: Mapping[str, int] | None = None,
    most_units: int = 4096,
    seed: int = 9,
    load_limit: float = 0.95,
) -> Sized:
    """Search the least machines of each stage for a target of the whole (P8, P9).

    Every stage starts with the machines that carry its load; one machine at a time then goes to
    the stage where it takes most off the percentile; last, every stage gives back what it can.

    Parameters
    ----------
    per_unit
        Replicas or cores in one machine, by stage.
    host
        Stage whose machines a stage runs on; left out: its own.
    fixed
        Machines that are given, by host.
    """
    home = {node.key: (host or {}).get(node.key, node.key) for node in nodes}
    given = dict(fixed or {})
    load = arrivals_s.size / float(arrivals_s[-1] - arrivals_s[0])

    memo: dict[object, Array] = {}

    def run(units: Mapping[str, int]) -> PipelineRun:
        placed = [_with(n, units[home[n.key]] * per_unit[n.key]) for n in nodes]
        return simulate_pipeline(placed, arrivals_s, seed=seed, memo=memo)

    start = dict.fromkeys(home.values(), 1)
    for node in nodes:
        one = node.tier.with_units(per_unit[node.key]).rate_per_s
        least = math.ceil(load * node.share_fraction / (one * load_limit))
        start[home[node.key]] = max(start[home[node.key]], least)
    if max(start.values()) > most_units:
        key = max(start, key=lambda at: start[at])
        return Sized(start, False, key, f"{key}: more than {most_units:,} machines for the load")
    start |= given
    alone = simulate_pipeline([_with(n, arrivals_s.size) for n in nodes], arrivals_s, seed=seed)
    floor_s = alone.percentile_s(percentile)
    if floor_s > limit_s:
        key = alone.binds(percentile)
        spent = alone.stage_percentile_s(key, percentile)
        return Sized(
            start,
            False,
            key,
            f"p{percentile:g} is {1e3 * floor_s:,.0f} ms with every request alone on its devices,"
            f" over {1e3 * limit_s:,.0f} ms; {key} takes {1e3 * spent:,.0f} ms of it",
            hopeless=True,
        )
    units, seen = dict(start), run(start)
    free = [key for key in units if key not in given]
    while seen.percentile_s(percentile) > limit_s:
        tried = []
        for key in free:
            step = max(1, units[key] // 8)
            more = units | {key: units[key] + step}
            other = run(more)
            gain = (seen.percentile_s(percentile) - other.percentile_s(percentile)) / step
            tried.append((gain, key, more, other))
        if not tried:
            binds = seen.binds(percentile)
            late = 1e3 * seen.percentile_s(percentile)
            return Sized(units, False, binds, f"p{percentile:g} is {late:,.0f} ms as counted")
        _, key, units, seen = max(tried, key=lambda item: (item[0], item[1]))
        if max(units.values()) > most_units:
            return Sized(units, False, key, f"{key}: more than {most_units:,} machines")
    for key in free:
        while units[key] > start[key]:
            fewer = units | {key: units[key] - 1}
            other = run(fewer)
            if other.percentile_s(percentile) > limit_s:
                break
            units, seen = fewer, other
    return Sized(units, True, seen.binds(percentile))


def _with(node: Node, count: int) -> Node:
    return Node(
        node.key, node.tier.with_units(count), node.after, node.share_fraction, node.request_gb
    )

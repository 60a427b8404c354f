"""One replica of a model on t devices: does it fit, how fast, how much load (P1, P5, P8)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tco.inputs import Device, LanguageModel, LatencyTarget, Parallel
from tco.performance import defaults
from tco.performance.degrees import degrees_problem
from tco.performance.dtypes import BYTES, execution
from tco.performance.factors import DEFAULT_STACK
from tco.performance.fit import smallest_change
from tco.performance.iteration import IterationModel, iteration_model
from tco.performance.load_table import MAX_LOAD, MAX_SLOT_WAIT, PERCENTILES, LoadTable
from tco.performance.memory import MemoryPlan, memory_plan
from tco.performance.operators import Array
from tco.performance.serving import StepTimes, evaluate, step_times
from tco.simulate.step_table import StepTable

_FASTEST_S, _SLOWEST_S = 1e-7, 1e6  # of an iteration: outside, a figure is a slip of the pen
_LIGHT = 1e-3


@dataclass(frozen=True, slots=True)
class ReplicaSpec:
    """What the speed of a replica depends on, and nothing else."""

    model: LanguageModel
    device: Device
    tensor_parallel: int
    weight_dtype: str
    kv_dtype: str
    input_tokens: float
    output_tokens: float
    throughput_fraction: float = 1.0
    pipeline_parallel: int = 1
    expert_parallel: int = 1
    attention_data_parallel: int = 1
    cached_tokens: float = 0.0  # of the input, found in the prefix cache
    max_sequences: int | None = None  # batch limit of an attention group; None: the engine's
    stack: str = DEFAULT_STACK

    @property
    def parallel(self) -> Parallel:
        """Degrees of the replica."""
        return Parallel(
            self.tensor_parallel,
            self.pipeline_parallel,
            self.expert_parallel,
            self.attention_data_parallel,
        )


@dataclass(frozen=True, eq=False)
class Replica:
    """A replica that fits, with its times; or the reason why there is none.

    Compared by identity: `build_replica` gives the same one for the same spec.
    """

    spec: ReplicaSpec
    reason: str
    note: str = ""
    plan: MemoryPlan | None = None
    iteration: IterationModel | None = None
    times: StepTimes | None = None

    @property
    def measured(self) -> bool:
        """True when products come from measured points."""
        return self.iteration is not None and self.iteration.body.measured

    def step_table(self) -> StepTable:
        """Return what the simulator reads (P6): times, room, limits."""
        assert self.iteration is not None
        assert self.plan is not None
        tokens = self.plan.kv_tokens
        groups = self.spec.attention_data_parallel
        return self.iteration.table(
            kv_tokens=math.inf if tokens is None else tokens * groups,
            max_sequences=int(self.plan.max_sequences * groups),
            max_batched_tokens=int(defaults.MAX_BATCHED_TOKENS.value) * groups,
        )

    def measured_range(self) -> bool:
        """Return False when the prompt's row count lies outside what was measured."""
        if self.iteration is None or not self.measured:
            return True
        assert self.times is not None
        rows = max(self.spec.input_tokens / self.times.chunks, 1.0)
        return self.iteration.body.in_range(rows) and self.iteration.body.in_range(1.0)


def _smallest_change(spec: ReplicaSpec, memory_gb: float, choices: tuple[int, ...]) -> str:
    """Name the smallest change that makes the model fit (P1.4), tried in order of effort."""
    return smallest_change(
        spec.model,
        memory_gb=memory_gb,
        parallel=spec.parallel,
        weight_dtype=spec.weight_dtype,
        kv_dtype=spec.kv_dtype,
        sequence_tokens=spec.input_tokens + spec.output_tokens,
        choices=tuple(Parallel(tensor=choice) for choice in choices),
    )


@lru_cache(maxsize=512)
def build_replica(spec: ReplicaSpec, choices: tuple[int, ...]) -> Replica:
    """Build a replica, or say why it cannot be (P1.4, P3).

    Parameters
    ----------
    choices
        Tensor-parallel degrees the machine allows; used to name the smallest change that helps.
    """
    model, device = spec.model, spec.device
    if not model.supported:
        return Replica(spec, f"{model.name}: {model.why_unsupported or 'not supported yet'}")
    unknown = [name for name in (spec.weight_dtype, spec.kv_dtype) if name not in BYTES]
    if unknown:
        return Replica(spec, f"{unknown[0]} is not a known dtype; use one of {', '.join(BYTES)}")
    tokens = spec.input_tokens + spec.output_tokens
    if tokens > model.max_context_tokens:
        return Replica(
            spec,
            f"context: {tokens:,.0f} tokens, {model.name} takes {model.max_context_tokens:,}; "
            "shorten input or output",
        )
    problem = degrees_problem(model, spec.parallel)
    if problem:
        return Replica(spec, f"degrees: {problem}")
    iteration = iteration_model(
        model,
        device,
        spec.parallel,
        weight_dtype=spec.weight_dtype,
        kv_dtype=spec.kv_dtype,
        throughput_fraction=spec.throughput_fraction,
        stack=spec.stack,
    )
    if isinstance(iteration, str):
        return Replica(spec, iteration)
    capacity_gb = None if device.memory_gb is None else device.memory_gb.value
    plan = memory_plan(
        model,
        memory_gb=capacity_gb,
        parallel=spec.parallel,
        weight_dtype=spec.weight_dtype,
        kv_dtype=spec.kv_dtype,
        sequence_tokens=tokens,
        max_sequences=spec.max_sequences,
    )
    if plan.missing_gb > 0:
        assert capacity_gb is not None
        return Replica(
            spec,
            f"memory: {plan.missing_gb:,.1f} GB missing on each of {spec.parallel.devices} × "
            f"{device.name}; {_smallest_change(spec, capacity_gb, choices)}",
            plan=plan,
        )
    times = step_times(
        iteration,
        input_tokens=spec.input_tokens,
        output_tokens=spec.output_tokens,
        slots=int(plan.replica_sequences),
        cached_tokens=spec.cached_tokens,
    )
    steps = (float(times.decode_s[1]), float(times.decode_s[-1]), float(times.prefill_s[-1]))
    if not (min(steps) > _FASTEST_S and max(steps) < _SLOWEST_S):
        return Replica(
            spec,
            f"speed: the figures of {device.name} give {steps[0]:.3g} s a token; check its peaks "
            "and bandwidth",
            plan=plan,
        )
    run = execution(device, spec.weight_dtype)
    return Replica(spec, "", run.note if run else "", plan, iteration, times)


@dataclass(frozen=True, slots=True)
class Capacity:
    """Most requests per second of one replica within every target, and what stops it there."""

    requests_per_s: float  # 0: not even a light load meets the targets
    binds: str


def target_label(target: LatencyTarget) -> str:
    """Return a target as printed, e.g. ``ttft p95 1,000 ms``."""
    return f"{target.metric} p{target.percentile:g} {target.limit_ms:,g} ms"


def unusable_target(targets: tuple[LatencyTarget, ...], metrics: tuple[str, ...]) -> str:
    """Say which target cannot be judged and why; empty when all can."""
    for target in targets:
        if target.metric not in metrics:
            return f"target {target.metric}: use one of {', '.join(metrics)}"
        if not 0 < target.percentile < 100:
            return f"target {target.metric}: percentile {target.percentile:g} is not in 0..100"
        if target.limit_ms <= 0:
            return f"target {target.metric}: the limit must be above 0 ms"
    return ""


NO_TOKEN_TIME = "tpot target not applicable: a single output token has no time per output token"


def applicable_targets(
    targets: tuple[LatencyTarget, ...], output_tokens: float
) -> tuple[LatencyTarget, ...]:
    """Return the targets that the answer has a time for: one token has none per output token.

    Examples
    --------
    >>> applicable_targets((LatencyTarget("tpot", 95, 50),), 1)
    ()
    """
    return tuple(t for t in targets if t.metric != "tpot" or output_tokens > 1)


def wanted_percentiles(targets: tuple[LatencyTarget, ...]) -> tuple[float, ...]:
    """Return the standard percentiles and those of `targets`, sorted."""
    return tuple(sorted({*PERCENTILES, *(target.percentile for target in targets)}))


def _pressure(table: LoadTable, targets: tuple[LatencyTarget, ...]) -> Array:
    """Predicted over limit, [target and last the slots, load]."""
    rows = [1e3 * table.at(t.metric, t.percentile) / t.limit_ms for t in targets]
    return np.array([*rows, table.slot_share / MAX_SLOT_WAIT], dtype=np.float64)


@lru_cache(maxsize=512)
def capacity(
    spec: ReplicaSpec, choices: tuple[int, ...], targets: tuple[LatencyTarget, ...]
) -> Capacity:
    """Return the largest load of one replica with every target met (P8), to 1e-4."""
    replica = build_replica(spec, choices)
    if replica.times is None:
        return Capacity(0.0, replica.reason)
    targets = applicable_targets(targets, spec.output_tokens)
    limit = replica.times.saturation_per_s * MAX_LOAD.value
    slots = f"memory: KV room for {replica.times.slots} sequences"
    labels = (*(target_label(target) for target in targets), slots)
    percentiles = tuple(sorted({target.percentile for target in targets}))
    metrics = tuple({target.metric for target in targets})
    low, high = _LIGHT * limit, limit
    binds = f"throughput: {MAX_LOAD.value:.0%} of the saturation load"
    # two ends first: often the upper one already holds; then ever finer between pass and fail
    for points in (2, 12, 10, 10, 10):
        rates = np.linspace(low, high, points)
        ratio = _pressure(evaluate(replica.times, rates, percentiles, metrics), targets)
        fails = (ratio > 1).any(axis=0)
        if not fails.any():
            return Capacity(high, binds)
        first = int(np.argmax(fails))
        worst = int(np.argmax(ratio[:, first]))
        if first == 0:
            target = targets[min(worst, len(targets) - 1)] if targets else None
            if low > _LIGHT * limit * 1.001 or target is None:
                return Capacity(low, labels[worst])
            predicted = ratio[worst, 0] * target.limit_ms
            return Capacity(0.0, f"{labels[worst]}: {predicted:,.1f} ms even at a light load")
        binds = labels[worst]
        low, high = float(rates[first - 1]), float(rates[first])
    return Capacity(low, binds)

"""What serves one stage of a pipeline on a machine: its model's times, or cores (P9)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tco.inputs import Parallel, PipelineStage
from tco.performance import defaults
from tco.performance.degrees import degrees_problem
from tco.performance.iteration import IterationModel, iteration_model
from tco.performance.machine import Machine
from tco.performance.memory import memory_plan
from tco.results import MemoryLine
from tco.simulate.stages import BatchTier, CpuTier, ReplicaTier, Tier
from tco.simulate.step_table import StepTable

Array = NDArray[np.float64]
ENCODER_BATCH = 32  # requests answered together where the stage names no limit


@dataclass(frozen=True, eq=False)
class Choice:
    """One way to serve a stage on one server: a tier of its replicas, or the reason why not."""

    tensor_parallel: int
    per_server: int  # replicas, or cores
    tier: Tier | None
    memory: tuple[MemoryLine, ...] = ()
    reason: str = ""
    floor_s: float = 0.0

    @property
    def alone_s(self) -> float:
        """Seconds of one request with nothing else there, without the spread of cpu times."""
        assert self.tier is not None
        if isinstance(self.tier, CpuTier):
            return self.tier.mean_s
        return float(self.tier.finish(np.zeros(1), 0)[0])

    @property
    def rate_per_s(self) -> float:
        """Requests per second of one server."""
        assert self.tier is not None
        return self.tier.with_units(self.per_server).rate_per_s


def stage_choices(
    stage: PipelineStage, machine: Machine, *, tensor_parallel: int | None, speed: float
) -> list[Choice]:
    """Return the ways to serve a stage on a machine, by degree; those that fail say why (P1.4)."""
    if stage.kind == "cpu":
        return [cpu_choice(stage)]
    count = machine.device_count
    degrees = [t for t in range(1, count + 1) if count % t == 0]
    if tensor_parallel is not None:
        if tensor_parallel not in degrees:
            why = f"tensor_parallel: {tensor_parallel} does not divide {count} devices"
            return [Choice(tensor_parallel, 0, None, reason=why)]
        degrees = [tensor_parallel]
    found = [_model_choice(stage, machine, t, speed) for t in degrees]
    usable = [choice for choice in found if choice.tier is not None]
    # the widest says the most: what it lacks, the others lack too
    return usable or [found[-1]]


def cpu_choice(stage: PipelineStage) -> Choice:
    """Return the cores of one server for a cpu stage."""
    if stage.service_ms is None or stage.cores < 1:
        return Choice(1, 0, None, reason=f"{stage.name}: no time or no cores are given")
    tier = CpuTier(stage.cores, stage.service_ms.value / 1e3, stage.service_variation_fraction)
    return Choice(1, stage.cores, tier)


def _model_choice(stage: PipelineStage, machine: Machine, t: int, speed: float) -> Choice:
    model, per_server = stage.model, machine.device_count // t
    if model is None:
        return Choice(t, 0, None, reason=f"{stage.name}: no model is named")
    if not model.supported:
        return Choice(t, 0, None, reason=f"{model.name}: {model.why_unsupported}")
    encoder = stage.kind == "encoder"
    if encoder != (model.kind == "encoder"):
        fits = "an encoder" if model.kind == "encoder" else "a model that writes"
        return Choice(t, 0, None, reason=f"{stage.name}: {model.name} is {fits}")
    tokens = stage.input_tokens + stage.output_tokens
    if tokens > model.max_context_tokens:
        why = f"context: {tokens:,.0f} tokens, {model.name} takes {model.max_context_tokens:,}"
        return Choice(t, 0, None, reason=why)
    problem = degrees_problem(model, Parallel(tensor=t))
    if problem:
        return Choice(t, 0, None, reason=problem)
    memory = machine.device.memory_gb
    plan = memory_plan(
        model,
        memory_gb=None if memory is None else memory.value,
        tensor_parallel=t,
        weight_dtype=stage.weight_dtype,
        kv_dtype=stage.kv_dtype,
        sequence_tokens=tokens,
    )
    if plan.missing_gb > 0:
        why = f"memory: {plan.missing_gb:,.1f} GB missing on each of {t} × {machine.device.name}"
        return Choice(t, 0, None, plan.lines, why)
    iteration = iteration_model(
        model,
        machine.device,
        Parallel(tensor=t),
        weight_dtype=stage.weight_dtype,
        kv_dtype=stage.kv_dtype,
        throughput_fraction=speed,
    )
    if isinstance(iteration, str):
        return Choice(t, 0, None, plan.lines, iteration)
    prompt = max(round(stage.input_tokens), 1)
    floor_s = iteration.prefill_floor_s(prompt * stage.items)
    if encoder:
        return Choice(
            t, per_server, encoder_tier(stage, iteration, prompt), plan.lines, floor_s=floor_s
        )
    held = tokens * stage.items
    room = plan.kv_tokens if plan.kv_tokens is not None else math.inf
    if room < held:
        return Choice(t, 0, None, plan.lines, f"memory: KV room for {room:,.0f} tokens")
    most = max(1, int(min(plan.sequences, defaults.MAX_SEQUENCES.value)))
    table = iteration.table(
        kv_tokens=float(room),
        max_sequences=most,
        max_batched_tokens=int(defaults.MAX_BATCHED_TOKENS.value),
    )
    output = max(round(stage.output_tokens), 1)
    floor_s += (output - 1) * iteration.decode_floor_s(prompt)
    tier = ReplicaTier(1, table, prompt, output)
    return Choice(t, per_server, tier, plan.lines, floor_s=floor_s)


def encoder_tier(stage: PipelineStage, iteration: IterationModel, tokens: int) -> BatchTier:
    """Return an encoder's batches: one pass over every item, each token sees its whole item."""
    limit = stage.batch_limit or ENCODER_BATCH
    rows = limit * stage.items * tokens
    table = iteration.table(kv_tokens=math.inf, max_sequences=1, max_batched_tokens=max(rows, 1))
    return BatchTier(
        1, encoder_seconds(table, limit, stage.items, tokens), limit, stage.timeout_ms / 1e3
    )


def encoder_seconds(table: StepTable, limit: int, items: int, tokens: int) -> Array:
    """Return seconds of a batch by its requests: ``items x tokens`` rows each (P2.2, P5).

    Attention of a bidirectional pass is full: every token of an item attends to all of it.
    """
    sizes = np.arange(limit + 1, dtype=np.float64)
    rows = sizes * items * tokens
    spent = table.seconds(rows, rows * tokens, 0.0, 0.0) + table.request_s
    spent[0] = 0.0
    return np.asarray(spent)

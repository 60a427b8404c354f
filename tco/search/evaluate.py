"""Largest load of many configurations within the latency targets, at once (P6.3, P8).

Means come from the steady state of `tco.performance.steady`. For a filter over hundreds of
configurations a percentile is taken as the mean of its parts with the tail of an exponential wait:
the queue of the prompts grows by ln(1/(1-p)), an iteration by its mixed length. The best ones are
then held against the closed form with its percentiles (`tco.search.rank`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from tco.performance.factors import SHIPPED, resolve, shipped_factors, subject
from tco.performance.memory import MemoryPlan, memory_plan
from tco.performance.rates import ReplicaRates, replica_rates
from tco.performance.steady import Batch, open_loop, saturated
from tco.performance.step import StepArrays, shares, step_arrays
from tco.performance.work import WIDE, Work, work_of
from tco.search.request import Configuration, Excluded, Request

Array = NDArray[np.float64]
SHARES = np.array([0.02, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9])  # of the saturation load
GIGA = 1e9


@dataclass(frozen=True, eq=False)
class Loads:
    """Figures of N configurations at their largest load within the targets; 0 where none is."""

    kept: list[Configuration]
    plans: list[MemoryPlan]
    requests_per_s: Array
    ttft_s: Array
    tpot_s: Array
    e2e_s: Array
    sequences: Array
    binds: list[str]
    excess: list[str]  # of those no load of which meets the targets


def fitting(
    request: Request, tried: Sequence[Configuration]
) -> tuple[list[Configuration], list[MemoryPlan], list[Excluded]]:
    """Keep what fits the memory, with at least two sequences; one plan a layout and format."""
    kept, plans, excluded = [], [], []
    seen: dict[tuple[object, ...], MemoryPlan] = {}
    tokens = request.input_tokens + request.output_tokens
    memory = request.device.memory_gb
    for each in tried:
        key = (each.parallel, each.weight_dtype, each.kv_dtype, each.batch_limit)
        if key not in seen:
            seen[key] = memory_plan(
                request.model,
                memory_gb=None if memory is None else memory.value,
                parallel=each.parallel,
                weight_dtype=each.weight_dtype,
                kv_dtype=each.kv_dtype,
                sequence_tokens=tokens,
                max_sequences=each.batch_limit,
            )
        plan = seen[key]
        if plan.missing_gb > 0:
            said = f"{plan.missing_gb:,.1f} GB missing on each device of {each.parallel.label}"
            excluded.append(Excluded(each, "memory", said))
        elif tokens > request.model.max_context_tokens:
            most = request.model.max_context_tokens
            said = f"{tokens:,.0f} tokens, {request.model.name} takes {most:,}"
            excluded.append(Excluded(each, "context", said))
        else:
            kept.append(each)
            plans.append(plan)
    return kept, plans, excluded


def loads(request: Request, kept: list[Configuration], plans: list[MemoryPlan]) -> Loads:
    """Evaluate every configuration over the load shares and pick the largest within targets."""
    works, rates = laid_out(request, kept)
    arrays = step_arrays(works, rates)
    who = [subject(request.device, request.stack)] * len(kept)
    at = shares(arrays, resolve(shipped_factors()[SHIPPED], who))
    size = len(kept)
    batch = Batch(
        arrays=arrays,
        at=at,
        input_tokens=np.full(size, request.input_tokens),
        output_tokens=np.full(size, request.output_tokens),
        kv_tokens=np.array([_room(plan) for plan in plans]),
        max_sequences=np.array([float(c.batch_limit * c.parallel.attention_data) for c in kept]),
        cached_tokens=np.full(size, request.cached_tokens),
    )
    slots = np.array([max(1.0, plan.replica_sequences) for plan in plans])
    full = saturated(batch, np.minimum(slots, batch.room()))
    limit = full.output_tokens_per_s / request.output_tokens
    grid = _repeat(batch, len(SHARES))
    rate = np.repeat(limit, len(SHARES)) * np.tile(SHARES, size)
    state = open_loop(grid, rate)
    metrics = {
        "ttft": (state.ttft_s, grid),
        "tpot": (state.tpot_s, grid),
        "e2e": (state.e2e_s, grid),
    }
    ratios = []
    service = grid.mixed_s(grid.fresh_tokens, np.maximum(state.sequences, 1.0))
    busy = np.minimum(rate * service, 0.95)
    queue = busy * service / (2 * (1 - busy))
    for target in request.targets:
        mean = metrics[target.metric][0]
        tail = math.log(1 / (1 - target.percentile / 100))
        above = queue * max(tail - 1, 0.0) if target.metric != "tpot" else 0.0
        spread = 1 + 0.05 * tail if target.metric == "tpot" else 1.0
        ratios.append((mean * spread + above) * 1e3 / target.limit_ms)
    over = np.stack(ratios) if ratios else np.zeros((1, len(rate)))
    over = over.reshape(len(over), size, len(SHARES))
    fits: NDArray[np.bool_] = np.all(over <= 1, axis=0)
    best = np.where(fits.any(axis=1), len(SHARES) - 1 - np.argmax(fits[:, ::-1], axis=1), -1)
    rows = np.arange(size) * len(SHARES) + np.maximum(best, 0)
    worst = over[:, np.arange(size), np.minimum(best + 1, len(SHARES) - 1)].argmax(axis=0)
    light = over[:, :, 0].argmax(axis=0)
    names = [f"{t.metric} p{t.percentile:g} {t.limit_ms:,g} ms" for t in request.targets]
    binds, excess = [], []
    for place in range(size):
        top = best[place] == len(SHARES) - 1 or not names
        binds.append("throughput: 90 % of the saturation load" if top else names[worst[place]])
        missed = ""
        if best[place] < 0:
            times = over[light[place], place, 0]
            missed = f"{names[light[place]]}: {times:,.2f} x even at a light load"
        excess.append(missed)
    return Loads(
        kept=kept,
        plans=plans,
        requests_per_s=np.where(best >= 0, rate[rows], 0.0),
        ttft_s=state.ttft_s[rows],
        tpot_s=state.tpot_s[rows],
        e2e_s=state.e2e_s[rows],
        sequences=state.sequences[rows],
        binds=binds,
        excess=excess,
    )


def laid_out(
    request: Request, kept: Sequence[Configuration]
) -> tuple[list[Work], list[ReplicaRates]]:
    """Work and rates of each; what a batch limit does not change is made once."""
    works: dict[tuple[object, ...], Work] = {}
    rates: dict[tuple[object, ...], ReplicaRates] = {}
    for each in kept:
        key = (each.parallel, each.weight_dtype, each.kv_dtype)
        if key not in works:
            works[key] = work_of(
                request.model,
                each.parallel,
                weight_dtype=each.weight_dtype,
                kv_dtype=each.kv_dtype,
            )
            dtypes = tuple(sorted({p.dtype for p in works[key].products} | {WIDE}))
            found = replica_rates(request.device, each.parallel, dtypes)
            assert not isinstance(found, str), found  # the request was checked
            rates[key] = found
    keys = [(each.parallel, each.weight_dtype, each.kv_dtype) for each in kept]
    return [works[key] for key in keys], [rates[key] for key in keys]


def _room(plan: MemoryPlan) -> float:
    tokens = plan.kv_tokens
    return math.inf if tokens is None else tokens * plan.parallel.attention_data


def _repeat(batch: Batch, times: int) -> Batch:
    index = np.repeat(np.arange(len(batch.input_tokens)), times)
    arrays: StepArrays = batch.arrays.take(index)
    at: Mapping[str, Array] = {name: value[index] for name, value in batch.at.items()}
    columns = ("input_tokens", "output_tokens", "kv_tokens", "max_sequences", "cached_tokens")
    return replace(
        batch, arrays=arrays, at=at, **{name: getattr(batch, name)[index] for name in columns}
    )

"""Time of an iteration: the work of a replica on the rates of its device (P3, P4, P5).

Everything is an array over replicas, or over loads of one replica, or both: the search, the load
models, and the calibration call the same function.

Method
------
A product takes the cubic mean of its compute time and its memory time (a smooth roofline: a third
of the smaller adds near the ridge), each at a fitted share of the physical rate. Decode attention
reads the cache at its own share of the bandwidth, or is bound by its flops (latent attention);
prompt attention runs at its own share of the 16-bit peak. Collectives cost a latency that grows
with the ranks plus their bytes over the link. On top come launches per layer, host time per
iteration and per decoding sequence. No share exceeds 1, so no time beats its floor (P0.1, P0.4).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from tco.performance.dtypes import dtype_bytes
from tco.performance.rates import ReplicaRates
from tco.performance.work import Work

Array = NDArray[np.float64]
LEAST_SHARE, MOST_SHARE = 0.02, 1.0
KERNELS_PER_LAYER = 10.0  # of a dense layer: the unit of `layer_us`
TRAFFIC_SHARE = 0.7  # of the bandwidth, for norms, adds and activations
LINK_SHARE = 0.7  # of the link rate, for large messages; public collectives reach 0.7 to 0.9


@dataclass(frozen=True, eq=False)
class StepArrays:
    """Work and rates of N replicas; products padded to P: shapes [N, P] and [N]."""

    count: Array
    weights: Array
    width: Array
    stored_bytes: Array
    share: Array
    units: Array
    pool: Array
    active: Array
    sampled: Array
    peak_flops: Array
    executed_bytes: Array  # of an element as multiplied: 2, 1 or below
    bandwidth: Array  # bytes/s
    wide_flops: Array  # 16-bit peak
    base_compute: Array  # share of the peak of large products, before the fitted factors
    base_memory: Array
    kv_bytes: Array
    kv_flops: Array
    prompt_flops: Array
    window_kv_bytes: Array
    window_kv_flops: Array
    window_prompt_flops: Array
    window_tokens: Array
    row_bytes: Array
    state_bytes: Array
    layers: Array
    kernels: Array
    link: Array  # bytes/s
    ranks: Array
    base_collective_us: Array
    collectives: Array
    collective_bytes: Array  # per row, on the wire
    attention_data: Array
    pipeline: Array

    def take(self, index: NDArray[np.int64]) -> StepArrays:
        """Return the replicas of `index`."""
        return StepArrays(**{f.name: getattr(self, f.name)[index] for f in fields(self)})


def step_arrays(works: Sequence[Work], rates: Sequence[ReplicaRates]) -> StepArrays:
    """Lay out `works` on `rates`; both of the same length."""
    size, most = len(works), max(len(work.products) for work in works)
    grid = {
        name: np.zeros((size, most))
        for name in (["count", "weights", "width", "stored_bytes", "share", "sampled"])
    }
    ones = {
        name: np.ones((size, most))
        for name in ["units", "pool", "active", "peak_flops", "executed_bytes"]
    }
    for row, (work, rate) in enumerate(zip(works, rates, strict=True)):
        for column, p in enumerate(work.products):
            ran = rate.ran(p.dtype)
            grid["count"][row, column] = p.count
            grid["weights"][row, column] = p.weights
            grid["width"][row, column] = p.width
            grid["stored_bytes"][row, column] = dtype_bytes(p.dtype)
            grid["share"][row, column] = p.rows_share
            grid["sampled"][row, column] = p.sampled
            ones["units"][row, column] = p.units
            ones["pool"][row, column] = p.pool
            ones["active"][row, column] = p.active
            ones["peak_flops"][row, column] = ran.peak_flop_per_s
            ones["executed_bytes"][row, column] = dtype_bytes(ran.dtype)

    def column_of(values: list[float]) -> Array:
        return np.array(values, dtype=np.float64)

    wire = [_wire(work) for work in works]
    return StepArrays(
        **grid,
        **ones,
        bandwidth=column_of([rate.bandwidth_bytes_per_s for rate in rates]),
        wide_flops=column_of([rate.wide_flop_per_s for rate in rates]),
        base_compute=column_of([rate.compute_fraction for rate in rates]),
        base_memory=column_of([rate.memory_fraction for rate in rates]),
        kv_bytes=column_of([work.full.kv_bytes for work in works]),
        kv_flops=column_of([work.full.decode_flops for work in works]),
        prompt_flops=column_of([work.full.prompt_flops for work in works]),
        window_kv_bytes=column_of([work.window.kv_bytes for work in works]),
        window_kv_flops=column_of([work.window.decode_flops for work in works]),
        window_prompt_flops=column_of([work.window.prompt_flops for work in works]),
        window_tokens=column_of([float(work.window_tokens) for work in works]),
        row_bytes=column_of([work.row_bytes for work in works]),
        state_bytes=column_of([work.state_bytes for work in works]),
        layers=column_of([work.layers for work in works]),
        kernels=column_of([work.kernels for work in works]),
        link=column_of([rate.link_bytes_per_s for rate in rates]),
        ranks=column_of([float(ranks) for ranks, _, _ in wire]),
        base_collective_us=column_of([rate.collective_us for rate in rates]),
        collectives=column_of([count for _, count, _ in wire]),
        collective_bytes=column_of([moved for _, _, moved in wire]),
        attention_data=column_of([float(work.attention_data) for work in works]),
        pipeline=column_of([float(work.pipeline) for work in works]),
    )


def _wire(work: Work) -> tuple[int, float, float]:
    """Ranks, calls an iteration, and bytes a row that each device sends (ring, P4.1)."""
    ranks = max((c.ranks for c in work.collectives), default=1)
    moved = 0.0
    for c in work.collectives:
        way = 2.0 if c.operation == "all_reduce" else 1.0
        moved += c.count * c.bytes_per_row * way * (c.ranks - 1) / c.ranks
    return ranks, sum(c.count for c in work.collectives), moved


def shares(arrays: StepArrays, factors: Mapping[str, Array]) -> dict[str, Array]:
    """Return what the fitted factors make of the rates: seconds per flop and per byte.

    Parameters
    ----------
    factors
        Each an array [N]; logarithms for shares and costs. See `tco.performance.factors`.
    """

    def held(value: Array) -> Array:
        return np.clip(value, LEAST_SHARE, MOST_SHARE)

    narrow, small = (
        arrays.executed_bytes < 1,
        (arrays.executed_bytes >= 1) & (arrays.executed_bytes < 2),
    )
    expert = arrays.pool > 1
    compute = factors["compute"][:, None] + np.zeros_like(arrays.count)
    compute = compute + np.where(small, factors["compute_8bit"][:, None], 0.0)
    compute = compute + np.where(narrow, factors["compute_4bit"][:, None], 0.0)
    compute = compute + np.where(expert, factors["compute_experts"][:, None], 0.0)
    memory = factors["memory"][:, None] + np.zeros_like(arrays.count)
    thin, packed = arrays.stored_bytes < 1, (arrays.stored_bytes >= 1) & (arrays.stored_bytes < 2)
    memory = memory + np.where(packed, factors["memory_8bit"][:, None], 0.0)
    memory = memory + np.where(thin, factors["memory_4bit"][:, None], 0.0)
    memory = memory + np.where(expert, factors["memory_experts"][:, None], 0.0)
    device = np.exp(factors["device"])  # of all device time; at least the floor below
    reach_compute = held(arrays.base_compute[:, None] * np.exp(compute) / device[:, None])
    reach_memory = held(arrays.base_memory[:, None] * np.exp(memory) / device[:, None])
    kv = held(arrays.base_memory * np.exp(factors["kv"]) / device)
    decode = held(0.5 * np.exp(factors["attention"]) / device)
    prompt = held(0.5 * np.exp(factors["prompt_attention"]) / device)
    latency = arrays.base_collective_us * np.exp(factors["collective"])
    return {
        "flop_s": 1 / (arrays.peak_flops * reach_compute),
        "byte_s": 1 / (arrays.bandwidth[:, None] * reach_memory),
        "kv_byte_s": 1 / (arrays.bandwidth * kv),
        "kv_flop_s": 1 / (arrays.wide_flops * decode),
        "prompt_flop_s": 1 / (arrays.wide_flops * prompt),
        "row_byte_s": device / (arrays.bandwidth * TRAFFIC_SHARE),
        "wire_byte_s": 1 / (arrays.link * LINK_SHARE),
        "fixed_s": arrays.collectives * latency * 1e-6
        + arrays.kernels / KERNELS_PER_LAYER * np.exp(factors["layer_us"]) * 1e-6
        + np.exp(factors["step_ms"]) * 1e-3,
        # prompts change shape from step to step: their kernels are launched one by one (P3.3)
        "prompt_fixed_s": arrays.kernels * np.exp(factors["prompt_kernel_us"]) * 1e-6,
        "sequence_s": np.exp(factors["sequence_us"]) * 1e-6 / arrays.attention_data,
        "routing": np.minimum(np.exp(factors["routing"]), 1.0),
        "request_s": np.exp(factors["request_ms"]) * 1e-3,
    }


def rows_s(arrays: StepArrays, at: Mapping[str, Array], rows: Array, sampled: Array) -> Array:
    """Return seconds of everything that depends on the number of rows, and of what is fixed.

    Parameters
    ----------
    rows
        Rows of the replica: decoding sequences and prompt tokens. Shape [N], or [K] for one
        replica of arrays [1, P].
    sampled
        Rows that sample a token.
    """
    column = rows[:, None]
    multiplied = np.where(arrays.sampled > 0, sampled[:, None], column) * arrays.share
    routed = arrays.pool > arrays.active
    miss = np.log1p(-np.minimum(arrays.active / arrays.pool, 1 - 1e-12))
    asking = column ** at["routing"][:, None]  # alike tokens ask for the same experts
    found = np.where(routed, -np.expm1(np.where(routed, miss, -1.0) * asking), 1.0)
    hits = multiplied * arrays.active * arrays.units / arrays.pool
    moved = found * arrays.units * arrays.weights * arrays.stored_bytes + hits * arrays.width * 2
    compute = 2 * arrays.weights * hits * at["flop_s"]
    memory = moved * at["byte_s"]
    products = np.cbrt(compute**3 + memory**3)
    wire = rows * arrays.collective_bytes * at["wire_byte_s"]
    total: Array = (
        (arrays.count * products).sum(axis=1)
        + rows * arrays.row_bytes * at["row_byte_s"]
        + wire
        + at["fixed_s"]
    )
    return total


def seconds(
    arrays: StepArrays,
    at: Mapping[str, Array],
    prompt: Array,
    attended: Array,
    sequences: Array,
    context: Array,
) -> Array:
    """Return seconds of iterations (P5).

    Parameters
    ----------
    at
        From `shares`.
    prompt
        Prompt rows of the iteration.
    attended
        Sum over prompt rows of the tokens each attends to.
    sequences
        Decoding sequences of the replica.
    context
        Their tokens of context in sum.
    """
    sampled = sequences + np.where(prompt > 0, 1.0, 0.0)
    base = rows_s(arrays, at, prompt + sequences, sampled)
    windowed = np.minimum(context, sequences * arrays.window_tokens)
    read = context * arrays.kv_bytes + windowed * arrays.window_kv_bytes
    flops = context * arrays.kv_flops + windowed * arrays.window_kv_flops
    decode = np.maximum(read * at["kv_byte_s"], flops * at["kv_flop_s"])
    mean = np.divide(attended, prompt, out=np.zeros_like(base), where=prompt > 0)
    seen = prompt * np.minimum(mean, arrays.window_tokens)
    prompts = attended * arrays.prompt_flops + seen * arrays.window_prompt_flops
    state = sequences * arrays.state_bytes * at["kv_byte_s"]
    total: Array = (
        base
        + decode
        + prompts * at["prompt_flop_s"]
        + np.where(prompt > 0, at["prompt_fixed_s"], 0.0)
        + state
        + sequences * at["sequence_s"]
    )
    return total

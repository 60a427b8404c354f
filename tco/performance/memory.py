"""Memory of one device: weights, KV cache, activations, workspace (P1)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from tco.inputs import LanguageModel, Parallel
from tco.performance.engine_memory import EngineMemory, engine_memory
from tco.performance.kv_cache import BLOCK_TOKENS, KvCache, kv_bytes_per_token, kv_cache
from tco.performance.parameters import Parameters, parameters, table_dtype
from tco.performance.weights import weight_lines
from tco.performance.workspace import workspace_lines
from tco.results import MemoryLine

__all__ = [
    "GB",
    "MemoryPlan",
    "Parameters",
    "block_tokens",
    "kv_bytes_per_token",
    "memory_plan",
    "parameters",
    "table_dtype",
]
GB = 1e9
LEAST_SEQUENCES = 2  # the least a batch needs


def block_tokens(tokens: float) -> float:
    """Round `tokens` up to whole KV blocks."""
    return math.ceil(tokens / BLOCK_TOKENS) * BLOCK_TOKENS


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """The memory table of one device and the room left for KV, in bytes."""

    weight_bytes: float
    fixed_bytes: float  # activations, logits, workspace
    capacity_bytes: float | None  # None: the capacity is not known
    usable_fraction: float
    cache: KvCache
    sequence_tokens: float  # whole blocks, at the workload's lengths
    max_sequences: int  # the scheduler's limit, per attention group
    parallel: Parallel
    lines: tuple[MemoryLine, ...]

    @property
    def usable_bytes(self) -> float | None:
        """What the engine may use: a share of the whole device, weights included."""
        return None if self.capacity_bytes is None else self.capacity_bytes * self.usable_fraction

    @property
    def reserved_bytes(self) -> float | None:
        """What the engine takes at its start, whatever the model needs: all it may use (UP9)."""
        return self.usable_bytes

    @property
    def definition(self) -> str:
        """How the usable memory is defined, shown beside the figures."""
        return (
            f"usable memory = {self.usable_fraction:.2g} × the device's memory; it holds weights,"
            " activations, buffers and the KV cache, and is reserved at the engine's start"
        )

    @property
    def kv_token_bytes(self) -> float:
        """Mean bytes of a token at the workload's lengths; all layers where none is windowed."""
        if self.sequence_tokens == 0:
            return self.cache.token_bytes
        return self.sequence_bytes / self.sequence_tokens

    @property
    def sequence_bytes(self) -> float:
        """Bytes of one sequence at the workload's lengths, state included."""
        return float(self.cache.bytes(self.sequence_tokens))

    @property
    def kv_room_bytes(self) -> float | None:
        """Bytes left for KV; negative when the model does not fit."""
        if self.usable_bytes is None:
            return None
        return self.usable_bytes - self.weight_bytes - self.fixed_bytes

    @property
    def kv_tokens(self) -> float | None:
        """Tokens that fit one attention group, in whole blocks; None where there is no limit."""
        room = self.kv_room_bytes
        if room is None or math.isinf(room) or self.kv_token_bytes == 0:
            return None
        block = self.cache.block_tokens
        return math.floor(max(room, 0.0) / self.kv_token_bytes / block) * block

    @property
    def sequences(self) -> float:
        """Sequences that fit at the workload's lengths, at most the scheduler's limit."""
        return self.sequences_at(self.sequence_tokens)

    @property
    def replica_sequences(self) -> float:
        """Sequences of the replica: each attention group serves its own."""
        return self.sequences * self.parallel.attention_data

    def sequences_at(self, context_tokens: float) -> float:
        """Return the sequences that fit at another context, at most the scheduler's limit."""
        room = self.kv_room_bytes
        each = float(self.cache.bytes(context_tokens))
        if room is not None and room < 0:
            return 0
        if room is None or math.isinf(room) or each == 0:
            return self.max_sequences
        return min(self.max_sequences, math.floor(max(room, 0.0) / each * (1 + 1e-12)))

    @property
    def most_context(self) -> float:
        """Longest context of which the least batch fits, in whole blocks."""
        room = self.kv_room_bytes
        return math.inf if room is None else self.cache.most_context(room / LEAST_SEQUENCES)

    @property
    def missing_gb(self) -> float:
        """GB per device short of two sequences, the least a batch needs; 0 when it fits."""
        room = self.kv_room_bytes
        if room is None:
            return 0.0
        return max(0.0, LEAST_SEQUENCES * self.sequence_bytes - room) / GB


def memory_plan(
    model: LanguageModel,
    *,
    memory_gb: float | None,
    weight_dtype: str,
    kv_dtype: str,
    sequence_tokens: float,
    tensor_parallel: int = 1,
    parallel: Parallel | None = None,
    engine: EngineMemory | None = None,
    usable_fraction: float | None = None,
    max_batched_tokens: int | None = None,
    max_sequences: int | None = None,
) -> MemoryPlan:
    """Lay out the memory of the fullest device of a replica (P1.1 to P1.4).

    Parameters
    ----------
    memory_gb
        Capacity in 10^9 bytes, or None where it is not known: then nothing can be missing.
    sequence_tokens
        Input and output tokens of one request at its end.
    parallel
        Degrees of the replica; left out: `tensor_parallel` alone.
    usable_fraction, max_batched_tokens, max_sequences
        Limits of the engine; left out: those of its version.
    """
    parallel = parallel or Parallel(tensor=tensor_parallel)
    engine = engine or engine_memory()
    limit = max_sequences or engine.max_sequences
    weights = weight_lines(model, weight_dtype, parallel)
    workspace = workspace_lines(
        model,
        parallel,
        engine,
        max_batched_tokens=max_batched_tokens or engine.max_batched_tokens,
        max_sequences=limit,
    )
    plan = MemoryPlan(
        weight_bytes=math.fsum(line.gb_per_device for line in weights) * GB,
        fixed_bytes=math.fsum(line.gb_per_device for line in workspace) * GB,
        capacity_bytes=None if memory_gb is None else memory_gb * GB,
        usable_fraction=engine.usable_fraction if usable_fraction is None else usable_fraction,
        cache=kv_cache(model, kv_dtype, parallel),
        sequence_tokens=block_tokens(max(sequence_tokens, 1.0)),
        max_sequences=limit,
        parallel=parallel,
        lines=(),
    )
    return replace(plan, lines=(*weights, *workspace, *_rest(plan)))


def _rest(plan: MemoryPlan) -> tuple[MemoryLine, ...]:
    """KV cache and what is kept free: with them the lines add up to the capacity."""
    if plan.capacity_bytes is None:
        return ()
    room, kept = plan.kv_room_bytes or 0.0, 1 - plan.usable_fraction
    tokens, blocks = plan.kv_tokens, plan.sequence_tokens
    if tokens is None:
        cached = "rest; this model caches nothing"
    else:
        cached = (
            f"rest: {tokens:,.0f} tokens × {plan.kv_token_bytes:,.0f} B, {plan.sequences:,.0f}"
            f" sequences of {blocks:,.0f} tokens"
        )
        if plan.cache.window_token_bytes or plan.cache.state_bytes:
            cached += f" ({plan.sequence_bytes / GB:.3g} GB each, windows and states by layer)"
    return (
        MemoryLine("KV cache", max(room, 0.0) / GB, cached),
        MemoryLine(
            "kept free",
            plan.capacity_bytes * kept / GB,
            f"capacity × {kept:.2g}; {plan.definition}",
        ),
    )

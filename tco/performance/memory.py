"""Memory of one device: weights, KV cache, activations, workspace (P1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.inputs import LanguageModel
from tco.performance import defaults
from tco.performance.dtypes import dtype_bytes
from tco.performance.kv_cache import kv_bytes_per_token
from tco.performance.parameters import Parameters, parameters, table_dtype
from tco.results import MemoryLine

__all__ = ["GB", "MemoryPlan", "Parameters", "kv_bytes_per_token", "memory_plan", "parameters"]
GB = 1e9


def block_tokens(tokens: float) -> float:
    """Round `tokens` up to whole KV blocks."""
    block = defaults.KV_BLOCK_TOKENS.value
    return math.ceil(tokens / block) * block


@dataclass(frozen=True, slots=True)
class MemoryPlan:
    """The memory table of one device and the room left for KV, in bytes."""

    weight_bytes: float
    fixed_bytes: float  # activations, logits, workspace
    usable_bytes: float | None  # None: the capacity is not known
    kv_token_bytes: float
    sequence_tokens: float  # whole blocks, at the workload's lengths
    lines: tuple[MemoryLine, ...]

    @property
    def kv_room_bytes(self) -> float | None:
        """Bytes left for KV; negative when the model does not fit."""
        if self.usable_bytes is None:
            return None
        return self.usable_bytes - self.weight_bytes - self.fixed_bytes

    @property
    def kv_tokens(self) -> float | None:
        """Tokens that fit, in whole blocks."""
        room = self.kv_room_bytes
        if room is None or math.isinf(room):
            return None
        block = defaults.KV_BLOCK_TOKENS.value
        return math.floor(max(room, 0.0) / self.kv_token_bytes / block) * block

    @property
    def sequences(self) -> float:
        """Sequences that fit at the workload's lengths, at most the scheduler's limit."""
        limit = defaults.MAX_SEQUENCES.value
        tokens = self.kv_tokens
        return limit if tokens is None else min(limit, math.floor(tokens / self.sequence_tokens))

    @property
    def missing_gb(self) -> float:
        """GB per device short of two sequences, the least a batch needs; 0 when it fits."""
        room = self.kv_room_bytes
        if room is None:
            return 0.0
        return max(0.0, 2 * self.kv_token_bytes * self.sequence_tokens - room) / GB


def memory_plan(
    model: LanguageModel,
    *,
    memory_gb: float | None,
    tensor_parallel: int,
    weight_dtype: str,
    kv_dtype: str,
    sequence_tokens: float,
) -> MemoryPlan:
    """Lay out the memory of one device (P1.1 to P1.4).

    Parameters
    ----------
    memory_gb
        Capacity in 10^9 bytes, or None where it is not known: then nothing can be missing.
    sequence_tokens
        Input and output tokens of one request at its end.
    """
    t = tensor_parallel
    counts = parameters(model)
    small, wide = dtype_bytes(weight_dtype), dtype_bytes(table_dtype(weight_dtype))
    kv_share = 1 / min(t, model.kv_heads)
    body = (
        (counts.attention - counts.key_value + counts.feed_forward) / t
        + counts.key_value * kv_share
    ) * small + counts.norms * wide
    tables = (counts.embedding + counts.head) / t * wide
    batched = defaults.MAX_BATCHED_TOKENS.value
    widest = max(
        2 * model.feed_forward / t, (model.heads + 2 * model.kv_heads) / t * model.head_dim
    )
    activations = batched * (2 * model.hidden + widest) * 2
    logits = defaults.MAX_SEQUENCES.value * model.vocabulary * 4
    runtime = (defaults.RUNTIME_GB if t == 1 else defaults.COMMUNICATION_GB).value * GB
    usable_share = defaults.USABLE_MEMORY_FRACTION.value
    usable = None if memory_gb is None else memory_gb * GB * usable_share
    kv_token = kv_bytes_per_token(model, kv_dtype, t)
    blocks = block_tokens(max(sequence_tokens, 1.0))
    lines = [
        MemoryLine("weights, layers", body / GB, f"attention and feed-forward × {small:g} B / {t}"),
        MemoryLine(
            "weights, embeddings and head",
            tables / GB,
            f"{'1' if model.tied_embeddings else '2'} × vocabulary × hidden × {wide:g} B / {t}",
        ),
        MemoryLine("activations", activations / GB, f"{batched:,.0f} tokens × widest layer × 2 B"),
        MemoryLine("logits", logits / GB, "sequences × vocabulary × 4 B"),
        MemoryLine("runtime and communication", runtime / GB, "constant of one engine version"),
    ]
    plan = MemoryPlan(body + tables, activations + logits + runtime, usable, kv_token, blocks, ())
    if memory_gb is not None:
        room = plan.kv_room_bytes or 0.0
        lines.append(
            MemoryLine(
                "KV cache",
                max(room, 0.0) / GB,
                f"rest: {plan.kv_tokens or 0:,.0f} tokens × {kv_token:,.0f} B, "
                f"{plan.sequences:,.0f} sequences of {blocks:,.0f} tokens",
            )
        )
        lines.append(
            MemoryLine(
                "kept free", memory_gb * (1 - usable_share), f"capacity × {1 - usable_share:.2g}"
            )
        )
    return MemoryPlan(plan.weight_bytes, plan.fixed_bytes, usable, kv_token, blocks, tuple(lines))

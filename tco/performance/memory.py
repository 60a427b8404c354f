"""Memory of one device: weights, KV cache, activations, workspace (P1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.inputs import LanguageModel
from tco.performance import defaults
from tco.performance.dtypes import dtype_bytes
from tco.results import MemoryLine

GB = 1e9


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters by place in the model; counts, not bytes."""

    attention: int
    key_value: int  # of attention, the part that is replicated when t > g
    feed_forward: int
    norms: int
    embedding: int
    head: int  # 0 when tied to the embedding

    @property
    def body(self) -> int:
        """All layers, without embeddings and head."""
        return self.attention + self.feed_forward + self.norms

    @property
    def total(self) -> int:
        """Everything once."""
        return self.body + self.embedding + self.head


def parameters(model: LanguageModel) -> Parameters:
    """Count the parameters of a dense gated transformer layer by layer (P1.1).

    Attention has four products, the feed-forward three; a tied head is counted once.
    """
    h, d = model.hidden, model.head_dim
    key_value = model.layers * 2 * h * model.kv_heads * d
    query_output = model.layers * 2 * h * model.heads * d
    table = model.vocabulary * h
    return Parameters(
        attention=query_output + key_value,
        key_value=key_value,
        feed_forward=model.layers * 3 * h * model.feed_forward,
        norms=model.layers * 2 * h + h,
        embedding=table,
        head=0 if model.tied_embeddings else table,
    )


def kv_bytes_per_token(model: LanguageModel, kv_dtype: str, tensor_parallel: int = 1) -> float:
    """Return the KV bytes of one token on one device: 2·L·g·d·b / min(t, g) (P1.2).

    Heads are whole: with t not dividing g the fullest device counts.
    """
    heads = math.ceil(model.kv_heads / min(tensor_parallel, model.kv_heads))
    return 2 * model.layers * heads * model.head_dim * dtype_bytes(kv_dtype)


def table_dtype(weight_dtype: str) -> str:
    """Dtype of embeddings, head and norms: small formats keep these at 16 bits."""
    return weight_dtype if dtype_bytes(weight_dtype) >= 2 else "bf16"


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

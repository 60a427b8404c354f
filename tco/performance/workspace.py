"""Activations, logits and what the engine itself takes on one device (P1.3)."""

from __future__ import annotations

import math

from tco.inputs import LanguageModel, Parallel
from tco.performance.engine_memory import EngineMemory
from tco.results import MemoryLine

GB = 1e9
WIDE_BYTES = 2.0  # activations are at 16 bits


def widest_layer(model: LanguageModel, parallel: Parallel) -> float:
    """Return the activation elements of a token in the widest layer on one device.

    The residual and its norm, then what lives at once: queries, keys, values and their output; or
    the inner products of a dense feed-forward; or those of a constant-state layer.
    """
    h, t = model.hidden, parallel.tensor
    widths = [0.0]
    if model.dense_layers:
        widths.append(model.mlp_matrices * model.feed_forward / t)
    if model.experts is not None and model.experts.shared:
        widths.append(model.mlp_matrices * model.experts.shared_width / t)
    if model.latent is not None:
        latent = model.latent
        key = latent.nope_head_dim + latent.rope_head_dim
        heads = model.heads / t
        widths.append(
            heads * (2 * key + 2 * latent.value_head_dim) + latent.query_rank + latent.kv_rank
        )
    elif model.caching_layers:
        local = math.ceil(model.kv_heads / min(t, model.kv_heads)) if model.kv_heads else 0
        queries = model.heads / t * (3 if model.query_gate else 2)
        widths.append((queries + 2 * local) * model.head_dim)
    if model.state is not None:
        state = model.state
        widths.append((2 * state.inner + state.channels + state.scalars) / t)
    return 2 * h + max(widths)


def expert_workspace(model: LanguageModel, parallel: Parallel) -> float:
    """Return the elements that the routed experts of a device keep per token of the batch.

    Each token is copied to its experts: inner products, then outputs in the same buffer, beside
    the activated ones. Attention groups bring their tokens together.
    """
    experts = model.experts
    if experts is None or not model.expert_layers:
        return 0.0
    inner = experts.feed_forward / parallel.expert_tensor
    buffer = max((model.mlp_matrices - 1) * inner, float(model.hidden)) + inner
    gathered = parallel.attention_data / min(parallel.expert, parallel.attention_data)
    return experts.per_token * gathered * buffer


def workspace_lines(
    model: LanguageModel,
    parallel: Parallel,
    engine: EngineMemory,
    *,
    max_batched_tokens: int,
    max_sequences: int,
) -> tuple[MemoryLine, ...]:
    """Return activations, logits, communication, graphs and runtime, a line each (P1.3).

    Logits come when the layer's activations are gone, so only their excess counts.
    """
    n = max_batched_tokens
    layer = n * widest_layer(model, parallel) * WIDE_BYTES
    experts = n * expert_workspace(model, parallel) * WIDE_BYTES
    hidden = n * model.hidden * WIDE_BYTES
    logits = 0.0
    if model.kind != "encoder":
        logits = max_sequences * model.vocabulary * engine.sampler_bytes
    lines = [
        MemoryLine(
            "activations",
            (layer + hidden) / GB + engine.base_gb,
            f"{n:,} tokens × widest layer × 2 B, and {engine.base_gb:g} GB at any model",
        )
    ]
    if experts:
        lines.append(
            MemoryLine(
                "expert workspace", experts / GB, f"{n:,} tokens × their experts' products × 2 B"
            )
        )
    lines.append(
        MemoryLine(
            "logits",
            max(0.0, logits - layer) / GB,
            f"{max_sequences:,} sequences × vocabulary × {engine.sampler_bytes:g} B, beyond the"
            " layer's activations",
        )
    )
    if parallel.devices > 1:
        lines.append(
            MemoryLine(
                "communication buffers",
                engine.communication_gb,
                f"constant of {engine.label}, {engine.as_of}",
            )
        )
    lines.append(
        MemoryLine(
            "runtime and captured graphs",
            engine.runtime_gb + engine.graphs_gb,
            f"constant of {engine.label}, {engine.as_of}",
        )
    )
    return tuple(lines)

"""A model of the engine as texts and figures of the catalog: the inverse of `language_models`."""

from __future__ import annotations

from tco.inputs import LanguageModel, Parallel
from tco.performance.weights import weight_lines

SHAPE_TEXTS = (
    *("modality", "arch_type", "attention_pattern", "tied_embeddings", "native_dtype"),
    *("attention_dtype", "expert_dtype", "query_gate", "state_dtype"),
)


def shape_texts(model: LanguageModel) -> dict[str, str]:
    """Return the text attributes of a model's shape; empty ones are left out."""
    texts = {
        "modality": "text",
        "arch_type": _architecture(model),
        "attention_pattern": _attention(model),
        "tied_embeddings": "true" if model.tied_embeddings else "false",
        "native_dtype": model.native_dtype,
        "attention_dtype": model.attention_dtype,
        "expert_dtype": model.experts.dtype if model.experts else "",
        "query_gate": "true" if model.query_gate else "",
        "state_dtype": model.state.dtype if model.state else "",
    }
    return {name: text for name, text in texts.items() if text}


def shape_counts(model: LanguageModel) -> dict[str, int]:
    """Return the counts of a model's shape by the names of the catalog; zeros are left out."""
    experts, latent, state, window = model.experts, model.latent, model.state, model.window
    counts = {
        "num_layers": model.layers,
        "hidden_size": model.hidden,
        "num_attention_heads": model.heads,
        "num_kv_heads": model.kv_heads,
        "head_dim": model.head_dim,
        "intermediate_size_dense": model.feed_forward,
        "mlp_matrices": model.mlp_matrices,
        "vocab_size": model.vocabulary,
        "max_context_tokens": model.max_context_tokens,
        "learned_positions": model.learned_positions,
        "attention_layer_count": model.caching_layers,
        "mlp_only_layer_count": model.feed_forward_layers or 0,
    }
    if experts:
        counts |= {
            "num_experts_routed": experts.routed,
            "experts_per_token": experts.per_token,
            "num_shared_experts": experts.shared,
            "shared_expert_intermediate_size": experts.shared_feed_forward,
            "moe_intermediate_size": experts.feed_forward,
            "dense_layers_in_moe": experts.dense_layers,
        }
    if latent:
        counts |= {
            "mla_q_lora_rank": latent.query_rank,
            "mla_kv_lora_rank": latent.kv_rank,
            "mla_qk_nope_head_dim": latent.nope_head_dim,
            "mla_qk_rope_head_dim": latent.rope_head_dim,
            "mla_v_head_dim": latent.value_head_dim,
        }
    if window:
        counts |= {
            "sliding_window_tokens": window.window_tokens,
            "global_layer_count": model.caching_layers - window.layers,
        }
    if state:
        # blocks that hold one thing each are the Mamba-2 hybrids' way
        kind = "mamba" if model.feed_forward_layers is not None else "linear_attention"
        counts |= {
            f"{kind}_layer_count": state.layers,
            "state_inner": state.inner,
            "state_channels": state.channels,
            "state_scalars": state.scalars,
            "state_elems_per_sequence_all_layers": state.elements * state.layers,
        }
    return {name: count for name, count in counts.items() if count}


def weights_gb(model: LanguageModel, dtype: str) -> float:
    """Return the weights of the whole model on one device in GB (10⁹ bytes), as `dtype` (P1.1)."""
    return sum(line.gb_per_device for line in weight_lines(model, dtype, Parallel()))


def _architecture(model: LanguageModel) -> str:
    if model.kind == "encoder":
        return "encoder-only dense"
    words = "decoder-only MoE" if model.experts else "decoder-only dense"
    if model.state:
        words += " hybrid"
    return f"{words} + MLA" if model.latent else words


def _attention(model: LanguageModel) -> str:
    if model.kind == "encoder":
        return "full bidirectional"
    window = model.window
    if window is None:
        return "full causal"
    if window.layers == model.caching_layers:
        return "sliding window all layers"
    return f"{window.layers} sliding : {model.caching_layers - window.layers} full"

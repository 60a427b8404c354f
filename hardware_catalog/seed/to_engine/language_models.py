"""Shapes of language models from records, for every architecture the engine sizes (P1, P2)."""

from __future__ import annotations

from hardware_catalog.seed.record import Record
from hardware_catalog.seed.to_engine.figures import get, value_of, whole
from tco.inputs import (
    Experts,
    Figure,
    LanguageModel,
    LatentAttention,
    StateLayers,
    WindowAttention,
    assumed,
)

# Published totals are rounded (1 T, 230 B) and some hold a part beside the text model that is then
# resident too; a shape further off than this misses a part of the text model itself.
MOST_UNKNOWN_SHARE = 0.005
MOST_ROUNDING_SHARE = 0.025
MEASURED_ROWS_ONLY = "no language model: measured rows only"


def why_unsupported(record: Record) -> str:
    """Return why the engine cannot size a model, or an empty text."""
    architecture = record.text("arch_type")
    if "encoder-decoder" in architecture or not architecture.startswith(("decoder", "encoder")):
        return f"{MEASURED_ROWS_ONLY} ({architecture or 'no architecture given'})"
    needed = ("num_layers", "hidden_size", "num_attention_heads", "head_dim", "vocab_size")
    missing = [name for name in needed if not whole(record, name)]
    if not (whole(record, "intermediate_size_dense") or whole(record, "moe_intermediate_size")):
        missing.append("intermediate_size_dense")
    if not (whole(record, "num_kv_heads") or whole(record, "mla_kv_lora_rank")):
        missing.append("num_kv_heads")
    if _state_count(record):
        columns = ("state_inner", "state_channels", "state_elems_per_sequence_all_layers")
        missing += [name for name in columns if not whole(record, name)]
    if missing:
        return f"the shape lacks {', '.join(missing)}"
    published_g = value_of(record, "total_params_billion_published")
    computed_g = value_of(record, "total_params_billion_computed")
    if published_g and computed_g and not _parts_beside(record):
        off = abs(computed_g / published_g - 1)
        if off > MOST_ROUNDING_SHARE:
            return (
                f"the shape gives {computed_g:g} billion parameters and {published_g:g} are"
                " published: a part of the model is not in it"
            )
    return ""


def language_model(record: Record) -> LanguageModel:
    """Return the model of a record; one the engine cannot size says why."""
    why = why_unsupported(record)
    parameters = _parameters(record)
    if parameters is None:
        parameters = assumed(0.0, "10^9", "not known")
        why = why or "the number of parameters is not known"
    encoder = record.text("arch_type").startswith("encoder-only")
    layers = whole(record, "num_layers")
    attention = whole(record, "attention_layer_count", layers) or layers
    mlp_only = whole(record, "mlp_only_layer_count")
    return LanguageModel(
        key=record.key,
        name=record.name,
        layers=layers,
        hidden=whole(record, "hidden_size"),
        heads=whole(record, "num_attention_heads"),
        kv_heads=whole(record, "num_kv_heads"),
        head_dim=whole(record, "head_dim"),
        feed_forward=whole(record, "intermediate_size_dense"),
        vocabulary=whole(record, "vocab_size"),
        tied_embeddings=record.text("tied_embeddings") == "true",
        max_context_tokens=whole(record, "max_context_tokens"),
        native_dtype=record.text("native_dtype") or "bf16",
        parameters_g=parameters,
        supported=not why,
        why_unsupported=why,
        kind="encoder" if encoder else "decoder",
        mlp_matrices=whole(record, "mlp_matrices", 2 if encoder else 3),
        experts=_experts(record),
        latent=_latent(record),
        window=_window(record, attention),
        state=_state(record),
        attention_layers=attention if attention != layers else None,
        feed_forward_layers=mlp_only or None,
        query_gate=record.text("query_gate") == "true",
        attention_dtype=record.text("attention_dtype"),
        learned_positions=whole(record, "learned_positions"),
        beside_parameters_g=_beside_g(record),
    )


def _parameters(record: Record) -> Figure | None:
    """Total as published; the computed one where the published is rounded further than 0.5 %."""
    published = get(record, "total_params_billion_published")
    computed = get(record, "total_params_billion_computed")
    if published is None or computed is None or _parts_beside(record):
        return published or computed
    off = abs(computed.value / published.value - 1) if published.value else 0.0
    return computed if off > MOST_UNKNOWN_SHARE else published


def _parts_beside(record: Record) -> bool:
    """Whether the published total holds encoders of images or sound beside the text model."""
    return "+" in record.text("modality")


def _beside_g(record: Record) -> float:
    if not _parts_beside(record):
        return 0.0
    published_g = value_of(record, "total_params_billion_published")
    computed_g = value_of(record, "total_params_billion_computed")
    return round(max(0.0, published_g - computed_g), 6) if computed_g else 0.0


def _experts(record: Record) -> Experts | None:
    routed = whole(record, "num_experts_routed")
    if not routed:
        return None
    return Experts(
        routed=routed,
        per_token=whole(record, "experts_per_token", 1),
        feed_forward=whole(record, "moe_intermediate_size"),
        shared=whole(record, "num_shared_experts"),
        shared_feed_forward=whole(record, "shared_expert_intermediate_size"),
        dense_layers=whole(record, "dense_layers_in_moe"),
        dtype=record.text("expert_dtype"),
    )


def _latent(record: Record) -> LatentAttention | None:
    rank = whole(record, "mla_kv_lora_rank")
    if not rank:
        return None
    return LatentAttention(
        kv_rank=rank,
        rope_head_dim=whole(record, "mla_qk_rope_head_dim"),
        nope_head_dim=whole(record, "mla_qk_nope_head_dim"),
        value_head_dim=whole(record, "mla_v_head_dim"),
        query_rank=whole(record, "mla_q_lora_rank"),
    )


def _window(record: Record, attention_layers: int) -> WindowAttention | None:
    tokens = whole(record, "sliding_window_tokens")
    layers = attention_layers - whole(record, "global_layer_count")
    return WindowAttention(tokens, layers) if tokens and layers > 0 else None


def _state_count(record: Record) -> int:
    return whole(record, "mamba_layer_count") + whole(record, "linear_attention_layer_count")


def _state(record: Record) -> StateLayers | None:
    layers = _state_count(record)
    if not layers:
        return None
    return StateLayers(
        layers=layers,
        inner=whole(record, "state_inner"),
        channels=whole(record, "state_channels"),
        scalars=whole(record, "state_scalars"),
        elements=whole(record, "state_elems_per_sequence_all_layers") // layers,
        dtype=record.text("state_dtype") or "fp32",
    )

"""Cloud offers, egress, spot interruptions and language models."""

from __future__ import annotations

from hardware_catalog.seed.specs import NOTES, FigureSpec, KindSpec, PriceSpec, TextSpec


def _listed(series: str, label: str, mid: str, low: str = "", high: str = "") -> PriceSpec:
    return PriceSpec(series, "USD/h", label, mid, low, high, basis="basis", source="source")


def _reserved(series: str, label: str) -> PriceSpec:
    return PriceSpec(
        series,
        "USD/h",
        label,
        mid=series,
        basis="basis",
        evidence="reserved_evidence",
        source="reserved_source",
        as_of="reserved_date",
    )


CLOUD_OFFER = KindSpec(
    kind="cloud_offer",
    label="Cloud offer",
    plural="Cloud offers",
    about="Instance types in a region with on-demand, reserved and spot prices.",
    file="cloud_offers",
    key=("provider", "instance_type", "region"),
    name=("instance_type", "region"),
    vendor="provider",
    vendor_label="Provider",
    addable=True,
    texts=(
        TextSpec("instance_type", "Instance type", required=True),
        TextSpec("region", "Region"),
        TextSpec("country", "Country of the region"),
        TextSpec("device_key", "Catalog key of the device", required=True),
        TextSpec("accelerator", "Device as the provider names it"),
        TextSpec("price_note", "About the price"),
        NOTES,
    ),
    figures=(
        FigureSpec(
            "device_count", "devices", "Devices", whole=True, required=True, minimum=1, maximum=1e5
        ),
        FigureSpec("device_memory_gb_each", "GB", "Memory of a device"),
        FigureSpec("vcpus", "vCPU", "vCPUs"),
        FigureSpec("ram_gib", "GiB", "Memory"),
        FigureSpec("network_gbps", "Gb/s", "Network"),
    ),
    prices=(
        _listed("on_demand_usd_per_hour", "On demand", "on_demand_usd_per_hour"),
        _listed(
            "on_demand_usd_per_device_hour",
            "On demand, per device",
            "on_demand_usd_per_device_hour",
            "per_device_low",
            "per_device_high",
        ),
        _reserved("reserved_1y_usd_per_hour", "Reserved, 1 year"),
        _reserved("reserved_3y_usd_per_hour", "Reserved, 3 years"),
        PriceSpec(
            "spot_usd_per_hour",
            "USD/h",
            "Spot",
            low="spot_low_usd_per_hour",
            high="spot_high_usd_per_hour",
            basis="basis",
            evidence="spot_evidence",
            source="spot_source",
            as_of="spot_date",
        ),
        PriceSpec(
            "short_term_reservation_usd_per_hour",
            "USD/h",
            "Short-term reservation",
            "short_term_reservation_usd_per_hour",
            basis="=vendor-published",
            evidence="=recall",
            source="notes",
            as_of="=",
        ),
    ),
    list_columns=(
        "region",
        "accelerator",
        "device_count",
        "on_demand_usd_per_hour",
        "reserved_1y_usd_per_hour",
        "reserved_3y_usd_per_hour",
        "spot_usd_per_hour",
    ),
)

EGRESS = KindSpec(
    kind="egress",
    label="Egress tier",
    plural="Egress prices",
    about="Price of data that leaves a cloud, by monthly tier.",
    file="egress",
    key=("provider", "direction", "region", "tier"),
    name=("direction", "region", "tier"),
    vendor="provider",
    vendor_label="Provider",
    texts=(
        TextSpec("direction", "Direction"),
        TextSpec("region", "Region"),
        TextSpec("tier", "Tier"),
    ),
    figures=(
        FigureSpec("free_tier_gb_per_month", "GB/month", "Free each month"),
        FigureSpec("tier_from_gb", "GB/month", "From"),
        FigureSpec("tier_to_gb", "GB/month", "Up to"),
    ),
    prices=(
        PriceSpec(
            "price_usd_per_gb",
            "USD/GB",
            "Price",
            "price_usd_per_gb",
            basis="basis",
            evidence="evidence",
            source="source",
            as_of="source_date",
        ),
    ),
    list_columns=("free_tier_gb_per_month", "tier_from_gb", "tier_to_gb", "price_usd_per_gb"),
)

SPOT = KindSpec(
    kind="spot",
    label="Spot record",
    plural="Spot interruptions",
    about="How often spot instances were interrupted, and what they save.",
    file="spot",
    key=("provider", "instance_type", "region"),
    name=("instance_type", "region"),
    vendor="provider",
    vendor_label="Provider",
    texts=(
        TextSpec("instance_type", "Instance type"),
        TextSpec("region", "Region"),
        TextSpec("interruption_band", "Interrupted in the last month"),
    ),
    figures=(
        FigureSpec(
            "interruption_fraction",
            "fraction",
            "Interrupted per month",
            low="interruption_fraction_low",
            high="interruption_fraction_high",
            maximum=1,
        ),
        FigureSpec("savings_fraction", "fraction", "Saved against on demand", maximum=1),
    ),
    list_columns=("interruption_band", "interruption_fraction", "savings_fraction"),
)


def _count(name: str, label: str) -> FigureSpec:
    return FigureSpec(name, "count", label, whole=True, maximum=1e9)


LANGUAGE_MODEL = KindSpec(
    kind="language_model",
    label="Model",
    plural="Models",
    about="Shapes of language models and of a few benchmark models.",
    file="models",
    key=("model_id",),
    name=("model_id",),
    vendor="developer",
    vendor_label="Developer",
    slug=False,
    imported=True,
    texts=(
        TextSpec("family", "Family"),
        TextSpec("modality", "Modality"),
        TextSpec("arch_type", "Architecture"),
        TextSpec("attention_pattern", "Attention"),
        TextSpec("tied_embeddings", "Tied embeddings", choices=("true", "false")),
        TextSpec("native_dtype", "Number format of the weights"),
        TextSpec("native_weight_dtype", "Number format, as published"),
        TextSpec("attention_dtype", "Attention kept at"),
        TextSpec("expert_dtype", "Routed experts kept at"),
        TextSpec("query_gate", "Queries doubled by a gate"),
        TextSpec("state_dtype", "Number format of the state"),
        TextSpec("weights_release_month", "Weights released"),
        TextSpec("licence_name", "Licence"),
        NOTES,
    ),
    figures=(
        FigureSpec("total_params_billion_published", "10^9", "Parameters, as published"),
        FigureSpec("active_params_billion_published", "10^9", "Active parameters, as published"),
        FigureSpec(
            "total_params_billion_computed",
            "10^9",
            "Parameters, from the shape",
            basis="=computed",
        ),
        _count("num_layers", "Layers"),
        _count("hidden_size", "Hidden size"),
        _count("num_attention_heads", "Attention heads"),
        _count("num_kv_heads", "Key-value heads"),
        _count("head_dim", "Head size"),
        _count("intermediate_size_dense", "Feed-forward size"),
        FigureSpec(
            "mlp_matrices",
            "count",
            "Matrices of a feed-forward block",
            basis="=computed",
            evidence="=derived",
            source="=whichever of 2 and 3 gives the total of parameters",
            as_of="=",
            whole=True,
        ),
        _count("vocab_size", "Vocabulary"),
        FigureSpec("max_context_tokens", "tokens", "Longest context", whole=True),
        _count("num_experts_routed", "Routed experts"),
        _count("experts_per_token", "Experts per token"),
        _count("num_shared_experts", "Shared experts"),
        _count("moe_intermediate_size", "Expert feed-forward size"),
        _count("shared_expert_intermediate_size", "Shared expert feed-forward size"),
        _count("dense_layers_in_moe", "Dense layers among expert layers"),
        FigureSpec("sliding_window_tokens", "tokens", "Sliding window", whole=True),
        _count("global_layer_count", "Layers that see everything"),
        _count("mla_q_lora_rank", "Latent attention: query rank"),
        _count("mla_kv_lora_rank", "Latent attention: key-value rank"),
        _count("mla_qk_nope_head_dim", "Latent attention: head size without position"),
        _count("mla_qk_rope_head_dim", "Latent attention: head size with position"),
        _count("mla_v_head_dim", "Latent attention: value head size"),
        _count("kv_elems_per_token_all_layers", "Cache elements per token, all layers"),
        _count("attention_layer_count", "Attention layers"),
        _count("mamba_layer_count", "Mamba layers"),
        _count("linear_attention_layer_count", "Linear attention layers"),
        _count("mlp_only_layer_count", "Layers of feed-forward only"),
        _count("state_elems_per_sequence_all_layers", "State elements per sequence"),
        _count("state_inner", "State layers: width of gate and output"),
        _count("state_channels", "State layers: channels of the convolution"),
        _count("state_scalars", "State layers: scalars of the in-projection"),
        _count("learned_positions", "Rows of learned positions"),
    ),
    list_columns=(
        "arch_type",
        "total_params_billion_published",
        "num_layers",
        "hidden_size",
        "num_kv_heads",
        "max_context_tokens",
        "native_dtype",
    ),
)

MODEL_ALIAS = KindSpec(
    kind="model_alias",
    label="Model name",
    plural="Names of models in measured data",
    about="Which catalog model a name in public measurements means.",
    file="model_aliases",
    key=("measured_name",),
    name=("measured_name",),
    slug=False,
    texts=(
        TextSpec("model_id", "Catalog model"),
        TextSpec("weight_dtype_hint", "Number format it implies"),
        TextSpec("note", "Note"),
    ),
    list_columns=("model_id", "weight_dtype_hint", "note"),
)

DEVICE_ALIAS = KindSpec(
    kind="device_alias",
    label="Device name",
    plural="Names of devices in measured data",
    about="Which catalog device a name in public measurements means.",
    file="device_aliases",
    key=("measured_key", "device_key"),
    name=("measured_key",),
    texts=(
        TextSpec("measured_key", "Name in measured data"),
        TextSpec("device_key", "Catalog device"),
        TextSpec("is_default", "Default"),
        TextSpec("note", "Note"),
    ),
    list_columns=("device_key", "is_default", "note"),
)

CLOUD_KINDS = (CLOUD_OFFER, EGRESS, SPOT, LANGUAGE_MODEL, DEVICE_ALIAS, MODEL_ALIAS)

"""What a config.json says, before it is saved: shape, memory, formats."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from hardware_catalog.seed.to_engine.shapes import weights_gb
from tco.performance.kv_cache import kv_cache
from tco.performance.parameters import parameters

if TYPE_CHECKING:
    from tco.inputs import LanguageModel

KILO, GIGA = 1e3, 1e9
CONTEXTS = (4_096, 32_768, 131_072, 1_048_576)
CACHE_FORMATS = {"bf16": "BF16", "fp8": "FP8", "int4": "INT4, scales for 32"}
WEIGHT_FORMATS = ("bf16", "fp8", "int8", "nvfp4", "int4")
FORMAT_NAMES = {
    "bf16": "BF16",
    "fp16": "FP16",
    "fp32": "FP32",
    "fp8": "FP8",
    "fp8_block": "FP8, scales for blocks of 128 × 128",
    "int8": "INT8",
    "int4": "INT4, scales for 128",
    "nvfp4": "NVFP4, scales for 16",
    "mxfp4": "MXFP4, scales for 32",
}


@dataclass(frozen=True, slots=True)
class WeightRow:
    """Weights of the whole model in one format."""

    name: str
    published: bool
    gb: float


@dataclass(frozen=True, slots=True)
class CacheRow:
    """What one request keeps, by the format of the cache."""

    name: str
    bytes_per_token: float
    gb: tuple[float, ...]  # at the contexts of the preview


@dataclass(frozen=True, slots=True)
class Preview:
    """A model as its page will show it."""

    name: str
    parameters_g: float
    active_g: float
    native: str
    native_gb: float
    cache_kb: float  # a token in BF16, while windows are not full; 10³ bytes
    shape: tuple[tuple[str, str], ...]
    weights: tuple[WeightRow, ...]
    contexts: tuple[int, ...]
    caches: tuple[CacheRow, ...]  # none for an encoder
    windowed: bool


def model_preview(model: LanguageModel) -> Preview:
    """Return parameters, memory per token and weights by format of a model (P1)."""
    counts = parameters(model)
    contexts = tuple(sorted({min(tokens, model.max_context_tokens) for tokens in CONTEXTS}))
    formats = dict.fromkeys((model.native_dtype, *WEIGHT_FORMATS))
    caches = {name: kv_cache(model, name) for name in CACHE_FORMATS}
    return Preview(
        name=model.name,
        parameters_g=counts.total / GIGA,
        active_g=counts.active / GIGA,
        native=FORMAT_NAMES.get(model.native_dtype, model.native_dtype),
        native_gb=weights_gb(model, model.native_dtype),
        cache_kb=caches["bf16"].token_bytes / KILO,
        shape=tuple(_shape(model)),
        weights=tuple(
            WeightRow(
                FORMAT_NAMES.get(name, name), name == model.native_dtype, weights_gb(model, name)
            )
            for name in formats
        ),
        contexts=contexts,
        caches=()
        if model.kind == "encoder"
        else tuple(
            CacheRow(
                CACHE_FORMATS[name],
                cache.token_bytes,
                tuple(float(cache.bytes(tokens)) / GIGA for tokens in contexts),
            )
            for name, cache in caches.items()
        ),
        windowed=model.window is not None,
    )


def _shape(model: LanguageModel) -> list[tuple[str, str]]:
    rows = [
        ("Kind", "encoder" if model.kind == "encoder" else "decoder"),
        ("Layers", f"{model.layers:,} of width {model.hidden:,}"),
        ("Attention", _attention(model)),
        ("Feed-forward", _feed_forward(model)),
    ]
    if model.state:
        rows.append(
            ("Constant state", f"{model.state.layers:,} layers, {model.state.inner:,} wide inside")
        )
    tied = ", tied embeddings" if model.tied_embeddings else ""
    rows += [
        ("Vocabulary", f"{model.vocabulary:,} tokens{tied}"),
        ("Longest context", f"{model.max_context_tokens:,} tokens"),
    ]
    return rows


def _attention(model: LanguageModel) -> str:
    latent, window = model.latent, model.window
    if latent:
        text = (
            f"latent (MLA): {model.heads:,} heads, cache of rank {latent.kv_rank:,} and "
            f"{latent.rope_head_dim:,} for the position"
        )
    elif model.kv_heads == model.heads:
        text = f"{model.heads:,} heads of {model.head_dim:,}, each with its own keys and values"
    else:
        text = (
            f"{model.heads:,} heads of {model.head_dim:,} share {model.kv_heads:,} key-value "
            f"head{'' if model.kv_heads == 1 else 's'}"
        )
    if model.caching_layers != model.layers:
        text += f"; in {model.caching_layers:,} of {model.layers:,} layers"
    if window:
        text += f"; {window.layers:,} layers keep the last {window.window_tokens:,} tokens only"
    return text


def _feed_forward(model: LanguageModel) -> str:
    experts = model.experts
    dense = f"{model.feed_forward:,} wide"
    if experts is None:
        return dense
    text = f"{experts.routed:,} experts of {experts.feed_forward:,}, {experts.per_token:,} a token"
    if experts.shared:
        text += f", {experts.shared_width:,} wide shared by all tokens"
    if model.dense_layers:
        text += f"; {model.dense_layers:,} layers stay dense, {dense}"
    return text

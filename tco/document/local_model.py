"""A model of the scenario's own catalog, and the rules of its shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from tco.document.parse import path_to
from tco.document.values import shown, values
from tco.errors import InputError
from tco.inputs import (
    Experts,
    LanguageModel,
    LatentAttention,
    StateLayers,
    WindowAttention,
)

_PARTS = {
    "experts": ("experts", Experts),
    "latent": ("latent_attention", LatentAttention),
    "window": ("window_attention", WindowAttention),
    "state": ("state_layers", StateLayers),
}


def local_model(given: Mapping[str, Any]) -> LanguageModel:
    """Return the model of a valid entry (P1)."""
    entry = values("model", given)
    entry["name"] = entry["name"] or given["key"]
    for name, (section_name, build) in _PARTS.items():
        if name in given:
            entry[name] = build(**values(section_name, given[name]))
    return LanguageModel(**entry)


def broken_shape(path: str, model: Mapping[str, Any]) -> Iterator[InputError]:
    """Yield what contradicts itself in the shape of a model; it may be of any shape."""
    layers, heads, kv_heads = (_whole(model, name) for name in ("layers", "heads", "kv_heads"))
    experts = model.get("experts")
    dense = _whole(experts, "dense_layers") or 0
    if _whole(model, "feed_forward") == 0 and (not isinstance(experts, Mapping) or dense):
        yield InputError(
            path_to(path, "feed_forward"),
            "0, and some layers have no experts",
            "enter the width of the dense feed-forward",
        )
    if heads and kv_heads and heads % kv_heads:
        yield InputError(
            path_to(path, "kv_heads"),
            f"{kv_heads} does not divide the {heads} query heads",
            "enter a divisor of heads",
        )
    yield from _at_most(path, model, "attention_layers", layers, "layers")
    yield from _at_most(path, model, "feed_forward_layers", layers, "layers")
    with_attention = _whole(model, "attention_layers")
    with_attention = layers if with_attention is None else with_attention
    with_feed_forward = _whole(model, "feed_forward_layers")
    with_feed_forward = layers if with_feed_forward is None else with_feed_forward
    for part, name, most, what in (
        ("window", "layers", with_attention, "layers with attention"),
        ("state", "layers", layers, "layers"),
        ("experts", "dense_layers", with_feed_forward, "layers with a feed-forward"),
        ("experts", "per_token", _whole(experts, "routed"), "routed experts"),
    ):
        yield from _at_most(path_to(path, part), model.get(part), name, most, what)
    if "latent" in model and "kv_elements_per_token" in model:
        yield InputError(
            path_to(path, "kv_elements_per_token"),
            f"{shown(model['kv_elements_per_token'])} beside latent attention",
            "leave one of them out: the latent rank says what is cached",
        )


def _whole(given: Any, name: str) -> int | None:
    value = given.get(name) if isinstance(given, Mapping) else None
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return int(value) if isinstance(value, int) or value.is_integer() else None


def _at_most(path: str, given: Any, name: str, most: int | None, what: str) -> Iterator[InputError]:
    value = _whole(given, name)
    if value is not None and most is not None and value > most:
        yield InputError(
            path_to(path, name),
            f"{value:,} is more than the {most:,} {what}",
            f"enter {most:,} or less",
        )

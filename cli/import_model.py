"""`tco import-model`: a model hub's config.json as an entry of a scenario's own catalog."""

from __future__ import annotations

import json
from typing import Any

from tco.document.huggingface import catalog_entry, catalog_yaml, model_from_text
from tco.inputs import LanguageModel, Parallel
from tco.performance.kv_cache import kv_cache
from tco.performance.parameters import parameters
from tco.performance.weights import weight_lines

GIGA = 1e9
CONTEXTS = (4096, 32768, 131072)
CACHE_DTYPES = ("bf16", "fp8")


def imported(text: str, name: str, *, as_json: bool) -> str:
    """Return the entry with its memory, as YAML with comments or as JSON.

    Raises
    ------
    InputError
        Naming the key of the config that is missing or contradicts another.
    """
    model = model_from_text(text, name)
    figures = memory_figures(model)
    if as_json:
        return json.dumps({"model": catalog_entry(model), **figures}, indent=2) + "\n"
    lines = [
        f"# {figures['parameters_g']:.3f} x 10^9 parameters, "
        f"{figures['active_parameters_g']:.3f} compute for a token",
        f"# weights as {model.native_dtype}: {figures['weights_gb']:.2f} GB on one device",
    ]
    for dtype in CACHE_DTYPES:
        each = figures["cache_bytes_per_token"][dtype]
        sizes = ", ".join(
            f"{tokens:,} tokens {gb:.3g} GB"
            for tokens, gb in figures["cache_gb_by_context"][dtype].items()
        )
        lines.append(f"# KV cache as {dtype}: {each:,.0f} B a token of a short text; {sizes}")
    return "\n".join(lines) + "\n" + catalog_yaml(model)


def memory_figures(model: LanguageModel) -> dict[str, Any]:
    """Return parameters, weights and cache of a model on one device (P1)."""
    counts, caches = parameters(model), {d: kv_cache(model, d) for d in CACHE_DTYPES}
    contexts = sorted({min(tokens, model.max_context_tokens) for tokens in CONTEXTS})
    weights = weight_lines(model, model.native_dtype, Parallel())
    return {
        "parameters_g": counts.total / GIGA,
        "active_parameters_g": counts.active / GIGA,
        "weights_gb": sum(line.gb_per_device for line in weights),
        "cache_bytes_per_token": {d: cache.token_bytes for d, cache in caches.items()},
        "cache_gb_by_context": {
            dtype: {tokens: float(cache.bytes(tokens)) / GIGA for tokens in contexts}
            for dtype, cache in caches.items()
        },
    }

"""Weights of one device of a replica, part by part with its dtype (P1.1)."""

from __future__ import annotations

import math

from tco.inputs import LanguageModel, Parallel
from tco.performance.dtypes import dtype_bytes
from tco.performance.kv_cache import stage_share
from tco.performance.parameters import parameters, part_dtypes
from tco.results import MemoryLine

GB = 1e9
BESIDE_BYTES = 2.0  # encoders beside the text model stay at 16 bits


def weight_lines(
    model: LanguageModel, weight_dtype: str, parallel: Parallel
) -> tuple[MemoryLine, ...]:
    """Return the weights of the fullest device, a line each part (P1.1).

    Attention, dense feed-forward, shared experts and tables are split by tensor and repeated for
    each attention group, as the common engine does; routed experts are spread over the whole stage.
    KV projections go by whole heads, latent down-projections, router and norms lie on each device.
    Beyond one stage the fullest holds its layers and the larger table.
    """
    counts, dtypes, t = parameters(model), part_dtypes(model, weight_dtype), parallel.tensor
    stage = stage_share(model.layers, parallel.pipeline)
    stages = f" × {stage:.4g} of the layers" if parallel.pipeline > 1 else ""
    wide, attention = dtype_bytes(dtypes.table), dtype_bytes(dtypes.attention)
    heads = model.kv_heads
    kv_share = math.ceil(heads / min(t, heads)) / heads if heads else 1.0
    split = counts.attention - counts.key_value - counts.latent_down + counts.state
    mixed = split / t + counts.key_value * kv_share + counts.latent_down
    small = dtype_bytes(dtypes.feed_forward)
    lines = [
        MemoryLine(
            "weights, attention" + (" and state layers" if counts.state else ""),
            mixed * attention * stage / GB,
            f"projections × {attention:g} B ({dtypes.attention}) / {t}, KV heads whole{stages}",
        )
    ]
    dense = counts.feed_forward + counts.shared_experts
    if dense:
        lines.append(
            MemoryLine(
                "weights, feed-forward",
                dense / t * small * stage / GB,
                f"dense layers and shared experts × {small:g} B ({dtypes.feed_forward}) / {t}"
                f"{stages}",
            )
        )
    if model.experts is not None and counts.experts:
        routed = model.experts.routed
        share = math.ceil(routed / parallel.expert) / routed / parallel.expert_tensor
        each = dtype_bytes(dtypes.experts)
        lines.append(
            MemoryLine(
                "weights, experts",
                counts.experts * share * each * stage / GB,
                f"{routed} experts × {each:g} B ({dtypes.experts}) over {parallel.expert} groups"
                f" of {parallel.expert_tensor}{stages}",
            )
        )
    lines.append(
        MemoryLine(
            "weights, norms and router",
            (counts.norms + counts.router) * wide * stage / GB,
            f"whole on each device × {wide:g} B{stages}",
        )
    )
    tables = (
        counts.embedding + counts.head
        if parallel.pipeline == 1
        else max(counts.embedding, counts.head)
    )
    lines.append(
        MemoryLine(
            "weights, embeddings and head",
            tables / t * wide / GB,
            f"{'1' if not counts.head or parallel.pipeline > 1 else '2'} × vocabulary × hidden"
            f" × {wide:g} B / {t}",
        )
    )
    if model.beside_parameters_g:
        lines.append(
            MemoryLine(
                "weights, beside the text model",
                model.beside_parameters_g * BESIDE_BYTES / t,
                f"encoders of {model.beside_parameters_g:g} 10^9 × {BESIDE_BYTES:g} B / {t}",
            )
        )
    return tuple(lines)

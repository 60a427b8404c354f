"""Work of one iteration on one device: products, attention, collectives (P2, P4.1).

Counts only: how long it takes is `tco.performance.step`. Everything is per device of the replica.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.inputs import LanguageModel, Parallel
from tco.performance.dtypes import cache_bytes, dtype_bytes

WIDE = "bf16"  # norms, embeddings, head and activations of small formats


@dataclass(frozen=True, slots=True)
class Product:
    """A kind of matrix product and how often an iteration makes it on one device (P2.1).

    Of `pool` experts `units` lie on the device and each row asks for `active` of the pool; a dense
    product is one expert of one.
    """

    name: str
    count: float
    weights: float  # elements of one unit on the device
    width: float  # activation elements read and written a row
    dtype: str  # as stored
    rows_share: float = 1.0  # of the replica's rows that this device multiplies
    units: float = 1.0
    pool: float = 1.0
    active: float = 1.0
    sampled: bool = False  # only rows that sample (P2.3)


@dataclass(frozen=True, slots=True)
class Collective:
    """A kind of collective and how often an iteration makes it (P4.1)."""

    operation: str  # all_reduce | all_gather | alltoall | send
    count: float
    bytes_per_row: float  # of the message, per row of the replica
    ranks: int


@dataclass(frozen=True, slots=True)
class AttentionWork:
    """Attention of one device, summed over layers of one kind (P2.2)."""

    kv_bytes: float  # read per token of context and decoding sequence
    decode_flops: float  # per token of context and decoding sequence
    prompt_flops: float  # per prompt token and attended token


@dataclass(frozen=True, slots=True)
class Work:
    """Work of an iteration of one replica, as one device sees it.

    Sequences and their contexts are those of the replica; attention data-parallel and pipeline
    shares are in the figures.
    """

    products: tuple[Product, ...]
    full: AttentionWork
    window: AttentionWork
    window_tokens: int
    row_bytes: float  # norms, adds, activation, routing: read and written per row
    state_bytes: float  # read and written per decoding sequence
    collectives: tuple[Collective, ...]
    layers: float  # blocks launched one after the other
    kernels: float  # launched in an iteration
    pipeline: int = 1
    attention_data: int = 1

    def weight_bytes(self, rows: float) -> float:
        """Return the weight bytes that one device reads for `rows` rows, head included (P2.1)."""
        return sum(
            p.count * touched(p.units, p.pool, p.active, rows) * p.weights * dtype_bytes(p.dtype)
            for p in self.products
        )

    def flops(self, rows: float, sampled: float) -> float:
        """Return the flops of the products on one device."""
        return sum(
            p.count
            * 2
            * p.weights
            * (sampled if p.sampled else rows)
            * p.rows_share
            * p.active
            * p.units
            / p.pool
            for p in self.products
        )


def touched(units: float, pool: float, active: float, rows: float) -> float:
    """Return the distinct experts of a device that `rows` rows touch: uniform routing (P2.1).

    Examples
    --------
    >>> [round(touched(128, 128, 8, rows), 1) for rows in (1, 8, 32, 64)]
    [8.0, 51.6, 111.8, 125.9]
    """
    if pool <= active:
        return units
    return units * float(1 - (1 - active / pool) ** rows)


def work_of(model: LanguageModel, parallel: Parallel, *, weight_dtype: str, kv_dtype: str) -> Work:
    """Count the work of an iteration on one device of the replica (P2).

    Parameters
    ----------
    weight_dtype
        Of the body; parts that the model keeps at another dtype stay there.
    """
    t, share = parallel.tensor, 1.0 / (parallel.attention_data * parallel.pipeline)
    products = [
        *_attention_products(model, t, weight_dtype, share),
        *_state_products(model, t, weight_dtype, share),
        *_feed_forward_products(model, parallel, weight_dtype),
        _head(model, parallel, weight_dtype, share),
    ]
    full_layers = model.caching_layers - (model.window.layers if model.window else 0)
    window_layers = model.window.layers if model.window else 0
    layers = model.layers
    return Work(
        products=tuple(products),
        full=_attention(model, t, kv_dtype, full_layers, share),
        window=_attention(model, t, kv_dtype, window_layers, share),
        window_tokens=model.window.window_tokens if model.window else 0,
        row_bytes=_row_bytes(model, parallel),
        state_bytes=_state_bytes(model, t) * share,
        collectives=_collectives(model, parallel),
        layers=layers,
        kernels=_kernels(model),
        pipeline=parallel.pipeline,
        attention_data=parallel.attention_data,
    )


def _kept(model: LanguageModel, weight_dtype: str) -> str:
    """Dtype of attention weights: some checkpoints keep them wider than the rest."""
    kept = model.attention_dtype
    return kept if kept and dtype_bytes(kept) > dtype_bytes(weight_dtype) else weight_dtype


def _attention_products(
    model: LanguageModel, t: int, weight_dtype: str, share: float
) -> list[Product]:
    h, layers, dtype = model.hidden, model.caching_layers, _kept(model, weight_dtype)
    if not layers:
        return []
    if model.latent is not None:
        return _latent_products(model, t, dtype, share)
    query = model.heads / t * model.head_dim
    if model.kv_elements_per_token is not None:
        kv = model.kv_elements_per_token / layers / min(t, max(1, model.kv_heads))
    else:
        kv = 2 * math.ceil(model.kv_heads / min(t, model.kv_heads)) * model.head_dim
    gated = query * (2 if model.query_gate else 1)
    return [
        Product("query, key, value", layers, (gated + kv) * h, gated + kv + h, dtype, share),
        Product("attention output", layers, h * query, h + query, dtype, share),
    ]


def _latent_products(model: LanguageModel, t: int, dtype: str, share: float) -> list[Product]:
    """MLA in absorbed form: the up-projections multiply queries and outputs, not the cache."""
    latent = model.latent
    assert latent is not None
    h, layers, heads = model.hidden, model.caching_layers, model.heads / t
    query_in = latent.query_rank or h
    key = latent.nope_head_dim + latent.rope_head_dim
    down = latent.query_rank + latent.kv_rank + latent.rope_head_dim
    rank = latent.kv_rank
    value = latent.value_head_dim
    return [
        Product("latent down", layers, down * h, down + h, dtype, share),
        Product("query up", layers, query_in * heads * key, query_in + heads * key, dtype, share),
        Product(
            "key and value up",
            layers,
            rank * heads * (latent.nope_head_dim + value),
            heads * (latent.nope_head_dim + value + 2 * rank),
            dtype,
            share,
        ),
        Product("attention output", layers, h * heads * value, h + heads * value, dtype, share),
    ]


def _state_products(model: LanguageModel, t: int, weight_dtype: str, share: float) -> list[Product]:
    state = model.state
    if state is None or not state.layers:
        return []
    into = (state.channels + state.inner + state.scalars) / t
    inner = state.inner / t
    h, dtype = model.hidden, _kept(model, weight_dtype)
    return [
        Product("state in", state.layers, into * h, into + h, dtype, share),
        Product("state out", state.layers, inner * h, inner + h, dtype, share),
    ]


def _feed_forward_products(
    model: LanguageModel, parallel: Parallel, weight_dtype: str
) -> list[Product]:
    h, devices = model.hidden, parallel.stage_devices
    share = 1.0 / parallel.pipeline
    into = model.mlp_matrices - 1
    products = []
    if model.dense_layers:
        wide = model.feed_forward / devices
        layers = model.dense_layers
        products += [
            Product(
                "feed-forward in", layers, into * wide * h, into * wide + h, weight_dtype, share
            ),
            Product("feed-forward out", layers, wide * h, wide + h, weight_dtype, share),
        ]
    experts = model.experts
    if experts is None or not model.expert_layers:
        return products
    layers = model.expert_layers
    routed = experts.dtype if experts.dtype else weight_dtype
    if dtype_bytes(weight_dtype) < dtype_bytes(routed):
        routed = weight_dtype
    units = experts.routed / parallel.expert
    wide = experts.feed_forward / parallel.expert_tensor
    pool, active = experts.routed, experts.per_token
    products += [
        Product("router", layers, experts.routed * h, experts.routed + h, WIDE, share),
        Product(
            "experts in",
            layers,
            into * wide * h,
            into * wide + h,
            routed,
            share,
            units,
            pool,
            active,
        ),
        Product("experts out", layers, wide * h, wide + h, routed, share, units, pool, active),
    ]
    if experts.shared:
        wide = experts.shared_width / devices
        products += [
            Product("shared in", layers, into * wide * h, into * wide + h, weight_dtype, share),
            Product("shared out", layers, wide * h, wide + h, weight_dtype, share),
        ]
    return products


def _head(model: LanguageModel, parallel: Parallel, weight_dtype: str, share: float) -> Product:
    dtype = weight_dtype if dtype_bytes(weight_dtype) >= 2 else WIDE
    columns = model.vocabulary / parallel.stage_devices
    count = 0.0 if model.kind == "encoder" else 1.0
    wide = 1.0 / parallel.pipeline
    return Product(
        "head", count, columns * model.hidden, columns + model.hidden, dtype, wide, sampled=True
    )


def _attention(
    model: LanguageModel, t: int, kv_dtype: str, layers: int, share: float
) -> AttentionWork:
    if not layers:
        return AttentionWork(0.0, 0.0, 0.0)
    stored = 0.0 if model.kind == "encoder" else cache_bytes(kv_dtype)
    heads = model.heads / t
    if model.latent is not None:
        latent = model.latent
        row = latent.kv_rank + latent.rope_head_dim
        kv = layers * row * stored
        decode = layers * 2 * heads * (row + latent.kv_rank)
        key = latent.nope_head_dim + latent.rope_head_dim
        prompt = layers * 2 * heads * (key + latent.value_head_dim)
        return AttentionWork(kv * share, decode * share, prompt * share)
    if model.kv_elements_per_token is not None:
        elements = model.kv_elements_per_token / min(t, max(1, model.kv_heads))
        kv = elements * layers / model.caching_layers * stored
    else:
        local = math.ceil(model.kv_heads / min(t, model.kv_heads))
        kv = 2 * layers * local * model.head_dim * stored
    flops = layers * 4 * heads * model.head_dim
    return AttentionWork(kv * share, flops * share, flops * share)


def _row_bytes(model: LanguageModel, parallel: Parallel) -> float:
    """Norms, residual adds, rotary, activation: read and written at 16 bits per replica row."""
    p = parallel.pipeline
    share = 1.0 / (parallel.attention_data * p)
    mixing = (model.caching_layers + (model.state.layers if model.state else 0)) * 4 * model.hidden
    dense = model.dense_layers * (
        4 * model.hidden + 3 * model.feed_forward / parallel.stage_devices
    )
    experts = 0.0
    if model.experts is not None:
        routed = model.experts.per_token * (2 * model.hidden + 3 * model.experts.feed_forward)
        experts = model.expert_layers * (4 * model.hidden + routed / parallel.stage_devices)
    return 2 * (mixing * share + (dense + experts) / p)


def _state_bytes(model: LanguageModel, t: int) -> float:
    """State of constant-state layers, read and written each step."""
    if model.state is None:
        return 0.0
    return 2 * model.state.layers * model.state.elements * dtype_bytes(model.state.dtype) / t


# Kernels of one block, counted in public engines' code: norm, products, rotary, cache, attention;
# latent attention adds compressions and absorbed products; experts add routing, sorting, combining.
_GROUPED_QUERY, _LATENT, _STATE = 5.0, 11.0, 8.0
_DENSE, _EXPERTS, _SHARED, _ENDS = 5.0, 11.0, 3.0, 4.0


def _kernels(model: LanguageModel) -> float:
    """Kernels of an iteration (P3.3)."""
    attention = _LATENT if model.latent is not None else _GROUPED_QUERY
    shared = _SHARED if model.experts is not None and model.experts.shared else 0.0
    return (
        attention * model.caching_layers
        + _STATE * (model.state.layers if model.state else 0)
        + _DENSE * model.dense_layers
        + (_EXPERTS + shared) * model.expert_layers
        + _ENDS
    )


def _collectives(model: LanguageModel, parallel: Parallel) -> tuple[Collective, ...]:
    row = model.hidden * 2.0 / parallel.pipeline
    found = []
    mixing = model.caching_layers + (model.state.layers if model.state else 0)
    devices = parallel.stage_devices
    if parallel.tensor > 1:
        each = row / parallel.attention_data
        found.append(Collective("all_reduce", mixing, each, parallel.tensor))
    if devices > 1:
        if parallel.attention_data > 1:
            # rows of all attention groups come together and go back
            count = model.mixing_layers
            found += [
                Collective("all_gather", count, row, devices),
                Collective("reduce_scatter", count, row, devices),
            ]
        else:
            found.append(Collective("all_reduce", model.mixing_layers, row, devices))
    if parallel.pipeline > 1:
        found.append(Collective("send", parallel.pipeline - 1, row * parallel.pipeline, 2))
    return tuple(found)

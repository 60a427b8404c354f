"""Parameters of a model by place, and the dtype each place is stored in (P1.1)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs import LanguageModel
from tco.performance.dtypes import dtype_bytes

TABLE_DTYPE = "bf16"  # small formats keep embeddings, head, router and norms at 16 bits
CONVOLUTION = 4  # taps of the causal convolution of Mamba-2 and gated linear attention


@dataclass(frozen=True, slots=True)
class Parameters:
    """Parameters by place in the model; counts, not bytes. Biases are left out (under 0.1 %)."""

    attention: int  # all projections of attention, latent ones included
    key_value: int  # of attention: split over the KV heads, replicated beyond their number
    latent_down: int  # of attention: compressing projections of MLA, whole on every device
    feed_forward: int  # dense feed-forward layers
    experts: int  # all routed experts
    shared_experts: int
    router: int
    state: int  # projections and convolutions of constant-state layers
    norms: int
    embedding: int  # tokens and learned positions
    head: int  # 0 when tied to the embedding
    active: int  # that compute for one token, head included even when tied

    @property
    def products(self) -> int:
        """Parameters of matrix products in all layers, every expert counted."""
        return (
            self.attention
            + self.feed_forward
            + self.experts
            + self.shared_experts
            + self.router
            + self.state
        )

    @property
    def body(self) -> int:
        """All layers, without embeddings and head."""
        return self.products + self.norms

    @property
    def total(self) -> int:
        """Everything once."""
        return self.body + self.embedding + self.head


def parameters(model: LanguageModel) -> Parameters:
    """Count the parameters of `model` layer by layer (P1.1).

    Embeddings count once where the head is tied to them; an encoder's head is its pooler. Of the
    routed experts all occupy memory and ``per_token`` compute.
    """
    h, experts = model.hidden, model.experts
    key_value, latent_down, rest = _attention(model)
    attention = key_value + latent_down + rest
    feed_forward = model.dense_layers * model.mlp_matrices * h * model.feed_forward
    routed = shared = router = 0
    computing = 0
    if experts is not None:
        each = model.expert_layers * model.mlp_matrices * h
        routed = each * experts.routed * experts.feed_forward
        computing = each * experts.per_token * experts.feed_forward
        shared = each * experts.shared_width
        router = model.expert_layers * h * experts.routed
    state = _state(model)
    blocks = model.caching_layers + model.mixing_layers + (model.state.layers if model.state else 0)
    norms = blocks * h + h
    table = model.vocabulary * h
    encoder = model.kind == "encoder"
    pooler = h * h if encoder else 0
    head = pooler if encoder else 0 if model.tied_embeddings else table
    body = attention + feed_forward + computing + shared + router + state + norms
    return Parameters(
        attention=attention,
        key_value=key_value,
        latent_down=latent_down,
        feed_forward=feed_forward,
        experts=routed,
        shared_experts=shared,
        router=router,
        state=state,
        norms=norms,
        embedding=table + model.learned_positions * h,
        head=head,
        active=body + (pooler if encoder else table),
    )


def _attention(model: LanguageModel) -> tuple[int, int, int]:
    """Attention of all layers: KV projections, latent down-projections, the rest."""
    h, layers = model.hidden, model.caching_layers
    if model.latent is None:
        query = model.heads * model.head_dim * (2 if model.query_gate else 1)
        output = model.heads * model.head_dim
        return layers * 2 * h * model.kv_heads * model.head_dim, 0, layers * h * (query + output)
    latent, heads = model.latent, model.heads
    key = latent.nope_head_dim + latent.rope_head_dim
    down = h * (latent.query_rank + latent.kv_rank + latent.rope_head_dim)
    query = (latent.query_rank or h) * heads * key
    up = latent.kv_rank * heads * (latent.nope_head_dim + latent.value_head_dim)
    return 0, layers * down, layers * (query + up + heads * latent.value_head_dim * h)


def _state(model: LanguageModel) -> int:
    """Constant-state layers: into channels, gate and scalars, a convolution, and out."""
    state = model.state
    if state is None:
        return 0
    into = model.hidden * (state.channels + state.inner + state.scalars)
    return state.layers * (into + state.inner * model.hidden + CONVOLUTION * state.channels)


@dataclass(frozen=True, slots=True)
class PartDtypes:
    """Dtype of each part of a model's weights."""

    attention: str  # and constant-state layers
    feed_forward: str  # dense layers, shared experts
    experts: str  # routed
    table: str  # embeddings, head, router, norms


def table_dtype(weight_dtype: str) -> str:
    """Dtype of embeddings, head, router and norms: small formats keep these at 16 bits."""
    return weight_dtype if dtype_bytes(weight_dtype) >= 2 else TABLE_DTYPE


def part_dtypes(model: LanguageModel, weight_dtype: str) -> PartDtypes:
    """Return the dtype each part is stored in when the weights are chosen as `weight_dtype` (P1.1).

    Attention stays at the model's own ``attention_dtype`` where that is wider; routed experts that
    ship narrower than the rest stay so.
    """
    chosen = dtype_bytes(weight_dtype)
    kept = model.attention_dtype
    routed = model.experts.dtype if model.experts else ""
    return PartDtypes(
        attention=kept if kept and dtype_bytes(kept) > chosen else weight_dtype,
        feed_forward=weight_dtype,
        experts=routed if routed and dtype_bytes(routed) < chosen else weight_dtype,
        table=table_dtype(weight_dtype),
    )

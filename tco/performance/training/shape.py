"""What a training step of a model works on: parameters, products, scores, element traffic (P11)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs import LanguageModel


@dataclass(frozen=True, slots=True)
class Product:
    """One kind of weight product: ``rows × inner`` against ``inner × outer``.

    `used` is the share of rows that meet each copy (experts), `copies` how many copies there are.
    """

    inner: float
    outer: float
    layers: float
    copies: float = 1.0  # routed experts
    used: float = 1.0  # copies a row meets

    @property
    def weights(self) -> float:
        """Elements held, all copies and layers."""
        return self.inner * self.outer * self.layers * self.copies

    @property
    def active(self) -> float:
        """Elements that multiply one row."""
        return self.inner * self.outer * self.layers * self.used


@dataclass(frozen=True, slots=True)
class TrainingShape:
    """Counts of one model, per token where said."""

    body: tuple[Product, ...]  # of all layers, without head
    experts: tuple[Product, ...]  # the routed part
    head: Product
    other_weights: float  # norms, input embedding
    score_width: float  # heads × (key width + value width), per full attention layer
    heads: float
    full_layers: float
    window_layers: float
    window_tokens: int
    element_width: float  # activations read and written per token and layer, forward, elements
    routed_width: float  # elements a token sends to its experts, per expert layer
    expert_layers: float
    layers: float
    hidden: float

    @property
    def total_parameters(self) -> float:
        """Everything held, once."""
        held = sum(p.weights for p in (*self.body, *self.experts))
        return held + self.head.weights + self.other_weights

    @property
    def active_parameters(self) -> float:
        """What one token multiplies: products and head (the P of 6·P·tokens)."""
        return sum(p.active for p in (*self.body, *self.experts)) + self.head.active

    def attention_flops_per_token(self, sequence_tokens: float) -> float:
        """Return forward flops of causal scores and values for a token of a sequence (P2.2)."""
        return self.score_width * self._attended(sequence_tokens) * 2

    def tiles_per_token(self, sequence_tokens: float) -> float:
        """Return key and value elements a token's scores read from on-chip memory, per 128."""
        return self.score_width * self._attended(sequence_tokens) / 128

    def _attended(self, sequence_tokens: float) -> float:
        """Tokens attended, mean over the sequence, summed over layers."""
        windowed = min(self.window_tokens, sequence_tokens / 2) if self.window_tokens else 0.0
        return self.full_layers * sequence_tokens / 2 + self.window_layers * windowed


def training_shape(model: LanguageModel) -> TrainingShape:
    """Count what a step of `model` works on (P1.1, P2.1).

    Raises nothing: an unsupported architecture is refused before sizing.
    """
    h, mixing = float(model.hidden), model.mlp_matrices
    body = [*_attention(model), *_state(model)]
    if model.dense_layers:
        body += _feed_forward(h, model.feed_forward, mixing, model.dense_layers)
    experts: list[Product] = []
    routed = 0.0
    width = float(model.feed_forward)
    if model.experts is not None and model.expert_layers:
        e, layers = model.experts, model.expert_layers
        experts = _feed_forward(h, e.feed_forward, mixing, layers, e.routed, e.per_token)
        if e.shared:
            body += _feed_forward(h, e.shared_width, mixing, layers)
        body.append(Product(h, e.routed, layers))  # the router
        routed = h * e.per_token
        share = layers / max(1, model.mixing_layers)
        width = width * (1 - share) + share * (e.per_token * e.feed_forward + e.shared_width)
    per_activation = 3 if mixing == 3 else 2
    latent = model.latent
    key = latent.nope_head_dim + latent.rope_head_dim if latent else model.head_dim
    value = latent.value_head_dim if latent else model.head_dim
    windowed = model.window.layers if model.window else 0
    table = float(model.vocabulary) * h
    return TrainingShape(
        body=tuple(body),
        experts=tuple(experts),
        head=Product(h, model.vocabulary, 1),
        other_weights=(0.0 if model.tied_embeddings else table) + (2 * model.layers + 1) * h,
        score_width=model.heads * float(key + value),
        heads=float(model.heads),
        full_layers=float(model.caching_layers - windowed),
        window_layers=float(windowed),
        window_tokens=model.window.window_tokens if model.window else 0,
        element_width=16 * h + per_activation * width + 4 * routed,
        routed_width=routed,
        expert_layers=float(model.expert_layers),
        layers=float(model.layers),
        hidden=h,
    )


def _attention(model: LanguageModel) -> list[Product]:
    h, layers = float(model.hidden), model.caching_layers
    if not layers:
        return []
    latent = model.latent
    if latent is not None:
        key = latent.nope_head_dim + latent.rope_head_dim
        down = latent.query_rank + latent.kv_rank + latent.rope_head_dim
        query_in = latent.query_rank or h
        up = latent.nope_head_dim + latent.value_head_dim
        return [
            Product(h, down, layers),
            Product(query_in, model.heads * key, layers),
            Product(latent.kv_rank, model.heads * up, layers),
            Product(model.heads * latent.value_head_dim, h, layers),
        ]
    query = model.heads * model.head_dim
    gate = query if model.query_gate else 0
    into = query + gate + 2 * model.kv_heads * model.head_dim
    return [Product(h, into, layers), Product(query, h, layers)]


def _state(model: LanguageModel) -> list[Product]:
    state = model.state
    if state is None or not state.layers:
        return []
    into = state.channels + state.inner + state.scalars
    h = float(model.hidden)
    return [Product(h, into, state.layers), Product(state.inner, h, state.layers)]


def _feed_forward(
    h: float, width: float, matrices: int, layers: float, copies: float = 1.0, used: float = 1.0
) -> list[Product]:
    return [
        Product(h, (matrices - 1) * width, layers, copies, used),
        Product(width, h, layers, copies, used),
    ]

"""Shape of a model whose work and memory can be counted layer by layer (P1, P2)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.figure import Figure


@dataclass(frozen=True, slots=True)
class Experts:
    """Mixture-of-experts feed-forward of a layer (P1.1, P2.1)."""

    routed: int  # E
    per_token: int  # E_a
    feed_forward: int  # width of one routed expert
    shared: int = 0  # E_s, run for every token
    shared_feed_forward: int = 0  # width of one shared expert; 0: that of a routed one
    dense_layers: int = 0  # feed-forward layers that stay dense, of the model's width
    dtype: str = ""  # of the routed experts where it differs from the other weights

    @property
    def shared_width(self) -> int:
        """Width of all shared experts of a layer together."""
        return self.shared * (self.shared_feed_forward or self.feed_forward)


@dataclass(frozen=True, slots=True)
class LatentAttention:
    """Multi-head latent attention (MLA): the cache holds one low-rank row a token (P1.2)."""

    kv_rank: int
    rope_head_dim: int
    nope_head_dim: int
    value_head_dim: int
    query_rank: int = 0  # 0: queries are not compressed


@dataclass(frozen=True, slots=True)
class WindowAttention:
    """Layers that keep only the last tokens (sliding or chunked); the others keep all."""

    window_tokens: int
    layers: int


@dataclass(frozen=True, slots=True)
class StateLayers:
    """Layers of constant state: Mamba-2, gated linear attention (P1.2, P2.2a).

    In-projection ``hidden × (channels + inner + scalars)``, out-projection ``inner × hidden``.
    """

    layers: int
    inner: int  # width of the gate and of the output
    channels: int  # width of the causal convolution
    scalars: int  # per-head scalars of the in-projection (time step, decay)
    elements: int  # state per sequence and layer, convolution included
    dtype: str = "fp32"


@dataclass(frozen=True, slots=True)
class Quality:
    """A quality figure of a model at one weight dtype (P19.1)."""

    measure: str  # e.g. MMLU, own evaluation set
    weight_dtype: str
    accepted_fraction: Figure  # share of answers accepted, 0..1, with its interval


@dataclass(frozen=True, slots=True)
class LanguageModel:
    """Shape of a transformer (P1). head_dim comes from the config, never from hidden / heads.

    ``layers`` counts blocks; where a block holds attention or feed-forward only, the two counts
    ``attention_layers`` and ``feed_forward_layers`` say how many have each.
    """

    key: str
    name: str
    layers: int
    hidden: int
    heads: int
    kv_heads: int
    head_dim: int
    feed_forward: int
    vocabulary: int
    tied_embeddings: bool
    max_context_tokens: int
    native_dtype: str
    parameters_g: Figure  # 10^9, as published or computed
    supported: bool = True  # False: an architecture this engine cannot size
    why_unsupported: str = ""
    kind: str = "decoder"  # decoder | encoder
    mlp_matrices: int = 3  # 3 gated, 2 plain
    experts: Experts | None = None
    latent: LatentAttention | None = None
    window: WindowAttention | None = None
    state: StateLayers | None = None
    attention_layers: int | None = None  # None: every layer
    feed_forward_layers: int | None = None  # None: every layer
    kv_elements_per_token: int | None = None  # where KV heads differ by layer: engine's padding in
    query_gate: bool = False  # query projection doubled by an output gate
    attention_dtype: str = ""  # kept at this dtype where the other weights are narrower
    learned_positions: int = 0  # rows of learned position (and segment) embeddings
    beside_parameters_g: float = 0.0  # resident beside the text model: vision or audio encoder
    quality: tuple[Quality, ...] = ()

    @property
    def caching_layers(self) -> int:
        """Layers with attention, whether full, windowed or latent."""
        return self.layers if self.attention_layers is None else self.attention_layers

    @property
    def mixing_layers(self) -> int:
        """Layers with a feed-forward, dense or of experts."""
        return self.layers if self.feed_forward_layers is None else self.feed_forward_layers

    @property
    def expert_layers(self) -> int:
        """Feed-forward layers made of experts."""
        return self.mixing_layers - self.experts.dense_layers if self.experts else 0

    @property
    def dense_layers(self) -> int:
        """Feed-forward layers that are dense."""
        return self.mixing_layers - self.expert_layers

"""KV cache and constant state of one sequence on one device (P1.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tco.inputs import LanguageModel, Parallel
from tco.performance import defaults
from tco.performance.dtypes import cache_bytes, dtype_bytes

Array = NDArray[np.float64]
BLOCK_TOKENS = int(defaults.KV_BLOCK_TOKENS.value)


@dataclass(frozen=True, slots=True)
class KvCache:
    """What one sequence holds on the fullest device that serves it.

    Parameters
    ----------
    full_token_bytes
        Per token of context, of all layers that keep the whole context.
    window_token_bytes
        Per token of context up to `window_tokens`, of the layers that keep the last tokens only.
    state_bytes
        Of layers with constant state, at any length.
    """

    full_token_bytes: float
    window_token_bytes: float
    window_tokens: int
    state_bytes: float
    block_tokens: int = BLOCK_TOKENS

    @property
    def token_bytes(self) -> float:
        """Bytes of one more token while the window is not full."""
        return self.full_token_bytes + self.window_token_bytes

    def bytes(self, context_tokens: Array | float) -> Array:
        """Return bytes of a sequence of `context_tokens`, in whole blocks; arrays broadcast."""
        context = np.asarray(context_tokens, dtype=np.float64)
        block = self.block_tokens
        full = np.ceil(context / block) * block
        kept = np.minimum(full, math.ceil(self.window_tokens / block) * block)
        found: Array = (
            self.full_token_bytes * full + self.window_token_bytes * kept + self.state_bytes
        )
        return found

    def most_context(self, room_bytes: float) -> float:
        """Return the longest context of one sequence in `room_bytes`, whole blocks.

        ``inf`` where no layer grows with the context.
        """
        room = room_bytes - self.state_bytes
        if room < 0:
            return 0.0
        if self.token_bytes == 0:
            return math.inf
        block = self.block_tokens
        window = math.ceil(self.window_tokens / block) * block
        tokens = room / self.token_bytes
        if self.window_token_bytes and tokens > window:
            left = room - self.window_token_bytes * window
            if self.full_token_bytes == 0:
                return math.inf
            tokens = left / self.full_token_bytes
        return math.floor(tokens / block + 1e-9) * block


def kv_cache(model: LanguageModel, kv_dtype: str, parallel: Parallel | None = None) -> KvCache:
    """Return the cache of one sequence on the fullest device of the first stage (P1.2).

    Grouped-query: 2·L·g·d·b over min(t, g), heads whole, so replicated when t > g. Latent
    attention: L·(rank + rope)·b on every device, not divided by t. Attention data-parallel gives
    each device its own sequences, so it divides no sequence. Pipeline stages hold their own layers.

    Raises
    ------
    InputError
        For a dtype that is not one of a cache.
    """
    parallel = parallel or Parallel()
    stored, t = cache_bytes(kv_dtype), parallel.tensor
    if model.kind == "encoder":
        return KvCache(0.0, 0.0, 0, 0.0)
    layers = model.caching_layers
    window = model.window.layers if model.window else 0
    if model.latent is not None:
        each = (model.latent.kv_rank + model.latent.rope_head_dim) * stored
    else:
        heads = math.ceil(model.kv_heads / min(t, model.kv_heads)) if model.kv_heads else 0
        if model.kv_elements_per_token is not None and layers:
            share = heads / model.kv_heads if model.kv_heads else 1.0
            each = model.kv_elements_per_token / layers * share * stored
        else:
            each = 2 * heads * model.head_dim * stored
    stage = stage_share(model.layers, parallel.pipeline)
    state = model.state
    held = state.layers * state.elements * dtype_bytes(state.dtype) / t if state else 0.0
    return KvCache(
        full_token_bytes=(layers - window) * each * stage,
        window_token_bytes=window * each * stage,
        window_tokens=model.window.window_tokens if model.window else 0,
        state_bytes=held * stage,
    )


def stage_share(layers: int, pipeline: int) -> float:
    """Return the share of the layers on the fullest pipeline stage.

    Examples
    --------
    >>> stage_share(80, 1), stage_share(61, 2) == 31 / 61
    (1.0, True)
    """
    return math.ceil(layers / pipeline) / layers if layers else 1.0


def kv_bytes(
    model: LanguageModel,
    kv_dtype: str,
    parallel: Parallel | None = None,
    context_tokens: Array | float = 1.0,
) -> Array:
    """Return cache and state bytes of one sequence on one device, in whole blocks (P1.2)."""
    return kv_cache(model, kv_dtype, parallel).bytes(context_tokens)


def kv_bytes_per_token(model: LanguageModel, kv_dtype: str, tensor_parallel: int = 1) -> float:
    """Return the bytes of one token on one device while no window is full (P1.2).

    2·80·8·128·2 = 327,680 for Llama-3.1-70B at 16 bits.
    """
    return kv_cache(model, kv_dtype, Parallel(tensor=tensor_parallel)).token_bytes

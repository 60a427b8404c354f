"""block.v1: one decoder block, its prefill step and its decode step.

RMSNorm, grouped-query attention with rotary positions and a preallocated key-value cache, SwiGLU,
two residuals: the shape of today's dense language models. The decode step writes its key and value
at the last place of the cache, so that each call does the same work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tco_agent.bench.base import (
    BYTES_PER_ELEMENT,
    TOLERANCE,
    Check,
    DeviceView,
    Kernel,
    Params,
    Work,
    relative_error,
)
from tco_agent.device.base import Backend, torch_dtype
from tco_agent.hash_inputs import (
    WIDE_BITS,
    combined_sha256,
    hash_normal_tensor,
    sha256_of_int8,
)

MATRICES = ("q", "k", "v", "o", "gate", "up", "down")
ROPE_BASE = 10_000.0
EPSILON = 1e-6
PROBE_TOKENS = (16, 64, 256)
CPU_SHAPE: Params = {"d_model": 512, "heads": 8, "kv_heads": 4, "head_dim": 64, "ffn": 1408}
GPU_SHAPE: Params = {"d_model": 4096, "heads": 32, "kv_heads": 8, "head_dim": 128, "ffn": 14336}
# A block chains several products, and its output is checked against fp64 as a whole.
BLOCK_TOLERANCE_FACTOR = 5.0


@dataclass(frozen=True)
class _Weights:
    """The matrices of one block, [out, in]."""

    q: Any
    k: Any
    v: Any
    o: Any
    gate: Any
    up: Any
    down: Any
    inputs_sha256: str

    def double(self) -> _Weights:
        """The same values in fp64."""
        matrices = {name: getattr(self, name).double() for name in MATRICES}
        return _Weights(**matrices, inputs_sha256=self.inputs_sha256)


class DecoderBlock:
    """Eager prefill and decode of one block."""

    id = "block.v1"

    def __init__(self) -> None:
        self._weights: dict[tuple[Any, ...], _Weights] = {}

    def cases(self, profile: str, device: DeviceView) -> list[Params]:
        """Decode and prefill; the canary keeps only the decode step."""
        on_cpu = device.kind == "cpu"
        shape = CPU_SHAPE if on_cpu else GPU_SHAPE
        dtype = "fp32" if on_cpu else "bf16"
        tokens, kv_len, batch = (128, 512, 1) if on_cpu else (2048, 2048, 8)
        decode = {"phase": "decode", "batch": batch, "seq": 1, "kv_len": kv_len}
        prefill = {"phase": "prefill", "batch": 1, "seq": tokens, "kv_len": tokens}
        phases = [decode] if profile == "canary" else [decode, prefill]
        return [
            {
                **phase,
                **shape,
                "dtype": dtype,
                **({"threads": threads} if on_cpu else {}),
                "state": "short",
                "compile": "eager",
            }
            for phase in phases
            for threads in device.threads
        ]

    def probes(self, params: Params) -> list[Params]:
        """The same block on fewer positions."""
        if params["phase"] == "decode":
            return [{**params, "batch": 1, "kv_len": PROBE_TOKENS[0]}]
        return [
            {**params, "seq": tokens, "kv_len": tokens}
            for tokens in PROBE_TOKENS
            if tokens < params["seq"]
        ]

    def cost(self, params: Params) -> float:
        """Operations, with at least the reading of the weights (worth about 16 tokens)."""
        tokens = max(params["batch"] * params["seq"], 16)
        return float(tokens * 2 * _weight_count(params) + _attention_flop(params))

    def bytes_needed(self, params: Params, device: DeviceView) -> int:
        """Weights, cache and activations of this dtype, and the fp64 copy of the check."""
        size = BYTES_PER_ELEMENT[params["dtype"]]
        tokens = params["batch"] * params["seq"]
        per_token = 6 * params["d_model"] + 3 * params["ffn"] + params["heads"] * params["kv_len"]
        elements = _weight_count(params) + _cache_count(params) + tokens * per_token
        return int(elements * (size + 8))

    def build(self, torch: Any, backend: Backend, params: Params, device: DeviceView) -> Kernel:
        """Weights, input, cache and one forward step."""
        name = params["dtype"]
        dtype = torch_dtype(torch, name)
        batch, seq, kv_len = params["batch"], params["seq"], params["kv_len"]
        weights = self._weights_for(torch, backend, params, dtype)
        count = batch * kv_len * params["d_model"]
        pattern = hash_normal_tensor(torch, count, seed=20, device=backend.torch_device)
        history = (pattern.to(torch.float32) / (1 << WIDE_BITS)).to(dtype)
        history = history.reshape(batch, kv_len, params["d_model"])
        cache = _Cache(torch, params, history)
        if params["phase"] == "decode":
            _forward(torch, params, weights, cache, history, start=0)  # fills the cache
        x = history[:, kv_len - seq :, :].contiguous()
        output: list[Any] = [None]

        def call() -> None:
            output[0] = _forward(torch, params, weights, cache, x, start=kv_len - seq)

        def check() -> Check:
            call()
            backend.use_threads(1)
            exact = _Cache(torch, params, history.double())
            # The whole sequence at once in fp64: a decode step must agree with its last position.
            whole = _forward(torch, params, weights.double(), exact, history.double(), start=0)
            error = relative_error(torch, output[0], whole[:, kv_len - seq :, :])
            return Check(ok=error <= BLOCK_TOLERANCE_FACTOR * TOLERANCE[name], rel_fro=error)

        size = BYTES_PER_ELEMENT[name]
        flop = batch * seq * 2 * _weight_count(params) + _attention_flop(params)
        return Kernel(
            call=call,
            check=check,
            work=Work(
                amount=batch * seq,
                unit="tokens/s",
                flop=flop,
                bytes=(_weight_count(params) + _cache_count(params)) * size,
            ),
            inputs_sha256=combined_sha256([sha256_of_int8(pattern), weights.inputs_sha256]),
        )

    def _weights_for(self, torch: Any, backend: Backend, params: Params, dtype: Any) -> _Weights:
        d, ffn = params["d_model"], params["ffn"]
        kv = params["kv_heads"] * params["head_dim"]
        q = params["heads"] * params["head_dim"]
        key = (backend.torch_device, params["dtype"], d, ffn, kv, q)
        if key not in self._weights:
            shapes = ((q, d), (kv, d), (kv, d), (d, q), (ffn, d), (ffn, d), (d, ffn))
            matrices, digests = [], []
            for seed, (rows, columns) in enumerate(shapes, start=10):
                pattern = hash_normal_tensor(
                    torch, rows * columns, seed=seed, device=backend.torch_device
                )
                # Dividing by a power of two near sqrt(columns) keeps activations of order one.
                scale = 1 << (WIDE_BITS + (columns.bit_length() - 1) // 2)
                matrices.append(
                    (pattern.to(torch.float32) / scale).to(dtype).reshape(rows, columns)
                )
                digests.append(sha256_of_int8(pattern))
            self._weights[key] = _Weights(
                **dict(zip(MATRICES, matrices, strict=True)),
                inputs_sha256=combined_sha256(digests),
            )
        return self._weights[key]


class _Cache:
    """Keys and values of every position, and the rotary table in their dtype."""

    def __init__(self, torch: Any, params: Params, history: Any) -> None:
        shape = (params["batch"], params["kv_heads"], params["kv_len"], params["head_dim"])
        self.k = torch.zeros(shape, dtype=history.dtype, device=history.device)
        self.v = torch.zeros_like(self.k)
        half = params["head_dim"] // 2
        steps = torch.arange(half, dtype=torch.float64, device=history.device) / half
        positions = torch.arange(params["kv_len"], dtype=torch.float64, device=history.device)
        angles = positions[:, None] * (ROPE_BASE**-steps)[None, :]
        self.cos = angles.cos().to(history.dtype)
        self.sin = angles.sin().to(history.dtype)

    def rotate(self, torch: Any, x: Any, start: int) -> Any:
        """Rotary positions on [batch, heads, seq, head_dim], starting at `start`."""
        stop = start + x.shape[2]
        cos, sin = self.cos[start:stop], self.sin[start:stop]
        first, second = x.chunk(2, dim=-1)
        return torch.cat([first * cos - second * sin, second * cos + first * sin], dim=-1)


def _forward(torch: Any, params: Params, w: _Weights, cache: _Cache, x: Any, *, start: int) -> Any:
    """One block on x [batch, seq, d_model] whose first position is `start`."""
    functional = torch.nn.functional
    batch, seq, _ = x.shape
    heads, kv_heads, head_dim = params["heads"], params["kv_heads"], params["head_dim"]
    h = _rms_norm(torch, x)
    q = functional.linear(h, w.q).view(batch, seq, heads, head_dim).transpose(1, 2)
    k = functional.linear(h, w.k).view(batch, seq, kv_heads, head_dim).transpose(1, 2)
    v = functional.linear(h, w.v).view(batch, seq, kv_heads, head_dim).transpose(1, 2)
    q = cache.rotate(torch, q, start)
    cache.k[:, :, start : start + seq] = cache.rotate(torch, k, start)
    cache.v[:, :, start : start + seq] = v
    keys, values = cache.k[:, :, : start + seq], cache.v[:, :, : start + seq]
    attended = functional.scaled_dot_product_attention(
        q, keys, values, is_causal=seq > 1, enable_gqa=heads != kv_heads
    )
    x = x + functional.linear(attended.transpose(1, 2).reshape(batch, seq, -1), w.o)
    h = _rms_norm(torch, x)
    gated = functional.silu(functional.linear(h, w.gate)) * functional.linear(h, w.up)
    return x + functional.linear(gated, w.down)


def _rms_norm(torch: Any, x: Any) -> Any:
    return x * torch.rsqrt(x.square().mean(dim=-1, keepdim=True) + EPSILON)


def _weight_count(params: Params) -> int:
    d = params["d_model"]
    attention = d * params["head_dim"] * (2 * params["heads"] + 2 * params["kv_heads"])
    return int(attention + 3 * d * params["ffn"])


def _cache_count(params: Params) -> int:
    return int(2 * params["batch"] * params["kv_heads"] * params["kv_len"] * params["head_dim"])


def _attention_flop(params: Params) -> int:
    """Scores and values: 4 B H S T D, half of it in a causal prefill."""
    pairs = params["batch"] * params["heads"] * params["seq"] * params["kv_len"]
    flop = 4 * pairs * params["head_dim"]
    return int(flop // 2 if params["phase"] == "prefill" else flop)

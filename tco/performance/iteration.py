"""Time of one iteration of a serving engine on one replica (P2, P4.1, P4.2, P5)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tco.inputs import Device, Figure, LanguageModel
from tco.performance import defaults
from tco.performance.dtypes import dtype_bytes
from tco.performance.memory import parameters, table_dtype
from tco.performance.operators import GIGA, Array, OperatorTimes


def all_reduce_s(
    message_bytes: Array, tensor_parallel: int, link_gb_s: float, latency_us: float
) -> Array:
    """Return seconds of one all-reduce: latency + 2(t-1)/t · bytes / link rate (P4.1, P4.2).

    Examples
    --------
    >>> round(160e3 * float(all_reduce_s(np.array(0.0), 8, 450.0, 8.0)), 2)  # 160 of them, ms
    1.28
    """
    if tensor_parallel == 1:
        return np.zeros_like(message_bytes)
    t = tensor_parallel
    return latency_us * 1e-6 + message_bytes * (2 * (t - 1) / t) / (link_gb_s * GIGA)


def layer_overhead_us(device: Device) -> float:
    """Launch cost of one layer: measured launches × kernels per layer, else the default (P3.3)."""
    if device.measured is not None and device.measured.launch_us is not None:
        return device.measured.launch_us.value * defaults.KERNELS_PER_LAYER.value
    return defaults.LAYER_OVERHEAD_US.value


def link_figure(device: Device, tensor_parallel: int) -> Figure:
    """Return the link the all-reduces use, per direction and device.

    Beyond the scale-up domain, or without one, that is the host link.
    """
    within = device.scaleup_domain <= 1 or tensor_parallel <= device.scaleup_domain
    if device.scaleup_gb_s is not None and device.scaleup_gb_s.value > 0 and within:
        return device.scaleup_gb_s
    return defaults.LINK_GB_S_FALLBACK


@dataclass(frozen=True)
class IterationModel:
    """T(prefill tokens, decode sequences, context) of one replica of t devices (P5).

    Parameters
    ----------
    body
        Products of the layers, in the dtype executed.
    table
        Products of the head and attention, at 16 bits or wider.
    throughput_fraction
        Share of full speed left under a power cap (F2.2); host time is not touched.
    """

    model: LanguageModel
    device: Device
    tensor_parallel: int
    body: OperatorTimes
    table: OperatorTimes
    weight_dtype: str
    kv_token_bytes: float  # per device
    throughput_fraction: float = 1.0

    @cached_property
    def products(self) -> tuple[tuple[float, float], ...]:
        """(n, k) of the four products of a layer on one shard; KV heads replicate when t > g."""
        m, t = self.model, self.tensor_parallel
        kv_heads = math.ceil(m.kv_heads / min(t, m.kv_heads))
        query = m.heads / t * m.head_dim
        return (
            (query + 2 * kv_heads * m.head_dim, m.hidden),
            (m.hidden, query),
            (2 * m.feed_forward / t, m.hidden),
            (m.hidden, m.feed_forward / t),
        )

    @cached_property
    def overhead_s(self) -> float:
        """Host and launch time of an iteration."""
        layers = self.model.layers * layer_overhead_us(self.device) * 1e-6
        return defaults.HOST_STEP_MS.value * 1e-3 + layers

    def seconds(
        self, prefill_tokens: float, cached_tokens: float, sequences: Array, context_tokens: float
    ) -> Array:
        """Return seconds of an iteration for each number of decoding sequences.

        Parameters
        ----------
        prefill_tokens
            Tokens of the prompt chunk in this iteration, after `cached_tokens` of the same prompt.
        sequences
            Decoding sequences, one token each, at `context_tokens` of context.
        """
        m, t = self.model, self.tensor_parallel
        rows = sequences + prefill_tokens
        layer = np.zeros_like(rows)
        for n, k in self.products:
            layer = layer + self.body.gemm_s(rows, n, k)
        # norms, residual adds, activation: read and written once each, 16 bits
        moved = rows * (8 * m.hidden + 3 * m.feed_forward / t) * 2
        layer = layer + moved / self.table.memory.reached_bytes_per_s
        layer = layer + self._attention_s(prefill_tokens, cached_tokens, sequences, context_tokens)
        sampled = sequences + (1.0 if prefill_tokens else 0.0)
        head = self.table.gemm_s(sampled, m.vocabulary / t, m.hidden)
        link = link_figure(self.device, t).value * defaults.LINK_FRACTION.value
        reduce = all_reduce_s(rows * m.hidden * 2, t, link, defaults.ALL_REDUCE_LATENCY_US.value)
        device_s = (m.layers * (layer + 2 * reduce) + head) / self.throughput_fraction
        return device_s + self.overhead_s

    def _attention_s(
        self, prefill_tokens: float, cached_tokens: float, sequences: Array, context_tokens: float
    ) -> Array:
        """Attention of one layer: causal prefill by flops, decode by KV bytes (P2.2)."""
        m = self.model
        width = 4 * m.heads / self.tensor_parallel * m.head_dim
        prefill = width * prefill_tokens * (cached_tokens + prefill_tokens / 2)
        kv_layer = self.kv_token_bytes / m.layers
        decode = np.maximum(
            width * context_tokens * sequences / self.table.reached_flops,
            kv_layer * context_tokens * sequences / self.table.memory.reached_bytes_per_s,
        )
        return prefill / self.table.reached_flops + decode

    def flops(self, tokens: float, attended_tokens: float, sampled: float) -> float:
        """Return flops of the replica for `tokens` that attend to `attended_tokens` each (P2)."""
        m = self.model
        counts = parameters(m)
        products = counts.attention + counts.feed_forward
        attention = 4 * m.heads * m.head_dim * attended_tokens * m.layers
        return tokens * (2 * products + attention) + sampled * 2 * m.vocabulary * m.hidden

    @cached_property
    def read_bytes(self) -> float:
        """Weight bytes one device reads in an iteration: layers and head, no embedding rows."""
        m, t = self.model, self.tensor_parallel
        layers = sum(n * k for n, k in self.products) * m.layers * dtype_bytes(self.weight_dtype)
        wide = dtype_bytes(table_dtype(self.weight_dtype))
        return layers + m.vocabulary * m.hidden / t * wide

    def prefill_floor_s(self, input_tokens: float) -> float:
        """Return the floor of a prefill: its flops at the dense peak of all devices (P0.1)."""
        flops = self.flops(input_tokens, input_tokens / 2, 1.0)
        peak = max(self.body.peak_flops, self.table.peak_flops)
        reads = self.read_bytes / self.body.memory.floor_bytes_per_s
        return max(flops / (self.tensor_parallel * peak), reads)

    def decode_floor_s(self, context_tokens: float) -> float:
        """Return the floor of a decode step: weights and the KV of one sequence, read once."""
        moved = self.read_bytes + self.kv_token_bytes * context_tokens
        return moved / self.body.memory.floor_bytes_per_s

"""Time of one iteration of a serving engine on one replica, and its floors (P5, P0.1).

The work is `tco.performance.work`, the time `tco.performance.step`. Where the device has measured
products of its own (P3.1), those take the place of the roofline.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from tco.inputs import Device, LanguageModel, Parallel
from tco.performance import defaults
from tco.performance.dtypes import execution
from tco.performance.factors import DEFAULT_STACK, SHIPPED, resolve, shipped_factors, subject
from tco.performance.kv_cache import kv_cache
from tco.performance.operators import Array, OperatorTimes, operator_times
from tco.performance.rates import ReplicaRates, replica_rates
from tco.performance.step import (
    KERNELS_PER_LAYER,
    StepArrays,
    rows_s,
    seconds,
    shares,
    step_arrays,
)
from tco.performance.work import WIDE, Product, Work, touched, work_of
from tco.simulate.step_table import StepTable

_GRID = 96  # points of the table of iteration times; rows between them are interpolated


@dataclass(frozen=True)
class IterationModel:
    """T(prefill tokens, decode sequences, context) of one replica (P5).

    Parameters
    ----------
    throughput_fraction
        Share of full speed left under a power cap (F2.2); host time is not touched.
    stack
        Serving stack whose fitted factors apply.
    """

    model: LanguageModel
    device: Device
    parallel: Parallel
    weight_dtype: str
    kv_dtype: str
    work: Work
    rates: ReplicaRates
    throughput_fraction: float = 1.0
    stack: str = DEFAULT_STACK

    @cached_property
    def body(self) -> OperatorTimes:
        """Rates of the products of the layers."""
        found = operator_times(
            self.device, self.rates.ran(self.weight_dtype).dtype, self.weight_dtype
        )
        assert found is not None  # replica_rates checked it
        return found

    @cached_property
    def arrays(self) -> StepArrays:
        """The replica as arrays of one."""
        return step_arrays([self.work], [self.rates])

    @cached_property
    def at(self) -> Mapping[str, Array]:
        """Seconds per flop and byte, and fixed seconds, under the fitted factors."""
        who = subject(self.device, self.stack)
        if self.device.kind == "cpu":  # fitted to accelerators: a CPU takes what all share
            who = replace(who, vendor="", architecture="")
        found = dict(shares(self.arrays, resolve(shipped_factors()[SHIPPED], [who])))
        launch = self.device.measured.launch_us if self.device.measured else None
        if launch is not None:
            layers = self.arrays.kernels * launch.value * 1e-6
            step = found["fixed_s"] - self._collective_s - self._layers_s
            found["fixed_s"] = layers + self._collective_s + step
        return found

    @cached_property
    def _factors(self) -> Mapping[str, Array]:
        return resolve(shipped_factors()[SHIPPED], [subject(self.device, self.stack)])

    @cached_property
    def _layers_s(self) -> Array:
        layer = np.exp(self._factors["layer_us"]) * 1e-6
        return np.asarray(self.arrays.kernels / KERNELS_PER_LAYER * layer)

    @cached_property
    def _collective_s(self) -> Array:
        each = self.arrays.base_collective_us * np.exp(self._factors["collective"]) * 1e-6
        return np.asarray(self.arrays.collectives * each)

    @cached_property
    def overhead_s(self) -> float:
        """Host and launch time of an iteration; collectives are the device's."""
        return float((self.at["fixed_s"] - self._collective_s)[0])

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
        sequences = np.asarray(sequences, dtype=np.float64)
        prompt = np.full_like(sequences, prefill_tokens)
        attended = prompt * (cached_tokens + prefill_tokens / 2)
        context = sequences * context_tokens
        whole = seconds(self.arrays, self.at, prompt, attended, sequences, context)
        if self.body.measured:
            sampled = sequences + (1.0 if prefill_tokens else 0.0)
            whole = whole + self._measured_change_s(prompt + sequences, sampled)
        host = self.overhead_s + sequences * float(self.at["sequence_s"][0])
        return (whole - host) / self.throughput_fraction + host

    def _measured_change_s(self, rows: Array, sampled: Array) -> Array:
        """What measured products add to, or take from, those of the roofline (P3.1)."""
        change = np.zeros_like(rows)
        for product in self.work.products:
            run = execution(self.device, product.dtype)
            times = operator_times(self.device, run.dtype, product.dtype) if run else None
            if times is None or not times.measured:
                continue
            change = change + self._measured_s(product, times, rows, sampled)
            change = change - self._roofline_s(product, rows, sampled)
        return change

    def _measured_s(
        self, product: Product, times: OperatorTimes, rows: Array, sampled: Array
    ) -> Array:
        each = (sampled if product.sampled else rows) * product.rows_share
        calls = np.ones_like(each)
        if product.pool > product.active:
            found = [touched(product.units, product.pool, product.active, row) for row in rows]
            calls = np.maximum(np.array(found), 1e-9)
            each = each * product.active * product.units / product.pool / calls
        half = product.width / 2
        root = np.sqrt(max(half * half - product.weights, 0.0))
        n, k = half + root, max(half - root, 1.0)
        return product.count * calls * times.gemm_s(np.maximum(each, 1.0), n, k)

    def _roofline_s(self, product: Product, rows: Array, sampled: Array) -> Array:
        one = replace(
            self.work, products=(product,), row_bytes=0.0, collectives=(), kernels=0.0, layers=0.0
        )
        arrays = step_arrays([one], [self.rates])
        at = dict(shares(arrays, self._factors))
        at["fixed_s"] = np.zeros(1)
        return rows_s(arrays, at, rows, sampled)

    def flops(self, tokens: float, attended_tokens: float, sampled: float) -> float:
        """Return flops of the replica for `tokens` that attend to `attended_tokens` each (P2)."""
        attention = self.work.full.prompt_flops * attended_tokens
        attention += self.work.window.prompt_flops * min(attended_tokens, self.work.window_tokens)
        products = self.work.flops(tokens, sampled)
        return (products + tokens * attention) * self.parallel.devices

    @cached_property
    def read_bytes(self) -> float:
        """Weight bytes one device reads for a step of one sequence: layers and head (P17)."""
        return self.work.weight_bytes(1.0)

    def weight_bytes(self, rows: float) -> float:
        """Weight bytes one device reads for `rows` rows: more experts are touched by more rows."""
        return self.work.weight_bytes(rows)

    @cached_property
    def kv_token_bytes(self) -> float:
        """KV bytes a device reads of one token of context, all layers."""
        return self.work.full.kv_bytes + self.work.window.kv_bytes

    def kv_read_bytes(self, context_tokens: float) -> float:
        """KV bytes a device reads for one sequence at a context; windows end at theirs."""
        windowed = min(context_tokens, self.work.window_tokens)
        return self.work.full.kv_bytes * context_tokens + self.work.window.kv_bytes * windowed

    def prefill_floor_s(self, input_tokens: float) -> float:
        """Return the floor of a prefill: its flops at the dense peak of all devices (P0.1)."""
        flops = self.flops(input_tokens, input_tokens / 2, 1.0)
        peak = max(self.body.peak_flops, self.rates.wide_flop_per_s)
        reads = self.read_bytes / self.rates.bandwidth_bytes_per_s
        return max(flops / (self.parallel.devices * peak), reads)

    def decode_floor_s(self, context_tokens: float) -> float:
        """Return the floor of a decode step: weights and the KV of one sequence, read once."""
        moved = self.read_bytes + self.kv_read_bytes(context_tokens)
        return moved / self.rates.bandwidth_bytes_per_s

    def table(self, *, kv_tokens: float, max_sequences: int, max_batched_tokens: int) -> StepTable:
        """Return the table that the load models and the simulator read (P6)."""
        most = max_batched_tokens + max_sequences
        at = np.unique(np.round(np.geomspace(1, most, _GRID)))
        sampled = np.minimum(at, float(max_sequences))
        fraction = self.throughput_fraction
        base = rows_s(self.arrays, self.at, at, sampled)
        if self.body.measured:
            base = base + self._measured_change_s(at, sampled)
        host = self.overhead_s
        base = (base - host) / fraction + host
        rows = np.interp(np.arange(most + 1, dtype=np.float64), at, base)
        a, w = self.arrays, self.at
        kv = np.maximum(a.kv_bytes * w["kv_byte_s"], a.kv_flops * w["kv_flop_s"])
        window = np.maximum(a.window_kv_bytes * w["kv_byte_s"], a.window_kv_flops * w["kv_flop_s"])
        state = a.state_bytes * w["kv_byte_s"]

        def device(value: Array) -> float:
            return float(value[0]) / fraction

        return StepTable(
            rows_s=rows,
            kv_s=device(kv),
            prompt_s=device(a.prompt_flops * w["prompt_flop_s"]),
            kv_tokens=kv_tokens,
            max_sequences=max_sequences,
            max_batched_tokens=max_batched_tokens,
            sequence_s=float(w["sequence_s"][0]) + device(state),
            window_kv_s=device(window),
            window_prompt_s=device(a.window_prompt_flops * w["prompt_flop_s"]),
            window_tokens=float(a.window_tokens[0]),
            request_s=float(w["request_s"][0]),
            block_tokens=int(defaults.KV_BLOCK_TOKENS.value),
            prompt_fixed_s=device(w["prompt_fixed_s"]),
        )


def iteration_model(
    model: LanguageModel,
    device: Device,
    parallel: Parallel,
    *,
    weight_dtype: str,
    kv_dtype: str,
    throughput_fraction: float = 1.0,
    stack: str = DEFAULT_STACK,
) -> IterationModel | str:
    """Return the iteration model of a replica, or the reason why there is none (P3)."""
    work = work_of(model, parallel, weight_dtype=weight_dtype, kv_dtype=kv_dtype)
    kv_cache(model, kv_dtype, parallel)  # names an unknown dtype
    dtypes = tuple(sorted({product.dtype for product in work.products} | {weight_dtype, WIDE}))
    rates = replica_rates(device, parallel, dtypes)
    if isinstance(rates, str):
        return rates
    return IterationModel(
        model, device, parallel, weight_dtype, kv_dtype, work, rates, throughput_fraction, stack
    )

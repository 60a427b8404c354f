"""Shares of the dense peak and of the memory bandwidth that served tokens put to use (P2, P14)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.inputs import Device, LanguageModel, Parallel
from tco.performance.dtypes import execution
from tco.performance.work import work_of

_GIGA = 1e9
_TERA = 1e12
_MEMORY_SHARE = 0.9  # of the device, for weights and cache


@dataclass(frozen=True, slots=True)
class Shares:
    """What a device has in use while it serves; both 0..1.

    Parameters
    ----------
    compute_fraction
        Of the dense peak of the dtype that is executed.
    memory_fraction
        Of the memory bandwidth.
    """

    compute_fraction: float
    memory_fraction: float


def shares_in_use(
    model: LanguageModel,
    device: Device,
    parallel: Parallel,
    *,
    weight_dtype: str,
    kv_dtype: str,
    input_tokens: float,
    output_tokens: float,
    sequences: float,
    output_tokens_per_s: float,
) -> Shares | None:
    """Shares in use at a measured or predicted throughput; None without the device's rates.

    Decode reads weights and KV once an iteration, at the mean context of the answer; prompts are
    computed at the rate at which answers finish. Only work that has to be done is counted, so a
    share is a floor of what the device is busy with (P0.1), and is cut at 1.

    Parameters
    ----------
    sequences
        Mean number decoding at once in the replica.
    output_tokens_per_s
        Of the replica.
    """
    ran = execution(device, weight_dtype)
    peak = device.peak(ran.dtype) if ran is not None else None
    bandwidth = device.memory_bandwidth_gb_s
    if peak is None or bandwidth is None or peak.value <= 0 or bandwidth.value <= 0:
        return None
    if sequences <= 0 or output_tokens <= 0:
        return None
    work = work_of(model, parallel, weight_dtype=weight_dtype, kv_dtype=kv_dtype)
    context = input_tokens + output_tokens / 2
    windowed = min(context, float(work.window_tokens))
    iterations_per_s = output_tokens_per_s / sequences
    requests_per_s = output_tokens_per_s / output_tokens
    prompt_tokens_per_s = requests_per_s * input_tokens
    read = work.weight_bytes(sequences) + sequences * (
        work.full.kv_bytes * context
        + work.window.kv_bytes * windowed
        + work.state_bytes
        + work.row_bytes
    )
    bytes_per_s = iterations_per_s * read + prompt_tokens_per_s * work.row_bytes
    decode_flops = work.flops(sequences, sequences) + sequences * (
        work.full.decode_flops * context + work.window.decode_flops * windowed
    )
    attended = input_tokens / 2
    prompt_flops = work.flops(prompt_tokens_per_s, requests_per_s) + prompt_tokens_per_s * (
        work.full.prompt_flops * attended
        + work.window.prompt_flops * min(attended, float(work.window_tokens))
    )
    flops_per_s = iterations_per_s * decode_flops + prompt_flops
    return Shares(
        compute_fraction=min(1.0, flops_per_s / (peak.value * _TERA)),
        memory_fraction=min(1.0, bytes_per_s / (bandwidth.value * _GIGA)),
    )


def running_sequences(
    model: LanguageModel,
    device: Device,
    parallel: Parallel,
    *,
    weight_dtype: str,
    kv_dtype: str,
    input_tokens: float,
    output_tokens: float,
    asked: float,
) -> float:
    """Sequences that run at once of `asked`: no more than the memory beside the weights holds.

    At three quarters of the answer, with a tenth of the memory for activations and the runtime
    (P1.4, coarse); at least one.
    """
    memory = device.memory_gb
    if memory is None:
        return max(1.0, asked)
    work = work_of(model, parallel, weight_dtype=weight_dtype, kv_dtype=kv_dtype)
    room = _MEMORY_SHARE * memory.value * _GIGA - work.weight_bytes(math.inf)
    context = input_tokens + 0.75 * output_tokens
    each = (
        work.full.kv_bytes * context
        + work.window.kv_bytes * min(context, float(work.window_tokens))
        + work.state_bytes / 2
    )
    return max(1.0, min(asked, room / each)) if each > 0 else max(1.0, asked)

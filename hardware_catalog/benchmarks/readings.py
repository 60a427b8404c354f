"""What a result of the document says in units for people, recomputed from its raw times."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from hardware_catalog.benchmarks.sampling import Timing, timing_of

ARRAYS_MOVED = {"read": 1, "write": 1, "copy": 2, "triad": 3}
BYTES_BY_DTYPE = {"fp64": 8, "fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2, "fp8": 1}
COLD_LLC_MULTIPLE = 4
COUNT_MAX = 2**53
# Without a stated cache, only this much is surely out of it.
COLD_BYTES_UNKNOWN_LLC = 2**30


@dataclass(frozen=True, slots=True)
class Reading:
    """One measured value.

    Parameters
    ----------
    metric
        gemm, membw, launch, block_prefill, block_decode; empty for what feeds no figure.
    dtype, m, n, k, threads
        Its parameters, 0 or empty where they do not apply. For a decoder block m counts tokens, n
        is the model width and k the length of the key-value cache.
    value, low, high
        In `unit`; low and high are the 95 % interval within the run, None with too few samples.
    unit
        TFLOP/s, GB/s (1e9), us or ms.
    moved_gb_s
        Bytes from memory per second in GB/s, None unless they surely miss the caches.
    """

    metric: str
    dtype: str
    m: int
    n: int
    k: int
    threads: int
    value: float
    low: float | None
    high: float | None
    unit: str
    moved_gb_s: float | None = None


def _count(params: dict[str, Any], name: str) -> int:
    value = params.get(name)
    if isinstance(value, bool) or not isinstance(value, int) or not 0 < value <= COUNT_MAX:
        return 0
    return value


def _dtype(params: dict[str, Any]) -> str:
    return str(params.get("dtype") or "")[:20]


def _scaled(timing: Timing, unit: str, of: Callable[[float], float]) -> dict[str, Any]:
    """Value and interval as a monotone function of the time in ns."""
    interval = timing.interval_ns()
    ends = sorted(of(end) for end in interval) if interval else [None, None]
    return {"value": of(timing.median_ns), "low": ends[0], "high": ends[1], "unit": unit}


def reading_of(
    result: dict[str, Any], device: dict[str, Any], timing: Timing | None = None
) -> Reading | None:
    """Return the reading of a result with status ok, None where there is no usable time.

    `device` is the device of the document that the result names. The work is counted from the
    parameters, not taken from the document: 2mnk floating-point operations of a matrix product,
    bytes as in STREAM of a memory operation.
    """
    timing = timing or timing_of(result)
    if result["status"] != "ok" or timing is None:
        return None
    build = _BUILDERS.get(result["id"])
    if build is None:
        return _plain(result["params"], timing)
    return build(result["params"], device, timing)


def _plain(params: dict[str, Any], timing: Timing) -> Reading:
    return Reading(
        metric="",
        dtype=_dtype(params),
        m=0,
        n=0,
        k=0,
        threads=_count(params, "threads"),
        **_scaled(timing, "ms", lambda ns: ns / 1e6),
    )


def _gemm(params: dict[str, Any], device: dict[str, Any], timing: Timing) -> Reading:
    m, n, k = (_count(params, name) for name in ("m", "n", "k"))
    dtype = _dtype(params)
    if not (m and n and k and dtype in BYTES_BY_DTYPE):
        return _plain(params, timing)
    weight_bytes = n * k * BYTES_BY_DTYPE[dtype]
    cold = params.get("cache") == "cold" and surely_cold(weight_bytes, device.get("llc_bytes"))
    return Reading(
        metric="gemm",
        dtype=dtype,
        m=m,
        n=n,
        k=k,
        threads=_count(params, "threads"),
        moved_gb_s=weight_bytes / timing.median_ns if cold else None,
        **_scaled(timing, "TFLOP/s", lambda ns: 2 * m * n * k / ns / 1e3),
    )


def _membw(params: dict[str, Any], device: dict[str, Any], timing: Timing) -> Reading:
    size, operation = _count(params, "size_bytes"), params.get("op")
    if not size or operation not in ARRAYS_MOVED:
        return _plain(params, timing)
    moved = ARRAYS_MOVED[operation] * size
    cold = params.get("cache") == "cold" and surely_cold(size, device.get("llc_bytes"))
    scaled = _scaled(timing, "GB/s", lambda ns: moved / ns)
    return Reading(
        metric="membw" if cold and operation in {"read", "triad"} else "",
        dtype=_dtype(params),
        m=0,
        n=0,
        k=0,
        threads=_count(params, "threads"),
        moved_gb_s=scaled["value"] if cold else None,
        **scaled,
    )


def _launch(params: dict[str, Any], device: dict[str, Any], timing: Timing) -> Reading:
    # A step hands kernels over one after another; on a CPU the call itself is the work.
    wanted = "enqueue_sync" if device["kind"] == "cpu" else "enqueue"
    return Reading(
        metric="launch" if params.get("mode") == wanted else "",
        dtype="",
        m=0,
        n=0,
        k=0,
        threads=_count(params, "threads"),
        **_scaled(timing, "us", lambda ns: ns / 1e3),
    )


def _block(params: dict[str, Any], device: dict[str, Any], timing: Timing) -> Reading:
    phase = params.get("phase")
    known = phase in {"prefill", "decode"} and params.get("compile", "eager") == "eager"
    return Reading(
        metric=f"block_{phase}" if known else "",
        dtype=_dtype(params),
        m=_count(params, "batch") * _count(params, "seq"),
        n=_count(params, "d_model"),
        k=_count(params, "kv_len"),
        threads=_count(params, "threads"),
        **_scaled(timing, "ms", lambda ns: ns / 1e6),
    )


_BUILDERS = {"gemm.v1": _gemm, "membw.v1": _membw, "launch.v1": _launch, "block.v1": _block}
UNDERSTOOD = frozenset(_BUILDERS)


def surely_cold(size_bytes: int, llc_bytes: int | None) -> bool:
    """Tell whether an array of this size cannot live in the last-level cache.

    >>> surely_cold(128 * 2**20, 32 * 2**20), surely_cold(64 * 2**20, 32 * 2**20)
    (True, False)
    """
    return size_bytes >= (COLD_LLC_MULTIPLE * llc_bytes if llc_bytes else COLD_BYTES_UNKNOWN_LLC)

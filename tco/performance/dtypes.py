"""Bytes of a dtype, and which dtype a device really executes (P0.3)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.errors import InputError
from tco.inputs import Device

# Block formats carry their scales: fp4 as it ships has one fp8 scale for 16 (4.5 bits), mxfp4 one
# 8-bit scale for 32 (4.25), int4 one 16-bit scale for 128, fp8_block one fp32 scale for 128 x 128.
BYTES = {
    "fp32": 4.0,
    "tf32": 4.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "fp8": 1.0,
    "fp8_block": 1.0 + 4 / 128**2,
    "int8": 1.0,
    "fp6": 0.75 + 1 / 32,
    "fp4": 0.5 + 1 / 16,
    "nvfp4": 0.5 + 1 / 16,
    "mxfp4": 0.5 + 1 / 32,
    "int4": 0.5 + 2 / 128,
}
# Of a cached element. Tensor-wide scales weigh nothing; int8 and int4 caches keep a 16-bit scale
# for 32 elements (8.5 and 4.5 bits), as the widespread q8_0 and q4_0 do.
CACHE_BYTES = {
    **{name: BYTES[name] for name in ("fp32", "bf16", "fp16", "fp8", "fp4", "nvfp4", "mxfp4")},
    "int8": 1.0 + 2 / 32,
    "int4": 0.5 + 2 / 32,
}
EXECUTED_AS = {"fp8_block": "fp8", "nvfp4": "fp4", "mxfp4": "fp4"}  # same products, other scales
_WIDER = ("bf16", "fp16", "tf32", "fp32")


@dataclass(frozen=True, slots=True)
class Execution:
    """The dtype a product runs in, and what to say when it is not the stored one."""

    dtype: str
    note: str = ""


def dtype_bytes(dtype: str) -> float:
    """Return bytes per stored element of `dtype`, its share of the scales included (P1.1).

    Examples
    --------
    >>> dtype_bytes("bf16"), dtype_bytes("nvfp4"), dtype_bytes("mxfp4"), dtype_bytes("int4")
    (2.0, 0.5625, 0.53125, 0.515625)
    """
    try:
        return BYTES[dtype]
    except KeyError:
        raise InputError(
            "weight_dtype", f"{dtype!r} is not a known dtype", f"use one of {', '.join(BYTES)}"
        ) from None


def cache_bytes(dtype: str) -> float:
    """Return bytes per cached element of `dtype`, its share of the scales included (P1.2).

    Examples
    --------
    >>> cache_bytes("fp8"), cache_bytes("int8"), cache_bytes("int4")
    (1.0, 1.0625, 0.5625)
    """
    try:
        return CACHE_BYTES[dtype]
    except KeyError:
        raise InputError(
            "kv_dtype",
            f"{dtype!r} is not a dtype of a KV cache",
            f"use one of {', '.join(CACHE_BYTES)}",
        ) from None


def executed_as(dtype: str) -> str:
    """Return the name under which a device lists its rate for `dtype`.

    Examples
    --------
    >>> executed_as("mxfp4"), executed_as("bf16")
    ('fp4', 'bf16')
    """
    return EXECUTED_AS.get(dtype, dtype)


def has_rate(device: Device, dtype: str) -> bool:
    """Return whether `device` has a printed or a measured rate for `dtype`."""
    dtype = executed_as(dtype)
    if device.peak(dtype) is not None:
        return True
    return device.measured is not None and any(p.dtype == dtype for p in device.measured.gemm)


def execution(device: Device, stored: str) -> Execution | None:
    """Return the dtype in which weights stored as `stored` are multiplied, or None (P0.3).

    A device without the stored dtype unpacks to the next wider one it has (W4A16, W8A16): weights
    stay small in memory, the product runs at the wider rate.
    """
    if has_rate(device, stored):
        return Execution(executed_as(stored))
    # 16-bit formats replace each other at the same rate; nothing is unpacked to a narrower one
    for wider in _WIDER:
        if wider != stored and BYTES[wider] >= dtype_bytes(stored) and has_rate(device, wider):
            return Execution(
                wider, f"{device.name} does not execute {stored}: products run at the {wider} rate"
            )
    return None

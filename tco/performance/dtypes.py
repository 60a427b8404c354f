"""Bytes of a dtype, and which dtype a device really executes (P0.3)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.errors import InputError
from tco.inputs import Device

BYTES = {
    "fp32": 4.0,
    "tf32": 4.0,
    "bf16": 2.0,
    "fp16": 2.0,
    "fp8": 1.0,
    "int8": 1.0,
    "fp6": 0.75,
    "fp4": 0.5,
    "int4": 0.5,
}
_WIDER = ("bf16", "fp16", "tf32", "fp32")


@dataclass(frozen=True, slots=True)
class Execution:
    """The dtype a product runs in, and what to say when it is not the stored one."""

    dtype: str
    note: str = ""


def dtype_bytes(dtype: str) -> float:
    """Return bytes per element of `dtype`.

    Examples
    --------
    >>> dtype_bytes("bf16"), dtype_bytes("int4")
    (2.0, 0.5)
    """
    try:
        return BYTES[dtype]
    except KeyError:
        raise InputError(
            "weight_dtype", f"{dtype!r} is not a known dtype", f"use one of {', '.join(BYTES)}"
        ) from None


def has_rate(device: Device, dtype: str) -> bool:
    """Return whether `device` has a printed or a measured rate for `dtype`."""
    if device.peak(dtype) is not None:
        return True
    return device.measured is not None and any(p.dtype == dtype for p in device.measured.gemm)


def execution(device: Device, stored: str) -> Execution | None:
    """Return the dtype in which weights stored as `stored` are multiplied, or None (P0.3).

    A device without the stored dtype unpacks to the next wider one it has (W4A16, W8A16): weights
    stay small in memory, the product runs at the wider rate.
    """
    if has_rate(device, stored):
        return Execution(stored)
    # 16-bit formats replace each other at the same rate; nothing is unpacked to a narrower one
    for wider in _WIDER:
        if wider != stored and BYTES[wider] >= dtype_bytes(stored) and has_rate(device, wider):
            return Execution(
                wider, f"{device.name} does not execute {stored}: products run at the {wider} rate"
            )
    return None

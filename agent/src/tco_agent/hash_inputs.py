"""Inputs that are bit-identical on every host (rule G5): an integer hash of a counter.

`hash-normal`: four bit fields of the hash are added, which is near a normal distribution, and
centred. The integers fit every target type exactly once divided by a power of two, so no host
rounds them differently. Never zeros or ones: power and clocks would differ.
"""

from __future__ import annotations

import ctypes
import hashlib
from typing import Any

MASK32 = 0xFFFFFFFF
CHUNK = 1 << 18

# bits per field: sums stay within 7 significant bits (exact in bf16) or 3 (exact in 8-bit floats)
WIDE_BITS = 6
NARROW_BITS = 2


def mix32(counter: int, seed: int) -> int:
    """A 32-bit integer hash of one counter value (murmur3 finaliser), plain Python.

    >>> mix32(0, 0), mix32(1, 0)
    (0, 1364076727)
    """
    h = (counter ^ (seed * 0x9E3779B9)) & MASK32
    h ^= h >> 16
    h = (h * 0x85EBCA6B) & MASK32
    h ^= h >> 13
    h = (h * 0xC2B2AE35) & MASK32
    return h ^ (h >> 16)


def hash_normal(counter: int, seed: int, bits: int = WIDE_BITS) -> int:
    """The integer input at one place: -126..126 for 6 bits, -6..6 for 2 bits."""
    h = mix32(counter, seed)
    field = (1 << bits) - 1
    return sum((h >> (8 * i)) & field for i in range(4)) - 2 * field


def hash_normal_tensor(
    torch: Any, count: int, *, seed: int, device: str, bits: int = WIDE_BITS
) -> Any:
    """`count` integers of `hash_normal` as an int8 tensor, counters 0 to count - 1.

    Computed in int64 with masks, in chunks, so that every backend gives the same bits.
    """
    out = torch.empty(count, dtype=torch.int8, device=device)
    field = (1 << bits) - 1
    for start in range(0, count, CHUNK):
        stop = min(start + CHUNK, count)
        h = torch.arange(start, stop, dtype=torch.int64, device=device)
        h.bitwise_xor_((seed * 0x9E3779B9) & MASK32)
        h.bitwise_xor_(h >> 16)
        h = _times32(h, 0x85EBCA6B)
        h.bitwise_xor_(h >> 13)
        h = _times32(h, 0xC2B2AE35)
        h.bitwise_xor_(h >> 16)
        total = h.bitwise_and(field)
        for i in range(1, 4):
            total.add_((h >> (8 * i)).bitwise_and_(field))
        out[start:stop] = total - 2 * field
    return out


def _times32(h: Any, factor: int) -> Any:
    """h x factor modulo 2^32, in two halves: 32 by 32 bits would pass the sign bit of int64."""
    high = ((h * (factor >> 16)) & MASK32).mul_(1 << 16)
    return high.add_(h * (factor & 0xFFFF)).bitwise_and_(MASK32)


def sha256_of_int8(tensor: Any) -> str:
    """SHA-256 of an int8 tensor's bytes, whatever device it lives on."""
    host = tensor.cpu().contiguous()
    size = host.numel()
    raw = (ctypes.c_char * size).from_address(host.data_ptr())
    return hashlib.sha256(memoryview(raw)).hexdigest()


def combined_sha256(digests: list[str]) -> str:
    """One digest for several inputs: SHA-256 of their digests, joined in order."""
    return hashlib.sha256("".join(digests).encode("ascii")).hexdigest()

"""What large products of a device reach and keep: measured where known, else by its peak (P3)."""

from __future__ import annotations

import csv
import functools
import importlib.resources
from dataclasses import dataclass

from tco.defaults import default
from tco.performance.dtypes import dtype_bytes

TERA = 1e12
# median of sustained / dense peak over the 16-bit rows of the table (five chips 0.51 to 0.97)
UNMEASURED_16 = default("training.rates.unmeasured_16")
NARROW_GAIN = {8: 1.9, 4: 2.6}  # over 16 bits, medians of the devices measured at both


@dataclass(frozen=True, slots=True)
class Sustained:
    """Sustained rate of large products, flop/s, and where it comes from."""

    flops: float
    source: str
    measured: bool


@functools.cache
def _table() -> dict[tuple[str, int], tuple[float, str]]:
    path = importlib.resources.files("tco.performance.training") / "tables" / "sustained_rates.csv"
    with path.open(encoding="utf-8") as text:
        return {
            (row["device"], int(row["bits"])): (float(row["tflops"]), row["source"])
            for row in csv.DictReader(text)
        }


def bits_of(dtype: str) -> int:
    """Return the class of a product's dtype: 16, 8 or 4 bits; 32 counts as 16 here."""
    size = dtype_bytes(dtype)
    return 16 if size >= 2 else 8 if size >= 0.75 else 4


def sustained_rate(device: str, dtype: str, *, peak: float, peak_16: float) -> Sustained:
    """Return what large products of `dtype` keep up on `device` (P3.1, P3.2).

    Parameters
    ----------
    device
        Catalog key.
    peak, peak_16
        Dense peaks of `dtype` and of 16 bits, flop/s; no rate is above them (P0.1).

    Examples
    --------
    >>> sustained_rate("h100-sxm", "bf16", peak=989.4e12, peak_16=989.4e12).flops / 1e12
    757.0
    >>> sustained_rate("unheard-of", "bf16", peak=100e12, peak_16=100e12).measured
    False
    """
    bits = bits_of(dtype)
    known = _table().get((device, bits))
    if known is not None:
        return Sustained(min(known[0] * TERA, peak), known[1], True)
    base = _table().get((device, 16))
    wide = base[0] * TERA if base else peak_16 * UNMEASURED_16.value
    if bits == 16:
        return Sustained(min(wide, peak), UNMEASURED_16.source, False)
    gain = NARROW_GAIN[bits]
    return Sustained(min(wide * gain, peak), f"{gain:g} x the 16-bit rate", False)

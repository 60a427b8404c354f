"""Throughput and latency by batch of models that answer in one pass, on one device (P10).

Rows stay within their kind of work: an image classifier never sizes a language model. How near a
row is to what is asked is said with it (`DISTANCES`), and the interval grows with the distance.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tco.inputs import Device, Status
from tco.performance.batch_tables import (
    MLENERGY,
    MLENERGY_AS_OF,
    BatchRow,
    SaturatedRow,
    batch_models,
    batch_rows,
    saturated_rows,
)
from tco.performance.batch_transfer import transfer
from tco.simulate.dynamic_batching import poisson_arrivals, sample_size, simulate_batches

Array = NDArray[np.float64]

DISTANCES = (
    "same model, device and precision",
    "same model and device, another precision",
    "same model, devices of one kind of work",
    "same model, data sheets of the devices",
)
# Factor either way of an 80 % interval, by distance. Leaving devices out, the last two hold 80 % at
# 1.19 and 1.54 (few models, so wider); the second is the span of BERT between 8 and 16 bits.
SPREAD = (1.05, 1.9, 1.3, 1.7)
_SIXTEEN_BIT = frozenset({"bf16", "fp16"})
_MOST_BATCH = 65_536
_MOST_LOAD = 0.98


@dataclass(frozen=True, eq=False)
class BatchCurve:
    """Seconds of a batch by its size, for `devices` devices that work together on it.

    `latency_known` is False where only the rate with everything waiting was measured.
    """

    model: str
    unit: str
    device: str
    devices: int
    batches: Array
    latency_s: Array
    distance: int  # index of DISTANCES
    status: Status
    source: str
    as_of: str
    latency_known: bool = True
    board_w: float | None = None  # of a device at the largest batch

    @property
    def least(self) -> int:
        """Smallest batch of the range."""
        return int(self.batches[0])

    @property
    def most(self) -> int:
        """Largest batch of the range."""
        return int(self.batches[-1])

    def in_range(self, batch: float) -> bool:
        """Whether a batch lies inside what was measured."""
        return self.least <= batch <= self.most

    def seconds(self, limit: int) -> Array:
        """Return seconds by batch size 0..limit; log-log inside the range, held outside.

        Below the range the latency is held, above it the rate: neither is ever better than what
        was measured. Index 0 is 0.
        """
        sizes = np.arange(1, limit + 1, dtype=np.float64)
        inside = np.clip(sizes, self.batches[0], self.batches[-1])
        logs = np.interp(np.log(inside), np.log(self.batches), np.log(self.latency_s))
        beyond = np.maximum(sizes / self.batches[-1], 1.0)
        return np.concatenate([[0.0], np.exp(logs) * beyond])

    def rate_per_s(self, batch: int) -> float:
        """Return answers per second of full batches."""
        return batch / float(self.seconds(batch)[batch])

    @property
    def spread(self) -> float:
        """Factor either way of the 80 % interval of rate and latency."""
        return SPREAD[self.distance]

    def scaled(self, speed: float) -> BatchCurve:
        """Return the curve at a share of full speed (F2.2)."""
        return self if speed == 1.0 else replace(self, latency_s=self.latency_s / speed)


@dataclass(frozen=True, slots=True)
class NoRows:
    """Why a model cannot be sized on a device, and what helps."""

    reason: str
    mend: str = ""


def same_precision(row: str, wanted: str) -> bool:
    """Whether two dtypes are one precision: the two 16-bit formats are."""
    return row == wanted or {row, wanted} <= _SIXTEEN_BIT


@lru_cache(maxsize=512)
def batch_curve(model: str, device: Device, dtype: str, devices: int = 1) -> BatchCurve | NoRows:
    """Return the curve of a model on a device, from the nearest measured rows (P10, P13.1).

    Parameters
    ----------
    model
        Key of `batch_models`.
    dtype
        Precision wanted; rows of another one are used where there is none, and said so.
    devices
        Devices that work on one batch together, where such rows exist.

    Returns
    -------
    BatchCurve or NoRows
        `NoRows` for a model without any row, a language model among them, and for a device to
        which no row can be carried.
    """
    known = batch_models().get(model)
    if known is None:
        return NoRows(
            f"no measured batches of {model}; another kind of work does not stand for it",
            "choose a model with measured batches, or give a load test of your service",
        )
    own = _own(model, device.key, dtype, devices)
    if own is not None:
        return own
    if devices > 1:
        return NoRows(f"{known.name}: not measured on {devices} {device.name} together", "use 1")
    carried = transfer(model, device, dtype)
    if carried is None:
        return NoRows(
            f"{known.name} was not measured on {device.name}, and no {known.kind} rows or data"
            " sheet carry a measured device to it",
            "measure it, or choose a device with rows",
        )
    base = _own(model, carried.device, dtype, 1)
    assert base is not None
    return replace(
        base,
        device=device.key,
        latency_s=base.latency_s / carried.factor,
        distance=carried.distance,
        status=Status.ESTIMATED if carried.distance == 2 else Status.ASSUMED,
        source=f"transferred: {base.source}; {carried.factor:.3g} x by {carried.basis}",
        board_w=None,
    )


@lru_cache(maxsize=512)
def _own(model: str, device: str, dtype: str, devices: int) -> BatchCurve | None:
    """Curve of the device's own rows, the precision asked for first, then the newest round."""
    entry = batch_models()[model]
    batches = [
        r for r in batch_rows() if (r.model, r.device, r.devices) == (model, device, devices)
    ]
    if batches:
        return _from_batches(batches, entry.unit, dtype)
    if devices != 1:
        return None
    rows = [row for row in saturated_rows() if row.model == model and row.device == device]
    if not rows:
        return None
    return _from_saturated(
        max(rows, key=lambda row: (same_precision(row.dtype, dtype), row.as_of)), entry.unit, dtype
    )


def _from_batches(rows: list[BatchRow], unit: str, dtype: str) -> BatchCurve:
    rows = sorted(rows, key=lambda row: row.batch)
    first = rows[0]
    return BatchCurve(
        model=first.model,
        unit=unit,
        device=first.device,
        devices=first.devices,
        batches=np.array([row.batch for row in rows], dtype=np.float64),
        latency_s=np.array([row.latency_s for row in rows]),
        distance=0 if same_precision(first.dtype, dtype) else 1,
        status=Status.PUBLISHED,
        source=MLENERGY,
        as_of=MLENERGY_AS_OF,
        board_w=rows[-1].board_w_per_device,
    )


def _from_saturated(row: SaturatedRow, unit: str, dtype: str) -> BatchCurve:
    """``s(b) = a + b / rate``: the rate of Offline, `a` such that Server shows its p99."""
    fixed, each, most = affine_batch(row)
    sizes = np.unique(np.round(np.geomspace(1, most, 24)))
    return BatchCurve(
        model=row.model,
        unit=unit,
        device=row.device,
        devices=1,
        batches=sizes,
        latency_s=fixed + each * sizes,
        distance=0 if same_precision(row.dtype, dtype) else 1,
        status=Status.PUBLISHED if row.server_per_s is None else Status.ESTIMATED,
        source=row.source,
        as_of=row.as_of,
        latency_known=row.server_per_s is not None,
    )


@lru_cache(maxsize=256)
def affine_batch(row: SaturatedRow) -> tuple[float, float, int]:
    """Return seconds of any batch, seconds of each answer, and the largest batch of the row.

    The fixed part is found by simulating the row's own Server run: greedy batches under Poisson
    arrivals must show the p99 that was measured there. It holds the server's fixed work and
    whatever its tuning traded for latency.
    """
    if row.server_per_s is None or row.server_p99_ms is None:
        return 0.0, 1.0 / row.offline_per_s, 1
    load, wanted = row.server_per_s, row.server_p99_ms / 1e3
    each = 1.0 / max(row.offline_per_s, load / _MOST_LOAD)
    low, high = 0.0, wanted
    arrivals = poisson_arrivals(load, sample_size(load * wanted / 2), seed=10)
    most = max(1, min(math.ceil(load * wanted), _MOST_BATCH))
    sizes = np.arange(most + 1, dtype=np.float64)
    for _ in range(12):
        fixed = (low + high) / 2
        run = simulate_batches(arrivals, fixed + each * sizes, batch_limit=most)
        low, high = (fixed, high) if run.percentile_s(99) <= wanted else (low, fixed)
    settled = load * low / (1 - load * each)
    return low, each, max(1, min(round(2 * settled), _MOST_BATCH))

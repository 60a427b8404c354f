"""Slices and shares of a device: what several models on one device have, and what it costs.

A hardware slice has its own memory, bandwidth and units; its neighbours do not disturb it, but
units that no slice can use are lost. Sharing in time loses nothing that way and is disturbed.
"""

from __future__ import annotations

import csv
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources

from tco.defaults import default
from tco.inputs import (
    CoLocation,
    Device,
    Figure,
    LanguageModel,
    MeasuredRates,
    Partition,
    Status,
)

INTERFERENCE = default("performance.partition.interference")
HOST_LINK_GB_S = default("performance.partition.host_link_gb_s")
ADAPTER_BYTES = 2.0  # adapters are kept at 16 bits
_GB = 1e9


@dataclass(frozen=True, slots=True)
class _Row:
    per_device: int
    memory_fraction: float
    compute_fraction: float
    isolation_fraction: float
    source: str
    as_of: str


@cache
def _table() -> dict[str, dict[str, _Row]]:
    path = resources.files("tco.performance").joinpath("tables", "partitions.csv")
    found: dict[str, dict[str, _Row]] = {}
    for row in csv.DictReader(path.read_text(encoding="utf-8").splitlines()):
        found.setdefault(row["device_key"], {})[row["profile"]] = _Row(
            int(row["per_device"]),
            float(row["memory_fraction"]),
            float(row["compute_fraction"]),
            float(row["isolation_fraction"]),
            row["source"],
            row["as_of"],
        )
    return found


def profiles(device_key: str) -> tuple[str, ...]:
    """Return the slices a device can be cut into; none where the table has none.

    Examples
    --------
    >>> profiles("a30"), profiles("l4")
    (('1g.6gb', '2g.12gb', '4g.24gb'), ())
    """
    return tuple(_table().get(device_key, {}))


def partition_of(device: Device, profile: str) -> Partition | None:
    """Return a slice of a device with its shares, or None for a profile it does not have.

    Memory and bandwidth follow the memory slices, compute the compute slices; what the slices
    leave unused of the device is the isolation cost, already in the compute share's loss.
    """
    row = _table().get(device.key, {}).get(profile)
    if row is None:
        return None
    whole = device.memory_gb.value if device.memory_gb is not None else 0.0

    def share(value: float) -> Figure:
        return Figure(value, "fraction", Status.PUBLISHED, row.source, row.as_of)

    return Partition(
        profile=profile,
        per_device=row.per_device,
        memory_gb=Figure(
            whole * row.memory_fraction, "GB", Status.PUBLISHED, row.source, row.as_of
        ),
        compute_fraction=share(row.compute_fraction),
        bandwidth_fraction=share(row.memory_fraction),
        isolation_fraction=Figure(
            row.isolation_fraction,
            "fraction",
            Status.ESTIMATED,
            f"units of the device that no slice uses ({row.source})",
            row.as_of,
            verified=False,
        ),
    )


def partition_device(device: Device, part: Partition) -> Device:
    """Return the device that one slice is: shares of peaks, memory, bandwidth and watts (P1, P3).

    A slice has no link to its neighbours, so no degree spans two. Points measured on the whole
    device are left out: they are not the slice's.
    """
    lost = part.isolation_fraction.value if part.isolation_fraction else 0.0
    compute = part.compute_fraction.value * (1.0 - lost)
    slices = 1.0 / part.per_device
    note = f"{part.profile} of {device.name}"
    return replace(
        device,
        key=f"{device.key}/{part.profile}",
        name=f"{device.name} {part.profile}",
        memory_gb=part.memory_gb if device.memory_gb is not None else None,
        memory_bandwidth_gb_s=_share(
            device.memory_bandwidth_gb_s, part.bandwidth_fraction.value, note
        ),
        peak_tflops=_shares(device.peak_tflops, compute, note),
        board_w=_share(device.board_w, slices, note),
        idle_w=_share(device.idle_w, slices, note),
        price_usd=_share(device.price_usd, slices, note),
        scaleup_gb_s=None,
        scaleup_domain=1,
        cap_points=(),
        measured=None,
    )


def shared_device(device: Device, share: CoLocation, model: LanguageModel | None = None) -> Device:
    """Return the device as one of several workloads has it, without slices (P1, P3).

    Rates are those of its share of the time less the interference; memory is its share less the
    adapters kept in it. Engines reserve their share of the whole memory at start, whatever they
    use: see `reserved_overcommit`.
    """
    lost = (share.interference_fraction or INTERFERENCE).value
    speed = share.time_fraction.value * (1.0 - lost)
    held = adapters_gb(model, share) if model is not None else 0.0
    note = f"{share.time_fraction.value:.0%} of the time of {device.name}"
    memory = device.memory_gb
    if memory is not None:
        left = max(memory.value * share.memory_fraction.value - held, 0.0)
        memory = memory.derived(left, "GB", "share of the memory, less the adapters kept in it")
    return replace(
        device,
        name=f"{device.name}, shared",
        memory_gb=memory,
        memory_bandwidth_gb_s=_share(device.memory_bandwidth_gb_s, speed, note),
        peak_tflops=_shares(device.peak_tflops, speed, note),
        measured=_slower(device.measured, speed, note),
    )


def adapters_gb(model: LanguageModel, share: CoLocation) -> float:
    """Return GB of the adapters kept on the device."""
    kept = share.adapters if share.adapters_resident is None else share.adapters_resident
    return min(kept, share.adapters) * adapter_bytes(model, share.adapter_rank) / _GB


def adapter_bytes(model: LanguageModel, rank: int) -> float:
    """Return bytes of one low-rank adapter on every projection of attention and feed-forward.

    A pair of ``rank`` rows and columns for each matrix: query, key, value, output, and the
    feed-forward ones.

    Notes
    -----
    ``2 bytes × rank × (sum of both sides of every matrix) × layers``.
    """
    query, kv = model.heads * model.head_dim, model.kv_heads * model.head_dim
    attention = 2 * (model.hidden + query) + 2 * (model.hidden + kv)
    mixing = model.mlp_matrices * (model.hidden + model.feed_forward)
    sides = attention * model.caching_layers + mixing * model.mixing_layers
    return ADAPTER_BYTES * rank * sides


def adapter_swap_ms(
    model: LanguageModel, share: CoLocation, link_gb_s: float = HOST_LINK_GB_S.value
) -> float:
    """Return the mean ms a request waits for its adapter: the share not kept, copied in.

    Requests are taken to be even over the adapters; skewed use waits less.
    """
    if share.adapters == 0 or share.adapters_resident is None:
        return 0.0
    missed = max(0.0, 1.0 - share.adapters_resident / share.adapters)
    return missed * adapter_bytes(model, share.adapter_rank) / (link_gb_s * _GB) * 1e3


def reserved_overcommit(shares: Iterable[float]) -> float:
    """Return by how much the engines' reserved shares of the memory exceed the device; 0 if none.

    Each engine reserves its share of the *whole* memory at start, not of what is left: two at
    the usual 0.9 do not start, however small their models.

    Examples
    --------
    >>> round(reserved_overcommit([0.9, 0.9]), 6), reserved_overcommit([0.5, 0.4])
    (0.8, 0.0)
    """
    return max(0.0, sum(shares) - 1.0)


def _share(figure: Figure | None, fraction: float, note: str) -> Figure | None:
    if figure is None:
        return None
    return figure.derived(figure.value * fraction, figure.unit, note)


def _shares(
    peaks: tuple[tuple[str, Figure], ...], fraction: float, note: str
) -> tuple[tuple[str, Figure], ...]:
    return tuple(
        (dtype, peak.derived(peak.value * fraction, peak.unit, note)) for dtype, peak in peaks
    )


def _slower(rates: MeasuredRates | None, fraction: float, note: str) -> MeasuredRates | None:
    if rates is None:
        return None
    return replace(
        rates,
        gemm=tuple(
            replace(p, tflops=p.tflops.derived(p.tflops.value * fraction, p.tflops.unit, note))
            for p in rates.gemm
        ),
        memory_bandwidth_gb_s=_share(rates.memory_bandwidth_gb_s, fraction, note),
    )

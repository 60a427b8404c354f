"""Physical rates of a device and the shares of them that large kernels reach (P0.2, P3)."""

from __future__ import annotations

import csv
import functools
import importlib.resources
import math
from dataclasses import dataclass

from tco.inputs import Device, Figure, Parallel
from tco.performance import defaults
from tco.performance.dtypes import execution
from tco.performance.operators import GIGA, TERA, bandwidth, best_tflops

_COOL_W_PER_TFLOPS = 0.7  # boards with less hold a lower clock under matrix load


@dataclass(frozen=True, slots=True)
class Ran:
    """A stored dtype as multiplied: the executed dtype and its dense peak in flop/s."""

    dtype: str
    peak_flop_per_s: float


@dataclass(frozen=True)
class ReplicaRates:
    """Rates of one device of a replica; flop/s, bytes/s, fractions.

    ``evidence`` names what the shares rest on: ``measured here``, ``measured elsewhere`` (public
    kernel points of this very device) or ``family`` (the mean of other devices).
    """

    device: Device
    bandwidth_bytes_per_s: float
    wide_flop_per_s: float
    compute_fraction: float
    memory_fraction: float
    link_bytes_per_s: float
    collective_us: float  # latency of a small all-reduce among the ranks, vendor library
    evidence: str

    def ran(self, stored: str) -> Ran:
        """Return what products of weights stored as `stored` run as (P0.3)."""
        run = execution(self.device, stored)
        assert run is not None  # replica_rates checked every dtype
        best = best_tflops(self.device, run.dtype)
        assert best is not None
        return Ran(run.dtype, best.value * TERA)


@functools.cache
def kernel_shares() -> dict[str, tuple[float, float]]:
    """Shares of peak and bandwidth by device, fitted to public points of its 16-bit products."""
    text = importlib.resources.files("tco.performance").joinpath("tables/kernel_shares.csv")
    with text.open(encoding="utf-8") as file:
        lines = (line for line in file if not line.startswith("#"))
        return {
            row["device"]: (float(row["compute_fraction"]), float(row["memory_fraction"]))
            for row in csv.DictReader(lines)
        }


def _family_shares(device: Device, peak_tflops: float) -> tuple[float, float]:
    """Mean of the measured devices; boards short of watts reach less of their peak."""
    measured = kernel_shares().values()
    compute = sum(c for c, _ in measured) / len(measured)
    memory = sum(m for _, m in measured) / len(measured)
    if device.kind == "cpu":
        return defaults.MATMUL_CPU_FRACTION.value, memory
    if device.board_w is not None and peak_tflops > 0:
        watts = device.board_w.value / peak_tflops
        compute *= min(1.0, (watts / _COOL_W_PER_TFLOPS) ** 0.5)
    return compute, memory


def replica_rates(
    device: Device, parallel: Parallel, dtypes: tuple[str, ...]
) -> ReplicaRates | str:
    """Return the rates of a device of the replica, or the reason why there are none."""
    for dtype in dtypes:
        run = execution(device, dtype)
        if run is None or best_tflops(device, run.dtype) is None:
            return (
                f"dtype: {device.name} has no rate for {dtype} or anything wider; "
                "enter a peak or measure it"
            )
    memory = bandwidth(device)
    if memory is None or memory.floor_bytes_per_s <= 0:
        return f"bandwidth: {device.name} has no memory bandwidth; enter it or measure it"
    wide_run = execution(device, "bf16")
    wide = best_tflops(device, wide_run.dtype) if wide_run else None
    if wide is None or wide.value <= 0:
        return f"dtype: {device.name} has no 16-bit rate or wider; enter a peak or measure it"
    compute_share, memory_share = _family_shares(device, wide.value)
    evidence = "family"
    if device.key in kernel_shares():
        compute_share, memory_share = kernel_shares()[device.key]
        evidence = "measured elsewhere"
    own = device.measured
    if own is not None and own.memory_bandwidth_gb_s is not None:
        memory_share = memory.reached_bytes_per_s / memory.floor_bytes_per_s
        evidence = "measured here"
    return ReplicaRates(
        device=device,
        bandwidth_bytes_per_s=memory.floor_bytes_per_s,
        wide_flop_per_s=wide.value * TERA,
        compute_fraction=compute_share,
        memory_fraction=memory_share,
        link_bytes_per_s=link_figure(device, parallel.stage_devices).value * GIGA,
        collective_us=collective_us(device, parallel.stage_devices),
        evidence=evidence,
    )


@functools.cache
def _collectives() -> dict[str, dict[int, float]]:
    """Latency of a small all-reduce by device and ranks, us."""
    found: dict[str, dict[int, float]] = {}
    text = importlib.resources.files("tco.performance").joinpath("tables/collective_latency.csv")
    with text.open(encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            found.setdefault(row["device"], {})[int(row["ranks"])] = float(row["latency_us"])
    return found


def collective_us(device: Device, ranks: int) -> float:
    """Return the latency of a small all-reduce among `ranks` devices (P4.2).

    Measured ranks of the device, else the mean of the devices that have them; between and beyond
    them the latency grows with the logarithm of the ranks.
    """
    if ranks <= 1:
        return 0.0
    known = _collectives().get(device.key.replace("-40", "").replace("-80", ""))
    if known is None or len(known) < 2:
        every = _collectives().values()
        known = {
            n: sum(each[n] for each in every if n in each) / sum(n in each for each in every)
            for n in (2, 4, 8)
        }
    at = sorted(known)
    upper = next((n for n in at if n >= ranks), at[-1])
    lower = max([n for n in at if n < upper], default=at[0])
    slope = (known[upper] - known[lower]) / max(math.log2(upper) - math.log2(lower), 1e-9)
    return max(known[upper] + slope * (math.log2(ranks) - math.log2(upper)), 1.0)


def link_figure(device: Device, ranks: int) -> Figure:
    """Return the link of collectives among `ranks` devices, per direction and device.

    Beyond the scale-up domain, or without one, that is the host link.
    """
    within = device.scaleup_domain <= 1 or ranks <= device.scaleup_domain
    if device.scaleup_gb_s is not None and device.scaleup_gb_s.value > 0 and within:
        return device.scaleup_gb_s
    return defaults.LINK_GB_S_FALLBACK

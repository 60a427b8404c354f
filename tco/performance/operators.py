"""Time of one operator on one device: measured points first, else a roofline (P3)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tco.inputs import Device, Figure, GemmPoint
from tco.performance import defaults
from tco.performance.dtypes import dtype_bytes

Array = NDArray[np.float64]
BoolArray = NDArray[np.bool_]
IntArray = NDArray[np.int64]
TERA = 1e12
GIGA = 1e9


def efficiency(device: Device, dtype: str) -> Figure:
    """Return the default share of the dense peak for large products of `dtype` (P3.2)."""
    if device.kind == "cpu":
        return defaults.MATMUL_CPU_FRACTION
    if dtype_bytes(dtype) < 2:
        return defaults.MATMUL_8BIT_FRACTION
    return defaults.MATMUL_16BIT_FRACTION


def best_tflops(device: Device, dtype: str) -> Figure | None:
    """Return the fastest known rate of `dtype`: the dense peak, or a measured point above it."""
    known = [] if device.peak(dtype) is None else [device.peak(dtype)]
    if device.measured is not None:
        known += [point.tflops for point in device.measured.gemm if point.dtype == dtype]
    return max((figure for figure in known if figure), key=lambda f: f.value, default=None)


@dataclass(frozen=True, slots=True)
class Bandwidth:
    """Memory bandwidth of a device: what kernels reach, and the physical floor."""

    reached_bytes_per_s: float
    floor_bytes_per_s: float
    figure: Figure


def bandwidth(device: Device) -> Bandwidth | None:
    """Return the bandwidth, measured first (P3.1), or None where nothing is known."""
    printed = device.memory_bandwidth_gb_s
    measured = device.measured.memory_bandwidth_gb_s if device.measured else None
    if measured is not None:
        floor = max(measured.value, printed.value if printed else 0.0)
        return Bandwidth(measured.value * GIGA, floor * GIGA, measured)
    if printed is None:
        return None
    share = defaults.BANDWIDTH_FRACTION.value
    return Bandwidth(printed.value * share * GIGA, printed.value * GIGA, printed)


@lru_cache(maxsize=256)
def _tables(points: tuple[GemmPoint, ...], dtype: str) -> tuple[tuple[float, Array, Array], ...]:
    """Measured times by shape: (n·k, log m, log seconds), times never falling with m."""
    shapes: dict[tuple[int, int], dict[int, float]] = {}
    for point in points:
        if point.dtype == dtype and point.tflops.value > 0:
            seconds = 2.0 * point.m * point.n * point.k / (point.tflops.value * TERA)
            shapes.setdefault((point.n, point.k), {})[point.m] = seconds
    tables = []
    for (n, k), times in sorted(shapes.items()):
        rows = np.array(sorted(times.items()), dtype=np.float64)
        tables.append((float(n) * k, np.log(rows[:, 0]), np.log(np.maximum.accumulate(rows[:, 1]))))
    return tuple(tables)


@dataclass(frozen=True)
class OperatorTimes:
    """Times of products on one device in one executed dtype.

    Parameters
    ----------
    dtype
        Executed dtype.
    weight_bytes
        Bytes per stored weight: small where weights are unpacked on the way (P0.3).
    """

    device: Device
    dtype: str
    weight_bytes: float
    peak_flops: float  # per s, floor
    reached_flops: float  # per s, roofline with efficiency
    memory: Bandwidth

    @property
    def measured(self) -> bool:
        """True when the device has measured points for the executed dtype."""
        return bool(self._measured_tables())

    def _measured_tables(self) -> tuple[tuple[float, Array, Array], ...]:
        if self.device.measured is None:
            return ()
        return _tables(self.device.measured.gemm, self.dtype)

    def in_range(self, rows: float) -> bool:
        """Return whether `rows` lies inside every measured range of the dtype."""
        tables = self._measured_tables()
        return bool(tables) and all(
            log_m[0] - 1e-9 <= np.log(rows) <= log_m[-1] + 1e-9 for _, log_m, _ in tables
        )

    def floor_s(self, rows: Array, n: float, k: float) -> Array:
        """Return the physical floor of ``rows × (n × k)``: dense peak and bandwidth (P0.1)."""
        moved = n * k * self.weight_bytes + rows * (n + k) * 2
        floor: Array = np.maximum(
            2 * n * k * rows / self.peak_flops, moved / self.memory.floor_bytes_per_s
        )
        return floor

    def gemm_s(self, rows: Array, n: float, k: float) -> Array:
        """Return seconds of ``rows × (n × k)`` for an array of row counts (P3.1, P3.2).

        Measured times of the nearest shape are interpolated log-log in `rows` and scaled by n·k;
        outside the measured rows the utilisation of the boundary is held (P0.2). Never below the
        floor.
        """
        floor = self.floor_s(rows, n, k)
        tables = self._measured_tables()
        if not tables:
            moved = n * k * self.weight_bytes + rows * (n + k) * 2
            roofline = np.maximum(
                2 * n * k * rows / self.reached_flops, moved / self.memory.reached_bytes_per_s
            )
            return np.maximum(roofline, floor)
        size, log_m, log_s = min(tables, key=lambda table: abs(np.log(table[0] / (n * k))))
        lowest, highest = np.exp(log_m[0]), np.exp(log_m[-1])
        inside = np.clip(rows, lowest, highest)
        seconds = np.exp(np.interp(np.log(inside), log_m, log_s)) * (n * k / size)
        held = seconds * floor / self.floor_s(inside, n, k)
        return np.maximum(held, floor)


def operator_times(device: Device, dtype: str, weight_dtype: str) -> OperatorTimes | None:
    """Collect the rates of `device` for `dtype`, or None where a rate is missing."""
    best, memory = best_tflops(device, dtype), bandwidth(device)
    if best is None or memory is None or best.value <= 0 or memory.reached_bytes_per_s <= 0:
        return None
    peak = device.peak(dtype) or best
    return OperatorTimes(
        device=device,
        dtype=dtype,
        weight_bytes=dtype_bytes(weight_dtype),
        peak_flops=best.value * TERA,
        reached_flops=peak.value * TERA * efficiency(device, dtype).value,
        memory=memory,
    )

"""Watts of a busy device from what it has in use (P14): energy per byte, per flop, and clocks."""

from __future__ import annotations

import csv
import functools
import importlib.resources
import math
from dataclasses import dataclass

from tco.defaults import default
from tco.inputs import Device
from tco.performance.dtypes import dtype_bytes

WIDE_BYTES = 2.0  # of a 16-bit weight
WIDE_DTYPES = ("bf16", "fp16")
FITTED_VENDORS = frozenset({"NVIDIA"})

# Stated, not fitted: round values of the right size (a kernel that reads memory keeps a device busy
# at about half of its bandwidth, products at half of the peak; collectives keep it busy moving and
# multiplying nothing), chosen among their neighbours by the error of devices left out.
BUSY_PER_MEMORY = 2.0
BUSY_PER_COMPUTE = 2.0
BUSY_PER_DOUBLING = 0.1  # of the devices of a replica
SMALL_EXPERTS = 8  # a token, from which on experts count as small
KNEE = 4.0  # exponent of the bend into the cap

# Of the board's span between idle and cap, where the catalog has no rates to multiply by.
_MEMORY_SHARE_UNKNOWN = default("power.activity.memory_share_unknown").value
_COMPUTE_SHARE_UNKNOWN = default("power.activity.compute_share_unknown").value


@dataclass(frozen=True, slots=True)
class Work:
    """What kind of serving it is, as far as it moves the watts of equal shares in use.

    Parameters
    ----------
    weight_dtype
        As stored. Bytes of 8 bits and less cost more: more values to unpack and multiply in each.
    experts_per_token
        Routed experts a token asks for, 0 in a dense model: many small ones are multiplied in
        padded tiles and unpacked in small blocks, one wide expert is as good as dense.
    devices
        Devices of a replica.
    """

    weight_dtype: str = "bf16"
    experts_per_token: int = 0
    devices: int = 1


@dataclass(frozen=True, slots=True)
class Board:
    """A board as the formula sees it; None where the catalog has no figure.

    `related` is False for boards of a vendor of which the fit has no rows.
    """

    key: str
    board_w: float
    idle_w: float
    bandwidth_gb_s: float | None
    wide_tflops: float | None  # dense peak at 16 bits
    related: bool = True

    @classmethod
    def of(cls, device: Device, *, board_w: float, idle_w: float) -> Board:
        """Board of a device, with the watts that are used for it."""
        peaks = (device.peak(dtype) for dtype in WIDE_DTYPES)
        wide = next((peak.value for peak in peaks if peak is not None), None)
        bandwidth = device.memory_bandwidth_gb_s
        return cls(
            device.key,
            board_w,
            idle_w,
            None if bandwidth is None else bandwidth.value,
            wide,
            device.vendor in FITTED_VENDORS,
        )


@dataclass(frozen=True, slots=True)
class Factors:
    """Fitted factors of the family (`tco.power.fit`); each is a physical quantity (P0.4).

    Parameters
    ----------
    clocks_fraction
        Of the span between idle and board power: clocks and schedulers while kernels run.
    memory_j_per_tb
        Energy of moving 10^12 bytes through memory.
    compute_j_per_tflop
        Energy of 10^12 flops at 16 bits.
    narrow_fraction
        Added to the energy of a byte that holds weights of 8 bits or less, as a share.
    experts_fraction
        The same for experts.
    device
        (key, factor) on the watts above idle of a device with rows of its own, shrunk to 1.
    """

    clocks_fraction: float
    memory_j_per_tb: float
    compute_j_per_tflop: float
    narrow_fraction: float
    experts_fraction: float
    device: tuple[tuple[str, float], ...] = ()

    def of_device(self, key: str) -> float:
        """Factor of a device; 1, the family's, without rows of its own."""
        return dict(self.device).get(key, 1.0)


def saturated(share: float) -> float:
    """Bend towards 1: as good as linear far below, never over it.

    Examples
    --------
    >>> round(saturated(0.2), 3), round(saturated(1.0), 3), round(saturated(5.0), 3)
    (0.2, 0.841, 1.0)
    """
    return share / math.pow(1 + math.pow(share, KNEE), 1 / KNEE)


def _heavy(factors: Factors, work: Work) -> float:
    """Energy of a byte against one of dense 16-bit weights."""
    small = min(1.0, max(1, work.experts_per_token) / SMALL_EXPERTS)
    narrow = factors.narrow_fraction * small if dtype_bytes(work.weight_dtype) < WIDE_BYTES else 0.0
    experts = factors.experts_fraction * small if work.experts_per_token else 0.0
    return (1 + narrow) * (1 + experts)


def asked_w(
    factors: Factors, board: Board, work: Work, compute_fraction: float, memory_fraction: float
) -> float:
    """Watts above idle that the work would draw if nothing capped it (P14).

    Parameters
    ----------
    compute_fraction, memory_fraction
        Shares of the dense peak and of the memory bandwidth in use while busy.
    """
    span_w = board.board_w - board.idle_w
    moved = _heavy(factors, work) * memory_fraction
    running = 1 - math.exp(
        -BUSY_PER_MEMORY * moved
        - BUSY_PER_COMPUTE * compute_fraction
        - BUSY_PER_DOUBLING * math.log2(max(1, work.devices))
    )
    if board.bandwidth_gb_s is None:
        memory_w = _MEMORY_SHARE_UNKNOWN * span_w * moved
    else:
        memory_w = factors.memory_j_per_tb * board.bandwidth_gb_s / 1000 * moved
    if board.wide_tflops is None:
        compute_w = _COMPUTE_SHARE_UNKNOWN * span_w * compute_fraction
    else:
        compute_w = factors.compute_j_per_tflop * board.wide_tflops * compute_fraction
    asked = factors.clocks_fraction * span_w * running + memory_w + compute_w
    return asked * factors.of_device(board.key)


def capped_w(asked: float, *, idle_w: float, cap_w: float) -> float:
    """Watts of a board that would draw `asked` above idle, under its cap.

    Examples
    --------
    >>> round(capped_w(63.0, idle_w=70.0, cap_w=700.0)), round(capped_w(6300.0, idle_w=70.0,
    ... cap_w=700.0))
    (133, 700)
    """
    span_w = cap_w - idle_w
    if span_w <= 0:
        return cap_w
    return idle_w + span_w * saturated(max(0.0, asked) / span_w)


def table_rows(name: str) -> list[dict[str, str]]:
    """Rows of a table that ships with this package; lines that start with # are notes."""
    text = importlib.resources.files("tco.power").joinpath("tables", name)
    with text.open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@dataclass(frozen=True, slots=True)
class Spread:
    """80 % interval as factors on the watts, which stay within idle and cap (P13.3)."""

    low: float
    high: float

    def around(self, watts: float, *, idle_w: float, cap_w: float) -> tuple[float, float]:
        """Ends of the interval around predicted watts.

        Examples
        --------
        >>> Spread(0.8, 1.25).around(600.0, idle_w=70.0, cap_w=700.0)
        (480.0, 700.0)
        """
        return max(min(idle_w, watts), self.low * watts), min(cap_w, self.high * watts)


@dataclass(frozen=True, slots=True)
class Fitted:
    """Factors and intervals as shipped."""

    factors: Factors
    own: Spread  # a device with rows of its own
    family: Spread  # a device without

    def spread(self, board: Board) -> Spread:
        """Interval of a board: own rows, a relative's, or twice as wide on a log scale (P0.5).

        The last where the catalog lacks its rates or the fit has no rows of its vendor.
        """
        if None in (board.bandwidth_gb_s, board.wide_tflops) or not board.related:
            return Spread(self.family.low**2, self.family.high**2)
        known = any(device == board.key for device, _ in self.factors.device)
        return self.own if known else self.family


def generation_of(device_key: str) -> str:
    """Device without its form factor and memory: what a fit leaves out as one.

    Examples
    --------
    >>> generation_of("a100-sxm-80"), generation_of("b200")
    ('a100', 'b200')
    """
    return device_key.split("-")[0]


@functools.cache
def fitted() -> Fitted:
    """Shipped result of `python -m tco.power.fit`."""
    rows = {row["name"]: float(row["value"]) for row in table_rows("power_factors.csv")}
    prefix = "device:"
    return Fitted(
        Factors(
            clocks_fraction=rows["clocks_fraction"],
            memory_j_per_tb=rows["memory_j_per_tb"],
            compute_j_per_tflop=rows["compute_j_per_tflop"],
            narrow_fraction=rows["narrow_fraction"],
            experts_fraction=rows["experts_fraction"],
            device=tuple(
                (name.removeprefix(prefix), value)
                for name, value in rows.items()
                if name.startswith(prefix)
            ),
        ),
        Spread(rows["own_low"], rows["own_high"]),
        Spread(rows["family_low"], rows["family_high"]),
    )

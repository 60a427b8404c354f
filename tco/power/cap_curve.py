"""Throughput left under a power cap, from boards on which it was measured (F2.2, P14)."""

from __future__ import annotations

import functools
import statistics
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from tco.inputs import CapPoint, Device, Figure, Status
from tco.power.activity import table_rows

SHARES = (0.5, 0.6, 0.7, 0.8, 0.9)  # of the board power
HALF_STEP = 0.05
SOURCE = (
    "transferred: curve of V100, A40, RTX 6000 and P100 boards in training (Zeus, NSDI 2023);"
    " not measured on this device"
)


@dataclass(frozen=True, slots=True)
class CapRow:
    """One measured job under one cap; `share_fraction` is the cap over the job's uncapped draw."""

    device: str
    share_fraction: float
    throughput_fraction: float


@dataclass(frozen=True, slots=True)
class CapStep:
    """Throughput left at one share: middle of the boards, and the range of their jobs."""

    share_fraction: float
    throughput_fraction: float
    low: float
    high: float


def cap_rows() -> list[CapRow]:
    """Rows of ``tables/cap_curves.csv``."""
    return [
        CapRow(
            row["device"],
            float(row["cap_w"]) / float(row["uncapped_w"]),
            float(row["throughput_fraction"]),
        )
        for row in table_rows("cap_curves.csv")
    ]


def cap_curve(rows: Iterable[CapRow]) -> tuple[CapStep, ...]:
    """Throughput left by share of the uncapped draw, rising.

    Each step takes the rows within 5 points of its share: the mean of the boards' medians, and
    the least 10th and largest 90th percentile of a board. A faster job under a lower cap is noise
    between repeats, so nothing exceeds 1.
    """
    taken = list(rows)
    steps: list[CapStep] = []
    for share in SHARES:
        by_device: dict[str, list[float]] = defaultdict(list)
        for row in taken:
            if abs(row.share_fraction - share) <= HALF_STEP:
                by_device[row.device].append(min(1.0, row.throughput_fraction))
        boards = [sorted(found) for found in by_device.values() if len(found) >= 5]
        if not boards:
            continue
        middle = statistics.fmean(statistics.median(found) for found in boards)
        low = min(found[len(found) // 10] for found in boards)
        high = max(found[-1 - len(found) // 10] for found in boards)
        before = steps[-1].throughput_fraction if steps else 0.0
        steps.append(CapStep(share, max(middle, before), low, high))
    return tuple(steps)


@functools.cache
def _measured_curve() -> tuple[CapStep, ...]:
    return cap_curve(cap_rows())


def throughput_left(share: float, curve: tuple[CapStep, ...]) -> float:
    """Throughput left when the cap is `share` of the uncapped draw; 1 from the draw itself on.

    Below the lowest measured share it is held in proportion: nothing was measured there.

    Examples
    --------
    >>> steps = (CapStep(0.5, 0.6, 0.5, 0.7), CapStep(0.9, 0.96, 0.9, 1.0))
    >>> round(throughput_left(0.7, steps), 2), throughput_left(1.2, steps)
    (0.78, 1.0)
    """
    points = [
        (0.0, 0.0),
        *((step.share_fraction, step.throughput_fraction) for step in curve),
        (1.0, 1.0),
    ]
    for (x0, y0), (x1, y1) in pairwise(points):
        if share <= x1:
            return y0 + (y1 - y0) * (max(0.0, share) - x0) / (x1 - x0)
    return 1.0


def transferred_caps(device: Device) -> tuple[CapPoint, ...]:
    """Caps of a device without measured ones, as the curve of other boards has them.

    Shares are of the board power: the work is taken to draw all of it, which is the least
    throughput that a cap leaves. A suggestion with status estimated: F2.2 asks for a measured
    point before a board may stand in a slot below its power.
    """
    board = device.board_w
    if board is None or device.kind == "cpu":
        return ()
    return tuple(
        CapPoint(
            board.derived(step.share_fraction * board.value, "W", "share of board power"),
            Figure(
                step.throughput_fraction,
                "fraction",
                Status.ESTIMATED,
                SOURCE,
                low=step.low,
                high=step.high,
            ),
        )
        for step in _measured_curve()
    )

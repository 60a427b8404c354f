"""Fits what a server draws beside its boards to measured wall power (F2.3, P14).

``python -m tco.power.fit_wall`` prints the errors with devices left out; with ``--write`` it also
writes ``tables/wall_factors.csv``, which ships. The host is a part per CPU socket and a part that
follows the boards (fans, conversion, network); a rated board under an unpublished limit draws a
share of its rating.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

import numpy as np
from scipy.optimize import least_squares

from tco.power.activity import generation_of, table_rows
from tco.power.psu import HALF_LOAD_EFFICIENCY

_Floats: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]

FULL_SHARE = 0.95  # of its rating that a board draws under a heavy load: stated, not fitted
LOWER, UPPER = (50.0, 0.0, 0.5), (600.0, 0.8, 0.9)
START = (200.0, 0.2, 0.6)


@dataclass(frozen=True, slots=True)
class WallRow:
    """One measured server under one task."""

    system: str
    device: str
    devices: int
    sockets: int
    board_w: float
    capped: bool
    task: str
    wall_w: float


@dataclass(frozen=True, slots=True)
class WallFactors:
    """Watts of the host beside the boards, at the DC side.

    Parameters
    ----------
    socket_w
        Per CPU socket, memory and storage with it.
    follow_fraction
        Of the boards' rating: fans, conversion, network.
    capped_fraction
        Of a board's rating under an unpublished efficiency limit.
    """

    socket_w: float
    follow_fraction: float
    capped_fraction: float

    def at_w(self, boards_w: float, *, rated_w: float, sockets: int) -> float:
        """Wall watts of a server whose boards draw `boards_w` of the `rated_w` they are rated."""
        host_w = self.socket_w * sockets + self.follow_fraction * rated_w
        return (boards_w + host_w) / HALF_LOAD_EFFICIENCY.value

    def wall_w(self, row: WallRow) -> float:
        """Wall watts of a row: boards near their rating, or at the usual limit."""
        rated_w = row.devices * row.board_w
        share = self.capped_fraction if row.capped else FULL_SHARE
        return self.at_w(share * rated_w, rated_w=rated_w, sockets=row.sockets)


def wall_rows() -> list[WallRow]:
    """Rows of ``tables/system_watts.csv`` whose boards work near their rating or their limit."""
    return [
        WallRow(
            row["system"],
            row["device"],
            int(row["devices"]),
            int(row["sockets"]),
            float(row["board_w"]),
            row["setting"] == "capped",
            row["task"],
            float(row["wall_w"]),
        )
        for row in table_rows("system_watts.csv")
        if row["setting"] in ("full", "capped")
    ]


def fit_wall(rows: Sequence[WallRow]) -> WallFactors:
    """Robust least squares of log watts; every system on every device counts the same."""
    count: dict[tuple[str, str], int] = defaultdict(int)
    for row in rows:
        count[row.system, row.device] += 1

    def of(values: _Floats) -> WallFactors:
        socket, follow, capped = (float(value) for value in values)
        return WallFactors(socket, follow, capped)

    def residuals(values: _Floats, /) -> list[float]:
        factors = of(values)
        return [
            math.log(factors.wall_w(row) / row.wall_w) / math.sqrt(count[row.system, row.device])
            for row in rows
        ]

    found = least_squares(
        residuals, START, bounds=(LOWER, UPPER), loss="soft_l1", f_scale=0.1, x_scale=START
    )
    return of(found.x)


def left_out_errors(rows: Sequence[WallRow]) -> dict[str, list[float]]:
    """Signed relative errors by generation, each from a fit that never saw it."""
    errors: dict[str, list[float]] = {}
    for held in sorted({generation_of(row.device) for row in rows}):
        factors = fit_wall([row for row in rows if generation_of(row.device) != held])
        errors[held] = [
            factors.wall_w(row) / row.wall_w - 1
            for row in rows
            if generation_of(row.device) == held
        ]
    return errors


def main(arguments: Sequence[str] | None = None) -> None:
    """Score left out, fit, and write the factors where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write tables/wall_factors.csv")
    options = parser.parse_args(arguments)
    rows = wall_rows()
    errors = left_out_errors(rows)
    for generation, found in errors.items():
        size = statistics.median(abs(error) for error in found)
        bias = statistics.median(found)
        print(f"{generation}: {len(found)} rows, median {size:.3f}, bias {bias:+.3f}")
    everything = [abs(error) for found in errors.values() for error in found]
    print(f"device left out: {len(everything)} rows, median {statistics.median(everything):.3f}")
    text = table(fit_wall(rows), errors)
    print(text, end="")
    if options.write:
        path = Path(__file__).with_name("tables") / "wall_factors.csv"
        path.write_text(text, encoding="utf-8")


def table(factors: WallFactors, errors: dict[str, list[float]]) -> str:
    """Text of ``tables/wall_factors.csv``; low and high are the 80 % of left-out wall watts."""
    ratios = sorted(1 / (1 + error) for found in errors.values() for error in found)
    low, high = (float(value) for value in np.quantile(ratios, (0.1, 0.9)))
    values = (
        ("socket_w", factors.socket_w),
        ("follow_fraction", factors.follow_fraction),
        ("capped_fraction", factors.capped_fraction),
        ("wall_low", low),
        ("wall_high", high),
    )
    return "\n".join(
        (
            "# Written by python -m tco.power.fit_wall --write from system_watts.csv.",
            "name,value",
            *(f"{name},{value:.4f}" for name, value in values),
            "",
        )
    )


if __name__ == "__main__":
    main()

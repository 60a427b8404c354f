"""Fits the factors of board watts to measured rows and scores them left out (P13.2, P14).

``python -m tco.power.fit`` prints the scores; with ``--write`` it also writes
``tables/power_factors.csv``, which ships.
"""

from __future__ import annotations

import argparse
import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

import numpy as np
from scipy.optimize import least_squares

from tco.power.activity import (
    KNEE,
    Board,
    Factors,
    Spread,
    Work,
    asked_w,
    capped_w,
    table_rows,
)

_Floats: TypeAlias = np.ndarray[tuple[int], np.dtype[np.float64]]

START = Factors(0.6, 45.0, 2.0, 1.5, 0.3)
LOWER, UPPER = (0.1, 5.0, 0.3, 0.0, 0.0), (1.0, 300.0, 10.0, 4.0, 2.0)
SHRINK_CELLS = 3.0  # cells of a device that weigh as much as its family
COVERED = 0.8
AT_THE_CAP = 0.995  # of the span: a meter at the cap does not tell how much more was asked


@dataclass(frozen=True, slots=True)
class WattsRow:
    """One measured row of board watts, with its shares in use."""

    source: str
    model: str
    board: Board
    work: Work
    compute_fraction: float
    memory_fraction: float
    board_w: float

    @property
    def cell(self) -> tuple[str, str, str]:
        """(source, device, model): what averages go over (P16.3)."""
        return self.source, self.board.key, self.model

    @property
    def generation(self) -> str:
        """Device without its form factor and memory: what is left out as one."""
        return self.board.key.split("-")[0]


def watts_rows() -> list[WattsRow]:
    """Rows of ``tables/serving_watts.csv`` with their boards."""
    boards = {
        row["device"]: Board(
            row["device"],
            float(row["board_w"]),
            float(row["idle_w"]),
            float(row["bandwidth_gb_s"]),
            float(row["wide_tflops"]),
        )
        for row in table_rows("boards.csv")
    }
    return [
        WattsRow(
            row["source"],
            row["model"],
            boards[row["device"]],
            Work(row["weight_dtype"], row["experts"] == "1", int(row["devices"])),
            float(row["compute_fraction"]),
            float(row["memory_fraction"]),
            float(row["board_w"]),
        )
        for row in table_rows("serving_watts.csv")
    ]


def predicted_w(factors: Factors, row: WattsRow, *, scale: float = 1.0) -> float:
    """Board watts of a row; `scale` moves what the work asks for (intervals)."""
    asked = asked_w(factors, row.board, row.work, row.compute_fraction, row.memory_fraction)
    return capped_w(scale * asked, idle_w=row.board.idle_w, cap_w=row.board.board_w)


def asked_ratio(factors: Factors, row: WattsRow) -> float:
    """What the meter says the work asked for, over what the formula says."""
    span_w = row.board.board_w - row.board.idle_w
    share = min(AT_THE_CAP, max(0.01, (row.board_w - row.board.idle_w) / span_w))
    measured = span_w * share / (1 - share**KNEE) ** (1 / KNEE)
    asked = asked_w(factors, row.board, row.work, row.compute_fraction, row.memory_fraction)
    return measured / asked


def _cell_weights(rows: Sequence[WattsRow]) -> list[float]:
    """Weight of each row so that every cell counts the same."""
    count: dict[tuple[str, str, str], int] = defaultdict(int)
    for row in rows:
        count[row.cell] += 1
    return [1 / math.sqrt(count[row.cell]) for row in rows]


def fit_family(rows: Sequence[WattsRow]) -> Factors:
    """Factors common to all devices: robust least squares of log watts, cells weighing equally."""
    weights = _cell_weights(rows)

    def of(values: _Floats) -> Factors:
        clocks, memory, compute, narrow, experts = (float(value) for value in values)
        return Factors(clocks, memory, compute, narrow, experts)

    def residuals(values: _Floats, /) -> list[float]:
        factors = of(values)
        return [
            weight * math.log(predicted_w(factors, row) / row.board_w)
            for weight, row in zip(weights, rows, strict=True)
        ]

    start = [START.clocks_fraction, START.memory_j_per_tb, START.compute_j_per_tflop]
    start += [START.narrow, START.experts]
    found = least_squares(
        residuals, start, bounds=(LOWER, UPPER), loss="soft_l1", f_scale=0.05, x_scale=start
    )
    return of(found.x)


def with_devices(factors: Factors, rows: Sequence[WattsRow]) -> Factors:
    """Factors with one more per device: its cells' mean ratio, shrunk to the family's 1."""
    by_cell: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row in rows:
        by_cell[row.cell].append(math.log(asked_ratio(factors, row)))
    by_device: dict[str, list[float]] = defaultdict(list)
    for (_, device, _), logs in by_cell.items():
        by_device[device].append(statistics.median(logs))
    return replace(
        factors,
        device=tuple(
            (device, math.exp(math.fsum(logs) / (len(logs) + SHRINK_CELLS)))
            for device, logs in sorted(by_device.items())
        ),
    )


def left_out(
    rows: Sequence[WattsRow],
    group: Callable[[WattsRow], str],
    *,
    own: bool,
) -> list[tuple[WattsRow, Factors]]:
    """Every row with the factors of a fit that never saw its group (P13.2, P16.4)."""
    answers: list[tuple[WattsRow, Factors]] = []
    for held in sorted({group(row) for row in rows}):
        seen = [row for row in rows if group(row) != held]
        factors = fit_family(seen)
        if own:
            factors = with_devices(factors, seen)
        answers += [(row, factors) for row in rows if group(row) == held]
    return answers


def cell_medians(answers: Sequence[tuple[WattsRow, Factors]]) -> dict[tuple[str, str, str], float]:
    """Median absolute error of each cell."""
    by_cell: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row, factors in answers:
        by_cell[row.cell].append(abs(predicted_w(factors, row) / row.board_w - 1))
    return {cell: statistics.median(errors) for cell, errors in by_cell.items()}


def spread_of(answers: Sequence[tuple[WattsRow, Factors]]) -> Spread:
    """Factors on the asked watts between which 80 % of left-out rows lie, cells alike."""
    pairs = [
        (asked_ratio(factors, row), weight**2)
        for (row, factors), weight in zip(
            answers, _cell_weights([row for row, _ in answers]), strict=True
        )
    ]
    pairs.sort()
    total = math.fsum(weight for _, weight in pairs)
    cumulated = np.cumsum([weight for _, weight in pairs]) / total
    ratios = [ratio for ratio, _ in pairs]
    tail = (1 - COVERED) / 2
    return Spread(
        min(1.0, float(np.interp(tail, cumulated, ratios))),
        max(1.0, float(np.interp(1 - tail, cumulated, ratios))),
    )


def coverage(answers: Sequence[tuple[WattsRow, Factors]], spread: Spread) -> float:
    """Share of rows inside the interval, to half a watt."""
    inside = [
        predicted_w(factors, row, scale=spread.low) - 0.5
        <= min(row.board_w, row.board.board_w)
        <= predicted_w(factors, row, scale=spread.high) + 0.5
        for row, factors in answers
    ]
    return sum(inside) / len(inside)


def of_generation(row: WattsRow) -> str:
    """Group that is left out as a device: all its form factors and memories."""
    return row.generation


def of_model(row: WattsRow) -> str:
    """Group that is left out as a model."""
    return row.model


def main(arguments: Sequence[str] | None = None) -> None:
    """Fit, score left out, and write the factors where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write tables/power_factors.csv")
    options = parser.parse_args(arguments)
    rows = watts_rows()
    devices = left_out(rows, of_generation, own=False)
    models = left_out(rows, of_model, own=True)
    factors = with_devices(fit_family(rows), rows)
    family, own = spread_of(devices), spread_of(models)
    for name, answers in (("device", devices), ("model", models)):
        medians = cell_medians(answers)
        print(f"{name} left out: {len(answers)} rows, {len(medians)} cells")
        for generation in sorted({of_generation(row) for row in rows}):
            some = [pair for pair in answers if pair[0].generation == generation]
            cells = list(cell_medians(some).values())
            errors = [abs(predicted_w(f, row) / row.board_w - 1) for row, f in some]
            print(
                f"  {generation}: median of rows {statistics.median(errors):.3f},"
                f" of cells {statistics.median(cells):.3f}, mean of cells"
                f" {statistics.fmean(cells):.3f}"
            )
        print(f"  all cells: {statistics.median(medians.values()):.3f}")
    # The family's interval on a device it was not drawn from either.
    outside = []
    for generation in sorted({of_generation(row) for row in rows}):
        others = spread_of([pair for pair in devices if pair[0].generation != generation])
        outside.append(coverage([p for p in devices if p[0].generation == generation], others))
    print("coverage of 80 %, interval from the other devices:", [round(c, 2) for c in outside])
    print(f"coverage in sample: {coverage(devices, family):.2f}, own {coverage(models, own):.2f}")
    print(factors, own, family)
    if options.write:
        write(factors, own, family)


def write(factors: Factors, own: Spread, family: Spread) -> None:
    """Write the shipped table beside this file."""
    values: list[tuple[str, float]] = [
        ("clocks_fraction", factors.clocks_fraction),
        ("memory_j_per_tb", factors.memory_j_per_tb),
        ("compute_j_per_tflop", factors.compute_j_per_tflop),
        ("narrow", factors.narrow),
        ("experts", factors.experts),
        ("own_low", own.low),
        ("own_high", own.high),
        ("family_low", family.low),
        ("family_high", family.high),
        *((f"device:{key}", value) for key, value in factors.device),
    ]
    lines = [
        "# Written by python -m tco.power.fit --write from serving_watts.csv and boards.csv.",
        "name,value",
        *(f"{name},{value:.4f}" for name, value in values),
    ]
    path = Path(__file__).with_name("tables") / "power_factors.csv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()

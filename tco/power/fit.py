"""Fits the factors of board watts to measured rows and scores them left out (P13.2, P14).

``python -m tco.power.fit`` prints the scores; with ``--write`` it also writes
``tables/power_factors.csv``, which ships.
"""

from __future__ import annotations

import argparse
import functools
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
    Fitted,
    Spread,
    Work,
    asked_w,
    capped_w,
    generation_of,
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
        """What is left out as one device."""
        return generation_of(self.board.key)


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
            Work(row["weight_dtype"], int(row["experts_per_token"]), int(row["devices"])),
            float(row["compute_fraction"]),
            float(row["memory_fraction"]),
            float(row["board_w"]),
        )
        for row in table_rows("serving_watts.csv")
    ]


def predicted_w(factors: Factors, row: WattsRow) -> float:
    """Board watts of a row."""
    asked = asked_w(factors, row.board, row.work, row.compute_fraction, row.memory_fraction)
    return capped_w(asked, idle_w=row.board.idle_w, cap_w=row.board.board_w)


def asked_ratio(factors: Factors, row: WattsRow) -> float:
    """What the meter says the work asked for, over what the formula says."""
    span_w = row.board.board_w - row.board.idle_w
    share = min(AT_THE_CAP, max(0.01, (row.board_w - row.board.idle_w) / span_w))
    measured = span_w * share / math.pow(1 - math.pow(share, KNEE), 1 / KNEE)
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
    start += [START.narrow_fraction, START.experts_fraction]
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
    """Factors on the watts between which 80 % of left-out rows lie, cells weighing alike."""
    pairs = [
        (row.board_w / predicted_w(factors, row), weight**2)
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
    inside = []
    for row, factors in answers:
        board = row.board
        watts = predicted_w(factors, row)
        low, high = spread.around(watts, idle_w=board.idle_w, cap_w=board.board_w)
        inside.append(low - 0.5 <= min(row.board_w, board.board_w) <= high + 0.5)
    return sum(inside) / len(inside)


def of_generation(row: WattsRow) -> str:
    """Group that is left out as a device: all its form factors and memories."""
    return row.generation


def of_source(row: WattsRow) -> str:
    """Group that is left out as a source."""
    return row.source


def of_model(row: WattsRow) -> str:
    """Group that is left out as a model."""
    return row.model


GROUPS: dict[str, Callable[[WattsRow], str]] = {
    "device": of_generation,
    "model": of_model,
    "source": of_source,
}


@functools.cache
def _answers(fold: str) -> tuple[tuple[WattsRow, Factors], ...]:
    """Shipped rows, each with a fit that never saw its group."""
    return tuple(left_out(watts_rows(), GROUPS[fold], own=fold == "model"))


@functools.cache
def without(fold: str, name: str) -> Fitted:
    """Fit that never saw one device, model or source, with intervals from the others (P16.4).

    Parameters
    ----------
    fold
        device | model | source.
    name
        Generation (`tco.power.activity.generation_of`), model or source as in the table; one that
        is not there leaves nothing out.
    """
    group = GROUPS[fold]
    seen = [row for row in watts_rows() if group(row) != name]
    factors = with_devices(fit_family(seen), seen)
    spread = spread_of([pair for pair in _answers(fold) if group(pair[0]) != name])
    return Fitted(factors, spread, spread)


def fit_all(rows: Sequence[WattsRow]) -> Fitted:
    """Fit of all rows; intervals from the rows left out, by model and by device."""
    return Fitted(
        with_devices(fit_family(rows), rows),
        spread_of(left_out(rows, of_model, own=True)),
        spread_of(left_out(rows, of_generation, own=False)),
    )


def report(rows: Sequence[WattsRow]) -> list[str]:
    """Errors with devices left out and with models left out, in lines."""
    lines = []
    for name, group, own in (("device", of_generation, False), ("model", of_model, True)):
        answers = left_out(rows, group, own=own)
        medians = cell_medians(answers)
        lines.append(
            f"{name} left out: {len(answers)} rows, {len(medians)} cells, median of cells"
            f" {statistics.median(medians.values()):.3f}"
        )
        for generation in sorted({row.generation for row in rows}):
            some = [pair for pair in answers if pair[0].generation == generation]
            errors = [abs(predicted_w(factors, row) / row.board_w - 1) for row, factors in some]
            others = spread_of([pair for pair in answers if pair[0].generation != generation])
            lines.append(
                f"  {generation}: median of rows {statistics.median(errors):.3f}, of cells"
                f" {statistics.median(cell_medians(some).values()):.3f}; an 80 % interval of the"
                f" other devices covers {coverage(some, others):.2f}"
            )
    return lines


def table(result: Fitted) -> str:
    """Text of ``tables/power_factors.csv``."""
    factors = result.factors
    named = [
        ("clocks_fraction", factors.clocks_fraction),
        ("memory_j_per_tb", factors.memory_j_per_tb),
        ("compute_j_per_tflop", factors.compute_j_per_tflop),
        ("narrow_fraction", factors.narrow_fraction),
        ("experts_fraction", factors.experts_fraction),
        ("own_low", result.own.low),
        ("own_high", result.own.high),
        ("family_low", result.family.low),
        ("family_high", result.family.high),
        *((f"device:{key}", value) for key, value in factors.device),
    ]
    lines = [
        "# Written by python -m tco.power.fit --write from serving_watts.csv and boards.csv.",
        "name,value",
        *(f"{name},{value:.4f}" for name, value in named),
    ]
    return "\n".join(lines) + "\n"


def main(arguments: Sequence[str] | None = None) -> None:
    """Score left out, fit, and write the factors where asked."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write tables/power_factors.csv")
    options = parser.parse_args(arguments)
    rows = watts_rows()
    print("\n".join(report(rows)))
    text = table(fit_all(rows))
    print(text, end="")
    if options.write:
        path = Path(__file__).with_name("tables") / "power_factors.csv"
        path.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()

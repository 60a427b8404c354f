"""Fit of the training factors: ``python -m tco.evidence.training_fit`` rewrites the tables (P13.2).

Each factor multiplies a physical basis and stays at or above its floor (P0.4); each is pulled to a
start with a stated width, so that a part the runs cannot tell apart keeps a plausible size. The
loss is a soft absolute error of the logarithm; cells of many rows count less each.
"""

from __future__ import annotations

import csv
import math
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import least_squares

import tco.performance.training
from tco.evidence.training_rows import TrainingRow, training_rows
from tco.performance.training.step import FACTORS, step_time

TABLES = Path(tco.performance.training.__file__).parent / "tables"

# factor: start, least, most, width of the pull in logarithms
PRIORS: dict[str, tuple[float, float, float, float]] = {
    "products_16": (1.15, 1.0, math.inf, 0.12),
    "products_8": (1.25, 1.0, math.inf, 0.12),
    "products_4": (1.6, 1.0, math.inf, 0.2),
    "attention_generic": (1.3, 1.0, math.inf, 0.08),
    "attention_tuned": (1.3, 1.0, math.inf, 0.08),
    "softmax_generic": (1.0, 0.0, math.inf, 0.6),
    "softmax_tuned": (1.0, 0.0, math.inf, 0.4),
    "elements_eager": (4.0, 1.0, math.inf, 0.6),
    "elements_compiled": (2.0, 0.5, math.inf, 0.4),
    "elements_tuned": (1.5, 0.5, math.inf, 0.4),
    "loss": (2.0, 0.5, math.inf, 0.4),
    "data_exposed_generic": (0.4, 0.02, 1.0, 0.4),
    "data_exposed_tuned": (0.2, 0.02, 1.0, 0.4),
    "tensor_exposed": (0.5, 0.02, 1.0, 0.4),
    "expert_exposed": (0.5, 0.02, math.inf, 0.5),
    "routed": (0.5, 0.0, math.inf, 0.5),
    "straggle": (0.01, 0.0, math.inf, 0.5),
}
_SOFT = 0.06  # errors beyond it count by their size, not its square
_PULL = 0.09
_OFFSET = 0.02
_DEVICE_CELLS = 2.0  # a device's own factor is believed half at so many cells
CHIPS = {  # devices of one die are left out together
    "a100-sxm-40": "A100", "a100-sxm-80": "A100", "b200": "Blackwell", "gb200": "Blackwell",
    "gb300": "Blackwell", "mi300x": "CDNA3", "mi325x": "CDNA3",
}  # fmt: skip
QUANTILES = (0.1, 0.9)


def chip_of(row: TrainingRow) -> str:
    """Return the die of a row's device."""
    return CHIPS.get(row.device, row.device)


def predicted_seconds(
    row: TrainingRow, factors: dict[str, float], devices: dict[str, float] | None = None
) -> float:
    """Return the step time of a row under `factors`, never below its floor (P0.1)."""
    seconds = step_time(row.bases, factors, row.plan.stack).seconds
    return max(row.bases.floor, seconds * (devices or {}).get(row.device, 1.0))


def fit(rows: Sequence[TrainingRow]) -> dict[str, float]:
    """Return the factors that fit `rows`; rows kept for the report are not read."""
    used = [row for row in rows if row.role != "report"]
    cells = Counter(row.cell for row in used)
    weights = np.array([_weight(row, cells[row.cell]) for row in used])
    start, least, most, width = (np.array(column) for column in zip(*PRIORS.values(), strict=True))
    names = list(PRIORS)
    measured = np.log([row.measured_seconds for row in used])

    def residuals(values: np.ndarray) -> np.ndarray:
        named = dict(zip(names, values.tolist(), strict=True))
        seconds = [step_time(row.bases, named, row.plan.stack).seconds for row in used]
        errors = (np.log(seconds) - measured) * weights
        soft = np.sqrt(2 * _SOFT**2 * (np.sqrt(1 + (errors / _SOFT) ** 2) - 1))
        pull = _PULL * np.log((values + _OFFSET) / (start + _OFFSET)) / width
        return np.concatenate([np.sign(errors) * soft, pull])

    found = least_squares(
        residuals,
        np.maximum(start, least + 1e-3),
        bounds=(least, most),
        x_scale=np.maximum(start, 0.05),
        max_nfev=40,
    )
    return dict(zip(names, found.x.tolist(), strict=True))


def _weight(row: TrainingRow, cell_rows: int) -> float:
    weight = 1 / cell_rows**0.25
    if row.plan.expert > 1:
        weight *= 0.5  # expert runs differ by software far more than by hardware
    return float(weight * (0.7 if row.role == "converted" else 1.0))


def device_factors(rows: Sequence[TrainingRow], factors: dict[str, float]) -> dict[str, float]:
    """Return each device's residual, the mean over its cells shrunk to 1 (P13.2)."""
    by_cell: dict[tuple[str, str, str], list[float]] = {}
    for row in rows:
        if row.role != "report" and row.plan.expert <= 1:
            error = math.log(row.measured_seconds / predicted_seconds(row, factors))
            by_cell.setdefault(row.cell, []).append(error)
    found: dict[str, list[float]] = {}
    for (_, device, _), errors in by_cell.items():
        found.setdefault(device, []).append(float(np.median(errors)))
    return {
        device: math.exp(sum(errors) / (len(errors) + _DEVICE_CELLS))
        for device, errors in sorted(found.items())
    }


def left_out(
    rows: Sequence[TrainingRow], group: Callable[[TrainingRow], str]
) -> list[tuple[TrainingRow, float]]:
    """Return (row, predicted seconds) with the row's own group kept out of the fit."""
    answers: list[tuple[TrainingRow, float]] = []
    for name in sorted({group(row) for row in rows}):
        rest = [row for row in rows if group(row) != name]
        factors = fit(rest)
        devices = device_factors(rest, factors)
        answers += [
            (row, predicted_seconds(row, factors, devices)) for row in rows if group(row) == name
        ]
    return answers


def quantiles(pairs: Sequence[tuple[TrainingRow, float]]) -> tuple[float, float]:
    """Return the 10 % and 90 % quantiles of measured / predicted, each cell weighing the same."""
    cells = Counter(row.cell for row, _ in pairs)
    ratios = sorted((row.measured_seconds / value, 1 / cells[row.cell]) for row, value in pairs)
    total = sum(weight for _, weight in ratios)
    found: list[float] = []
    for level in QUANTILES:
        seen = 0.0
        for ratio, weight in ratios:
            seen += weight
            if seen >= level * total:
                found.append(ratio)
                break
    return found[0], found[1]


def interval_table() -> list[tuple[str, float, float, int]]:
    """Return (class, low, high, runs) from errors with whole chips and whole models left out."""
    measured, sheet = training_rows(), training_rows(measured_rates=False)
    pairs = left_out(measured, chip_of) + left_out(measured, lambda row: row.model)
    groups: dict[str, list[tuple[TrainingRow, float]]] = {}
    for row, value in pairs:
        if row.role != "report":
            groups.setdefault(row.evidence, []).append((row, value))
    only_sheet = left_out(sheet, chip_of)
    groups["data sheet"] = [
        (row, value) for row, value in only_sheet if row.role != "report" and row.plan.expert <= 1
    ]
    return [(name, *quantiles(found), len(found)) for name, found in sorted(groups.items())]


def main() -> None:
    """Fit and write the shipped tables."""
    rows = training_rows()
    factors = fit(rows)
    _write("factors.csv", ("factor", "value"), [(k, f"{factors[k]:.4f}") for k in FACTORS])
    own = device_factors(rows, factors)
    _write("device_factors.csv", ("factor", "value"), [(k, f"{v:.4f}") for k, v in own.items()])
    _write(
        "intervals.csv",
        ("evidence", "low", "high", "runs"),
        [(name, f"{low:.3f}", f"{high:.3f}", n) for name, low, high, n in interval_table()],
    )


def _write(name: str, head: tuple[str, ...], lines: Sequence[tuple[object, ...]]) -> None:
    with (TABLES / name).open("w", encoding="utf-8", newline="") as text:
        writer = csv.writer(text, lineterminator="\n")
        writer.writerow(head)
        writer.writerows(lines)


if __name__ == "__main__":
    main()

"""Fit the shipped factors of the serving model, fold by fold, and what is left unexplained (P13).

`scripts/calibrate.py DIR` calls this on a folder of the UNIFIED schema and writes both tables.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

import numpy as np

from tco.evidence.folds import SHIPPED, folds_of
from tco.evidence.run import ResolvedRun
from tco.evidence.serving import MEANS, raw_values
from tco.evidence.serving_fit import fit
from tco.evidence.serving_groups import Group, groups
from tco.performance.factors import Key
from tco.performance.residuals import (
    COVER,
    LEAST_ROWS,
    SEEN,
    Class,
    Family,
    Interval,
    class_of,
    family_of,
    interval,
    interval_for,
    tail_for,
    wider,
)

LEAVE_OUT = ("device", "model", "source")
_CALIBRATED = ("_p50", "_p90", "_p95", "_p99")  # of a mean: the tail is measured
_LEAST_LOG = 3e-3  # a smaller factor is not written
Table = list[tuple[str, ...]]
Said = dict[int, dict[str, float]]  # log of measured over the model's mean, by place and metric


_kept: list[ResolvedRun] = []  # of a worker process: handed over once


def _keep(runs: list[ResolvedRun]) -> None:
    _kept[:] = runs


def _fit_without(fold: tuple[str, frozenset[int]]) -> tuple[str, dict[Key, float]]:
    """Fit one fold in a worker process."""
    name, places = fold
    found, _ = groups(_kept)
    left = {id(_kept[place]) for place in places}
    return name, fit(found, _kept, leave_out=lambda run: id(run) in left)


def calibrate(
    runs: Sequence[ResolvedRun],
    progress: Callable[[str], None] = lambda text: None,
    processes: int = 2,
) -> tuple[Table, dict[str, Mapping[Key, float]]]:
    """Return the rows of the factor table, and the factors by fold.

    Parameters
    ----------
    runs
        Resolved runs; overloaded ones are left out of the fit.
    progress
        Called with one line a fold.
    """
    folds = {SHIPPED: frozenset[int](), **{n: places for n, (_, places) in _folds(runs).items()}}
    # each fold starts from the priors: a start that had seen its rows would remember them
    values: dict[str, Mapping[Key, float]] = {}
    with ProcessPoolExecutor(processes, initializer=_keep, initargs=(list(runs),)) as pool:
        for name, fitted in pool.map(_fit_without, folds.items()):
            values[name] = fitted
            progress(f"{name}: {len(folds[name])} runs left out")
    factors: Table = [
        (fold, *key, f"{value:.3f}")
        for fold, fitted in values.items()
        for key, value in sorted(fitted.items())
        if abs(value) >= _LEAST_LOG
    ]
    return factors, values


def _folds(runs: Sequence[ResolvedRun]) -> dict[str, tuple[str, frozenset[int]]]:
    """What is left out and which runs, by the name of the fold."""
    return {
        name: (leave_out, places)
        for leave_out in LEAVE_OUT
        for name, places in folds_of(runs, leave_out).items()
    }


def _logs(found: Sequence[Group], runs: Sequence[ResolvedRun], values: Mapping[Key, float]) -> Said:
    said: Said = {}
    for group in found:
        known, over = raw_values(group, values)
        for row, place in enumerate(group.index):
            run = runs[place].run
            if run.overloaded or over[row]:
                continue
            logs = {}
            for metric, (name, factor) in MEANS.items():
                mean = float(known[name][row]) * factor
                if metric in run.measured and np.isfinite(mean) and mean > 0:
                    logs[metric] = float(np.log(run.measured[metric].value / mean))
            said[int(place)] = logs
    return said


def residual_rows(
    runs: Sequence[ResolvedRun], values: Mapping[str, Mapping[Key, float]]
) -> tuple[Table, Table]:
    """Return the rows of the tail table and of the interval table for fitted factors by fold."""
    found, _ = groups(runs)
    folds = _folds(runs)
    classes = {
        place: {
            metric: class_of(metric, runs[place].run.load_kind, _load(runs[place]))
            for metric in MEANS
        }
        for place in range(len(runs))
    }
    logs = {fold: _logs(found, runs, fitted) for fold, fitted in values.items()}
    tails = {
        fold: _tails(said, classes, folds[fold][1] if fold in folds else frozenset())
        for fold, said in logs.items()
    }
    unseen: dict[str, Unseen] = {name: [] for name in LEAVE_OUT}
    for name, (leave_out, places) in folds.items():
        for place in places & logs[name].keys():
            for metric, value in logs[name][place].items():
                one = classes[place][metric]
                left = value - tail_for(one, tails[name])
                unseen[leave_out].append((name, family_of(metric, one[1]), left))
    tail_rows: Table = [
        (fold, *one, f"{value:.4f}")
        for fold, found_tails in tails.items()
        for one, value in sorted(found_tails.items())
    ]
    asked = {fold: (folds[fold][0] if fold in folds else "device") for fold in values}
    wide = {name: _stretch(residuals) for name, residuals in unseen.items()}
    interval_rows: Table = []
    for fold, leave_out in {**asked, SEEN: "model"}.items():
        for family, (low, high, count) in _intervals(unseen[leave_out], fold).items():
            ends = (f"{low * wide[leave_out]:.4f}", f"{high * wide[leave_out]:.4f}")
            interval_rows.append((fold, *family, *ends, str(count)))
    return tail_rows, interval_rows


Unseen = list[tuple[str, Family, float]]


def _intervals(unseen: Unseen, fold: str) -> dict[Family, tuple[float, float, int]]:
    """Interval of every class with enough rows of folds other than `fold`."""
    pools: dict[Family, list[tuple[str, float]]] = {}
    for name, one, value in unseen:
        if name != fold:
            for each in wider(one):
                pools.setdefault(each, []).append((name, value))
    return {
        one: (*interval([v for _, v in rows], [n for n, _ in rows]), len(rows))
        for one, rows in sorted(pools.items())
        if len(rows) >= LEAST_ROWS
    }


def _stretch(unseen: Unseen) -> float:
    """Factor that makes the intervals of the other folds hold 80 % of each fold's rows.

    Rows of one device err together: quantiles of the others' rows are too narrow for a new one.
    """
    ratios = []
    for fold in sorted({name for name, _, _ in unseen}):
        held = {one: Interval(*ends) for one, ends in _intervals(unseen, fold).items()}
        for name, one, value in unseen:
            if name == fold:
                near = interval_for(one, held)
                ratios.append(max(value / near.high, value / near.low))
    return float(np.quantile(np.array(ratios), COVER)) if ratios else 1.0


def _load(run: ResolvedRun) -> float:
    return float("nan") if run.run.load_value is None else run.run.load_value


def _tails(
    said: Said, classes: Mapping[int, Mapping[str, Class]], left: frozenset[int]
) -> dict[Class, float]:
    """Median log of measured over predicted mean of the rows a fit saw."""
    seen: dict[Class, list[float]] = {}
    for place, logs in said.items():
        if place not in left:
            for metric, value in logs.items():
                one = classes[place][metric]
                for each in {one, (*one[:2], "")}:
                    seen.setdefault(each, []).append(value)
    return {
        one: float(np.median(found))
        for one, found in seen.items()
        if one[0].endswith(_CALIBRATED) or one[:2] == ("ttft_mean", "closed")
    }


def write_table(path: Path, header: Sequence[str], columns: Sequence[str], rows: Table) -> None:
    """Write a table with `header` as comment lines."""
    with path.open("w", newline="", encoding="utf-8") as file:
        file.writelines(f"# {line}\n" for line in header)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(columns)
        writer.writerows(rows)

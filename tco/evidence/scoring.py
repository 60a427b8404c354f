"""Errors of predictions against measured values: medians, cells, intervals, noise (P16).

Pure functions over `ScoreRow`; shares and errors are fractions.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from statistics import median

import numpy as np

from tco.evidence.record import UNANSWERED_ERROR, ScoreRow

ALPHA = 0.2  # an 80 % interval
CONSTANT_WIDTHS = np.exp(np.linspace(math.log(1.01), math.log(60.0), 400)) - 1.0


@dataclass(frozen=True, slots=True)
class ErrorSummary:
    """Errors of a group of rows."""

    rows: int
    runs: int
    cells: int
    answered: int
    median: float | None  # over answered rows
    p90: float | None
    median_all: float | None  # unanswered rows count as 100 %
    cell_median: float | None  # mean over cells of the median of each
    cell_median_all: float | None


@dataclass(frozen=True, slots=True)
class IntervalSummary:
    """How the 80 % intervals of a group held."""

    rows: int
    covered: float  # share of measured values inside
    score: float  # mean interval score in ln units, lower is better
    constant_width: float  # best single relative width in hindsight
    constant_covered: float
    constant_score: float

    @property
    def beats_constant(self) -> bool:
        """Whether the intervals score better than one constant relative width."""
        return self.score < self.constant_score


def summarise(rows: Sequence[ScoreRow]) -> ErrorSummary:
    """Return the errors of `rows`; those of overloaded runs must have been left out (P16.1, P16.3).

    Examples
    --------
    >>> def row(measured, predicted, device):
    ...     return ScoreRow("s", device, "m", "tpot_mean", measured, predicted)
    >>> found = summarise([row(10, 11, "a"), row(10, 13, "a"), row(10, None, "b")])
    >>> found.median, found.median_all, found.cell_median_all
    (0.2, 0.3, 0.6)
    """
    errors = [row.error for row in rows]
    answered = [error for error in errors if error is not None]
    every = [UNANSWERED_ERROR if error is None else error for error in errors]
    cells: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    cells_all: dict[tuple[str, str, str], list[float]] = defaultdict(list)
    for row, error, counted in zip(rows, errors, every, strict=True):
        cells_all[row.cell].append(counted)
        if error is not None:
            cells[row.cell].append(error)
    return ErrorSummary(
        rows=len(rows),
        runs=len({(row.source, row.run_id) for row in rows}),
        cells=len(cells_all),
        answered=len(answered),
        median=median(answered) if answered else None,
        p90=float(np.quantile(answered, 0.9)) if answered else None,
        median_all=median(every) if every else None,
        cell_median=_mean_of_medians(cells.values()),
        cell_median_all=_mean_of_medians(cells_all.values()),
    )


def _mean_of_medians(groups: Iterable[Sequence[float]]) -> float | None:
    medians = [median(group) for group in groups]
    return sum(medians) / len(medians) if medians else None


def by(rows: Iterable[ScoreRow], key: Callable[[ScoreRow], str]) -> dict[str, list[ScoreRow]]:
    """Return rows grouped by `key`, groups in alphabetical order."""
    groups: dict[str, list[ScoreRow]] = defaultdict(list)
    for row in rows:
        groups[key(row)].append(row)
    return dict(sorted(groups.items()))


def interval_score(measured: float, low: float, high: float) -> float:
    """Return the interval (Winkler) score of an 80 % interval in ln units; lower is better (P13.3).

    Width plus 2 / 0.2 times the miss, both of logarithms: scale-free, so milliseconds and tokens
    per second can be averaged.

    Examples
    --------
    >>> round(interval_score(10.0, 8.0, 12.0), 3)  # ln 1.5, no miss
    0.405
    >>> round(interval_score(15.0, 8.0, 12.0), 3)  # and ten times ln(15 / 12)
    2.637
    """
    width = math.log(high / low)
    miss = max(0.0, math.log(low / measured), math.log(measured / high))
    return width + 2.0 / ALPHA * miss


def interval_summary(rows: Sequence[ScoreRow]) -> IntervalSummary | None:
    """Return coverage and mean score against the best single relative width (P13.3).

    The rival interval is ``predicted / (1 + w)`` to ``predicted x (1 + w)``, with the one `w` that
    scores best on these very rows: a rival with hindsight. None without intervals.
    """
    kept = [row for row in rows if row.has_interval and row.predicted and row.predicted > 0]
    if not kept:
        return None
    measured = np.array([row.measured for row in kept])
    predicted = np.array([row.predicted for row in kept], dtype=float)
    low = np.array([row.low for row in kept], dtype=float)
    high = np.array([row.high for row in kept], dtype=float)
    inside = (low <= measured) & (measured <= high)
    miss = np.maximum(0.0, np.maximum(np.log(low / measured), np.log(measured / high)))
    score = float(np.mean(np.log(high / low) + 2.0 / ALPHA * miss))
    off = np.abs(np.log(measured / predicted))
    half = np.log1p(CONSTANT_WIDTHS)
    rivals = 2 * half + 2.0 / ALPHA * np.maximum(0.0, off[None, :] - half[:, None]).mean(axis=1)
    best = int(np.argmin(rivals))
    return IntervalSummary(
        rows=len(kept),
        covered=float(inside.mean()),
        score=score,
        constant_width=float(CONSTANT_WIDTHS[best]),
        constant_covered=float((off <= half[best]).mean()),
        constant_score=float(rivals[best]),
    )


@dataclass(frozen=True, slots=True)
class OverloadSummary:
    """Runs the server could not sustain, and runs it could."""

    overloaded: int
    called: int  # of those, called overloaded
    sustained: int
    false_alarms: int  # sustained, yet called overloaded

    @property
    def share_called(self) -> float | None:
        """Share of overloaded runs that were called so."""
        return self.called / self.overloaded if self.overloaded else None


def overload_summary(calls: Iterable[tuple[bool, bool | None]]) -> OverloadSummary:
    """Count (was overloaded, was called overloaded or None without an answer) pairs (P16.3).

    Examples
    --------
    >>> found = overload_summary([(True, True), (True, None), (False, True), (False, False)])
    >>> found.share_called, found.false_alarms, found.sustained
    (0.5, 1, 2)
    """
    pairs = list(calls)
    return OverloadSummary(
        overloaded=sum(was for was, _ in pairs),
        called=sum(was and bool(said) for was, said in pairs),
        sustained=sum(not was for was, _ in pairs),
        false_alarms=sum(not was and bool(said) for was, said in pairs),
    )

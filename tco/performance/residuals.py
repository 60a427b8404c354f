"""Percentiles over means, and 80 % intervals, from what a fit leaves unexplained (P13.3).

A tail is the median of measured over predicted mean, by metric, kind of load and requests in
flight, on rows that the fit saw. An interval holds 80 % of measured over predicted, by family of
metrics and kind of load, on rows that the fit did not see, of other devices (models, sources) than
the one asked for. Finer classes were tried: on a device left out they score worse than these.
"""

from __future__ import annotations

import csv
import functools
import importlib.resources
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

TAILS, INTERVALS = "tables/serving_tails.csv", "tables/serving_intervals.csv"
FEW, SOME = 8.0, 64.0
LEAST_ROWS = 25
COVER = 0.8
LEAST_HALF_WIDTH = 0.03
WIDEST = (-0.7, 0.7)  # where there are no rows at all
SEEN = "seen"  # intervals where the fit has seen the device: other models left out
Class = tuple[str, str, str]  # metric, kind of load, in flight
Family = tuple[str, str]  # family of metrics, kind of load


@dataclass(frozen=True, slots=True)
class Interval:
    """Logarithms of measured over predicted between which 80 % lie."""

    low: float
    high: float
    rows: int


def class_of(metric: str, kind: str, load: float) -> Class:
    """Return the class of a tail."""
    if kind in ("offline", "open_poisson_at_slo") or load != load:
        return metric, kind, "any"
    return metric, kind, "few" if load <= FEW else "some" if load <= SOME else "many"


def family_of(metric: str, kind: str) -> Family:
    """Return the class of an interval.

    Examples
    --------
    >>> family_of("ttft_p99", "closed")
    ('ttft', 'closed')
    """
    return metric.split("_")[0], kind


def wider(one: Family) -> tuple[Family, ...]:
    """Return the classes that stand in, from the nearest to the widest."""
    return one, (one[0], ""), ("", "")


def interval(values: Sequence[float], groups: Sequence[str]) -> tuple[float, float]:
    """Return the logarithms between which 80 % of `values` lie.

    Rows of one group (a device) err together, so each group weighs the square root of its rows.

    Examples
    --------
    >>> interval([], [])
    (-0.7, 0.7)
    """
    if not len(values):
        return WIDEST
    found, names = np.array(values), np.array(groups)
    _, place, counts = np.unique(names, return_inverse=True, return_counts=True)
    weight = 1 / np.sqrt(counts[place])
    order = np.argsort(found)
    reached = np.cumsum(weight[order]) / weight.sum()
    edge = (1 - COVER) / 2
    low = found[order][int(np.searchsorted(reached, edge))]
    high = found[order][min(int(np.searchsorted(reached, 1 - edge)), len(found) - 1)]
    return min(float(low), -LEAST_HALF_WIDTH), max(float(high), LEAST_HALF_WIDTH)


def _rows(name: str) -> list[dict[str, str]]:
    text = importlib.resources.files("tco.performance").joinpath(name)
    with text.open(encoding="utf-8") as file:
        return list(csv.DictReader(line for line in file if not line.startswith("#")))


@functools.cache
def shipped_tails() -> Mapping[str, Mapping[Class, float]]:
    """Return the logarithm of each tail, by fold."""
    folds: dict[str, dict[Class, float]] = {}
    for row in _rows(TAILS):
        one = (row["metric"], row["kind"], row["in_flight"])
        folds.setdefault(row["fold"], {})[one] = float(row["tail_log"])
    return folds


@functools.cache
def shipped_intervals() -> Mapping[str, Mapping[Family, Interval]]:
    """Return the intervals by fold."""
    folds: dict[str, dict[Family, Interval]] = {}
    for row in _rows(INTERVALS):
        found = Interval(float(row["low_log"]), float(row["high_log"]), int(row["rows"]))
        folds.setdefault(row["fold"], {})[(row["family"], row["kind"])] = found
    return folds


def tail_for(one: Class, table: Mapping[Class, float]) -> float:
    """Return the tail of a class, or of its metric and kind of load; 0 where there is none."""
    return next((table[each] for each in (one, (*one[:2], "")) if each in table), 0.0)


def interval_for(one: Family, table: Mapping[Family, Interval]) -> Interval:
    """Return the interval of a class, or of the nearest that stands in."""
    return next((table[each] for each in wider(one) if each in table), Interval(*WIDEST, 0))

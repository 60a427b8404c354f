"""Percentiles over means, and 80 % intervals, by class of evidence (P13.3).

A class is a metric under a kind of load at few, some or many requests in flight. Its tail is the
median of measured over predicted mean on the rows that the fit saw; its interval the tenth and
ninetieth percentile of measured over predicted on rows that the fit did not see, of other devices
(models, sources) than the one asked for.
"""

from __future__ import annotations

import csv
import functools
import importlib.resources
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np

TABLE = "tables/serving_residuals.csv"
FEW, SOME = 8.0, 64.0
LEAST_ROWS = 25
WIDEST = (-0.7, 0.7)  # of a class without rows, as logarithms
COVER = 0.8
LEAST_HALF_WIDTH = 0.03
SEEN = "seen"  # intervals where the fit has seen the device: other models left out
Class = tuple[str, str, str]  # metric, kind of load, in flight


@dataclass(frozen=True, slots=True)
class Residual:
    """Logarithms of measured over predicted."""

    tail: float
    low: float
    high: float
    rows: int


def class_of(metric: str, kind: str, load: float) -> Class:
    """Return the class of a prediction."""
    if kind in ("offline", "open_poisson_at_slo") or load != load:
        return metric, kind, "any"
    return metric, kind, "few" if load <= FEW else "some" if load <= SOME else "many"


def wider(one: Class) -> tuple[Class, ...]:
    """Return the classes that stand in, from the nearest to the widest."""
    metric, kind, _ = one
    family = metric.split("_")[0]
    return one, (metric, kind, ""), (metric, "", ""), (family, "", ""), ("", "", "")


def pool(rows: Iterable[tuple[Class, float]]) -> dict[Class, list[float]]:
    """Return the residuals of each class and of those that stand in for it."""
    found: dict[Class, list[float]] = {}
    for one, value in rows:
        for each in wider(one):
            found.setdefault(each, []).append(value)
    return found


def nearest(one: Class, pools: Mapping[Class, list[float]]) -> list[float]:
    """Return the residuals of the nearest class with enough rows; empty where there is none."""
    for each in wider(one):
        if len(pools.get(each, ())) >= LEAST_ROWS:
            return pools[each]
    return []


def interval(values: list[float]) -> tuple[float, float]:
    """Return the logarithms between which 80 % of `values` lie."""
    if not values:
        return WIDEST
    edge = (1 - COVER) / 2
    low, high = np.quantile(np.array(values), [edge, 1 - edge])
    return min(float(low), -LEAST_HALF_WIDTH), max(float(high), LEAST_HALF_WIDTH)


@functools.cache
def shipped_residuals() -> Mapping[str, Mapping[Class, Residual]]:
    """Return the shipped table by fold."""
    folds: dict[str, dict[Class, Residual]] = {}
    text = importlib.resources.files("tco.performance").joinpath(TABLE)
    with text.open(encoding="utf-8") as file:
        for row in csv.DictReader(line for line in file if not line.startswith("#")):
            one = (row["metric"], row["kind"], row["in_flight"])
            folds.setdefault(row["fold"], {})[one] = Residual(
                float(row["tail_log"]),
                float(row["low_log"]),
                float(row["high_log"]),
                int(row["rows"]),
            )
    return folds


def residual_for(one: Class, table: Mapping[Class, Residual]) -> Residual:
    """Return the residual of a class, or of the nearest that stands in."""
    for each in wider(one):
        if each in table:
            return table[each]
    return Residual(0.0, *WIDEST, 0)

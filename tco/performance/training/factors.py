"""The fitted factors of a training step and the intervals of its left-out errors (P13.2, P13.3).

Both tables are what ``python -m tco.evidence.training_fit`` writes.
"""

from __future__ import annotations

import csv
import functools
import importlib.resources
import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from tco.performance.dtypes import dtype_bytes
from tco.performance.training.shape import TrainingShape

SOURCE = (
    "fitted to public training runs (llm-foundry, torchtitan, NeMo, MLPerf Training v5.1), "
    "python -m tco.evidence.training_fit"
)
FIT_DATE = "2026-12-01"


@dataclass(frozen=True, slots=True)
class Interval:
    """80 % of the left-out runs of a class lie between `low` and `high` times the prediction."""

    evidence: str
    low: float
    high: float
    runs: int


def _read(name: str) -> list[dict[str, str]]:
    path = importlib.resources.files("tco.performance.training") / "tables" / name
    with path.open(encoding="utf-8") as text:
        return list(csv.DictReader(text))


@functools.cache
def factors() -> Mapping[str, float]:
    """Return the shipped factors by name."""
    return MappingProxyType({r["factor"]: float(r["value"]) for r in _read("factors.csv")})


@functools.cache
def device_factor(device: str) -> float:
    """Return the residual factor of a device with measured runs, shrunk to 1; 1 for others."""
    known = {r["factor"]: float(r["value"]) for r in _read("device_factors.csv")}
    return known.get(device, 1.0)


@functools.cache
def _intervals() -> Mapping[str, Interval]:
    return MappingProxyType(
        {
            r["evidence"]: Interval(
                r["evidence"], float(r["low"]), float(r["high"]), int(r["runs"])
            )
            for r in _read("intervals.csv")
        }
    )


def evidence_class(shape: TrainingShape, dtype: str, *, measured_rate: bool) -> str:
    """Return the class whose left-out errors give the interval.

    Examples
    --------
    >>> from tco.performance.training.factors import factors
    >>> factors()["products_16"] >= 1
    True
    """
    if shape.experts:
        return "experts"
    if not measured_rate:
        return "data sheet"
    return "narrow" if dtype_bytes(dtype) < 2 else "16 bits"


def interval_of(evidence: str) -> Interval:
    """Return the interval of a class; the widest where the class is not known (P0.5)."""
    known = _intervals()
    if evidence in known:
        return known[evidence]
    return max(known.values(), key=lambda i: math.log(i.high / i.low))

"""A sweep as a table: values of the axes, cost of every option, the cheapest; CSV and Parquet."""

from __future__ import annotations

import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from tco.sweep.run import FloatArray, Sweep

FORMATS = ("csv", "parquet")


@dataclass(frozen=True, slots=True)
class Summary:
    """What a sweep says.

    Parameters
    ----------
    wins
        Share of the points at which each option is the cheapest, by key.
    best
        Point, option and cost of the least of all; None where nothing has a price.
    unpriced
        Points at which no option has a price.
    """

    points: int
    wins: dict[str, float]
    best: tuple[int, str, float] | None
    unpriced: int
    least: dict[str, float]
    most: dict[str, float]


def cheapest(cost: FloatArray) -> np.ndarray[Any, np.dtype[np.int64]]:
    """Place of the cheapest option at each point; -1 where none has a price."""
    known = ~np.isnan(cost).all(axis=1)
    found = np.full(len(cost), -1, dtype=np.int64)
    found[known] = np.nanargmin(cost[known], axis=1)
    return found


def summary(options: Sequence[str], cost: FloatArray) -> Summary:
    """Return what a sweep says, from the cost of every option at every point."""
    first = cheapest(cost)
    priced = int((first >= 0).sum())
    best = None
    if priced:
        place = int(np.nanargmin(np.where(np.isnan(cost), np.inf, cost).min(axis=1)))
        best = place, options[int(first[place])], float(np.nanmin(cost[place]))
    columns = {key: cost[:, at][~np.isnan(cost[:, at])] for at, key in enumerate(options)}
    return Summary(
        points=len(cost),
        wins={
            key: float((first == at).sum()) / priced if priced else 0.0
            for at, key in enumerate(options)
        },
        best=best,
        unpriced=len(cost) - priced,
        least={key: float(column.min()) for key, column in columns.items() if column.size},
        most={key: float(column.max()) for key, column in columns.items() if column.size},
    )


def frame(sweep: Sweep, cost: FloatArray, first: int = 0) -> pd.DataFrame:
    """Return points `first` onwards as a table; money in the scenario's currency."""
    rows = np.array(np.unravel_index(np.arange(first, first + len(cost)), sweep.shape))
    columns: dict[str, Any] = {}
    for axis, places in zip(sweep.axes, rows, strict=True):
        kind = object if axis.named else float
        columns[axis.path] = np.asarray(axis.values, dtype=kind)[places]
    for at, key in enumerate(sweep.options):
        columns[f"tco_{sweep.currency.lower()}[{key}]"] = cost[:, at]
    names = np.array([*sweep.options, ""], dtype=object)
    columns["cheapest"] = names[cheapest(cost)]
    return pd.DataFrame(columns)


def written(table: pd.DataFrame, form: str) -> bytes:
    """Return a table as a file; a cost that is not known is empty."""
    out = io.BytesIO()
    if form == "parquet":
        table.to_parquet(out, index=False)
    else:
        table.to_csv(out, index=False, lineterminator="\r\n")
    return out.getvalue()


def blocks(size: int, each: int) -> Iterator[tuple[int, int]]:
    """Yield the ends of blocks that together are all points.

    >>> list(blocks(5, 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    for first in range(0, size, each):
        yield first, min(first + each, size)

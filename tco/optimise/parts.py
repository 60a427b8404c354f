"""Parts of a model that share no row are solved one by one: five small proofs, not one large."""

from __future__ import annotations

import threading
import time
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from tco.optimise.highs import Answer, Progress, Report, run_highs
from tco.optimise.model import Model


def parts_of(model: Model) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Return (columns, rows) of each part, largest first; an empty row belongs to none."""
    rows, columns = model.matrix.shape
    if not columns:
        return []
    pattern = model.matrix.copy()
    pattern.data = np.ones_like(pattern.data)
    count, label = connected_components(pattern.T @ pattern, directed=False)
    leading = np.full(rows, -1)
    filled = np.flatnonzero(np.diff(model.matrix.indptr))
    leading[filled] = label[model.matrix.indices[model.matrix.indptr[filled]]]
    found = [(np.flatnonzero(label == one), np.flatnonzero(leading == one)) for one in range(count)]
    return sorted(found, key=lambda part: -len(part[0]))


def run_parts(
    model: Model,
    seconds: float,
    gap_fraction: float = 0.0,
    *,
    report: Report | None = None,
    cancel: threading.Event | None = None,
) -> Answer:
    """Solve each part in turn; together they are the answer to the whole."""
    found = parts_of(model)
    if len(found) <= 1:
        return run_highs(model, seconds, gap_fraction, report=report, cancel=cancel)
    began = time.monotonic()
    values = np.zeros(model.matrix.shape[1])
    cost, bound = 0.0, 0.0
    known = True
    trace: list[Progress] = []
    for place, (columns, rows) in enumerate(found):
        left = seconds - (time.monotonic() - began)
        # what is left of the time, shared by what is left of the parts; large ones come first
        share = max(0.5, left / 2 if place + 1 < len(found) else left)
        one = run_highs(_part(model, columns, rows), share, gap_fraction, cancel=cancel)
        if one.values is None:
            return replace(one, trace=trace)
        values[columns] = one.values
        cost += float(model.cost[columns] @ one.values)
        known = known and one.bound_units is not None
        bound += one.bound_units or 0.0
        whole = place + 1 == len(found)
        trace.append(
            Progress(
                time.monotonic() - began,
                cost if whole else None,
                bound if whole and known else None,
                max(0.0, (cost - bound) / abs(cost)) if whole and known and cost else None,
            )
        )
        if report is not None:
            report(trace[-1])
    return Answer(values, bound if known else None, infeasible=False, trace=trace)


def _part(model: Model, columns: NDArray[np.int64], rows: NDArray[np.int64]) -> Model:
    return replace(
        model,
        cost=model.cost[columns],
        lower=model.lower[columns],
        upper=model.upper[columns],
        whole=model.whole[columns],
        matrix=model.matrix[rows][:, columns].tocsr(),
        row_lower=model.row_lower[rows],
        row_upper=model.row_upper[rows],
        rows=tuple(model.rows[row] for row in rows),
    )

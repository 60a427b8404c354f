"""HiGHS on one core: values, bound, progress, cancel.

The solver's own Python interface is used and not `scipy.optimize.milp`: the same HiGHS, but it
tells how the gap closes and stops when asked to.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import highspy
import numpy as np
from highspy._core import _Highs
from highspy._core import cb as callbacks

from tco.optimise.model import Model
from tco.optimise.problem import Array

PROVEN_FRACTION = 1e-6  # a gap below it is called 0: the solver's own tolerance


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the proof is."""

    seconds: float
    best_units: float | None  # of what is minimised
    bound_units: float | None
    gap_fraction: float | None


Report = Callable[[Progress], None]


def gap_of(value: float, bound: float) -> float:
    """Distance of a cost from a bound on it, as a fraction of the cost.

    Examples
    --------
    >>> gap_of(100.0, 99.0), gap_of(0.0, 0.0)
    (0.01, 0.0)
    """
    return (value - bound) / abs(value) if value else float(value > bound)


@dataclass
class Answer:
    """What the solver said."""

    values: Array | None
    bound_units: float | None
    infeasible: bool
    trace: list[Progress] = field(default_factory=list)


def run_highs(
    model: Model,
    seconds: float,
    gap_fraction: float = 0.0,
    *,
    report: Report | None = None,
    cancel: threading.Event | None = None,
) -> Answer:
    """Run the solver on one core."""
    highs = _loaded(model, seconds, gap_fraction)
    trace: list[Progress] = []
    began = time.monotonic()

    def watch(_kind: object, _text: str, data: Any, reply: Any, _own: object) -> None:
        now = time.monotonic() - began
        if not trace or now - trace[-1].seconds >= 0.5:
            best, bound = _finite(data.mip_primal_bound), _finite(data.mip_dual_bound)
            gap = None if best is None or bound is None else max(0.0, gap_of(best, bound))
            trace.append(Progress(now, best, bound, gap))
            if report is not None:
                report(trace[-1])
        if cancel is not None and cancel.is_set():
            reply.user_interrupt = True

    highs.setCallback(watch, None)
    highs.startCallback(callbacks.HighsCallbackType.kCallbackMipInterrupt)
    highs.run()
    state = highs.getModelStatus()
    info = highs.getInfo()
    status = highspy.HighsModelStatus
    infeasible = state in (status.kInfeasible, status.kUnboundedOrInfeasible)
    if info.primal_solution_status != highspy.SolutionStatus.kSolutionStatusFeasible:
        return Answer(None, _finite(info.mip_dual_bound), infeasible, trace)
    return Answer(
        np.array(highs.getSolution().col_value),
        _finite(info.mip_dual_bound),
        infeasible,
        trace,
    )


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) and abs(value) < 1e300 else None


def _loaded(model: Model, seconds: float, gap_fraction: float) -> _Highs:
    # the class beneath `highspy.Highs`, whose constructor prints a banner into our JSON
    highs = _Highs()
    options: dict[str, bool | float | str] = {
        "output_flag": False,
        "threads": 1,
        "parallel": "off",
        "time_limit": float(seconds),
        "mip_rel_gap": max(gap_fraction, PROVEN_FRACTION / 2),
        "mip_abs_gap": 0.0,
        "mip_feasibility_tolerance": 1e-7,
        "primal_feasibility_tolerance": 1e-8,
        "random_seed": 0,
    }
    for name, value in options.items():
        highs.setOptionValue(name, value)
    lp = highspy.HighsLp()
    rows, columns = model.matrix.shape
    lp.num_col_, lp.num_row_ = columns, rows
    lp.col_cost_ = model.cost
    lp.col_lower_, lp.col_upper_ = _bounded(model.lower), _bounded(model.upper)
    lp.row_lower_, lp.row_upper_ = _bounded(model.row_lower), _bounded(model.row_upper)
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = model.matrix.indptr
    lp.a_matrix_.index_ = model.matrix.indices
    lp.a_matrix_.value_ = model.matrix.data
    kinds = highspy.HighsVarType
    lp.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in model.whole]
    if highs.passModel(lp) == highspy.HighsStatus.kError:
        raise ValueError("the solver refused the model")
    return highs


def _bounded(values: Array) -> Array:
    found: Array = np.clip(values, -highspy.kHighsInf, highspy.kHighsInf)
    return found

"""The cheapest mix, the bound that proves it, progress, cancel."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tco.errors import InputError
from tco.optimise.dominance import undominated
from tco.optimise.highs import PROVEN_FRACTION, Answer, Progress, Report, gap_of
from tco.optimise.model import Model, build
from tco.optimise.parts import run_parts
from tco.optimise.problem import Problem

SECONDS = 60.0
FEW_SECONDS = 3.0  # for trying with few limits first
OPTIMAL, FEASIBLE, INFEASIBLE, UNKNOWN = "optimal", "feasible", "infeasible", "unknown"


@dataclass(frozen=True)
class Solution:
    """A mix and what is proven of it.

    Parameters
    ----------
    state
        ``optimal`` (gap at most 1e-6), ``feasible`` (time or cancel came first), ``infeasible``,
        ``unknown`` (nothing was found in the time).
    counts
        Machines of each column; empty where there is none.
    totals
        Each objective, by name; ``usd`` with steps and costs paid once.
    bound_units, gap_fraction
        No mix costs less than the bound; (cost - bound) / cost.
    considered
        Columns that the solver saw, after those beaten in everything were left out.
    """

    state: str
    objective: str
    counts: tuple[int, ...] = ()
    totals: dict[str, float] = field(default_factory=dict)
    bound_units: float | None = None
    gap_fraction: float | None = None
    seconds: float = 0.0
    considered: int = 0
    trace: tuple[Progress, ...] = ()
    cancelled: bool = False

    @property
    def found(self) -> bool:
        """True where there is a mix."""
        return bool(self.counts)


def solve(
    problem: Problem,
    objective: str = "usd",
    *,
    seconds: float = SECONDS,
    gap_fraction: float = 0.0,
    report: Report | None = None,
    cancel: threading.Event | None = None,
) -> Solution:
    """Return the mix with the least of `objective` (F1.9).

    Parameters
    ----------
    seconds
        After which the best mix so far is returned, with its gap.
    gap_fraction
        Proof that is enough; 0: to the solver's tolerance.
    report
        Called about once a second with how far the proof is.
    cancel
        Set from another thread to stop.

    Raises
    ------
    InputErrors
        As `Problem.check`.
    InputError
        Unknown objective, or one that pays for machines without end.

    Examples
    --------
    >>> from tco.optimise.problem import Column, Demand
    >>> two = Problem((Column("small"), Column("large")), {"usd": np.array([3.0, 5.0])},
    ...               (Demand("chat", 7, "req/s"),), np.array([[2.0, 4.0]]))
    >>> found = solve(two)
    >>> found.state, found.counts, found.totals["usd"], found.bound_units
    ('optimal', (0, 2), 10.0, 10.0)
    """
    problem.check()
    if objective not in problem.cost:
        known = ", ".join(problem.cost)
        raise InputError("objective", f"{objective!r} is none", f"use one of {known}")
    cost = problem.cost[objective]
    endless = [
        column.label
        for column, usd in zip(problem.columns, cost, strict=True)
        if usd < 0 and column.most is None
    ]
    if endless:
        raise InputError(endless[0], "each one more lowers the total", "check its prices")
    kept = undominated(problem, cost)
    model = build(problem, cost, kept, money=objective == "usd")
    return solve_model(
        problem,
        model,
        objective,
        seconds=seconds,
        gap_fraction=gap_fraction,
        report=report,
        cancel=cancel,
    )


def solve_model(
    problem: Problem,
    model: Model,
    objective: str,
    *,
    seconds: float,
    gap_fraction: float = 0.0,
    report: Report | None = None,
    cancel: threading.Event | None = None,
) -> Solution:
    """Solve a model laid out by `build`."""
    began = time.monotonic()
    answer = _with_few_limits(model, min(FEW_SECONDS, seconds / 4), gap_fraction, cancel)
    if answer is None:
        left = seconds - (time.monotonic() - began)
        answer = run_parts(model, left, gap_fraction, report=report, cancel=cancel)
    took = time.monotonic() - began
    stopped = cancel is not None and cancel.is_set()
    if answer.values is None:
        state = INFEASIBLE if answer.infeasible else UNKNOWN
        return Solution(
            state, objective, seconds=took, considered=model.machines, cancelled=stopped
        )
    counts = tuple(model.counts(answer.values))
    totals = problem.totals(counts)
    value = totals[objective]
    # the solver's bound may pass the exact cost by its own rounding
    bound = None if answer.bound_units is None else min(answer.bound_units, value)
    gap = None if bound is None else gap_of(value, bound)
    proven = gap is not None and gap <= PROVEN_FRACTION
    if proven:
        bound, gap = value, 0.0
    return Solution(
        state=OPTIMAL if proven else FEASIBLE,
        objective=objective,
        counts=counts,
        totals=totals,
        bound_units=bound,
        gap_fraction=gap,
        seconds=took,
        considered=model.machines,
        trace=tuple(answer.trace),
        cancelled=stopped,
    )


def _with_few_limits(
    model: Model, seconds: float, gap_fraction: float, cancel: threading.Event | None
) -> Answer | None:
    """Try without the limits that tie workloads together, adding those that a mix breaks.

    A mix that is the best of fewer rules and breaks none of the others is the best of all. Most
    limits of a scenario do not bind, and without them the workloads fall apart into parts.
    """
    limits = np.array([row.kind == "limit" for row in model.rows], dtype=bool)
    held = ~limits
    began = time.monotonic()
    while not held.all():
        left = seconds - (time.monotonic() - began)
        if left <= 0 or (cancel is not None and cancel.is_set()):
            return None
        answer = run_parts(_rows(model, held), left, gap_fraction, cancel=cancel)
        if answer.infeasible:
            return answer  # with fewer rules there is none: with all there is none
        if answer.values is None:
            return None
        used = model.matrix @ np.rint(answer.values * model.whole) + model.matrix @ (
            answer.values * ~model.whole
        )
        broken = limits & ~held & (used > model.row_upper + 1e-9 * (1 + np.abs(model.row_upper)))
        if not broken.any():
            cost = float(model.cost @ answer.values)
            bound = answer.bound_units
            done = bound is not None and gap_of(cost, bound) <= max(gap_fraction, PROVEN_FRACTION)
            return answer if done else None
        held = held | broken
    return None


def _rows(model: Model, held: NDArray[np.bool_]) -> Model:
    places = np.flatnonzero(held)
    return replace(
        model,
        matrix=model.matrix[places],
        row_lower=model.row_lower[places],
        row_upper=model.row_upper[places],
        rows=tuple(model.rows[place] for place in places),
    )

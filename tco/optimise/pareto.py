"""Mixes of which none is better in everything: cost, latency, power, carbon (epsilon constraint).

The first objective is minimised under ceilings on the others, ceiling by ceiling between what its
own best mix and each other objective's best mix need. Latency is a property of configurations: a
ceiling on it leaves the slower ones out.
"""

from __future__ import annotations

import itertools
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tco.errors import InputError
from tco.optimise.explain import restricted
from tco.optimise.problem import Array, Column, Limit, Problem
from tco.optimise.solve import Solution, solve

LATENCY = "latency_ms"
POINTS = 7
SECONDS = 5.0


@dataclass(frozen=True, slots=True)
class Point:
    """One mix of the front."""

    solution: Solution
    latency_ms: float | None  # of the slowest machine in it
    ceilings: dict[str, float]

    @property
    def values(self) -> dict[str, float]:
        """Every axis of the front."""
        found = dict(self.solution.totals)
        if self.latency_ms is not None:
            found[LATENCY] = self.latency_ms
        return found


def front(
    problem: Problem,
    objective: str = "usd",
    others: Sequence[str] = ("carbon_kg",),
    *,
    points: int = POINTS,
    seconds: float = SECONDS,
    cancel: threading.Event | None = None,
    report: Callable[[int, int], None] | None = None,
) -> list[Point]:
    """Return the mixes that no other one found beats, cheapest first.

    Parameters
    ----------
    others
        Objectives of the problem, or ``latency_ms``.
    points
        Ceilings tried on each of them; so many to the power of their number are solved.
    report
        Called with (solved, all) after each.

    Raises
    ------
    InputError
        An axis that is none, fewer than two points, more solves than 2,000.
    """
    unknown = [name for name in others if name != LATENCY and name not in problem.cost]
    if unknown:
        known = ", ".join([*problem.cost, LATENCY])
        raise InputError("others", f"{unknown[0]!r} is none", f"use some of {known}")
    if points < 2:
        raise InputError("points", f"{points} is below 2", "try 7")
    if points ** len(others) > 2000:
        said = f"{points} to the power of {len(others)} are more than 2,000 mixes"
        raise InputError("points", said, "use fewer points or axes")
    best = solve(problem, objective, seconds=seconds, cancel=cancel)
    if not best.found:
        return []
    axes = [_ceilings(problem, best, name, points, seconds) for name in others]
    grid = list(itertools.product(*axes))
    found: list[Point] = [_point(problem, best, {})]
    for done, ceilings in enumerate(grid, start=1):
        if cancel is not None and cancel.is_set():
            break
        named = dict(zip(others, ceilings, strict=True))
        try:
            one = solve(_under(problem, named), objective, seconds=seconds, cancel=cancel)
        except ValueError:  # a ceiling on latency left a workload without machines
            one = Solution("infeasible", objective)
        if one.found:
            found.append(_point(problem, one, named))
        if report is not None:
            report(done, len(grid))
    return unbeaten(found, (objective, *others))


def _ceilings(
    problem: Problem, best: Solution, name: str, points: int, seconds: float
) -> list[float]:
    if name == LATENCY:
        levels = sorted({c.latency_ms for c in problem.columns if c.latency_ms is not None})
        if len(levels) <= points:
            return levels
        places = np.linspace(0, len(levels) - 1, points).round().astype(int)
        return [levels[place] for place in places]
    least = solve(problem, name, seconds=seconds)
    low = least.totals[name] if least.found else best.totals[name]
    return [float(value) for value in np.linspace(low, best.totals[name], points)]


def _under(problem: Problem, ceilings: dict[str, float]) -> Problem:
    slowest = ceilings.get(LATENCY)
    if slowest is not None:

        def quick(column: Column) -> bool:
            return column.latency_ms is None or column.latency_ms <= slowest

        problem = restricted(problem, quick)
    more = tuple(
        Limit(f"ceiling on {name}", problem.units.get(name, ""), problem.cost[name], _loose(most))
        for name, most in ceilings.items()
        if name != LATENCY
    )
    return replace(problem, limits=(*problem.limits, *more))


def _loose(value: float) -> float:
    """A ceiling at a mix's own value must let that mix through."""
    return value + 1e-9 * abs(value)


def _point(problem: Problem, solution: Solution, ceilings: dict[str, float]) -> Point:
    times = [
        column.latency_ms
        for column, count in zip(problem.columns, solution.counts, strict=True)
        if count and column.latency_ms is not None
    ]
    return Point(solution, max(times, default=None), ceilings)


def unbeaten(points: Sequence[Point], axes: Sequence[str]) -> list[Point]:
    """Return the points that no other one equals or beats on every axis, cheapest first."""
    rows: Array = np.array([[one.values.get(axis, 0.0) for axis in axes] for one in points])
    order = np.lexsort(rows.T[::-1])
    kept: list[int] = []
    for place in order:
        tolerance = 1e-9 * np.abs(rows[place])
        if not any((rows[other] <= rows[place] + tolerance).all() for other in kept):
            kept.append(int(place))
    return [points[place] for place in kept]

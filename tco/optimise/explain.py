"""What binds a mix, what one more of it is worth, and the mix that would be second."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tco.optimise.problem import Column, Limit, Problem, Step
from tco.optimise.solve import OPTIMAL, Solution, solve

SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Binding:
    """A limit that a mix has used up, and what loosening it saves (F1.9).

    Parameters
    ----------
    used, available
        Of the limit, in ``unit``.
    more_units
        What it was loosened by to find its worth: one unit, or the largest machine where a unit
        lets none in.
    worth_per_unit
        Of what is minimised, saved per unit of that; None: not computed in the time. At least 0.
    proven
        False: one of the two mixes compared is not proven to be the best.
    """

    name: str
    field: str
    unit: str
    used: float
    available: float
    more_units: float = 0.0
    worth_per_unit: float | None = None
    proven: bool = True
    share: bool = False  # of a share: used and available are machines above it

    @property
    def use_text(self) -> str:
        """How much of it is used.

        Examples
        --------
        >>> Binding("hall", "f", "kW", 18.0, 18.0).use_text
        '18 of 18 kW'
        >>> Binding("in Kiel at most 80%", "f", "machines", -0.8, 0.0, share=True).use_text
        '0.8 machines below the share'
        """
        if self.share:
            room = self.available - self.used
            if room < 1e-9:
                return f"exactly at the share, in {self.unit}"
            return f"{room:,.3g} {self.unit} below the share"
        return f"{self.used:,.6g} of {self.available:,.6g} {self.unit}"

    @property
    def one_unit(self) -> str:
        """One of its unit, in words.

        Examples
        --------
        >>> Binding("x", "f", "machines", 1, 1).one_unit, Binding("x", "f", "kW", 1, 1).one_unit
        ('machine', 'kW')
        """
        return self.unit[:-1] if self.unit in ("machines", "racks", "servers") else self.unit


@dataclass(frozen=True, slots=True)
class Rival:
    """The best mix that does without something of the chosen one."""

    without: str
    solution: Solution
    more_units: float  # of what is minimised, than the chosen mix


def binding(
    problem: Problem,
    solution: Solution,
    *,
    seconds: float = SECONDS,
    cancel: threading.Event | None = None,
) -> list[Binding]:
    """Return the limits that a mix has no room left in, with what one more is worth.

    A limit binds where the smallest machine that takes of it would pass it, or where one machine
    in place of another would and loosening it saves something.

    Examples
    --------
    >>> from tco.optimise.problem import Demand
    >>> hall = Limit("hall", "kW", np.array([10.0, 4.0]), 18.0)
    >>> two = Problem((Column("fast"), Column("frugal")), {"usd": np.array([10.0, 9.0])},
    ...     (Demand("chat", 8, "req/s"),), np.array([[4.0, 2.0]]), (hall,))
    >>> best = solve(two)
    >>> best.counts, best.totals["usd"]
    ((1, 2), 28.0)
    >>> [(one.used, one.more_units, one.worth_per_unit) for one in binding(two, best)]
    [(18.0, 10.0, 0.8)]
    """
    counts = np.asarray(solution.counts)
    found = []
    for place, limit in enumerate(problem.limits):
        positive = limit.use[limit.use > 0]
        used = float(limit.use @ counts)
        left = limit.most_units - used
        if not positive.size or left >= float(np.ptp(limit.use)) - 1e-9:
            continue
        wider = replace(limit, most_units=limit.most_units + _more(limit))
        limits = (*problem.limits[:place], wider, *problem.limits[place + 1 :])
        bound = Binding(
            limit.name,
            limit.field,
            limit.unit,
            used,
            limit.most_units,
            _more(limit),
            share=limit.share,
        )
        bound = _worth(bound, replace(problem, limits=limits), solution, seconds, cancel)
        if left < float(positive.min()) - 1e-9 or bound.worth_per_unit:
            found.append(bound)
    for place, step in enumerate(problem.steps):
        needed = problem.steps_of(step, counts)
        if step.most is None or needed < step.most:
            continue
        steps = (
            *problem.steps[:place],
            replace(step, most=step.most + 1),
            *problem.steps[place + 1 :],
        )
        bound = Binding(step.name, step.field, step.unit, float(needed), float(step.most), 1.0)
        found.append(_worth(bound, replace(problem, steps=steps), solution, seconds, cancel))
    return found


def _more(limit: Limit) -> float:
    largest = float(limit.use.max())
    return largest if limit.share else max(1.0, largest)


def _worth(
    bound: Binding,
    wider: Problem,
    solution: Solution,
    seconds: float,
    cancel: threading.Event | None,
) -> Binding:
    if cancel is not None and cancel.is_set():
        return bound
    other = solve(wider, solution.objective, seconds=seconds, cancel=cancel)
    if not other.found:
        return bound
    saved = solution.totals[solution.objective] - other.totals[solution.objective]
    return replace(
        bound,
        worth_per_unit=max(0.0, saved) / bound.more_units,
        proven=other.state == OPTIMAL and solution.state == OPTIMAL,
    )


Mark = Callable[[Column], str]


def restricted(problem: Problem, allowed: Callable[[Column], bool]) -> Problem:
    """Return the problem in which only some columns may be used; locks of others are released."""
    return replace(
        problem,
        columns=tuple(
            column if allowed(column) else replace(column, fewest=0, most=0)
            for column in problem.columns
        ),
    )


def rivals(
    problem: Problem,
    solution: Solution,
    mark: Mark = lambda column: column.configuration,
    *,
    seconds: float = SECONDS,
    cancel: threading.Event | None = None,
) -> list[Rival]:
    """Return the best mix without each part of the chosen one, the nearest first.

    The first is the runner-up: the cheapest mix that gives up one of the chosen configurations.

    Parameters
    ----------
    mark
        What counts as a part: the configuration, or its vendor, site, tenure.
    """
    used = {mark(column) for column, n in zip(problem.columns, solution.counts, strict=True) if n}
    found = []
    for part in sorted(used):
        if cancel is not None and cancel.is_set():
            break
        left = restricted(problem, lambda column, part=part: mark(column) != part)  # type: ignore[misc]
        try:
            other = solve(left, solution.objective, seconds=seconds, cancel=cancel)
        except ValueError:  # nothing serves a workload without it
            continue
        if other.found:
            more = other.totals[solution.objective] - solution.totals[solution.objective]
            found.append(Rival(part, other, more))
    return sorted(found, key=lambda rival: rival.more_units)


def used_of(problem: Problem, counts: Sequence[int]) -> dict[str, tuple[float, float, str]]:
    """Return (used, available, unit) of every limit and step, by its name."""
    n = np.asarray(counts)
    found = {
        limit.name: (float(limit.use @ n), limit.most_units, limit.unit) for limit in problem.limits
    }
    step: Step
    for step in problem.steps:
        most = float("inf") if step.most is None else float(step.most)
        found[step.name] = (float(problem.steps_of(step, n)), most, step.unit)
    return found

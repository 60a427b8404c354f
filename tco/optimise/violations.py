"""Whether a mix meets every need and limit, and by how much it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tco.optimise.problem import Demand, Problem

TOLERANCE = 1e-6  # of a row's own size: what the solver calls equal


@dataclass(frozen=True, slots=True)
class Violation:
    """One row that a mix breaks."""

    name: str
    used: float
    available: float
    unit: str

    @property
    def sentence(self) -> str:
        """What is wrong, with numbers."""
        return f"{self.name}: {self.used:,.6g} of {self.available:,.6g} {self.unit}"


def held_units(problem: Problem, place: int, counts: Sequence[int]) -> float:
    """Units of a demand that a mix serves after losing its largest parts."""
    demand: Demand = problem.demands[place]
    row, n = problem.serves[place], np.asarray(counts)
    whole = float(row @ n)
    if not demand.lost:
        return whole
    used = np.flatnonzero((n > 0) & (row > 0))
    parts = problem.lost_parts[place][used]
    return whole - demand.lost * (float(parts.max()) if used.size else 0.0)


def violations(problem: Problem, counts: Sequence[int]) -> list[Violation]:
    """Return every row that a mix breaks.

    Examples
    --------
    >>> from tco.optimise.problem import Column
    >>> three = (Demand("d", 3, "req/s"),)
    >>> one = Problem((Column("a"),), {"usd": np.ones(1)}, three, np.ones((1, 1)))
    >>> [each.sentence for each in violations(one, [2])], violations(one, [3])
    (['d: 2 of 3 req/s'], [])
    """
    n = np.asarray(counts)
    found = []
    for place, demand in enumerate(problem.demands):
        held = held_units(problem, place, counts)
        if demand.needed_units - held > TOLERANCE * max(1e-12, demand.needed_units):
            found.append(Violation(demand.name, held, demand.needed_units, demand.unit))
    for limit in problem.limits:
        used = float(limit.use @ n)
        size = max(abs(limit.most_units), float(np.abs(limit.use) @ n), 1e-12)
        if used - limit.most_units > TOLERANCE * size:
            found.append(Violation(limit.name, used, limit.most_units, limit.unit))
    for step in problem.steps:
        needed = problem.steps_of(step, n)
        if step.most is not None and needed > step.most:
            found.append(Violation(step.name, needed, step.most, step.unit))
    for rule in problem.one_of:
        used_sets = sum(bool(n[list(members)].any()) for members in rule.sets)
        if used_sets > rule.most:
            found.append(Violation(rule.name, used_sets, rule.most, "sets"))
    for column, count in zip(problem.columns, n, strict=True):
        if count < column.fewest or (column.most is not None and count > column.most):
            at = column.fewest if count < column.fewest else float(column.most or 0)
            found.append(Violation(f"lock of {column.label}", float(count), at, "machines"))
    return found

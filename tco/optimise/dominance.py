"""Machines that another one beats in everything need not be looked at.

If b costs no more than a in what is minimised, serves at least as much of everything, takes no
more of any limit and binds in no rule that a is free of, then b in place of a is as good in any
mix. Where parts may be lost, a larger one is not simply better: there the two must lose alike.
"""

from __future__ import annotations

from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

from tco.optimise.problem import Array, Problem

_CHUNK = 400  # columns compared at once: memory of a comparison stays below 100 MB


def undominated(problem: Problem, cost: Array) -> NDArray[np.int64]:
    """Return the places of the columns that no other one beats, in order.

    Examples
    --------
    >>> from tco.optimise.problem import Column, Demand
    >>> dear = Problem(
    ...     (Column("a"), Column("b")), {"usd": np.array([1.0, 2.0])},
    ...     (Demand("d", 1, "req/s"),), np.array([[5.0, 4.0]]))
    >>> undominated(dear, dear.cost["usd"]).tolist()
    [0]
    """
    same, less = _rows(problem, cost)
    groups: dict[bytes, list[int]] = defaultdict(list)
    free = [column.fewest == 0 and column.most is None for column in problem.columns]
    for place in range(problem.size):
        # a locked column stands for itself
        key = same[:, place].tobytes() if free[place] else f"lock {place}".encode()
        groups[key].append(place)
    keep = np.ones(problem.size, dtype=bool)
    for places in groups.values():
        if len(places) > 1:
            chosen = np.array(places)
            keep[chosen] = _best(less[:, chosen])
    return np.flatnonzero(keep).astype(np.int64)


def _rows(problem: Problem, cost: Array) -> tuple[Array, Array]:
    """Rows in which two columns must be the same, and rows in which less is better."""
    size = problem.size
    same, less = [np.zeros(size)], [cost]
    for place, demand in enumerate(problem.demands):
        # columns of other workloads are never compared
        same.append(np.sign(problem.serves[place]))
        less.append(-problem.serves[place])
        if demand.lost:
            same.append(problem.lost_parts[place])
    less += [limit.use for limit in problem.limits] + [step.use for step in problem.steps]
    for one in problem.once:
        less.append(_marks(size, one.members))
    for rule in problem.one_of:
        same += [_marks(size, members) for members in rule.sets]
    return np.array(same), np.array(less)


def _marks(size: int, members: tuple[int, ...]) -> Array:
    marks = np.zeros(size)
    marks[list(members)] = 1.0
    return marks


def _best(less: Array) -> NDArray[np.bool_]:
    """Which columns of one group are beaten by none; of equals the first stays."""
    count = less.shape[1]
    order = np.lexsort(less[::-1])  # a column can only be beaten by one before it, or by its equal
    ranked = less[:, order]
    keep = np.ones(count, dtype=bool)
    front = np.empty((less.shape[0], 0))
    for first in range(0, count, _CHUNK):
        part = ranked[:, first : first + _CHUNK]
        for place in range(part.shape[1]):
            one = part[:, place : place + 1]
            if front.shape[1] and bool((front <= one).all(axis=0).any()):
                keep[first + place] = False
            else:
                front = np.concatenate([front, one], axis=1)
    found = np.zeros(count, dtype=bool)
    found[order[keep]] = True
    return found

"""Nothing fits: the smallest loosening of limits that makes it fit, in the user's units.

First each limit alone: by how much it must give way with all others held. Where no single one
helps, the smallest set that does, and of the sets of that size the least loosening, measured
against each limit's own size.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tco.optimise.highs import run_highs
from tco.optimise.model import Model, Row, build, with_slack
from tco.optimise.problem import Problem

SECONDS = 10.0
_WIDEST = 1e4  # times its own size: a limit that must give way further is not named


@dataclass(frozen=True, slots=True)
class Loosening:
    """One limit and what it would have to be."""

    name: str
    field: str
    unit: str
    at: float  # as it stands
    wanted: float  # as it would have to be
    kind: str = "limit"  # limit | step | demand

    @property
    def by_units(self) -> float:
        """How far it must give way."""
        return abs(self.wanted - self.at)

    @property
    def sentence(self) -> str:
        """What to change.

        Examples
        --------
        >>> Loosening("feeds at Kiel", "sites[0].hall_kw", "kW", 100, 112.5).sentence
        'feeds at Kiel: from 100 to 112.5 kW (+12.5)'
        """
        sign = "+" if self.wanted > self.at else "-"
        return (
            f"{self.name}: from {self.at:,.6g} to {self.wanted:,.6g} {self.unit}"
            f" ({sign}{self.by_units:,.6g})"
        )


@dataclass(frozen=True, slots=True)
class WayOut:
    """Ways out of a problem without a mix."""

    alone: tuple[Loosening, ...]  # each is enough by itself
    together: tuple[Loosening, ...]  # where none is: the smallest set
    hopeless: tuple[str, ...] = ()  # what no loosening of a limit mends


def way_out(problem: Problem, *, seconds: float = SECONDS) -> WayOut:
    """Return what would make a problem without a mix have one.

    Parameters
    ----------
    seconds
        For each of the few solves.

    Examples
    --------
    >>> from tco.optimise.problem import Column, Demand, Limit
    >>> tight = Problem((Column("a"),), {"usd": np.ones(1)}, (Demand("chat", 5, "req/s"),),
    ...     np.ones((1, 1)), (Limit("hall", "kW", np.full(1, 10.0), 40.0),))
    >>> [one.sentence for one in way_out(tight).alone]
    ['hall: from 40 to 50 kW (+10)', 'chat: from 5 to 4 req/s (-1)']
    """
    problem.check()
    everything = np.arange(problem.size, dtype=np.int64)
    model = build(problem, np.zeros(problem.size), everything, money=False)
    places = [
        place
        for place, row in enumerate(model.rows)
        if row.kind in ("demand", "step_most")
        or (row.kind == "limit" and problem.limits[row.place].relaxable)
    ]
    alone = []
    for place in places:
        found = _least(problem, model, [place], seconds)
        if found:
            alone += found
    if alone:
        order = sorted(alone, key=lambda one: (one.kind == "demand", _relative(one)))
        return WayOut(tuple(order), ())
    limits = [place for place in places if model.rows[place].kind != "demand"]
    together = _smallest_set(problem, model, limits, seconds)
    if not together:
        together = _smallest_set(problem, model, places, seconds)
    hopeless = () if together else tuple(_held(problem))
    return WayOut((), together, hopeless)


def _relative(one: Loosening) -> float:
    return one.by_units / abs(one.at) if one.at else math.inf


def _least(
    problem: Problem, model: Model, places: Sequence[int], seconds: float
) -> list[Loosening]:
    """The least loosening of exactly these rows, or nothing where it does not help."""
    wide = with_slack(model, places, [_WIDEST] * len(places))
    few = len(places)
    weights = [1.0 / _size(model, place) for place in places]
    wide.cost[-2 * few : -few] = weights
    answer = run_highs(wide, seconds)
    if answer.values is None:
        return []
    amounts = answer.values[-2 * few : -few]
    return [
        _loosening(problem, model.rows[place], model, place, float(amount))
        for place, amount in zip(places, amounts, strict=True)
        if amount > 1e-9
    ]


def _smallest_set(
    problem: Problem, model: Model, places: Sequence[int], seconds: float
) -> tuple[Loosening, ...]:
    few = len(places)
    if not few:
        return ()
    free = with_slack(model, places, [_WIDEST] * few)
    free.cost[-2 * few : -few] = [1.0 / _size(model, place) for place in places]
    first = run_highs(free, seconds)
    if first.values is None:
        return ()
    # ten times what all together need: room for fewer that each give way further
    most = 10.0 * max(1.0, float(first.values[-2 * few : -few].sum()))
    counted = with_slack(model, places, [most] * few)
    counted.cost[-few:] = 1.0
    second = run_highs(counted, seconds)
    if second.values is None:
        return ()
    chosen = [place for place, on in zip(places, second.values[-few:], strict=True) if on > 0.5]
    return tuple(_least(problem, model, chosen, seconds))


def _size(model: Model, place: int) -> float:
    """A row's own size after scaling: what a relative loosening is measured against."""
    bound = model.row_upper[place]
    if not math.isfinite(bound):
        bound = model.row_lower[place]
    return max(abs(float(bound)), 1e-3)


def _loosening(problem: Problem, row: Row, model: Model, place: int, amount: float) -> Loosening:
    by = amount * row.scale_units
    if row.kind == "demand":
        demand = problem.demands[row.place]
        at = demand.needed_units
        return Loosening(demand.name, demand.name, demand.unit, at, _clean(at - by), "demand")
    if row.kind == "step_most":
        step = problem.steps[row.place]
        at = float(step.most or 0)
        return Loosening(
            step.name, step.field, step.unit, at, float(math.ceil(at + by - 1e-6)), "step"
        )
    limit = problem.limits[row.place]
    if limit.share:
        return Loosening(limit.name, limit.field, limit.unit, 0.0, _clean(by))
    return Loosening(
        limit.name, limit.field, limit.unit, limit.most_units, _clean(limit.most_units + by)
    )


def _clean(value: float) -> float:
    """Nine digits: the solver's tolerance is not a need."""
    return float(f"{value:.9g}")


def _held(problem: Problem) -> list[str]:
    """Rules that no limit loosens: locks, exclusions, limits that are facts."""
    found = [
        f"lock: {column.label}" for column in problem.columns if column.fewest or column.most == 0
    ]
    found += [rule.name for rule in problem.one_of]
    found += [limit.name for limit in problem.limits if not limit.relaxable]
    return found


def loosened(problem: Problem, changes: Sequence[Loosening]) -> Problem:
    """Return the problem with these limits as they would have to be."""
    wanted = {(one.kind, one.name): one.wanted for one in changes}
    return replace(
        problem,
        limits=tuple(
            replace(one, most_units=wanted.get(("limit", one.name), one.most_units))
            for one in problem.limits
        ),
        steps=tuple(
            replace(one, most=int(wanted[("step", one.name)]))
            if ("step", one.name) in wanted
            else one
            for one in problem.steps
        ),
        demands=tuple(
            replace(one, needed_units=wanted.get(("demand", one.name), one.needed_units))
            for one in problem.demands
        ),
    )

"""The best mix of a scenario: what to have, its proof, what binds, the runner-up, or why not."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from tco.inputs import Option, ScenarioInputs
from tco.mix.lower import Lowered, lower
from tco.mix.machine import bursts
from tco.optimise.explain import Binding, Rival, binding, rivals, used_of
from tco.optimise.highs import Progress
from tco.optimise.problem import OWNED, Column, Problem
from tco.optimise.relax import WayOut, way_out
from tco.optimise.solve import INFEASIBLE, Solution, solve
from tco.projection import project

SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class MixRow:
    """Machines of one fleet that are bought or rented in one phase."""

    option: str
    fleet: str
    name: str
    workload: str
    site: str
    tenure: str
    phase: int
    from_month: int
    count: int
    hours_per_day: int
    present_usd: float  # of them, without what is paid once
    carries_per_s: float = 0.0  # requests, all of them together
    follows_the_day: bool = False


@dataclass(frozen=True)
class BestMix:
    """The answer.

    Parameters
    ----------
    rows
        What to have; empty where there is no mix.
    projected_usd
        The same mix sized and priced by `project`: within a machine of the optimiser's figure.
        None where the projection cannot say it: phases, or instances that follow the day.
    limits_units
        What the limits together cost: without them the mix would have so much less.
    rivals
        The best mix without each kind of machine that was chosen, the nearest first.
    """

    lowered: Lowered
    solution: Solution
    rows: tuple[MixRow, ...] = ()
    binding: tuple[Binding, ...] = ()
    rivals: tuple[
        Rival, ...
    ] = ()  # the best mix without each kind of machine chosen, nearest first
    way_out: WayOut | None = None
    projected_usd: float | None = None
    limits_units: float | None = None  # less of what is minimised without any of the limits

    @property
    def runner_up(self) -> Rival | None:
        """The nearest rival."""
        return self.rivals[0] if self.rivals else None

    @property
    def runner_up_rows(self) -> tuple[MixRow, ...]:
        """What the nearest rival has."""
        rival = self.runner_up
        return rows_of(self.lowered, rival.solution.counts) if rival is not None else ()

    @property
    def used(self) -> dict[str, tuple[float, float, str]]:
        """Used and available of every limit."""
        return used_of(self.lowered.problem, self.solution.counts) if self.rows else {}


def best_mix(
    inputs: ScenarioInputs,
    *,
    seconds: float = SECONDS,
    report: Callable[[Progress], None] | None = None,
    cancel: threading.Event | None = None,
) -> BestMix:
    """Return the mix of the scenario's fleets with the least of what its request minimises (F1.9).

    Parameters
    ----------
    seconds
        For the mix itself; what binds and the runner-up are solved in as much again at most.

    Raises
    ------
    InputError, InputErrors
        No candidates, or numbers that cannot be used; nothing is solved then.
    """
    lowered = lower(inputs)
    problem, objective = lowered.problem, lowered.request.objective
    solution = solve(problem, objective, seconds=seconds, report=report, cancel=cancel)
    if not solution.found:
        out = way_out(problem) if solution.state == INFEASIBLE else None
        return BestMix(lowered, solution, way_out=out)
    each = max(1.0, seconds / 10)
    second = rivals(problem, solution, _machine_kind, seconds=each, cancel=cancel)
    return BestMix(
        lowered=lowered,
        solution=solution,
        rows=rows_of(lowered, solution.counts),
        binding=tuple(binding(problem, solution, seconds=each, cancel=cancel)),
        rivals=tuple(second),
        projected_usd=_projected(inputs, lowered, solution),
        limits_units=_limits_units(problem, solution, each, cancel),
    )


def _limits_units(
    problem: Problem, solution: Solution, seconds: float, cancel: threading.Event | None
) -> float | None:
    """What all limits together cost."""
    kept = tuple(limit for limit in problem.limits if not limit.relaxable)
    steps = tuple(replace(step, most=None) for step in problem.steps)
    wide = replace(problem, limits=kept, steps=steps)
    free = solve(wide, solution.objective, seconds=seconds, cancel=cancel)
    if not free.found:
        return None
    return max(0.0, solution.totals[solution.objective] - free.totals[solution.objective])


def _machine_kind(column: Column) -> str:
    """The option that a candidate comes from: its kind of machine, wherever it stands."""
    return column.configuration.split("/")[0]


def rows_of(lowered: Lowered, counts: Sequence[int]) -> tuple[MixRow, ...]:
    """Return what a mix has of each fleet and phase."""
    problem = lowered.problem
    found = []
    for place in _used(counts):
        column, machine = problem.columns[place], lowered.machines[place]
        count = counts[place]
        found.append(
            MixRow(
                option=machine.option,
                fleet=machine.case.fleet.key,
                name=machine.case.fleet.name,
                workload=column.workload,
                site=column.site,
                tenure=column.tenure,
                phase=column.phase,
                from_month=lowered.starts[column.phase],
                count=count,
                hours_per_day=lowered.hours[place],
                present_usd=float(problem.cost["usd"][place]) * count,
                carries_per_s=machine.carries_per_s * count,
                follows_the_day=bursts(machine.case),
            )
        )
    return tuple(found)


def as_option(
    lowered: Lowered, counts: Sequence[int], key: str = "mix", name: str = "Best mix"
) -> Option | None:
    """Return a mix as an option of the scenario; None where one cannot say it.

    An option gives each fleet a fixed share of the requests, so machines of later phases and
    instances for the peak alone are beyond it.
    """
    if len(lowered.starts) > 1:
        return None
    problem = lowered.problem
    served: dict[str, float] = {}
    chosen: dict[str, tuple[int, float]] = {}  # by fleet: a column of it, and what it carries
    machines: dict[str, int] = {}
    for place in _used(counts):
        machine = lowered.machines[place]
        if bursts(machine.case):
            return None
        carries = machine.carries_per_s * counts[place]
        work = problem.columns[place].workload
        served[work] = served.get(work, 0.0) + carries
        before = chosen.get(machine.key, (place, 0.0))[1]
        chosen[machine.key] = (place, before + carries)
        machines[machine.key] = machines.get(machine.key, 0) + counts[place]
    fleets = []
    for key, (place, carries) in chosen.items():
        fleet = lowered.machines[place].case.fleet
        share = carries / served[fleet.workload.key]
        fleets.append(
            replace(fleet, key=key.replace("/", "-"), share_fraction=share, count=machines[key])
        )
    return Option(key, name, tuple(fleets)) if fleets else None


def _projected(inputs: ScenarioInputs, lowered: Lowered, solution: Solution) -> float | None:
    option = as_option(lowered, solution.counts)
    if option is None:
        return None
    value = project(replace(inputs, options=(option,))).options[0].kpis["tco_usd"].value
    return value


def _used(counts: Sequence[int]) -> list[int]:
    return [place for place, count in enumerate(counts) if count]


def owned_first(rows: Sequence[MixRow]) -> list[MixRow]:
    """Return rows as a table shows them: by workload, owned before rented, by month."""
    return sorted(
        rows, key=lambda row: (row.workload, row.tenure != OWNED, row.from_month, row.name)
    )

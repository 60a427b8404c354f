"""The scenario's fleets as columns, its needs and limits as rows (F1.9, F14.1).

Every fleet of every option is a candidate for its workload. Demand is a row for each phase and
each level of the day: an owned machine serves all of them, an instance that follows the day is
switched on for the busiest hours only, and paid for these.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tco.cost.cloud import on_fraction
from tco.errors import InputError
from tco.inputs import MixRequest, ScenarioInputs, Workload
from tco.mix.limits import limit_rows, one_vendor_rules, racks_of
from tco.mix.machine import Machine, bursts, machine_of
from tco.optimise.problem import OWNED, RENTED, Array, Column, Demand, Once, Problem
from tco.projection import option_cases, project
from tco.units import HOURS_PER_DAY, MONTHS_PER_YEAR

LEVELS = 8  # of the day at most: hours alike are one row
ALIKE_FRACTION = 0.02
DAY = int(HOURS_PER_DAY)


@dataclass(frozen=True)
class Lowered:
    """The problem, and what each column stands for.

    Parameters
    ----------
    machines, hours
        Of each column; hours of the day that it is on, the busiest ones.
    starts
        First month of each phase.
    left_out
        Why a fleet is no candidate, by option and fleet.
    """

    problem: Problem
    machines: tuple[Machine, ...]
    hours: tuple[int, ...]
    starts: tuple[int, ...]
    request: MixRequest
    left_out: Mapping[str, str]


def minimising(inputs: ScenarioInputs, objective: str) -> ScenarioInputs:
    """Return the scenario with its request minimising ``usd``, ``carbon_kg`` or ``peak_kw``."""
    return replace(inputs, mix=replace(inputs.mix or MixRequest(), objective=objective))


def lower(inputs: ScenarioInputs) -> Lowered:
    """Return the scenario as a problem.

    Raises
    ------
    InputError
        No fleet can be a candidate, or a phase lies beyond the horizon.
    """
    request = inputs.mix or MixRequest()
    months = inputs.finance.horizon_months
    starts = tuple(phase.month for phase in request.phases) or (0,)
    if starts[-1] >= months:
        place = f"optimise.phases[{len(starts) - 1}].month"
        raise InputError(place, f"{starts[-1]} is beyond {months} months", "enter an earlier one")
    machines, left_out = _machines(inputs, starts)
    if not machines:
        said = "; ".join(f"{key}: {why}" for key, why in left_out.items())
        raise InputError("options", f"no fleet can be a candidate ({said})", "mend one of them")
    columns: list[Column] = []
    stand_for: list[Machine] = []
    hours: list[int] = []
    for machine in machines:
        for phase, start in enumerate(starts):
            if start < machine.case.fleet.start_month:
                continue  # not delivered by then
            for level in _hours_on(machine):
                columns.append(_column(machine, phase, level, request))
                stand_for.append(machine)
                hours.append(level)
    problem = _problem(inputs, request, starts, columns, stand_for, hours)
    return Lowered(problem, tuple(stand_for), tuple(hours), starts, request, left_out)


def _machines(
    inputs: ScenarioInputs, starts: Sequence[int]
) -> tuple[list[Machine], dict[str, str]]:
    feasible: dict[tuple[str, str], str] = {}
    for option in project(inputs).options:
        for fleet in option.fleets:
            if not fleet.feasible:
                feasible[(option.key, fleet.fleet)] = fleet.binds
    found, left_out = [], {}
    for case in option_cases(inputs):
        for one in case.fleets:
            name = f"{case.option.key}/{one.fleet.key}"
            why = feasible.get((case.option.key, one.fleet.key))
            if why is not None:
                left_out[name] = why
                continue
            try:
                found.append(machine_of(case.option.key, one, starts))
            except InputError as error:
                left_out[name] = error.message
    return found, left_out


def _hours_on(machine: Machine) -> list[int]:
    """Busiest hours of the day that an instance may be on for; all of them unless it bursts."""
    if not bursts(machine.case):
        return [DAY]
    return _levels(machine.case.fleet.workload)


def _shape(work: Workload) -> tuple[float, ...]:
    return work.daily_shape or (1.0,) * DAY


def _levels(work: Workload) -> list[int]:
    """Hours that the load is at least at each level of the day, fewest first.

    Levels within 2 % of the peak of each other count as the higher one; at most eight are kept.
    """
    shape = sorted(_shape(work), reverse=True)
    ends = [
        place
        for place in range(1, DAY)
        if shape[place - 1] - shape[place] > ALIKE_FRACTION * shape[0]
    ]
    while len(ends) >= LEVELS:
        drops = [shape[place - 1] - shape[place] for place in ends]
        ends.pop(int(np.argmin(drops)))
    return [*ends, DAY]


def _column(machine: Machine, phase: int, hours: int, request: MixRequest) -> Column:
    fleet, peak = machine.case.fleet, machine.case.result.at_peak
    # what is settled to be there is there from the start and all day
    settled = [
        lock.fewest
        for lock in request.locks
        if (lock.option, lock.fleet) == (machine.option, fleet.key) and phase == 0 and hours == DAY
    ]
    times = [target.predicted_ms for target in machine.case.result.targets]
    slowest = max((time for time in times if time is not None), default=None)
    if slowest is None and peak is not None:
        slowest = peak.e2e_ms.get("p95")
    return Column(
        configuration=machine.key,
        site=fleet.site.key if fleet.site is not None else "",
        workload=fleet.workload.key,
        tenure=OWNED if fleet.owned else RENTED,
        phase=phase,
        vendor=machine.vendor,
        numerics=machine.vendor,
        latency_ms=slowest,
        fewest=max(settled, default=0),
    )


def _problem(
    inputs: ScenarioInputs,
    request: MixRequest,
    starts: Sequence[int],
    columns: Sequence[Column],
    machines: Sequence[Machine],
    hours: Sequence[int],
) -> Problem:
    demands, serves, loses = _demands(inputs, starts, columns, machines, hours)
    phases = [column.phase for column in columns]
    day = np.array(
        [
            _share_of_day(machine, on) if bursts(machine.case) else 1.0
            for machine, on in zip(machines, hours, strict=True)
        ]
    )

    def each(value: Callable[[Machine, int], float]) -> Array:
        return np.array([value(one, phase) for one, phase in zip(machines, phases, strict=True)])

    usd = each(lambda one, phase: float(one.usd[phase])) * day
    cost = {
        "usd": usd,
        "carbon_kg": each(lambda one, phase: float(one.carbon_kg[phase])),
        "peak_kw": each(lambda one, phase: one.peak_kw),
    }
    once = []
    for key in dict.fromkeys(one.key for one in machines):
        members = tuple(i for i, one in enumerate(machines) if one.key == key)
        paid = machines[members[0]].once_usd
        if paid:
            once.append(Once(f"fixed costs of {key}", members, paid))
    problem = Problem(
        columns=tuple(columns),
        cost=cost,
        demands=tuple(demands),
        serves=serves,
        loses=loses,
        once=tuple(once),
        units={"usd": "USD", "carbon_kg": "kg CO2e", "peak_kw": "kW"},
    )
    return replace(
        problem,
        limits=tuple(limit_rows(inputs, request, starts, problem, machines)),
        steps=tuple(racks_of(inputs, request, problem, machines)),
        one_of=tuple(one_vendor_rules(request, problem)),
    )


def _share_of_day(machine: Machine, hours: int) -> float:
    """Bill of an instance that is on for so many hours, over that of one of the sized fleet."""
    mean = on_fraction(machine.case)
    return hours / HOURS_PER_DAY / mean if mean else 0.0


def _demands(
    inputs: ScenarioInputs,
    starts: Sequence[int],
    columns: Sequence[Column],
    machines: Sequence[Machine],
    hours: Sequence[int],
) -> tuple[list[Demand], Array, Array]:
    wanted = {column.workload for column in columns}
    demands, rows = [], []
    months = inputs.finance.horizon_months
    ends = [*starts[1:], months]
    for work in inputs.workloads:
        if work.key not in wanted:
            continue
        shape = sorted(_shape(work), reverse=True)
        headroom = work.headroom_fraction.value if work.headroom_fraction is not None else 0.0
        design = work.peak_requests_per_s.value * (1.0 + headroom)
        burst = any(
            one.case.fleet.workload.key == work.key and bursts(one.case) for one in machines
        )
        levels = _levels(work) if burst else [DAY]
        for phase, (start, end) in enumerate(zip(starts, ends, strict=True)):
            most = design * _growth(work, start, end)
            before = 0
            for on in levels:
                needed = most * shape[before] / shape[0]
                name = f"{work.name} from month {start}"
                if len(levels) > 1:
                    name += f", the busiest {on} hours of the day"
                demands.append(Demand(name, needed, "requests/s", work.replicas_lost))
                rows.append(
                    [
                        one.carries_per_s
                        if column.workload == work.key and _up(column, phase) and h >= on
                        else 0.0
                        for column, one, h in zip(columns, machines, hours, strict=True)
                    ]
                )
                before = on
    serves = np.array(rows).reshape(len(rows), len(columns))
    part = np.array([one.loses_per_s for one in machines])
    return demands, serves, np.where(serves > 0, part, 0.0)


def _up(column: Column, phase: int) -> bool:
    return column.phase <= phase if column.tenure == OWNED else column.phase == phase


def _growth(work: Workload, start: int, end: int) -> float:
    """Busiest demand of a phase over that of month 0, at its end with growth (F1.1)."""
    rate = work.growth_fraction_per_year.value
    at = end if rate > 0 else start
    return float(max(1.0 + rate, 0.0) ** (at / MONTHS_PER_YEAR))

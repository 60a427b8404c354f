"""What a mix must keep within, as rows over its columns: sites, budgets, vendors, blast radius."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from tco.inputs import MixRequest, ScenarioInputs
from tco.mix.machine import Machine
from tco.optimise.problem import OWNED, Limit, OneOf, Problem, Step


def limit_rows(
    inputs: ScenarioInputs,
    request: MixRequest,
    starts: Sequence[int],
    problem: Problem,
    machines: Sequence[Machine],
) -> Iterator[Limit]:
    """Yield every limit that the scenario sets."""
    columns = problem.columns
    it_kw = np.array([one.it_kw for one in machines])
    peak_kw = problem.cost["peak_kw"]
    owned = np.array([column.tenure == OWNED for column in columns])
    at = {
        site.key: np.array([column.site == site.key for column in columns]) for site in inputs.sites
    }
    for index, site in enumerate(inputs.sites):
        here = at[site.key]
        if site.hall_kw is not None:
            path = f"sites[{index}].hall_kw"
            yield Limit(f"hall of {site.name}", "kW", it_kw * here, site.hall_kw.value, path)
        if site.utility_kw is not None:
            path = f"sites[{index}].utility_kw"
            use = peak_kw * here
            yield Limit(f"utility feed of {site.name}", "kW", use, site.utility_kw.value, path)
    names = {site.key: site.name for site in inputs.sites}
    for index, free in enumerate(request.site_limits):
        path, here = f"optimise.site_limits[{index}]", at[free.site]
        if free.it_kw is not None:
            name = f"free power at {names[free.site]}"
            yield Limit(name, "kW", it_kw * here, free.it_kw.value, f"{path}.it_kw")
        if free.servers is not None:
            name = f"free places at {names[free.site]}"
            yield Limit(name, "servers", here * 1.0, float(free.servers), f"{path}.servers")
    for index, budget in enumerate(request.budgets):
        spent = [
            _of_year(one, column.phase, budget.year) if column.tenure == OWNED else 0.0
            for column, one in zip(columns, machines, strict=True)
        ]
        path = f"optimise.budgets[{index}].most_usd"
        name = f"budget of year {budget.year}"
        yield Limit(name, "USD", np.array(spent), budget.most_usd.value, path)
    yield from _settled(request, problem, machines)
    yield from _vendors(request, problem)
    yield from _blast(inputs, request, problem)
    if request.most_carbon_kg is not None:
        use, most = problem.cost["carbon_kg"], request.most_carbon_kg.value
        yield Limit("carbon", "kg CO2e", use, most, "optimise.most_carbon_kg")
    if request.most_peak_kw is not None:
        use, most = peak_kw * owned, request.most_peak_kw.value
        yield Limit("peak power", "kW", use, most, "optimise.most_peak_kw")


def _of_year(machine: Machine, phase: int, year: int) -> float:
    years = machine.spent_usd_by_year
    return float(years[phase, year - 1]) if year <= years.shape[1] else 0.0


def _settled(request: MixRequest, problem: Problem, machines: Sequence[Machine]) -> Iterator[Limit]:
    """At most so many of a fleet, in every phase: a choice that the optimiser never loosens."""
    for index, lock in enumerate(request.locks):
        if lock.most is None:
            continue
        own = np.array([one.key == f"{lock.option}/{lock.fleet}" for one in machines])
        phases = sorted({c.phase for c, mine in zip(problem.columns, own, strict=True) if mine})
        for phase in phases:
            there = [
                c.phase <= phase if c.tenure == OWNED else c.phase == phase for c in problem.columns
            ]
            name = f"settled: {lock.fleet} of {lock.option} at most {lock.most}"
            path = f"optimise.locks[{index}].most"
            use = own * np.array(there) * 1.0
            yield Limit(name, "machines", use, float(lock.most), path, relaxable=False)


def _vendors(request: MixRequest, problem: Problem) -> Iterator[Limit]:
    for index, cap in enumerate(request.vendor_caps):
        path = f"optimise.vendor_caps[{index}]"
        own = np.array([column.vendor.lower() == cap.vendor.lower() for column in problem.columns])
        if cap.servers is not None:
            use = own * 1.0
            yield Limit(f"{cap.vendor}", "machines", use, float(cap.servers), f"{path}.servers")
        if cap.share_fraction is not None:
            use = own - cap.share_fraction
            name = f"share of {cap.vendor} at most {cap.share_fraction:.0%}"
            yield Limit(name, "machines", use, 0.0, f"{path}.share_fraction", share=True)


def _blast(inputs: ScenarioInputs, request: MixRequest, problem: Problem) -> Iterator[Limit]:
    names = {work.key: work.name for work in inputs.workloads}
    sites = {site.key: site.name for site in inputs.sites}
    for index, rule in enumerate(request.blast):
        serves = np.array([column.workload == rule.workload for column in problem.columns])
        marks = [getattr(column, rule.by) for column in problem.columns]
        for mark in sorted(set(marks) - {""}):
            inside = serves & np.array([one == mark for one in marks])
            if not inside.any():
                continue
            use = inside * 1.0 - rule.share_fraction * serves
            where = f"in {sites[mark]}" if mark in sites else f"from {mark}"
            name = f"{names[rule.workload]} {where} at most {rule.share_fraction:.0%}"
            path = f"optimise.blast[{index}].share_fraction"
            yield Limit(name, "machines", use, 0.0, path, share=True)


def racks_of(
    inputs: ScenarioInputs, request: MixRequest, problem: Problem, machines: Sequence[Machine]
) -> Iterator[Step]:
    """Yield the racks of each site that has a number of free ones; their price is in the lines."""
    names = {site.key: site.name for site in inputs.sites}
    for index, free in enumerate(request.site_limits):
        if free.racks is None:
            continue
        use = [
            1.0 / one.servers_per_rack if column.site == free.site and one.servers_per_rack else 0.0
            for column, one in zip(problem.columns, machines, strict=True)
        ]
        path = f"optimise.site_limits[{index}].racks"
        yield Step(f"racks at {names[free.site]}", "racks", np.array(use), 0.0, free.racks, path)


def one_vendor_rules(request: MixRequest, problem: Problem) -> Iterator[OneOf]:
    """Yield the rule for each workload whose answers must be alike (P15)."""
    for index, work in enumerate(request.alike_workloads):
        sets: dict[str, list[int]] = {}
        for place, column in enumerate(problem.columns):
            if column.workload == work:
                sets.setdefault(column.numerics, []).append(place)
        if len(sets) > 1:
            yield OneOf(
                f"answers of {work} from one vendor",
                tuple(tuple(places) for places in sets.values()),
                tuple(sets),
                1,
                f"optimise.alike_workloads[{index}]",
            )

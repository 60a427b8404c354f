"""The fleets of one pipeline, sized together for a target of the whole (P8, P9)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from tco.inputs import Fleet, LatencyTarget, PipelineStage, Status, Workload, weakest
from tco.performance.growth import growth_factors, servers_by_month
from tco.performance.machine import DAY_HOURS, Machine, infeasible, machine_of
from tco.performance.replica import unusable_target
from tco.performance.stage_tiers import Choice, cpu_choice, stage_choices
from tco.results import (
    FleetResult,
    HourLoad,
    LoadPoint,
    PipelineResult,
    StageResult,
    TargetResult,
    Term,
)
from tco.simulate.dynamic_batching import poisson_arrivals
from tco.simulate.pipeline import Node, PipelineRun, Sized, least_units, simulate_pipeline

_SAMPLE = 6_000
_SEED = 9
_STANDARD = (50.0, 90.0, 95.0, 99.0)
_MOST_TRIES = 3
_MOST_MEMBERS = 2_000
_LOAD_LIMIT = 0.95


@dataclass(frozen=True)
class _Plan:
    """Stages of a workload with the fleets and choices that serve them."""

    work: Workload
    fleets: Mapping[str, Fleet]  # by stage; stages inside another have none
    machines: Mapping[str, Machine]
    choices: Mapping[str, list[Choice]]
    host: Mapping[str, str]

    def nodes(self, chosen: Mapping[str, Choice]) -> list[Node]:
        """Return the stages as the simulator takes them."""
        found = []
        for stage in self.work.stages:
            tier = chosen[stage.key].tier
            assert tier is not None
            found.append(Node(stage.key, tier, stage.after, stage.share_fraction, stage.request_gb))
        return found


def size_pipeline(
    fleets: Sequence[Fleet],
    *,
    horizon_months: int,
    speeds: Mapping[str, float],
) -> tuple[dict[str, FleetResult], PipelineResult | None]:
    """Size the fleets of one pipeline together (P8, P9).

    Parameters
    ----------
    fleets
        Of one option and one workload, each naming its stage.
    speeds
        Share of full speed by fleet (power cap, confidential computing).

    Returns
    -------
    tuple
        A result for each fleet, and the pipeline's own; None where it cannot be simulated. Every
        fleet's ``at_peak`` holds the latency of the whole; stages have theirs in the pipeline's.
        Targets are judged at the peak of the horizon's end, with headroom, lost replicas gone.
    """
    work = fleets[0].workload

    def refused(why: str, at: str = "") -> tuple[dict[str, FleetResult], None]:
        text = {f.key: why if not at or f.stage == at else f"{at}: {why}" for f in fleets}
        return {
            f.key: infeasible(f, text[f.key], horizon_months=horizon_months) for f in fleets
        }, None

    found = _plan(work, fleets, speeds)
    if isinstance(found, tuple):
        return refused(found[1], found[0])
    why = unusable_target(work.targets, ("e2e",))
    if why:
        return refused(why)
    spare = work.headroom_fraction
    growth = growth_factors(work.growth_fraction_per_year.value, horizon_months)
    load = work.peak_requests_per_s.value * growth[-1] * (1 + (spare.value if spare else 0.0))
    if load <= 0:
        return refused("no load: a pipeline is sized for its requests")
    target = min(work.targets, key=lambda t: t.limit_ms, default=None)
    chosen, sized = _search(found, load, target)
    return _report(found, chosen, sized, load, target, horizon_months, growth)


def _plan(
    work: Workload, fleets: Sequence[Fleet], speeds: Mapping[str, float]
) -> _Plan | tuple[str, str]:
    by_stage = {fleet.stage: fleet for fleet in fleets}
    machines: dict[str, Machine] = {}
    choices: dict[str, list[Choice]] = {}
    host: dict[str, str] = {}
    for stage in work.stages:
        if stage.inside:
            host[stage.key] = stage.inside
            choices[stage.key] = [cpu_choice(stage)]
        else:
            fleet = by_stage.get(stage.key)
            machine = machine_of(fleet) if fleet is not None else None
            if fleet is None or machine is None:
                return stage.key, "no fleet serves this stage"
            host[stage.key] = stage.key
            machines[stage.key] = machine
            speed = speeds.get(fleet.key, 1.0)
            if speed <= 0:
                return stage.key, "power cap: no throughput left"
            run = stage if fleet.stage_model is None else replace(stage, model=fleet.stage_model)
            choices[stage.key] = stage_choices(
                run,
                machine,
                tensor_parallel=1 if fleet.partition else fleet.tensor_parallel,
                speed=speed,
            )
        if choices[stage.key][0].tier is None:
            return stage.key, choices[stage.key][0].reason
    own = {stage: by_stage[stage] for stage in machines}
    return _Plan(work, own, machines, choices, host)


def _search(
    plan: _Plan, load: float, target: LatencyTarget | None
) -> tuple[dict[str, Choice], Sized]:
    """Choose the degree of each stage, then count machines; widen the stage that binds if not."""
    limit_s = target.limit_ms / 1e3 if target else math.inf
    percentile = target.percentile if target else 99.0
    fastest = {key: min(c.alone_s for c in options) for key, options in plan.choices.items()}
    chosen = {}
    for key, options in plan.choices.items():
        others = sum(s for other, s in fastest.items() if other != key)
        fit = [c for c in options if c.alone_s + others <= 0.8 * limit_s]
        chosen[key] = max(
            fit or [min(options, key=lambda c: c.alone_s)], key=lambda c: c.rate_per_s
        )
    arrivals = poisson_arrivals(load, _SAMPLE, _SEED)
    fixed = {stage: fleet.count for stage, fleet in plan.fleets.items() if fleet.count is not None}

    def counted(chosen: Mapping[str, Choice]) -> Sized:
        return least_units(
            plan.nodes(chosen),
            arrivals,
            percentile=percentile,
            limit_s=limit_s,
            per_unit={key: choice.per_server for key, choice in chosen.items()},
            host=plan.host,
            fixed=fixed,
            most_units=_MOST_MEMBERS,
            seed=_SEED,
            load_limit=_LOAD_LIMIT,
        )

    best, sized = chosen, counted(chosen)
    tried, found = chosen, sized
    for _ in range(_MOST_TRIES):
        # a stage that holds the slow requests up may do better with fewer, wider replicas
        at = found.binds
        wider = [c for c in plan.choices[at] if c.alone_s < tried[at].alone_s * 0.98]
        if not wider or sum(sized.units.values()) == len(sized.units):
            break
        tried = tried | {at: max(wider, key=lambda c: c.alone_s)}
        found = counted(tried)
        fewer = sum(found.units.values()) < sum(sized.units.values())
        if not sized.met or (found.met and fewer):
            best, sized = tried, found
    return best, sized


def _report(
    plan: _Plan,
    chosen: Mapping[str, Choice],
    sized: Sized,
    load: float,
    target: LatencyTarget | None,
    horizon_months: int,
    growth: tuple[float, ...],
) -> tuple[dict[str, FleetResult], PipelineResult]:
    work, lost = plan.work, plan.work.replicas_lost
    placed = [
        Node(
            n.key,
            n.tier.with_units(_units(plan, chosen, sized, n.key)),
            n.after,
            n.share_fraction,
            n.request_gb,
        )
        for n in plan.nodes(chosen)
    ]
    if sized.hopeless:  # shown as fast as it can be
        placed = [
            Node(n.key, n.tier.with_units(_SAMPLE), n.after, n.share_fraction, n.request_gb)
            for n in placed
        ]
    run = simulate_pipeline(placed, poisson_arrivals(load, _SAMPLE, _SEED), seed=_SEED)
    percentile = target.percentile if target else 99.0
    wanted = sorted({*_STANDARD, *(t.percentile for t in work.targets)})
    saturated = bool(run.saturated)
    e2e: dict[str, float] = {}
    if not saturated:
        e2e = {"mean": 1e3 * float(run.whole_s.mean())}
        e2e |= {f"p{at:g}": 1e3 * run.percentile_s(at) for at in wanted}
    binds = sized.binds or run.binds(percentile)
    targets = tuple(
        TargetResult(
            t.metric,
            t.percentile,
            t.limit_ms,
            e2e.get(f"p{t.percentile:g}"),
            not saturated and e2e[f"p{t.percentile:g}"] <= t.limit_ms * (1 + 1e-9),
            t is target,
        )
        for t in work.targets
    )
    feasible = sized.met and not saturated and all(t.met for t in targets)
    names = {stage.key: stage.name for stage in work.stages}
    reason = sized.reason or f"{names[binds]} holds the slow requests up most"
    stages = tuple(
        _stage(plan, chosen, run, stage, sized, load, percentile, binds, e2e)
        for stage in work.stages
    )
    low, high = run.interval_s(percentile) if not saturated else (None, None)
    pipeline = PipelineResult(
        workload=work.key,
        name=work.name,
        feasible=feasible,
        requests_per_s=load,
        e2e_ms=e2e,
        percentile=percentile,
        limit_ms=target.limit_ms if target else None,
        low_ms=None if low is None else 1e3 * low,
        high_ms=None if high is None else 1e3 * high,
        binds=f"{names[binds]}: {sized.reason}" if sized.reason else names[binds],
        stages=stages,
    )
    results = {}
    for stage, fleet in plan.fleets.items():
        choice, machine = chosen[stage], plan.machines[stage]
        spare = math.ceil(lost / choice.per_server) if fleet.count is None else 0
        servers = sized.units[stage] + spare
        status_terms = _terms(work, machine)
        months = servers_by_month(
            partial(_machines, servers, growth[-1]),
            growth,
            horizon_months=horizon_months,
            start_month=fleet.start_month,
            keep=fleet.owned,
        )
        rate = choice.rate_per_s * servers
        stage_load = load * _share(work, stage)
        memory = machine.device.memory_gb
        results[fleet.key] = FleetResult(
            fleet=fleet.key,
            name=fleet.name,
            workload=work.key,
            owned=fleet.owned,
            feasible=feasible,
            servers=servers,
            servers_by_month=months,
            replicas=servers * choice.per_server,
            tensor_parallel=choice.tensor_parallel,
            device_count=servers * machine.device_count,
            binds=reason if stage == binds or not feasible else f"its load; {reason}",
            at_peak=LoadPoint(
                requests_per_s=load,
                utilisation_fraction=stage_load / rate,
                ttft_ms={},
                tpot_ms={},
                e2e_ms=e2e,
                saturated=saturated,
                measured_range=True,
            ),
            curve=(),
            targets=targets,
            memory=choice.memory,
            memory_capacity_gb=None if memory is None else memory.value,
            status=weakest(term.status for term in status_terms),
            terms=status_terms,
            floor_ms={"e2e": 1e3 * choice.floor_s},
            hours=_hours(fleet, choice, servers, months, run, stage),
        )
    return results, pipeline


def _machines(servers: int, last: float, factor: float) -> int:
    """Machines of another year: those of the last in proportion to the load."""
    return max(1, math.ceil(servers * factor / last - 1e-9))


def _units(plan: _Plan, chosen: Mapping[str, Choice], sized: Sized, key: str) -> int:
    return sized.units[plan.host[key]] * chosen[key].per_server


def _share(work: Workload, key: str) -> float:
    return next(stage.share_fraction for stage in work.stages if stage.key == key)


def _stage(
    plan: _Plan,
    chosen: Mapping[str, Choice],
    run: PipelineRun,
    stage: PipelineStage,
    sized: Sized,
    load: float,
    percentile: float,
    binds: str,
    e2e: Mapping[str, float],
) -> StageResult:
    times = run.stages[stage.key]
    spent = times.spent_s[run.skip :][times.taken[run.skip :]]
    at = {"mean": 1e3 * float(spent.mean()) if spent.size else 0.0}
    at |= {f"p{p:g}": 1e3 * run.stage_percentile_s(stage.key, p) for p in (*_STANDARD, percentile)}
    fleet = plan.fleets.get(stage.key)
    units = _units(plan, chosen, sized, stage.key)
    one = chosen[stage.key].rate_per_s / chosen[stage.key].per_server
    return StageResult(
        stage=stage.key,
        name=stage.name,
        fleet=fleet.key if fleet else "",
        replicas=units,
        utilisation_fraction=load * stage.share_fraction / (one * units),
        stage_ms=at if e2e else {},
        slow_fraction=run.slow_share(stage.key, percentile),
        budget_ms=stage.budget_ms,
        within_budget=stage.budget_ms is None or at[f"p{percentile:g}"] <= stage.budget_ms,
        most_in_flight=times.most_in_flight,
        memory_gb=times.most_in_flight * stage.request_gb,
        binds=stage.key == binds,
    )


def _terms(work: Workload, machine: Machine) -> tuple[Term, ...]:
    terms = [Term.of("peak requests", work.peak_requests_per_s)]
    if work.headroom_fraction is not None:
        terms.append(Term.of("headroom", work.headroom_fraction))
    for name, figure in (
        ("device memory", machine.device.memory_gb),
        ("memory bandwidth", machine.device.memory_bandwidth_gb_s),
    ):
        if figure is not None:
            terms.append(Term.of(name, figure))
    terms += [Term.of(f"{s.name}: time", s.service_ms) for s in work.stages if s.service_ms]
    note = "fitted shares of the device's rates (P3)"
    return (*terms, Term("times of the models", 1.0, "ratio", Status.ESTIMATED, note))


def _hours(
    fleet: Fleet,
    choice: Choice,
    servers: int,
    months: tuple[int, ...],
    run: PipelineRun,
    stage: str,
) -> tuple[HourLoad, ...]:
    """Typical day: busy while at least one request is in a replica (Little)."""
    work = fleet.workload
    on = next((count for count in months if count), servers)
    times = run.stages[stage]
    mean_s = float(times.spent_s[times.taken].mean()) if times.taken.any() else 0.0
    found = []
    for share in work.daily_shape or (1.0,) * DAY_HOURS:
        load = work.peak_requests_per_s.value * share
        here = load * _share(work, stage)
        replicas = on * choice.per_server
        busy = 1.0 - math.exp(-here * mean_s / replicas) if replicas else 0.0
        used = min(here / (choice.rate_per_s * on), 1.0) / busy if busy else 0.0
        found.append(HourLoad(load, on, busy, min(used, 1.0), min(used, 1.0)))
    return tuple(found)

"""A fleet that serves a language model: degree, replicas, load curve, day (P6.4, P8)."""

from __future__ import annotations

import dataclasses
import math
from dataclasses import dataclass

import numpy as np

from tco.inputs import Fleet, LatencyTarget, Workload, weakest
from tco.performance.evidence_distance import evidence_of, with_evidence
from tco.performance.factors import DEFAULT_STACK
from tco.performance.growth import (
    MOST_REQUESTS_PER_S,
    MOST_SERVERS,
    TOO_MANY,
    count_rule,
    growth_factors,
    servers_by_month,
)
from tco.performance.load import Choice, follows_the_day, load_table, servers_on, typical_day
from tco.performance.load_table import METRICS, LoadTable
from tco.performance.machine import Machine, idle_hours, infeasible, machine_of
from tco.performance.replica import (
    NO_TOKEN_TIME,
    Replica,
    ReplicaSpec,
    applicable_targets,
    build_replica,
    capacity,
    target_label,
    unusable_target,
    wanted_percentiles,
)
from tco.performance.simulated import simulated_ms, simulated_point
from tco.performance.terms import serving_terms
from tco.results import FleetResult, LoadPoint, TargetResult

_CURVE_SHARES = np.array(
    [0.05, 0.12, 0.2, 0.28, 0.36, 0.44, 0.52, 0.6, 0.67, 0.74, 0.8, 0.85, 0.9, 0.94, 0.97, 1.02]
)


def degrees(machine: Machine, heads: int, *, span: int = 1) -> tuple[int, ...]:
    """Return the tensor-parallel degrees that divide the machine's devices and the heads.

    `span` devices stand behind each tensor rank: pipeline stages times attention groups.
    """
    count = machine.device_count
    whole = max(heads, 1)  # a model without attention may be split by any divisor
    return tuple(
        t for t in range(1, count + 1) if count % (t * span) == 0 and (not heads or whole % t == 0)
    )


def _span(fleet: Fleet) -> int:
    return fleet.pipeline_parallel * fleet.attention_data_parallel


def _obstacle(work: Workload, allowed: tuple[int, ...], wanted: int | None, speed: float) -> str:
    """Say what stops a sizing before it starts; empty when nothing does."""
    if not allowed or (wanted is not None and wanted not in allowed):
        return (
            f"tensor_parallel: {wanted} does not divide the devices of a server and the heads of "
            f"the model; use one of {', '.join(map(str, allowed))}"
        )
    if speed <= 0:
        return "power cap: no throughput left"
    return unusable_target(work.targets, METRICS)


def size_serving(
    fleet: Fleet, *, horizon_months: int, throughput_fraction: float = 1.0
) -> FleetResult:
    """Size a serving fleet: least servers, then least latency, over the degrees (P8)."""
    machine, work = machine_of(fleet), fleet.workload
    if machine is None or work.model is None:
        missing = "model" if machine is not None else "server or offer"
        return infeasible(fleet, f"no {missing} is named", horizon_months=horizon_months)
    allowed = degrees(machine, work.model.heads, span=_span(fleet))
    obstacle = _obstacle(work, allowed, fleet.tensor_parallel, throughput_fraction)
    if obstacle:
        return infeasible(fleet, obstacle, horizon_months=horizon_months)
    tried = allowed if fleet.tensor_parallel is None else (fleet.tensor_parallel,)
    choices = [_choice(fleet, machine, t, allowed, throughput_fraction) for t in tried]
    built = [choice for choice in choices if choice.replica.times is not None]
    if not built:
        replica = choices[-1].replica
        return infeasible(
            fleet,
            replica.reason,
            horizon_months=horizon_months,
            tensor_parallel=replica.spec.tensor_parallel,
            memory=replica.plan.lines if replica.plan else (),
            terms=serving_terms(fleet, replica),
        )
    return _Sizing(fleet, work, machine, horizon_months, built).result()


def replica_spec(fleet: Fleet, machine: Machine, t: int, speed: float) -> ReplicaSpec:
    """Return what one replica of the fleet is, at a tensor degree and a share of full speed."""
    work = fleet.workload
    assert work.model is not None
    given, cached = max(work.input_tokens.value, 1.0), work.cached_input_fraction
    return ReplicaSpec(
        model=work.model,
        device=machine.device,
        tensor_parallel=t,
        weight_dtype=work.weight_dtype,
        kv_dtype=work.kv_dtype,
        input_tokens=given,
        output_tokens=max(work.output_tokens.value, 1.0),
        throughput_fraction=speed,
        pipeline_parallel=fleet.pipeline_parallel,
        expert_parallel=fleet.expert_parallel,
        attention_data_parallel=fleet.attention_data_parallel,
        cached_tokens=given * (cached.value if cached else 0.0),
        stack=fleet.engine or DEFAULT_STACK,
    )


def _choice(
    fleet: Fleet, machine: Machine, t: int, allowed: tuple[int, ...], speed: float
) -> Choice:
    work, spec = fleet.workload, replica_spec(fleet, machine, t, speed)
    return Choice(
        build_replica(spec, allowed),
        capacity(spec, allowed, work.targets),
        machine.device_count // spec.parallel.devices,
    )


@dataclass(frozen=True)
class _Sizing:
    fleet: Fleet
    work: Workload
    machine: Machine
    horizon_months: int
    built: list[Choice]

    @property
    def peak_per_s(self) -> float:
        """Peak of month 0 that this fleet takes."""
        return self.work.peak_requests_per_s.value * self.fleet.share_fraction

    @property
    def headroom(self) -> float:
        """Factor over the peak that is planned for."""
        spare = self.work.headroom_fraction
        return 1.0 + (spare.value if spare else 0.0)

    def result(self) -> FleetResult:
        """Choose the degree, count the machines, evaluate the load."""
        growth = growth_factors(self.work.growth_fraction_per_year.value, self.horizon_months)
        lost = self.work.replicas_lost
        if not self.peak_per_s * max(growth) * self.headroom < MOST_REQUESTS_PER_S:
            return infeasible(self.fleet, TOO_MANY, horizon_months=self.horizon_months)
        usable = [choice for choice in self.built if choice.capacity.requests_per_s > 0]
        if self.fleet.count is not None:
            count = self.fleet.count
            best = max(usable or self.built, key=self._fixed_order)
            months = servers_by_month(
                lambda _: count,
                growth,
                horizon_months=self.horizon_months,
                start_month=self.fleet.start_month,
                keep=self.fleet.owned,
            )
            return self._report(best, count, months, growth)
        if not usable:
            # the degree that comes nearest says why
            best = max(self.built, key=self._saturation)
            return infeasible(
                self.fleet,
                best.capacity.binds,
                horizon_months=self.horizon_months,
                tensor_parallel=best.replica.spec.tensor_parallel,
                memory=best.replica.plan.lines if best.replica.plan else (),
                terms=serving_terms(self.fleet, best.replica),
                floor_ms=self._floors(best),
            )
        design = self.peak_per_s * self.headroom
        most = max(growth)
        by_choice = [self._months(choice, growth) for choice in usable]

        def order(at: int) -> tuple[float, int, int]:
            """Machine-hours first where machines follow the day, then the count at peak."""
            choice = usable[at]
            hours = self._machine_hours(choice, by_choice[at])
            return (hours, choice.servers(design * most, lost), -self._span(choice))

        chosen = min(range(len(usable)), key=order)
        best, months = usable[chosen], by_choice[chosen]
        servers = months[-1] if months else best.servers(design * growth[-1], lost)
        if max((servers, *months)) > MOST_SERVERS:
            return infeasible(self.fleet, TOO_MANY, horizon_months=self.horizon_months)
        return self._report(best, servers, months, growth)

    def _months(self, choice: Choice, growth: tuple[float, ...]) -> tuple[int, ...]:
        """Machines of each month with this choice."""
        design, lost = self.peak_per_s * self.headroom, self.work.replicas_lost
        return servers_by_month(
            lambda factor: choice.servers(design * factor, lost),
            growth,
            horizon_months=self.horizon_months,
            start_month=self.fleet.start_month,
            keep=self.fleet.owned,
        )

    def _most_on(self, months: tuple[int, ...], servers: int) -> int:
        """Machines of the first year of service."""
        started = [count for count in months[: 12 + self.fleet.start_month] if count]
        return started[0] if started else servers

    def _machine_hours(self, choice: Choice, months: tuple[int, ...]) -> float:
        """Machine-hours paid, in months of full days; 0 where the count at peak decides."""
        if not follows_the_day(self.fleet):
            return 0.0
        on = servers_on(
            self.fleet,
            choice,
            peak_per_s=self.peak_per_s,
            headroom=self.headroom,
            most_on=self._most_on(months, months[-1] if months else 0),
        )
        most = max(on, default=0)
        # rounded: equal hours must tie whatever the order of the sum
        return round(sum(months) * sum(on) / (len(on) * most), 9) if most else 0.0

    @staticmethod
    def _span(choice: Choice) -> int:
        """Wider replicas answer faster."""
        return choice.replica.spec.parallel.devices

    @staticmethod
    def _saturation(choice: Choice) -> float:
        assert choice.replica.times is not None
        return choice.replica.times.saturation_per_s * choice.per_server

    def _fixed_order(self, choice: Choice) -> tuple[float, float, int]:
        within = choice.capacity.requests_per_s * choice.per_server
        return (within, self._saturation(choice), self._span(choice))

    def _floors(self, choice: Choice) -> dict[str, float]:
        iteration = choice.replica.iteration
        assert iteration is not None
        spec = choice.replica.spec
        ttft = 1e3 * iteration.prefill_floor_s(spec.input_tokens)
        tpot = 1e3 * iteration.decode_floor_s(spec.input_tokens)
        floors = {"ttft": ttft, "e2e": ttft + (spec.output_tokens - 1) * tpot}
        return floors | ({"tpot": tpot} if spec.output_tokens > 1 else {})

    def _report(
        self, choice: Choice, servers: int, months: tuple[int, ...], growth: tuple[float, ...]
    ) -> FleetResult:
        replica, times = choice.replica, choice.replica.times
        assert times is not None
        assert replica.plan is not None
        replicas = servers * choice.per_server
        peak = self.peak_per_s * growth[-1]
        design = peak * self.headroom
        curve: tuple[LoadPoint, ...] = ()
        at_peak: LoadPoint | None = None
        targets: tuple[TargetResult, ...] = ()
        hours = idle_hours(servers)
        feasible, binds = True, choice.capacity.binds
        if replicas == 0:
            feasible = peak <= 0
            binds = "no load" if feasible else "no servers for the load"
        elif peak <= 0:
            binds = "no load"
        if replicas > 0:
            left = replicas - self.work.replicas_lost
            wanted = applicable_targets(self.work.targets, replica.spec.output_tokens)
            percentiles = wanted_percentiles(wanted)
            limit = times.saturation_per_s
            judged = design / left if left > 0 else limit * 2
            rates = np.concatenate(
                [_CURVE_SHARES * limit, [max(peak, 0.0) / replicas, max(judged, 0.0)]]
            )
            table = load_table(replica, tuple(rates.tolist()), percentiles)
            in_range = replica.measured_range()
            points = [
                with_evidence(
                    table.point(
                        row, replicas=replicas, saturation_per_s=limit, measured_range=in_range
                    ),
                    replica,
                )
                for row in range(len(_CURVE_SHARES) + 1)
            ]
            curve = tuple(points[:-1])
            at_peak = points[-1] if peak > 0 else None
            if at_peak and not (at_peak.saturated or at_peak.within_model_range):
                at_peak = simulated_point(replica, at_peak, replicas=replicas)
            hours = typical_day(
                self.fleet,
                choice,
                peak_per_s=self.peak_per_s,
                headroom=self.headroom,
                most_on=self._most_on(months, servers),
            )
            if peak > 0:
                targets = _judge(table, len(rates) - 1, wanted, binds)
                if not table.within_range(len(rates) - 1, limit):
                    targets = _judge_simulated(replica, judged, targets)
                if self.fleet.count is not None:
                    binds = f"count: {servers:,} servers given"
                elif servers == 1:
                    binds = "one server carries the load"
                feasible, binds = self._verdict(table, targets, binds, judged / limit)
                if wanted != self.work.targets:
                    binds = f"{binds}; {NO_TOKEN_TIME}"
        memory = self.machine.device.memory_gb
        terms = serving_terms(self.fleet, replica)
        return FleetResult(
            fleet=self.fleet.key,
            name=self.fleet.name,
            workload=self.work.key,
            owned=self.fleet.owned,
            feasible=feasible,
            servers=servers,
            servers_by_month=months,
            replicas=replicas,
            tensor_parallel=replica.spec.tensor_parallel,
            device_count=servers * self.machine.device_count,
            binds=binds,
            at_peak=at_peak,
            curve=curve,
            targets=targets,
            memory=replica.plan.lines,
            memory_capacity_gb=None if memory is None else memory.value,
            status=weakest(term.status for term in terms),
            terms=terms,
            floor_ms=self._floors(choice),
            hours=hours,
            parallel=replica.spec.parallel.label,
            evidence=evidence_of(replica),
            count_rule=count_rule(
                self.fleet,
                self.peak_per_s * self.headroom,
                choice.capacity.requests_per_s,
                choice.per_server,
            ),
        )

    def _verdict(
        self, table: LoadTable, targets: tuple[TargetResult, ...], binds: str, load: float
    ) -> tuple[bool, str]:
        """Feasible or not at the design load, and the reason."""
        if bool(table.saturated[-1]):
            lost = self.work.replicas_lost
            gone = f" with {lost} replicas lost" if lost else ""
            return False, f"throughput: {load:.0%} of the saturation load at peak{gone}"
        missed = [target for target in targets if not target.met]
        if missed:
            worst = max(missed, key=lambda x: (x.predicted_ms or math.inf) / x.limit_ms)
            label = target_label(LatencyTarget(worst.metric, worst.percentile, worst.limit_ms))
            found = f"{worst.predicted_ms:,.1f} ms" if worst.predicted_ms else "ever longer waits"
            return False, f"{label}: {found} at peak"
        return True, binds


def _judge_simulated(
    replica: Replica, requests_per_s: float, targets: tuple[TargetResult, ...]
) -> tuple[TargetResult, ...]:
    """Targets at a design load outside the range of the closed form: the simulator decides."""
    found = []
    for target in targets:
        if target.predicted_ms is None:
            found.append(target)
            continue
        value = simulated_ms(replica, requests_per_s, target.metric, target.percentile)
        predicted = value if math.isfinite(value) else None
        met = predicted is not None and predicted <= target.limit_ms * (1 + 1e-9)
        found.append(dataclasses.replace(target, predicted_ms=predicted, met=met))
    return tuple(found)


def _judge(
    table: LoadTable, row: int, targets: tuple[LatencyTarget, ...], binds: str
) -> tuple[TargetResult, ...]:
    """Compare every target with the prediction at the design load."""
    results = []
    for target in targets:
        predicted = None
        if not table.saturated[row]:
            predicted = 1e3 * float(table.at(target.metric, target.percentile)[row])
        results.append(
            TargetResult(
                metric=target.metric,
                percentile=target.percentile,
                limit_ms=target.limit_ms,
                predicted_ms=predicted,
                met=predicted is not None and predicted <= target.limit_ms * (1 + 1e-9),
                binds=target_label(target) == binds.split(":")[0],
            )
        )
    return tuple(results)

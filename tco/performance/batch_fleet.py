"""A fleet whose models answer in one pass: batches, queue, machines (P8, P10)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from tco.inputs import BatchService, Fleet, LatencyTarget, Status, Workload, weakest
from tco.performance.batch_inference import DISTANCES, BatchCurve, NoRows, batch_curve
from tco.performance.growth import (
    MOST_REQUESTS_PER_S,
    MOST_SERVERS,
    TOO_MANY,
    count_rule,
    growth_factors,
    servers_by_month,
    whole_servers,
)
from tco.performance.machine import DAY_HOURS, Machine, idle_hours, infeasible, machine_of
from tco.performance.replica import target_label, unusable_target
from tco.results import FleetResult, HourLoad, LoadPoint, TargetResult, Term
from tco.simulate.dynamic_batching import (
    BatchRun,
    full_rate_per_s,
    poisson_arrivals,
    sample_size,
    settled_batch,
    simulate_batches,
)

Array = NDArray[np.float64]
_SHARES = (0.05, 0.12, 0.2, 0.28, 0.36, 0.44, 0.52, 0.6, 0.68, 0.75, 0.82, 0.88, 0.93, 0.97, 1.02)
_SEED = 10
_MOST_LOAD = 0.97  # planned for, of the rate of full batches
_STANDARD = (50.0, 90.0, 95.0, 99.0)


@dataclass(frozen=True, eq=False)
class BatchQueue:
    """One replica behind its queue: a curve, a batch limit and a time-out."""

    curve: BatchCurve
    limit: int
    timeout_s: float

    @property
    def saturation_per_s(self) -> float:
        """Rate of full batches."""
        return full_rate_per_s(self.curve.seconds(self.limit), self.limit)

    def run(self, rate_per_s: float) -> BatchRun:
        """Simulate Poisson arrivals at a rate; the same seed at every rate."""
        return _run(self, round(rate_per_s, 12))

    def holds(self, rate_per_s: float, targets: tuple[LatencyTarget, ...]) -> str:
        """Return the label of the first target missed at a rate; empty where all hold."""
        if not targets:
            return ""
        run = self.run(rate_per_s)
        worst, label = 1.0, ""
        for target in targets:
            over = 1e3 * run.percentile_s(target.percentile) / target.limit_ms
            if over > worst:
                worst, label = over, target_label(target)
        return label

    def capacity(self, targets: tuple[LatencyTarget, ...]) -> tuple[float, str]:
        """Return the largest rate with every target held, and what binds there; 0 if none."""
        high = self.saturation_per_s * _MOST_LOAD
        binds = self.holds(high, targets)
        if not binds:
            return high, f"throughput: {_MOST_LOAD:.0%} of the rate of batches of {self.limit}"
        low = self.saturation_per_s * 1e-3
        # a light load may wait out the time-out: the range that holds can begin above it
        if self.holds(low, targets):
            starts = [high * share for share in (0.02, 0.1, 0.25, 0.5, 0.75)]
            held = [rate for rate in starts if not self.holds(rate, targets)]
            if not held:
                return 0.0, self.holds(low, targets)
            low = held[-1]
        for _ in range(9):
            middle = (low + high) / 2
            missed = self.holds(middle, targets)
            if missed:
                high, binds = middle, missed
            else:
                low = middle
        return low, binds


@lru_cache(maxsize=2048)
def _run(queue: BatchQueue, rate_per_s: float) -> BatchRun:
    seconds = queue.curve.seconds(queue.limit)
    batch = settled_batch(seconds, queue.limit, rate_per_s)
    arrivals = poisson_arrivals(rate_per_s, sample_size(batch), _SEED)
    return simulate_batches(
        arrivals,
        seconds,
        batch_limit=queue.limit,
        timeout_s=queue.timeout_s,
    )


@lru_cache(maxsize=256)
def best_queue(
    curve: BatchCurve, service: BatchService, targets: tuple[LatencyTarget, ...]
) -> tuple[BatchQueue, float, str]:
    """Return the queue, its capacity and what binds: the limit given, else the best one (P8).

    Without a limit the powers of two up to the largest measured batch are tried.
    """
    timeout_s = service.timeout_ms / 1e3
    if service.batch_limit is not None:
        limits = [service.batch_limit]
    else:
        powers = [2**at for at in range(int(math.log2(curve.most)) + 1)]
        limits = sorted({*powers, curve.most})[-10:]
    found = [(BatchQueue(curve, limit, timeout_s), limit) for limit in limits]
    rated = [(*queue.capacity(targets), limit, queue) for queue, limit in found]
    rate, binds, _, queue = max(rated, key=lambda item: (item[0], -item[2]))
    return queue, rate, binds


def size_batch(
    fleet: Fleet, *, horizon_months: int, throughput_fraction: float = 1.0
) -> FleetResult:
    """Size a fleet from measured batches of its model (P8, P10)."""
    machine, work = machine_of(fleet), fleet.workload
    service = work.batch
    if machine is None or service is None or work.model is None:
        missing = "server or offer" if machine is None else "model"
        return infeasible(fleet, f"no {missing} is named", horizon_months=horizon_months)
    why = unusable_target(work.targets, ("e2e",))
    if throughput_fraction <= 0:
        why = "power cap: no throughput left"
    if machine.device_count % service.devices:
        why = (
            f"batch_inference.devices: {service.devices} does not divide the"
            f" {machine.device_count} devices of a server"
        )
    if why:
        return infeasible(fleet, why, horizon_months=horizon_months)
    found = batch_curve(work.model.key, machine.device, work.weight_dtype, service.devices)
    if isinstance(found, NoRows):
        reason = f"{found.reason}{f'; {found.mend}' if found.mend else ''}"
        return infeasible(fleet, reason, horizon_months=horizon_months)
    curve = found.scaled(throughput_fraction)
    terms = _terms(work, curve)
    status = weakest(term.status for term in terms)
    if work.targets and not curve.latency_known:
        why = (
            f"target {work.targets[0].metric}: only the rate with all samples waiting was measured"
            f" ({curve.source}); leave the target out, or measure the latency"
        )
        return infeasible(fleet, why, horizon_months=horizon_months, terms=terms, status=status)
    queue, each, binds = best_queue(curve, service, work.targets)
    if each <= 0 and fleet.count is None:
        why = f"{binds}: not held at any load with batches of {queue.limit}"
        return infeasible(fleet, why, horizon_months=horizon_months, terms=terms, status=status)
    sizing = _Sizing(fleet, work, machine, queue, each, binds)
    return sizing.result(horizon_months, terms, status)


def _terms(work: Workload, curve: BatchCurve) -> tuple[Term, ...]:
    demand = Term.of("peak requests", work.peak_requests_per_s)
    rate = curve.rate_per_s(curve.most)
    near = DISTANCES[curve.distance]
    terms = [
        demand,
        Term(
            f"rate at batch {curve.most} ({near})",
            rate,
            f"{curve.unit}/s",
            curve.status,
            curve.source,
            as_of=curve.as_of,
        ),
        Term(
            "lowest likely rate (80 %)", rate / curve.spread, f"{curve.unit}/s", *_SPREAD_PEDIGREE
        ),
        Term(
            "highest likely rate (80 %)", rate * curve.spread, f"{curve.unit}/s", *_SPREAD_PEDIGREE
        ),
    ]
    if curve.board_w is not None:
        terms.append(Term("board power there", curve.board_w, "W", Status.PUBLISHED, curve.source))
    return tuple(terms)


_SPREAD_PEDIGREE = (Status.ESTIMATED, "errors with whole devices left out, by distance of the rows")


@dataclass(frozen=True)
class _Sizing:
    fleet: Fleet
    work: Workload
    machine: Machine
    queue: BatchQueue
    each_per_s: float
    binds: str

    @property
    def per_server(self) -> int:
        """Replicas in one server."""
        return self.machine.device_count // self.queue.curve.devices

    @property
    def peak_per_s(self) -> float:
        """Peak of month 0 that this fleet takes."""
        return self.work.peak_requests_per_s.value * self.fleet.share_fraction

    @property
    def room(self) -> float:
        """Factor over the peak that is planned for."""
        spare = self.work.headroom_fraction
        return 1.0 + (spare.value if spare else 0.0)

    def needed(self, factor: float) -> int:
        """Servers for `factor` times the demand of month 0."""
        if self.fleet.count is not None:
            return self.fleet.count
        design = self.peak_per_s * factor * self.room
        if design <= 0:
            return 0
        return whole_servers(design / self.each_per_s, self.per_server, self.work.replicas_lost)

    def result(self, horizon_months: int, terms: tuple[Term, ...], status: Status) -> FleetResult:
        """Count machines and evaluate the load."""
        growth = growth_factors(self.work.growth_fraction_per_year.value, horizon_months)
        if not self.peak_per_s * max(growth) * self.room < MOST_REQUESTS_PER_S:
            return infeasible(self.fleet, TOO_MANY, horizon_months=horizon_months)
        months = servers_by_month(
            self.needed,
            growth,
            horizon_months=horizon_months,
            start_month=self.fleet.start_month,
            keep=self.fleet.owned,
        )
        servers = months[-1] if months else self.needed(growth[-1])
        if max((servers, *months)) > MOST_SERVERS:
            return infeasible(self.fleet, TOO_MANY, horizon_months=horizon_months)
        replicas, peak = servers * self.per_server, self.peak_per_s * growth[-1]
        limit = self.queue.saturation_per_s
        at_peak: LoadPoint | None = None
        targets: tuple[TargetResult, ...] = ()
        feasible, binds = True, self.binds
        if replicas == 0:
            feasible = peak <= 0
            binds = "no load" if feasible else "no servers for the load"
        elif peak > 0:
            left = replicas - self.work.replicas_lost
            judged = self._point(peak * self.room / left if left > 0 else math.inf, max(left, 1))
            at_peak = self._point(peak / replicas, replicas)
            targets = self._judge(judged)
            feasible = not judged.saturated and all(target.met for target in targets)
            if judged.saturated:
                binds = "throughput: more requests than the batches carry at peak"
            elif not feasible:
                binds = f"{self.binds}: not held at peak"
            elif self.fleet.count is not None:
                binds = f"count: {servers:,} servers given"
            elif servers == 1:
                binds = "one server carries the load"
        curve = tuple(self._point(limit * share, replicas) for share in _SHARES) if replicas else ()
        memory = self.machine.device.memory_gb
        return FleetResult(
            fleet=self.fleet.key,
            name=self.fleet.name,
            workload=self.work.key,
            owned=self.fleet.owned,
            feasible=feasible,
            servers=servers,
            servers_by_month=months,
            replicas=replicas,
            tensor_parallel=self.queue.curve.devices,
            device_count=servers * self.machine.device_count,
            binds=binds,
            at_peak=at_peak,
            curve=curve,
            targets=targets,
            memory=(),
            memory_capacity_gb=None if memory is None else memory.value,
            status=status,
            terms=(
                *terms,
                Term("batch limit", float(self.queue.limit), "requests", Status.ESTIMATED, "P10"),
            ),
            hours=self._hours(months, servers) if servers else idle_hours(0),
            count_rule=count_rule(
                self.fleet, self.peak_per_s * self.room, self.each_per_s, self.per_server
            ),
        )

    def _point(self, rate: float, replicas: int) -> LoadPoint:
        """Latency at a load per replica, with all replicas alike."""
        limit = self.queue.saturation_per_s
        saturated = rate >= limit * 0.999
        curve, e2e, in_range = self.queue.curve, {}, self.queue.curve.distance < 2
        if not saturated and curve.latency_known:
            run = self.queue.run(max(rate, limit * 1e-6))
            wanted = {*_STANDARD, *(target.percentile for target in self.work.targets)}
            e2e = {"mean": 1e3 * run.mean_s}
            e2e |= {f"p{at:g}": 1e3 * run.percentile_s(at) for at in sorted(wanted)}
            in_range = in_range and curve.in_range(max(run.requests_per_batch, 1.0))
        shown = rate if math.isfinite(rate) else limit
        return LoadPoint(
            requests_per_s=shown * replicas,
            utilisation_fraction=shown / limit,
            ttft_ms={},
            tpot_ms={},
            e2e_ms=e2e,
            saturated=saturated,
            measured_range=in_range and not saturated and self.queue.limit <= curve.most,
        )

    def _judge(self, point: LoadPoint) -> tuple[TargetResult, ...]:
        found = []
        for target in self.work.targets:
            predicted = point.e2e_ms.get(f"p{target.percentile:g}")
            found.append(
                TargetResult(
                    metric=target.metric,
                    percentile=target.percentile,
                    limit_ms=target.limit_ms,
                    predicted_ms=predicted,
                    # the capacity's last step and this run share their stream
                    met=predicted is not None and predicted <= target.limit_ms * 1.02,
                    binds=target_label(target) == self.binds,
                )
            )
        return tuple(found)

    def _hours(self, months: tuple[int, ...], servers: int) -> tuple[HourLoad, ...]:
        """Typical day of the first year; the share of the rate stands for compute and memory."""
        most = next((count for count in months if count), servers)
        rental = self.fleet.rental
        follows = rental is not None and rental.scaling == "hourly" and not self.fleet.owned
        seconds = self.queue.curve.seconds(self.queue.limit)
        limit = self.queue.saturation_per_s
        found = []
        for share in self.work.daily_shape or (1.0,) * DAY_HOURS:
            load = self.peak_per_s * share
            on = most
            if follows:
                wanted = load * self.room / self.each_per_s if self.each_per_s else most
                on = min(most, whole_servers(wanted, self.per_server, self.work.replicas_lost))
                on = on if load > 0 else 0
            each = load / (on * self.per_server) if on else 0.0
            batch = settled_batch(seconds, self.queue.limit, each) if each else 1.0
            spent = float(np.interp(batch, np.arange(len(seconds)), seconds))
            busy = min(each * spent / batch, 1.0)
            used = min(each / limit / busy, 1.0) if busy else 0.0
            found.append(HourLoad(load, on, busy, used, used))
        return tuple(found)

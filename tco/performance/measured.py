"""A service measured on one server, sized from its load test (F1.3, F1.3a)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np

from tco.inputs import (
    Figure,
    Fleet,
    LatencyTarget,
    MeasuredPoint,
    MeasuredService,
    Status,
    Workload,
    weakest,
)
from tco.performance import defaults
from tco.performance.growth import (
    MOST_REQUESTS_PER_S,
    MOST_SERVERS,
    TOO_MANY,
    count_rule,
    growth_factors,
    servers_by_month,
    whole_servers,
)
from tco.performance.machine import DAY_HOURS, idle_hours, infeasible, machine_of
from tco.performance.operators import Array
from tco.performance.replica import target_label, unusable_target
from tco.performance.terms import workload_terms
from tco.results import FleetResult, HourLoad, LoadPoint, TargetResult, Term

_MEASURED = (50.0, 95.0, 99.0)
_MOST_IN_FLIGHT = 20_000
_TAIL_STATES = 4  # times the largest concurrency: states of the open queue that are followed
_SHARES = (0.05, 0.12, 0.2, 0.28, 0.36, 0.44, 0.52, 0.6, 0.68, 0.75, 0.82, 0.88, 0.93, 0.97, 1.02)

if TYPE_CHECKING:
    from scipy.interpolate import PchipInterpolator


@dataclass(frozen=True)
class ServiceCurve:
    """Monotone curves through a load test, by requests in flight on one server (F1.3)."""

    concurrency: Array
    rate: PchipInterpolator
    latency: dict[float, PchipInterpolator]

    @property
    def least(self) -> float:
        """Smallest measured concurrency."""
        return float(self.concurrency[0])

    @property
    def most(self) -> float:
        """Largest measured concurrency."""
        return float(self.concurrency[-1])

    def rates(self, in_flight: Array) -> Array:
        """Requests per second at whole numbers in flight; the boundary is held above the range.

        Below the smallest measured concurrency the rate falls in proportion, as for a service
        whose latency there is that of the smallest.
        """
        inside = np.clip(in_flight, self.least, self.most)
        return np.asarray(self.rate(inside) * np.minimum(in_flight / self.least, 1.0))

    def latency_ms(self, percentile: float, in_flight: float) -> float:
        """Return a latency percentile at closed concurrency, the boundary value outside."""
        inside = min(max(in_flight, self.least), self.most)
        return float(self.latency[covering(percentile)](inside))

    def bound(self, targets: tuple[LatencyTarget, ...]) -> tuple[float, str]:
        """Return c*, the largest measured concurrency with every target held, and what binds.

        0 when not even the smallest measured concurrency holds them.
        """
        best, binds = self.most, "end of the measured range"
        for target in targets:
            curve = self.latency[covering(target.percentile)]
            grid = np.linspace(self.least, self.most, 513)
            over = curve(grid) > target.limit_ms
            if over[0]:
                return 0.0, target_label(target)
            if not over.any():
                continue
            low, high = grid[np.argmax(over) - 1], grid[np.argmax(over)]
            for _ in range(40):
                middle = (low + high) / 2
                low, high = (middle, high) if curve(middle) <= target.limit_ms else (low, middle)
            if low < best:
                best, binds = float(low), target_label(target)
        return best, binds


def covering(percentile: float) -> float:
    """Return the measured percentile that covers the wanted one from above.

    Examples
    --------
    >>> covering(90.0), covering(99.0)
    (95.0, 99.0)
    """
    return next((known for known in _MEASURED if known >= percentile), _MEASURED[-1])


def _usable(point: MeasuredPoint) -> bool:
    """Whether a row of the load test can be a point of the curve."""
    figures = (point.concurrency, point.requests_per_s, point.p50_ms, point.p95_ms, point.p99_ms)
    return min(figures) > 0 and point.concurrency <= _MOST_IN_FLIGHT


@lru_cache(maxsize=64)
def service_curve(service: MeasuredService, speed: float = 1.0) -> ServiceCurve | None:
    """Fit monotone curves through the points, or None with fewer than two (F1.3).

    `speed` scales rates, and latencies by its inverse (F2.2).
    """
    points = sorted(
        {point.concurrency: point for point in service.points if _usable(point)}.values(),
        key=lambda point: point.concurrency,
    )
    if len(points) < 2 or speed <= 0:
        return None
    c = np.array([point.concurrency for point in points])

    # a quarter of a second to load: only where a load test is used
    from scipy.interpolate import PchipInterpolator

    def rising(values: list[float]) -> PchipInterpolator:
        return PchipInterpolator(c, np.maximum.accumulate(np.array(values)), extrapolate=False)

    return ServiceCurve(
        c,
        rising([point.requests_per_s * speed for point in points]),
        {
            50.0: rising([point.p50_ms / speed for point in points]),
            95.0: rising([point.p95_ms / speed for point in points]),
            99.0: rising([point.p99_ms / speed for point in points]),
        },
    )


@dataclass(frozen=True)
class OpenQueue:
    """The same service under random arrivals: states 0..K in flight (F1.3a)."""

    curve: ServiceCurve

    def shares(self, requests_per_s: Array) -> Array:
        """Return the stationary law [load, state] of the number in flight."""
        states = max(64, math.ceil(_TAIL_STATES * self.curve.most))
        leave = self.curve.rates(np.arange(1, states + 1, dtype=np.float64))
        logs = np.zeros((len(requests_per_s), states + 1))
        np.cumsum(np.log(requests_per_s[:, None] / leave), axis=1, out=logs[:, 1:])
        logs -= logs.max(axis=1, keepdims=True)
        weight = np.exp(logs)
        return np.asarray(weight / weight.sum(axis=1, keepdims=True))

    @property
    def saturation_per_s(self) -> float:
        """Largest measured rate."""
        return float(self.curve.rates(np.array([self.curve.most]))[0])

    def capacity_per_s(self, most_in_flight: float) -> float:
        """Return the load at which `most_in_flight` bounds the tail of the number in flight."""
        low, high = 0.0, self.saturation_per_s * 0.999
        level = defaults.SERVICE_TAIL_FRACTION.value
        cut = math.floor(most_in_flight + 1e-9) + 1
        for _ in range(4):
            rates = np.linspace(low, high, 18)[1:]
            held = self.shares(rates)[:, :cut].sum(axis=1) >= level
            if held.all():
                return high
            first = int(np.argmin(held))
            low, high = (float(rates[first - 1]) if first else low), float(rates[first])
        return low

    def in_flight(self, share: Array, level: float) -> int:
        """Return the smallest state that covers `level` of the law."""
        return int(np.searchsorted(np.cumsum(share), level - 1e-12))


def size_measured(
    fleet: Fleet, *, horizon_months: int, throughput_fraction: float = 1.0
) -> FleetResult:
    """Size a fleet from a load test of its service (F1.3, F1.3a).

    The number in flight under Poisson arrivals follows from the measured rate at each
    concurrency; its 99th percentile stays within c*. Nothing is extrapolated: at the end of the
    measured range the boundary is held and the point flagged.
    """
    machine, work = machine_of(fleet), fleet.workload
    service = work.service
    if machine is None or service is None:
        missing = "server or offer" if machine is None else "measured service"
        return infeasible(fleet, f"no {missing} is named", horizon_months=horizon_months)
    curve = service_curve(service, throughput_fraction)
    terms = _terms(fleet, service, service.server in machine.keys)
    status = weakest(term.status for term in terms)
    if curve is None:
        why = f"{service.name}: two usable concurrencies or more are needed"
        return infeasible(fleet, why, horizon_months=horizon_months, terms=terms, status=status)
    why = unusable_target(work.targets, ("e2e",))
    if why:
        return infeasible(fleet, why, horizon_months=horizon_months, terms=terms, status=status)
    star, binds = curve.bound(work.targets)
    queue = OpenQueue(curve)
    each = queue.capacity_per_s(star) if star else 0.0
    if each <= 0 and fleet.count is None:
        why = f"{binds}: not held even at {curve.least:g} in flight"
        return infeasible(fleet, why, horizon_months=horizon_months, terms=terms, status=status)
    sizing = _Sizing(fleet, work, queue, each, binds, service.server in machine.keys)
    return sizing.result(horizon_months, terms, status)


@dataclass(frozen=True)
class _Sizing:
    fleet: Fleet
    work: Workload
    queue: OpenQueue
    each_per_s: float
    binds: str
    same_server: bool

    def needed(self, factor: float) -> int:
        """Servers for `factor` times the demand of month 0."""
        if self.fleet.count is not None:
            return self.fleet.count
        spare = self.work.headroom_fraction
        design = self.peak_per_s * factor * (1 + (spare.value if spare else 0.0))
        if design <= 0:
            return 0
        return whole_servers(design / self.each_per_s, spare=self.work.replicas_lost)

    @property
    def peak_per_s(self) -> float:
        """Peak of month 0 that this fleet takes."""
        return self.work.peak_requests_per_s.value * self.fleet.share_fraction

    def result(self, horizon_months: int, terms: tuple[Term, ...], status: Status) -> FleetResult:
        """Count machines and evaluate the load."""
        machine = machine_of(self.fleet)
        assert machine is not None
        growth = growth_factors(self.work.growth_fraction_per_year.value, horizon_months)
        if not self.peak_per_s * max(growth) < MOST_REQUESTS_PER_S:
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
        peak = self.peak_per_s * growth[-1]
        spare = self.work.headroom_fraction
        room = 1 + (spare.value if spare else 0.0)
        design = peak * room
        at_peak: LoadPoint | None = None
        curve: tuple[LoadPoint, ...] = ()
        targets: tuple[TargetResult, ...] = ()
        hours = idle_hours(servers)
        feasible, binds = True, self.binds
        if servers == 0:
            feasible = peak <= 0
            binds = "no load" if feasible else "no servers for the load"
        else:
            curve = tuple(
                self._point(self.queue.saturation_per_s * share, servers) for share in _SHARES
            )
            hours = self._hours(servers, months)
            if peak > 0:
                left = servers - self.work.replicas_lost
                judged = self._point(design / left if left > 0 else math.inf, max(left, 1))
                at_peak = self._point(peak / servers, servers)
                targets = self._judge(judged, binds)
                feasible = not judged.saturated and all(target.met for target in targets)
                if judged.saturated:
                    binds = "throughput: more requests than the measured service takes at peak"
                elif not feasible:
                    binds = f"{self.binds}: not held at peak"
                elif self.fleet.count is not None:
                    binds = f"count: {servers:,} servers given"
                elif servers == 1:
                    binds = "one server carries the load"
        memory = machine.device.memory_gb
        return FleetResult(
            fleet=self.fleet.key,
            name=self.fleet.name,
            workload=self.work.key,
            owned=self.fleet.owned,
            feasible=feasible,
            servers=servers,
            servers_by_month=months,
            replicas=servers,
            tensor_parallel=machine.device_count,
            device_count=servers * machine.device_count,
            binds=binds,
            at_peak=at_peak,
            curve=curve,
            targets=targets,
            memory=(),
            memory_capacity_gb=None if memory is None else memory.value,
            status=status,
            terms=terms,
            hours=hours,
            count_rule=count_rule(self.fleet, self.peak_per_s * room, self.each_per_s),
        )

    def _point(self, rate: float, servers: int) -> LoadPoint:
        """Latency at a load per server; a percentile at that percentile of the number in flight."""
        limit = self.queue.saturation_per_s
        saturated = rate >= limit * 0.999
        e2e: dict[str, float] = {}
        in_range = self.same_server
        if not saturated:
            share = self.queue.shares(np.array([max(rate, limit * 1e-9)]))[0]
            states = np.arange(len(share))
            mean = float(share @ states) / max(rate, limit * 1e-9)
            e2e["mean"] = 1e3 * mean
            for percentile in (50.0, 90.0, 95.0, 99.0):
                level = self.queue.in_flight(share, percentile / 100)
                value = self.queue.curve.latency_ms(percentile, max(level, 1))
                e2e[f"p{percentile:g}"] = value
            in_range = in_range and self.queue.in_flight(share, 0.99) <= self.queue.curve.most
        else:
            in_range = False
        return LoadPoint(
            requests_per_s=(rate if math.isfinite(rate) else limit) * servers,
            utilisation_fraction=(rate if math.isfinite(rate) else limit) / limit,
            ttft_ms={},
            tpot_ms={},
            e2e_ms=e2e,
            saturated=saturated,
            measured_range=in_range,
        )

    def _judge(self, point: LoadPoint, binds: str) -> tuple[TargetResult, ...]:
        results = []
        for target in self.work.targets:
            predicted = point.e2e_ms.get(f"p{covering(target.percentile):g}")
            results.append(
                TargetResult(
                    metric=target.metric,
                    percentile=target.percentile,
                    limit_ms=target.limit_ms,
                    predicted_ms=predicted,
                    met=predicted is not None and predicted <= target.limit_ms * (1 + 1e-6),
                    binds=target_label(target) == binds,
                )
            )
        return tuple(results)

    def _hours(self, servers: int, months: tuple[int, ...]) -> tuple[HourLoad, ...]:
        """Typical day of the first year; the rate in use stands for compute and memory alike."""
        first_year = next((count for count in months if count), servers)
        rental, lost = self.fleet.rental, self.work.replicas_lost
        follows = rental is not None and rental.scaling == "hourly" and not self.fleet.owned
        spare = self.work.headroom_fraction
        room = 1 + (spare.value if spare else 0.0)
        limit = self.queue.saturation_per_s
        result = []
        for share in self.work.daily_shape or (1.0,) * DAY_HOURS:
            load, on = self.peak_per_s * share, first_year
            if follows and self.each_per_s > 0:
                wanted = whole_servers(load * room / self.each_per_s, 1, lost) if load > 0 else 0
                on = min(first_year, wanted)
            rate = load / on if on else 0.0
            used = min(rate / limit, 1.0)
            busy = 0.0
            if rate > 0:
                law = self.queue.shares(np.array([min(rate, limit * 0.998)]))[0]
                busy = 1 - float(law[0])
            in_use = min(used / busy, 1.0) if busy > 0 else 0.0
            result.append(HourLoad(load, on, busy, in_use, in_use))
        return tuple(result)


def _terms(fleet: Fleet, service: MeasuredService, same: bool) -> tuple[Term, ...]:
    terms = [term for term in workload_terms(fleet) if not term.name.endswith("tokens")]
    status = Status.MEASURED if same else Status.ASSUMED
    note = service.source
    if not same:
        note = f"measured on {service.server}, not on this machine ({service.source})"
    best = max((point.requests_per_s for point in service.points), default=0.0)
    figure = Figure(best, "requests/s", status, note, service.as_of)
    terms.append(Term.of(f"load test of {service.name}, highest rate", figure))
    terms.append(Term.of("tail of the number in flight", defaults.SERVICE_TAIL_FRACTION))
    return tuple(terms)

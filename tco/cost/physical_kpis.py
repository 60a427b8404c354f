"""Power, racks, counts and latency of an option as KPIs (F2.5, F3.3, F18.1, P8)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from tco.cost.case import FleetCase, computed, status_of
from tco.cost.demand import in_flight, latency_ms
from tco.cost.footprint import footprint_kpis
from tco.cost.ledger import OptionCase
from tco.inputs import Status
from tco.results import Explained, FleetPower, RackLayout, Term

_LATENCIES = (
    ("ttft", "Time to first token"),
    ("tpot", "Time per output token"),
    ("e2e", "End to end"),
)


def physical_kpis(
    case: OptionCase, powers: Sequence[FleetPower], racks: Sequence[RackLayout]
) -> list[Explained]:
    """Everything that is not money."""
    return [
        *_power(case, powers),
        *footprint_kpis(case.fleets),
        *_counts(case, racks),
        *(_latency(case, metric, label) for metric, label in _LATENCIES),
        _utilisation(case),
        _in_flight(case),
    ]


def _power(case: OptionCase, powers: Sequence[FleetPower]) -> list[Explained]:
    rented_only = bool(case.fleets) and not any(c.fleet.owned for c in case.fleets)
    no_power = "rented: the provider's power is not known" if rented_only else ""
    lost = [c.fleet.name for c in case.fleets if c.fleet.owned and c.power is None]
    reason = no_power or (f"the power of {', '.join(lost)} is not known" if lost else "")
    peak_share = {c.fleet.key: _most(c.average_share.tolist()) for c in case.fleets}

    def added(
        key: str,
        label: str,
        unit: str,
        of: Callable[[FleetPower], float | None],
        formula: str,
        reference: str,
        why: str = reason,
    ) -> Explained:
        parts = [(power, of(power)) for power in powers]
        unknown = [power.fleet for power, part in parts if part is None]
        if unknown and not why:
            why = f"no grid carbon is known for the site of {', '.join(unknown)}"
        return Explained(
            key=key,
            label=label,
            value=None if why else math.fsum(part for _, part in parts if part is not None),
            unit=unit,
            status=status_of(power.status for power in powers),
            formula=formula,
            terms=tuple(
                computed(power.fleet, part, unit, power.status, "power room")
                for power, part in parts
                if part is not None
            ),
            reason=why,
            reference=reference,
        )

    return [
        added(
            "peak_kw",
            "Facility peak",
            "kW",
            lambda p: p.facility_peak_kw * peak_share.get(p.fleet, 1.0),
            "sum over fleets of the facility peak of the month with most servers",
            "F2.5, F4.1",
        ),
        added(
            "it_provisioned_kw",
            "IT power to provision",
            "kW",
            lambda p: p.it_provisioned_kw,
            "sum over fleets of servers x provisioned kW",
            "F2.5",
        ),
        added(
            "average_kw",
            "Facility average, first year",
            "kW",
            lambda p: p.facility_average_kw,
            "sum over fleets of IT average kW x PUE",
            "F2.5, F3.3",
        ),
        added(
            "kwh_per_year",
            "Energy, first year in service",
            "kWh",
            lambda p: p.kwh_per_year,
            "sum over fleets of facility average kW x hours a year",
            "F4.1",
        ),
        added(
            "tco2e_per_year",
            "Carbon, first year in service",
            "t CO2e",
            lambda p: p.tco2e_per_year,
            "sum over fleets of kWh x grid gCO2/kWh / 10^6, location based",
            "F18.1",
        ),
    ]


def _counts(case: OptionCase, racks: Sequence[RackLayout]) -> list[Explained]:
    results = [c.result for c in case.fleets]
    owned = [c.fleet.key for c in case.fleets if c.fleet.owned]
    laid_out = {layout.fleet for layout in racks}
    no_layout = [key for key in owned if key not in laid_out]
    rack_reason = "" if owned else "no server is owned"
    if no_layout:
        rack_reason = f"{', '.join(no_layout)} does not fit a rack here"

    def count(
        key: str, label: str, parts: list[tuple[str, float, Status]], reason: str = ""
    ) -> Explained:
        return Explained(
            key=key,
            label=label,
            value=None if reason else math.fsum(part for _, part, _ in parts),
            unit=key,
            status=status_of(status for _, _, status in parts),
            formula="sum over fleets",
            terms=tuple(
                computed(name, part, key, status, "sizing (P8)") for name, part, status in parts
            ),
            reason=reason,
            reference="F2.7" if key == "racks" else "P8",
        )

    sized = {r.fleet: r.status for r in results}
    return [
        count(
            "racks",
            "Racks",
            [(x.fleet, float(x.racks), sized.get(x.fleet, Status.ESTIMATED)) for x in racks],
            rack_reason,
        ),
        count("servers", "Servers", [(r.fleet, float(r.servers), r.status) for r in results]),
        count(
            "devices",
            "Devices",
            [
                (
                    c.result.fleet,
                    float(c.result.servers * c.devices_per_server),
                    c.result.status,
                )
                for c in case.fleets
            ],
        ),
    ]


_SPREAD = "spread of measured runs that the fit had not seen (P13.3)"


def _latency(case: OptionCase, metric: str, label: str) -> Explained:
    """The fleet that stands worst against its target; without one, the slowest p95."""
    worst: tuple[float, float | None, float, float | None, FleetCase] | None = None
    for c in case.fleets:
        for percentile, limit, predicted in _predictions(c, metric):
            rank = math.inf if predicted is None else predicted / (limit or 1.0)
            # a fleet with a target always comes before one without
            rank = rank + 1e12 if limit is not None else rank
            if worst is None or rank > worst[0]:
                worst = (rank, predicted, percentile, limit, c)
    if worst is None:
        return Explained(
            key=f"{metric}_ms",
            label=label,
            value=None,
            unit="ms",
            status=status_of(c.result.status for c in case.fleets),
            formula="no fleet has this latency",
            reason="no workload of this option has it",
            reference="P8",
        )
    _, predicted, percentile, limit, c = worst
    point = c.result.at_peak
    ends = point.interval_ratio.get(metric) if point is not None else None
    interval = [
        computed(f"80 % interval, {word} over the value", end, "ratio", Status.ESTIMATED, _SPREAD)
        for word, end in zip(("lower end", "upper end"), ends or (), strict=False)
    ]
    terms = [*_latency_terms(case, metric), *interval, *c.result.terms]
    low, high = (predicted * ends[0], predicted * ends[1]) if predicted and ends else (None, None)
    return Explained(
        key=f"{metric}_ms",
        # A target is judged at peak x (1 + headroom) with the lost copies gone (P8).
        label=f"{label}, p{percentile:g} at {'peak' if limit is None else 'design load'}",
        value=predicted,
        unit="ms",
        status=c.result.status,
        formula="the prediction that is the largest share of its limit, or the largest p95 where"
        f" none has one: {c.fleet.name}"
        + ("" if limit is None else "; design load = peak x (1 + headroom), lost copies gone"),
        terms=tuple(terms),
        low=low,
        high=high,
        reason="" if predicted is not None else f"{c.fleet.name} does not carry its peak",
        reference="P6.3, P8, P13.3",
    )


def _predictions(case: FleetCase, metric: str) -> list[tuple[float, float | None, float | None]]:
    """(percentile, limit, predicted) of each target, or the plain p95."""
    targets = [t for t in case.result.targets if t.metric == metric]
    if targets:
        return [(t.percentile, t.limit_ms, t.predicted_ms) for t in targets]
    point = case.result.at_peak
    value = latency_ms(point, metric, 95.0) if point and not point.saturated else None
    return [] if value is None else [(95.0, None, value)]


def _utilisation(case: OptionCase) -> Explained:
    points = [(c, c.result.at_peak) for c in case.fleets if c.result.at_peak is not None]
    shares = [(c, p.utilisation_fraction) for c, p in points if p is not None]
    return Explained(
        key="utilisation_fraction",
        label="Utilisation at peak, busiest fleet",
        value=max((share for _, share in shares), default=None),
        unit="fraction",
        status=status_of(c.result.status for c, _ in shares),
        formula="largest of the fleets' offered load / saturation load at peak",
        terms=tuple(
            computed(c.fleet.name, share, "fraction", c.result.status, "P6.4")
            for c, share in shares
        ),
        reason="" if shares else "no fleet serves requests",
        reference="P6.4, F1.4",
    )


def _in_flight(case: OptionCase) -> Explained:
    """Little's law over every fleet at its peak."""
    parts: list[tuple[FleetCase, float, float]] = []
    pipelines: set[str] = set()  # all fleets of one hold the same requests
    for c in case.fleets:
        point = c.result.at_peak
        load = c.fleet.workload
        if load.kind == "pipeline" and load.key in pipelines:
            continue
        pipelines.add(load.key)
        mean_ms = point.e2e_ms.get("mean") if point and not point.saturated else None
        if point is not None and mean_ms is not None and math.isfinite(mean_ms):
            parts.append((c, point.requests_per_s, mean_ms))
    terms = []
    for c, rate, mean_ms in parts:
        name, status = c.fleet.name, c.result.status
        terms.append(computed(f"{name}: peak", rate, "requests/s", status, "sizing (P8)"))
        terms.append(computed(f"{name}: mean end to end", mean_ms, "ms", status, "P6.3"))
    return Explained(
        key="requests_in_flight",
        label="Requests in flight at peak",
        value=math.fsum(in_flight(rate, ms / 1000.0) for _, rate, ms in parts) if parts else None,
        unit="requests",
        status=status_of(c.result.status for c, _, _ in parts),
        formula="sum over fleets of requests/s x mean end to end / 1000",
        terms=tuple(terms),
        reason="" if parts else "no fleet serves requests within its capacity",
        reference="F1.5",
    )


def _latency_terms(case: OptionCase, metric: str) -> list[Term]:
    """Prediction and limit of every fleet, so that the worst can be picked by hand."""
    terms = []
    for c in case.fleets:
        point = c.result.at_peak
        if point is not None:
            terms.append(
                computed(
                    f"{c.fleet.name}: peak",
                    point.requests_per_s,
                    "requests/s",
                    c.result.status,
                    "sizing (P8)",
                )
            )
        for percentile, limit, predicted in _predictions(c, metric):
            name = f"{c.fleet.name}: p{percentile:g}"
            if predicted is not None:
                terms.append(
                    computed(
                        name, predicted, "ms", c.result.status, "with headroom and losses (P8)"
                    )
                )
            if limit is not None:
                terms.append(computed(f"{name}, limit", limit, "ms", Status.ASSUMED, "target"))
    return terms


def _most(values: list[float]) -> float:
    return max(values, default=0.0)

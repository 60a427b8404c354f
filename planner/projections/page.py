"""What the projection page shows, made from the stored result."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.charts.cards import Card, all_cards, head_cards
from planner.charts.encode import Chart
from planner.charts.theme import colour
from planner.projections.around import AroundView, around_view
from planner.projections.availability import AvailabilityTable, availability_tables
from planner.projections.bills import BillTable, bill_tables
from planner.projections.charts_cost import cost_breakdown, cost_over_time
from planner.projections.charts_load import load_latency
from planner.projections.charts_power import power_by_hour
from planner.projections.interval import devices_of_a_copy, interval_of
from planner.projections.peak import PeakRow, evidence_groups, peak_rows
from planner.projections.places import Places, places_of
from planner.projections.rack import RackView, rack_views
from planner.projections.stages import PipelineTable, pipeline_tables
from planner.projections.tables import LedgerTable, MemoryTable, ledger_tables, memory_tables
from planner.projections.zones import ZonesTable, zones_tables


@dataclass(frozen=True, slots=True)
class FleetView:
    """How one fleet serves: words and numbers for a table."""

    name: str
    colour: str
    servers: int
    replicas: int
    devices_a_copy: int
    device_count: int
    binds: str
    feasible: bool
    status: str
    targets: tuple[dict[str, Any], ...]
    training_days: float | None


@dataclass(frozen=True, slots=True)
class OptionView:
    """One option with its cards."""

    key: str
    name: str
    colour: str
    feasible: bool
    complete: bool
    best: bool
    cards: list[Card]
    kpis: list[Card]
    fleets: list[FleetView]
    missing: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One result, option beside option; None where an option does not have it."""

    label: str
    unit: str
    cells: list[tuple[OptionView, Card | None]]


@dataclass(frozen=True, slots=True)
class ProjectionPage:
    """Everything of one projection for its page."""

    verdict: str
    options: list[OptionView]
    chosen: OptionView | None
    matrix: list[MatrixRow]
    cost_charts: list[Chart]
    load_charts: list[Chart]
    peak: list[PeakRow]
    evidence: list[tuple[str, str]]
    pipelines: list[PipelineTable]
    availability: list[AvailabilityTable]
    zones: list[ZonesTable]
    power_chart: Chart | None
    racks: list[RackView]
    around: AroundView
    bills: list[BillTable]
    ledgers: list[LedgerTable]
    memory: list[MemoryTable]
    findings: list[dict[str, Any]]
    notes: list[dict[str, Any]]
    thresholds: list[dict[str, Any]]
    more_thresholds: list[dict[str, Any]]
    conventions: list[dict[str, Any]]
    figures: list[dict[str, Any]]
    unverified: int
    input_hash: str
    engine_version: str
    currency: dict[str, Any]  # code, name and the dated rates behind the amounts


def projection_page(result: dict[str, Any]) -> ProjectionPage:
    """Return the page of a stored result."""
    places = places_of(result)
    cost = [cost_over_time(result, places), cost_breakdown(result, places)]
    provenance = result["provenance"]
    findings = by_severity(result["findings"])
    crossings = [crossing for crossing in result["crossings"] if crossing["sentence"]]
    best = result["best_option"]
    peak = peak_rows(result, places)
    options = [_option(option, result, places) for option in result["options"]]
    return ProjectionPage(
        verdict=result["verdict"],
        options=options,
        chosen=next((x for x in options if x.best), options[0] if options else None),
        matrix=_matrix(options),
        cost_charts=[item for item in cost if item is not None],
        load_charts=load_latency(result, places),
        peak=peak,
        evidence=evidence_groups(peak),
        pipelines=pipeline_tables(result, places),
        availability=availability_tables(result, places),
        zones=zones_tables(result),
        power_chart=power_by_hour(result, places),
        racks=rack_views(result, places),
        around=around_view(result, places),
        bills=bill_tables(result, places),
        ledgers=ledger_tables(result, places),
        memory=memory_tables(result, places),
        findings=[finding for finding in findings if finding["severity"] != "info"],
        notes=[finding for finding in findings if finding["severity"] == "info"],
        thresholds=[crossing for crossing in crossings if best in crossing["between"]],
        more_thresholds=[crossing for crossing in crossings if best not in crossing["between"]],
        conventions=provenance["conventions"],
        figures=provenance["figures"],
        unverified=sum(1 for term in provenance["figures"] if not term["verified"]),
        input_hash=provenance["input_hash"],
        engine_version=provenance["engine_version"],
        currency=result.get("currency", {}),
    )


def by_severity(findings: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return findings, errors first."""
    order = {"error": 0, "warning": 1, "info": 2}
    return sorted(findings, key=lambda finding: order.get(finding["severity"], 3))


def _option(option: dict[str, Any], result: dict[str, Any], places: Places) -> OptionView:
    key = option["key"]
    kpis = result["kpis"][key]
    return OptionView(
        key=key,
        name=option["name"],
        colour=colour(places.options[key]),
        feasible=option["feasible"],
        complete=option["complete"],
        best=key == result["best_option"],
        cards=head_cards(kpis),
        kpis=all_cards(kpis),
        fleets=[_fleet(key, fleet, places) for fleet in result["latency"][key]],
        missing=tuple(
            f"{line['label']}: {line['missing']}"
            for line in result["ledger"][key]["lines"]
            if line["missing"]
        ),
    )


def _matrix(options: list[OptionView]) -> list[MatrixRow]:
    """Return the head results of all options, row by row."""
    known = [{card.key: card for card in option.cards} for option in options]
    keys = dict.fromkeys(key for cards in known for key in cards)
    rows = []
    for key in keys:
        cells = [(option, cards.get(key)) for option, cards in zip(options, known, strict=True)]
        first = next(card for _, card in cells if card is not None)
        rows.append(MatrixRow(first.label, first.unit, cells))
    return rows


def _fleet(option: str, fleet: dict[str, Any], places: Places) -> FleetView:
    return FleetView(
        name=fleet["name"],
        colour=colour(places.fleets[(option, fleet["fleet"])]),
        servers=fleet["servers"],
        replicas=fleet["replicas"],
        devices_a_copy=devices_of_a_copy(fleet.get("parallel", ""), fleet["tensor_parallel"]),
        device_count=fleet["device_count"],
        binds=fleet["binds"],
        feasible=fleet["feasible"],
        status=fleet["status"],
        targets=tuple(
            {
                **target,
                "interval": interval_of(fleet["at_peak"], target["metric"], target["predicted_ms"]),
            }
            for target in fleet["targets"]
        ),
        training_days=fleet["training_days"],
    )

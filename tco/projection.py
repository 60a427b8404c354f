"""`project`: inputs to projection. The only file that knows the order of the rooms."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

from tco import __version__
from tco.checks import FleetView, ScenarioView, blocks, run_checks
from tco.cost.accounting import views
from tco.cost.breakeven import cumulative_crossings
from tco.cost.by_rack import priced_racks
from tco.cost.case import Calendar
from tco.cost.exchange import with_originals
from tco.cost.kpis import kpis
from tco.cost.ledger import Book, OptionCase, build_ledger, lines_at_first_rates
from tco.cost.provenance import conventions, engine_defaults, input_figures
from tco.cost.redundancy import availability_results
from tco.cost.sovereign import pooled
from tco.cost.thresholds import Side, pair_thresholds
from tco.cost.unpriced import marked, unpriced_classes
from tco.cost.verdict import best_option, verdict
from tco.cost.zone_results import PooledCase, zones_result
from tco.errors import InputError
from tco.facility.hall.of_option import option_halls
from tco.facility.packing import rack_layout
from tco.facility.slots import SlotFit, slot_fit
from tco.infrastructure import Around, around, cooled_sites, sized_with_store
from tco.inputs import Fleet, Option, ScenarioInputs, Status
from tco.performance.confidential import confidential_speed
from tco.performance.pipeline_fleet import size_pipeline
from tco.performance.sizing import size_fleet
from tco.power.part_load import with_part_load
from tco.power.server_power import fleet_power
from tco.results import (
    Crossing,
    Explained,
    Finding,
    FleetPower,
    FleetResult,
    HallResult,
    Ledger,
    OptionResult,
    PipelineResult,
    Projection,
    RackLayout,
    Term,
)
from tco.results.currency import named
from tco.results.networks import CoolingResult
from tco.results.zones import ZonesResult

# What a room may raise over one fleet's figures; anything else is a fault of the program.
_FLEET_FAILURES = (ValueError, ArithmeticError, LookupError)
_ALONE = Around()


@dataclass(frozen=True, slots=True)
class _Built:
    """One fleet after the rooms before money."""

    fleet: Fleet
    slot: SlotFit | None
    result: FleetResult
    power: FleetPower | None
    racks: RackLayout | None
    failures: tuple[tuple[str, str, str], ...]  # field, message, mend
    around: Around = _ALONE


@dataclass(frozen=True, slots=True)
class _Priced:
    """One option with its money."""

    option: Option
    built: tuple[_Built, ...]
    case: OptionCase
    ledger: Ledger
    kpis: dict[str, Explained]
    pipelines: tuple[PipelineResult, ...] = ()
    zones: ZonesResult | None = None
    cooling: tuple[CoolingResult, ...] = ()


def project(inputs: ScenarioInputs) -> Projection:
    """Project a scenario: cost, power, latency, racks, findings, thresholds.

    A pure function: the same inputs give the same bytes. What is physically infeasible is a
    finding, not an error, and a fleet that fails does not stop the others.

    Parameters
    ----------
    inputs
        A resolved scenario.

    Raises
    ------
    InputError
        Conventions that cannot be read (finance: hours mode, rate mode, date, rate).
    """
    calendar = Calendar.of(inputs.finance)
    priced = [_priced(option, calendar) for option in inputs.options]
    figures = input_figures(inputs)
    halls = [(item.option.key, hall) for item in priced for hall in _halls(inputs, item)]
    cooling = tuple((item.option.key, item.cooling) for item in priced)
    view = ScenarioView(inputs, tuple(_views(inputs, priced)), tuple(halls), cooling)
    findings = (*_failures(priced), *run_checks(view, figures))
    options = tuple(_result(item, findings, halls) for item in priced)
    crossings = _crossings(priced, options)
    best = best_option(options)
    unpriced = unpriced_classes(inputs.options)
    found = Projection(
        name=inputs.name,
        engine_version=__version__,
        input_hash=inputs.content_hash,
        verdict=verdict(options, crossings, calendar.months, unpriced),
        best_option=best.key if best else None,
        options=options,
        findings=findings,
        crossings=tuple(marked(crossing, inputs.options, unpriced) for crossing in crossings),
        conventions=(*conventions(inputs, calendar), *engine_defaults(_terms(priced))),
        figures=figures,
        currency=inputs.finance.currency,
        exchange=inputs.finance.exchange_rates,
    )
    return named(found, _own_names(inputs))


def _own_names(inputs: ScenarioInputs) -> Iterator[str]:
    """Names that people gave, which no sentence may change."""
    yield inputs.name
    for parts in (inputs.sites, inputs.workloads, inputs.options):
        yield from (part.name for part in parts)
    yield from (fleet.name for option in inputs.options for fleet in option.fleets)


def _terms(priced: Sequence[_Priced]) -> Iterator[Term]:
    """What sizes and watts rest on beside the inputs."""
    for item in priced:
        for built in item.built:
            yield from built.result.terms
            if built.power is not None:
                yield from built.power.terms


def option_cases(inputs: ScenarioInputs) -> tuple[OptionCase, ...]:
    """Every option sized, powered and packed, ready for its ledger and for draws on it (F21).

    Raises
    ------
    InputError
        As `project`.
    """
    calendar = Calendar.of(inputs.finance)
    return tuple(_priced(option, calendar).case for option in inputs.options)


def _priced(option: Option, calendar: Calendar) -> _Priced:
    sized, pipelines = _pipelines(option, calendar)
    built = tuple(_built(fleet, calendar, sized.get(fleet.key)) for fleet in option.fleets)
    known = with_part_load(
        {fleet.key: fleet.site for fleet in option.fleets if fleet.site is not None},
        [item.power for item in built if item.power is not None],
        hours_per_year=calendar.hours_per_year,
    )
    power_of = {power.fleet: power for power in known}
    built = tuple(replace(item, power=power_of.get(item.fleet.key)) for item in built)
    cooling, failed = cooled_sites(
        option.fleets,
        [item.power for item in built if item.power is not None],
        hours_per_year=calendar.hours_per_year,
    )
    built = tuple(
        replace(item, failures=(*item.failures, *(_failure(x) for x in failed[item.fleet.key])))
        if item.fleet.key in failed
        else item
        for item in built
    )
    powers = [item.power for item in built if item.power is not None]
    racks = [item.racks for item in built if item.racks is not None]
    stores = [item.around.store for item in built if item.around.store is not None]
    results = [item.result for item in built]
    case = OptionCase.of(option, calendar, results, powers, racks, stores=stores, cooling=cooling)
    ledger = build_ledger(case)
    zones = zones_result(case, tuple(_pools(option, calendar))) if option.zoning else None
    found = kpis(case, ledger, powers, racks)
    return _Priced(option, built, case, ledger, found, pipelines, zones, cooling)


def _pools(option: Option, calendar: Calendar) -> Iterator[PooledCase]:
    """One pool of the whole demand at each zone of an option (F17.4)."""
    for zone in option.zoning.zones if option.zoning is not None else ():
        pool = pooled(option, zone.key)
        if pool is not None:
            found = _priced(pool, calendar)
            yield zone.key, found.case, all(x.result.feasible for x in found.built)


def _pipelines(
    option: Option, calendar: Calendar
) -> tuple[dict[str, FleetResult], tuple[PipelineResult, ...]]:
    """Size the fleets of each pipeline together, before the rooms that see one fleet (P9)."""
    groups: dict[str, list[Fleet]] = {}
    for fleet in option.fleets:
        if fleet.workload.kind == "pipeline":
            groups.setdefault(fleet.workload.key, []).append(fleet)
    sized: dict[str, FleetResult] = {}
    found = []
    for fleets in groups.values():
        try:
            results, pipeline = size_pipeline(
                fleets,
                horizon_months=calendar.months,
                speeds={fleet.key: _speed(fleet) * confidential_speed(fleet) for fleet in fleets},
            )
        except _FLEET_FAILURES:  # told at each fleet, which is then sized alone
            continue
        sized |= results
        if pipeline is not None:
            found.append(pipeline)
    return sized, tuple(found)


def _speed(fleet: Fleet) -> float:
    """Share of full speed left under the slot's power cap."""
    if fleet.server is None or fleet.site is None:
        return 1.0
    slot = slot_fit(fleet.server, fleet.site.slot_w)
    return slot.throughput_fraction if slot.fits else 1.0


def _built(fleet: Fleet, calendar: Calendar, sized: FleetResult | None = None) -> _Built:
    """Slot, size, power, racks; each room's failure is kept and the next ones go on."""
    failures: list[tuple[str, str, str]] = []
    slot: SlotFit | None = None
    power: FleetPower | None = None
    racks: RackLayout | None = None
    months = calendar.months
    try:
        if fleet.server is not None and fleet.site is not None:
            slot = slot_fit(fleet.server, fleet.site.slot_w)
        share = slot.throughput_fraction if slot is not None and slot.fits else 1.0

        def size(one: Fleet) -> FleetResult:
            return sized or size_fleet(
                one,
                horizon_months=months,
                hours=calendar.finance.hours_mode,
                throughput_fraction=share,
            )

        fleet, result = sized_with_store(fleet, size)
    except _FLEET_FAILURES as error:
        failures.append(_failure(error))
        return _Built(fleet, slot, _unsized(fleet, months, error), None, None, tuple(failures))
    beside = Around()
    try:
        beside = around(fleet, result)
        power = fleet_power(
            fleet,
            result,
            hours_per_year=calendar.hours_per_year,
            shared_w=beside.power_w,
            shared_terms=beside.terms,
        )
        if power is not None:
            racks = rack_layout(fleet, result, server_provisioned_kw=power.server_provisioned_kw)
    except _FLEET_FAILURES as error:
        failures.append(_failure(error))
    return _Built(fleet, slot, result, power, racks, tuple(failures), beside)


def _failure(error: Exception) -> tuple[str, str, str]:
    if isinstance(error, InputError):
        return error.field, error.message, error.mend
    return "", f"{type(error).__name__}: {error}", "check this fleet's figures"


def _unsized(fleet: Fleet, months: int, error: Exception) -> FleetResult:
    """Result of a fleet that a room could not size."""
    return FleetResult(
        fleet=fleet.key,
        name=fleet.name,
        workload=fleet.workload.key,
        owned=fleet.owned,
        feasible=False,
        servers=0,
        servers_by_month=(0,) * months,
        replicas=0,
        tensor_parallel=0,
        device_count=0,
        binds=str(error),
        at_peak=None,
        curve=(),
        targets=(),
        memory=(),
        memory_capacity_gb=None,
        status=Status.ASSUMED,
    )


def _views(inputs: ScenarioInputs, priced: Sequence[_Priced]) -> Iterator[FleetView]:
    for option_index, item in enumerate(priced):
        for fleet_index, built in enumerate(item.built):
            yield FleetView(
                scenario=inputs,
                option_index=option_index,
                fleet_index=fleet_index,
                option=item.option,
                fleet=built.fleet,
                result=built.result,
                power=built.power,
                racks=built.racks,
                slot=built.slot,
                around=built.around,
                lines=tuple(x for x in item.ledger.lines if x.fleet == built.fleet.key),
            )


def _failures(priced: Sequence[_Priced]) -> Iterator[Finding]:
    """What a room could not compute, as findings at the fleet."""
    for option_index, item in enumerate(priced):
        for fleet_index, built in enumerate(item.built):
            for field, message, mend in built.failures:
                zone = built.fleet.zone  # a fleet in zones is written once
                index = fleet_index if zone is None else zone.template_index
                path = f"options[{option_index}].fleets[{index}]"
                yield Finding(
                    "fleet_failed",
                    "error",
                    path,
                    f"{built.fleet.name} could not be computed:"
                    f" {f'{field}: ' if field else ''}{message}",
                    mend,
                    item.option.key,
                    built.fleet.key,
                )


def _halls(inputs: ScenarioInputs, item: _Priced) -> tuple[HallResult, ...]:
    """Halls of the sites, filled with the option's fleets (F2.7)."""
    sized = [
        (built.fleet, built.result, built.power) for built in item.built if built.power is not None
    ]
    used = {fleet.site.key for option in inputs.options for fleet in option.fleets if fleet.site}
    return tuple(option_halls(inputs.sites, sized, inputs.finance.valuation_date, elsewhere=used))


def _result(
    item: _Priced, findings: Sequence[Finding], halls: Sequence[tuple[str, HallResult]]
) -> OptionResult:
    """The option; what a check forbids is not feasible, whatever its size says."""
    key = item.option.key
    against = [finding for finding in findings if finding.option == key and blocks(finding)]
    why = {finding.fleet: finding.message for finding in reversed(against)}
    fleets = tuple(
        replace(built.result, feasible=False, binds=why[built.fleet.key])
        if built.result.feasible and built.fleet.key in why
        else built.result
        for built in item.built
    )
    accounts = views(item.case, item.ledger)
    return OptionResult(
        key=key,
        name=item.option.name,
        feasible=bool(fleets) and not against and all(fleet.feasible for fleet in fleets),
        complete=item.ledger.complete and item.kpis["tco_usd"].value is not None,
        kpis=item.kpis,
        ledger=with_originals(
            item.case, item.case.calendar.finance, item.ledger, lines_at_first_rates
        ),
        fleets=fleets,
        power=tuple(built.power for built in item.built if built.power is not None),
        racks=priced_racks(
            [x.racks for x in item.built if x.racks is not None], item.ledger, accounts, item.option
        ),
        pipelines=item.pipelines,
        fabrics=tuple(one for built in item.built for one in built.around.fabrics),
        stores=tuple(built.around.store for built in item.built if built.around.store is not None),
        cooling=item.cooling,
        views=accounts,
        halls=tuple(hall for option, hall in halls if option == key),
        availability=availability_results(item.case),
        zones=item.zones,
    )


def _crossings(priced: Sequence[_Priced], options: Sequence[OptionResult]) -> tuple[Crossing, ...]:
    """Thresholds between every two options that carry their workloads and have every price."""
    sides = [
        Side(item.case, Book.of(item.ledger))
        for item, option in zip(priced, options, strict=True)
        if option.feasible and option.complete
    ]
    found: list[Crossing] = []
    for a, b in combinations(sides, 2):
        found += cumulative_crossings(a.book, b.book, (a.key, b.key), (a.name, b.name))
        found += pair_thresholds(a, b)
    return tuple(found)

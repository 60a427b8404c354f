"""The next steps of redundancy and support: what each costs and what it saves (F16.3, F16.4).

Every row is the fleet's own ledger with one thing changed, so that a step moves whatever hangs on
it: power and space of one more server, a second site's share, spares of a slower contract.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from tco.cost.availability import (
    DOWNTIME,
    Chain,
    chain,
    chain_status,
    installed,
    last_month,
    servers_spared,
)
from tco.cost.case import FleetCase, life_months, with_replacements
from tco.cost.columns import mean
from tco.cost.finance import present_value_usd
from tco.cost.ledger import OptionCase, build_ledger
from tco.cost.reliability import SCHEMES, Down
from tco.inputs import Availability, Layer, Option
from tco.results import LedgerLine
from tco.results.availability import (
    AvailabilityResult,
    ContractChoice,
    LayerResult,
    RedundancyChoice,
)

SERVERS = "servers"
SECOND_SITE = "second_site"
_MODES = ("one site", "active_passive", "active_active")
_MORE_SERVERS = 3  # rows of one, two ... more


@dataclass(frozen=True, slots=True)
class _Priced:
    """One variant of a fleet with its money."""

    chain: Chain
    service: Down
    cost_usd: float | None  # all but downtime
    downtime_usd: float | None
    lines: tuple[LedgerLine, ...]

    @property
    def total_usd(self) -> float | None:
        """All lines; None where a price is missing."""
        known = self.cost_usd is not None and self.downtime_usd is not None
        return (self.cost_usd or 0.0) + (self.downtime_usd or 0.0) if known else None

    def line_usd(self, key: str, rate: float) -> float | None:
        """Present value of one line; 0 where the fleet has none, None where it has no price."""
        return _present([line for line in self.lines if line.key == key], rate)


def availability_results(case: OptionCase) -> tuple[AvailabilityResult, ...]:
    """Availability of each fleet of an option that gives one."""
    return tuple(
        _result(fleet_case, given)
        for fleet_case in case.fleets
        if (given := fleet_case.fleet.availability) is not None and fleet_case.months
    )


def _result(case: FleetCase, given: Availability) -> AvailabilityResult:
    now = _priced(case, given)
    hours = case.calendar.hours_per_year
    missing = [line.missing for line in now.lines if line.key == DOWNTIME and line.missing]
    priced = any(line.key == DOWNTIME for line in now.lines)
    reason = missing[0] if missing else "" if priced else "what an hour down costs is not given"
    return AvailabilityResult(
        fleet=case.fleet.key,
        name=case.fleet.name,
        availability_fraction=1.0 - mean(now.service.fraction),
        downtime_hours_per_year=mean(now.service.fraction) * hours,
        events_per_year=mean(now.service.events_per_year),
        repair_hours=mean(now.chain.repair_hours),
        servers_spared=servers_spared(case),
        downtime_usd=now.downtime_usd if priced else None,
        reason=reason,
        layers=tuple(_parts(case, given, now.chain)),
        choices=tuple(_choices(case, given, now)),
        contracts=tuple(_contracts(case, given)),
        status=chain_status(case, given, now.chain),
    )


def _priced(case: FleetCase, given: Availability, extra_servers: int = 0) -> _Priced:
    """The fleet with this availability and so many servers more."""
    changed = replace(case, fleet=replace(case.fleet, availability=given))
    if extra_servers:
        changed = _with_servers(changed, extra_servers)
    alone = Option(changed.fleet.key, changed.fleet.name, (changed.fleet,))
    lines = build_ledger(OptionCase(alone, changed.calendar, (changed,))).lines
    found = chain(changed, given)
    rate = case.calendar.rate_fraction
    return _Priced(
        found,
        last_month(changed, found.service),
        _present([line for line in lines if line.key != DOWNTIME], rate),
        _present([line for line in lines if line.key == DOWNTIME], rate),
        lines,
    )


def _with_servers(case: FleetCase, extra: int) -> FleetCase:
    """More servers in every month that has some; all of them spare."""
    servers = np.where(case.servers > 0, case.servers + extra, 0.0)
    bought = np.diff(servers, prepend=0.0)
    if case.fleet.owned:
        bought = with_replacements(bought, life_months(case.fleet))
    return replace(case, servers=servers, bought=bought, spare_servers=case.spare_servers + extra)


def _present(lines: Sequence[LedgerLine], rate: float) -> float | None:
    if any(line.missing for line in lines):
        return None
    return sum(present_value_usd(line.start_usd, line.end_usd, rate) for line in lines)


def _parts(case: FleetCase, given: Availability, found: Chain) -> Iterator[LayerResult]:
    hours = case.calendar.hours_per_year

    def part(
        names: tuple[str, str, str, str], counts: tuple[int, int], unit: float, down: Down
    ) -> LayerResult:
        at_end = last_month(case, down)
        share, events = mean(at_end.fraction), mean(at_end.events_per_year)
        return LayerResult(*names, *counts, 1.0 - unit, 1.0 - share, share * hours, events)

    if case.devices_per_server:
        count = int(case.servers[-1])
        spare = min(servers_spared(case), max(0, count - 1))
        scheme = f"N+{spare}" if spare else "N"
        unit = mean(found.server_down)
        names = (SERVERS, "Servers", SERVERS, scheme)
        yield part(names, (max(0, count - spare), count), unit, found.servers)
    for layer, down in zip(given.layers, found.layers, strict=True):
        scheme = f"{layer.needed} of {layer.installed}" if layer.installed else layer.scheme
        names = (layer.key, layer.name or layer.key, layer.kind, scheme)
        yield part(names, (layer.needed, installed(layer)), _unit_down(layer), down)


def _unit_down(layer: Layer) -> float:
    if layer.availability_fraction is not None:
        return 1.0 - layer.availability_fraction.value
    assert layer.mtbf_hours is not None
    return layer.repair_hours.value / (layer.mtbf_hours.value + layer.repair_hours.value)


def _choices(case: FleetCase, given: Availability, now: _Priced) -> Iterator[RedundancyChoice]:
    """Every scheme of each part, one part changed at a time."""
    if case.devices_per_server and case.fleet.owned and case.servers[-1] > 0:
        count, spare = int(case.servers[-1]), servers_spared(case)
        variants = [
            (f"N+{spare + more}" if spare + more else "N", count + more, more == 0)
            for more in range(_MORE_SERVERS)
        ]
        priced = [now, *(_priced(case, given, more) for more in range(1, _MORE_SERVERS))]
        yield from _steps(case, SERVERS, "Servers", variants, priced)
    for index, layer in enumerate(given.layers):
        names = SCHEMES if layer.installed is None else None
        rows, priced = [], []
        if names is None:
            least = layer.needed
            for count in sorted({least, least + 1, least + 2, installed(layer)}):
                rows.append((f"{least} of {count}", count, count == layer.installed))
                priced.append(_layer_as(case, given, index, replace(layer, installed=count)))
        else:
            for scheme in names:
                other = replace(layer, scheme=scheme)
                rows.append((scheme, installed(other), scheme == layer.scheme))
                priced.append(_layer_as(case, given, index, other))
        known = layer.usd_per_unit is not None or layer.usd_per_unit_year is not None
        if not known:  # what another scheme costs is not 0: it is in a line nobody split
            priced = [
                one if chosen else replace(one, cost_usd=None)
                for one, (_, _, chosen) in zip(priced, rows, strict=True)
            ]
        yield from _steps(case, layer.key, layer.name or layer.key, rows, priced)
    second = given.second_site
    if second is not None:
        rows = [(mode, 1 + bool(at), mode == second.mode) for at, mode in enumerate(_MODES)]
        priced = [
            _priced(case, replace(given, second_site=replace(second, mode=mode) if at else None))
            for at, mode in enumerate(_MODES)
        ]
        yield from _steps(case, SECOND_SITE, "Sites", rows, priced)


def _layer_as(case: FleetCase, given: Availability, index: int, layer: Layer) -> _Priced:
    layers = (*given.layers[:index], layer, *given.layers[index + 1 :])
    return _priced(case, replace(given, layers=layers))


def _steps(
    case: FleetCase,
    part: str,
    name: str,
    rows: Sequence[tuple[str, int, bool]],
    priced: Sequence[_Priced],
) -> Iterator[RedundancyChoice]:
    worth = [any(line.key == DOWNTIME for line in one.lines) for one in priced]
    totals = [one.total_usd for one in priced]
    known = [usd for usd in totals if usd is not None]
    cheapest = min(known) if len(known) == len(totals) and all(worth) else None
    first = totals.index(cheapest) if cheapest is not None else -1
    before: _Priced | None = None
    for at, ((scheme, count, chosen), one) in enumerate(zip(rows, priced, strict=True)):
        extra = saving = None
        if before is not None:
            extra = _less(one.cost_usd, before.cost_usd)
            saving = _less(before.downtime_usd, one.downtime_usd) if worth[at] else None
        share = mean(one.service.fraction)
        yield RedundancyChoice(
            part=part,
            name=name,
            scheme=scheme,
            installed=count,
            chosen=chosen,
            availability_fraction=1.0 - share,
            downtime_hours_per_year=share * case.calendar.hours_per_year,
            cost_usd=one.cost_usd,
            downtime_usd=one.downtime_usd if worth[at] else None,
            extra_usd=extra,
            saving_usd=saving,
            pays=None if extra is None or saving is None else saving > extra,
            cheapest=at == first,
        )
        before = one


def _contracts(case: FleetCase, given: Availability) -> Iterator[ContractChoice]:
    if not given.contracts:
        return
    rate = case.calendar.rate_fraction
    bought = given.bought_contract or given.contracts[0]
    priced = {one.key: _priced(case, replace(given, contract=one.key)) for one in given.contracts}
    totals = {key: one.total_usd for key, one in priced.items()}
    known = [usd for usd in totals.values() if usd is not None]
    for one in given.contracts:
        found = priced[one.key]
        spares = [line for line in found.lines if line.key == "spares"]
        kept = next(
            (x.value for line in spares for x in line.terms if x.name == "spares kept"), 0.0
        )
        share, total = mean(found.service.fraction), totals[one.key]
        yield ContractChoice(
            key=one.key,
            name=one.name or one.key,
            chosen=one.key == given.contract,
            response_hours=mean(one.response_hours.value),
            parts_hours=mean(one.parts_hours.value),
            repair_hours=mean(found.chain.repair_hours),
            server_availability_fraction=1.0 - mean(found.chain.server_down),
            availability_fraction=1.0 - share,
            downtime_hours_per_year=share * case.calendar.hours_per_year,
            spares=round(kept),
            contract_usd=found.line_usd("support_contract", rate),
            spares_usd=found.line_usd("spares", rate),
            downtime_usd=found.line_usd(DOWNTIME, rate)
            if any(line.key == DOWNTIME for line in found.lines)
            else None,
            cost_usd=total,
            saving_usd=_less(totals[bought.key], total),
            cheapest=total is not None and total == min(known),
        )


def _less(a: float | None, b: float | None) -> float | None:
    return None if a is None or b is None else a - b

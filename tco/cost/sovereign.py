"""Lines of a legal zone, and what zones cost over one pool (F17.2 to F17.4)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import mean
from tco.cost.running import staff
from tco.inputs import Fleet, Option, Transfer, Zone, ZoneFleet
from tco.results import LedgerLine, Term
from tco.units import MONTHS_PER_YEAR


def by_zone(cases: Sequence[FleetCase]) -> dict[str, list[FleetCase]]:
    """Fleets of each zone, in their order."""
    found: dict[str, list[FleetCase]] = {}
    for case in cases:
        if case.fleet.zone is not None:
            found.setdefault(case.fleet.zone.zone.key, []).append(case)
    return found


def zone_lines(cases: Sequence[FleetCase]) -> Iterator[LedgerLine]:
    """What each zone needs however small it is, and the ways that are used (F17.2, F17.3)."""
    for here in by_zone(cases).values():
        terms = here[0].fleet.zone
        assert terms is not None
        if not here[0].months:
            continue
        live: Any = np.logical_or.reduce([case.servers > 0 for case in here])
        for line in (_staff_minimum(terms.zone, here, live), _licences(terms.zone, here[0], live)):
            if line is not None:
                yield _of_zone(line, here)
        for way in terms.transfers:
            if way.rule == "allowed_with_cost":
                yield _of_zone(_transfer(way, here[0], live), here)


def _of_zone(line: LedgerLine, here: Sequence[FleetCase]) -> LedgerLine:
    return replace(line, fleet=here[0].fleet.key)


def _staff_minimum(zone: Zone, here: Sequence[FleetCase], live: Any) -> LedgerLine | None:
    least, first = zone.staff_minimum_usd_per_year, here[0]
    if least is None:
        return None
    rate = first.calendar.finance.opex_escalation_fraction
    path = first.calendar.escalation(least, rate)
    paid: Any = np.zeros(first.months)
    for case in here:
        line = staff(case) if case.fleet.owned else None
        if line is not None:
            paid = paid + np.asarray(line.end_usd)
    need = first.amount(least) / MONTHS_PER_YEAR * path
    short = np.where(live, np.maximum(need - paid, 0.0), 0.0)
    return first.line(
        "zone_staff_minimum",
        f"Least staff of {zone.name}",
        "people",
        end=short,
        formula="max(0, least staff / 12 x escalation - staff of its servers)",
        reference="F17.2",
        terms=(
            Term.of("least staff a year", least),
            computed(
                "staff of its servers, undiscounted",
                mean(np.sum(paid, axis=-1)),
                "USD",
                first.result.status,
                "staff line (F9.2)",
            ),
        ),
    )


def _licences(zone: Zone, first: FleetCase, live: Any) -> LedgerLine | None:
    price = zone.licences_usd_per_year
    if price is None:
        return None
    path = first.calendar.escalation(price, first.calendar.finance.opex_escalation_fraction)
    return first.line(
        "zone_licences",
        f"Licences and certificates of {zone.name}",
        "software",
        end=np.asarray(live * first.amount(price) / MONTHS_PER_YEAR * path),
        formula="USD a year / 12 x escalation",
        reference="F17.2",
        terms=(Term.of("licences and certificates a year", price),),
    )


def _transfer(way: Transfer, first: FleetCase, live: Any) -> LedgerLine:
    usd: Any = 0.0
    terms = []
    if way.usd_per_month is not None:
        usd = usd + first.amount(way.usd_per_month)
        terms.append(Term.of("cost a month", way.usd_per_month))
    if way.usd_per_gb_moved is not None and way.gb_per_month is not None:
        usd = usd + first.amount(way.usd_per_gb_moved) * way.gb_per_month.value
        terms += [Term.of("cost of a GB", way.usd_per_gb_moved), Term.of("data", way.gb_per_month)]
    return first.line(
        "zone_transfer",
        f"Transfer from {way.from_zone} to {way.to_zone}",
        "network",
        end=np.asarray(live * usd),
        formula="cost a month + GB a month x cost of a GB",
        reference="F17.3",
        terms=terms,
    )


def pooled(option: Option, zone: str) -> Option | None:
    """The same demand in one pool at one of its zones, as if everything might go there (F17.4).

    The pool keeps the most spares that any zone keeps, and needs the people and licences of the
    one zone. None where the zone has no fleets.
    """
    assert option.zoning is not None
    spare = option.zoning.spare_replicas
    fleets = tuple(
        _pooled(fleet, spare)
        for fleet in option.fleets
        if fleet.zone is not None and fleet.zone.zone.key == zone
    )
    return replace(option, fleets=fleets, zoning=None) if fleets else None


def _pooled(fleet: Fleet, spare: int) -> Fleet:
    terms = fleet.zone
    assert terms is not None
    alone = ZoneFleet(terms.zone, terms.serves, 1.0, terms.template_index)
    return replace(
        fleet,
        share_fraction=min(1.0, fleet.share_fraction / terms.demand_fraction),
        workload=replace(fleet.workload, replicas_lost=spare),
        zone=alone,
    )

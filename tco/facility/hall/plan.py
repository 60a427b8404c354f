"""A hall under one option: what fits, what binds, what would help, what failures take (F2, F3)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from tco.facility.hall.blockers import Blocker, binding, blockers, rack_fit
from tco.facility.hall.build import BuiltHall, built_hall
from tco.facility.hall.checks import site_check
from tco.facility.hall.growth import Grown, Wanted, demands_of, grown
from tco.facility.hall.kinds import Kind
from tco.facility.hall.kit import Known, known_fleet, known_kit
from tco.facility.hall.losses import loss_results, part_results, window_results
from tco.facility.hall.rack_report import rack_results, standing_device
from tco.facility.hall.relax import Relaxation, filled_with, gains, smallest_relaxations
from tco.facility.hall.standing import over_limit, stood
from tco.facility.hall.words import limit_words, verdict
from tco.inputs import Fleet, Site
from tco.inputs import Hall as HallInputs
from tco.results import FleetPower, FleetResult
from tco.results.hall import (
    FitResult,
    HallRackResult,
    HallResult,
    RoomResult,
    ShortOf,
    UnplacedResult,
)

_MANY = 60  # racks: beyond it fewer questions of "what if" are asked


@dataclass(frozen=True, slots=True)
class HallFleet:
    """An owned fleet at the site with its size and power, and the day it comes."""

    fleet: Fleet
    result: FleetResult
    power: FleetPower
    day: str = ""


def hall_result(site: Site, fleets: Sequence[HallFleet]) -> HallResult | None:
    """Fill the hall of a site with its growth and the servers of fleets; None without a hall.

    What stands is booked first, over every limit if it must be. Devices come by their day; the
    fleets' servers on theirs.

    Raises
    ------
    InputErrors
        A power tree or limits that cannot be.
    """
    given = site.hall
    if given is None:
        return None
    kits = {kit.key: known_kit(kit, site) for kit in given.kit}
    wanted = [Wanted(kits[need.kit].kind, need.count, need.available_from) for need in given.needs]
    for item in fleets:
        known = known_fleet(
            item.fleet,
            site,
            provisioned_kw=item.power.server_provisioned_kw,
            average_kw=item.power.server_average_kw,
        )
        if known is not None and item.result.servers > 0:
            kits[known.kind.key] = known
            wanted.append(Wanted(known.kind, item.result.servers, item.day))
    reach = any(known.kind.reach_m is not None for known in kits.values())
    built = built_hall(given, site, reach=reach)
    standing = stood(built, given.devices, kits)
    above = over_limit(built)
    after = grown(built, wanted)
    demands = demands_of(wanted)
    stuck = [kits[key].kind for key in after.unplaced]
    unplaced = tuple(_unplaced(after, kits, demands_by_key(wanted)))
    ways: tuple[Relaxation, ...] = ()
    if stuck:
        ways = smallest_relaxations(built.hall, demands, stuck, after.hall)
    racks = tuple(rack_results(built, after, standing, kits))
    kinds = [demand.kind for demand in demands]
    names = limit_words(built)
    binds = unplaced[0].short_of[0].limit if stuck and unplaced[0].short_of else ""
    binds = binds or binding(after.hall, kinds)
    total = sum(demand.count for demand in demands)
    placed = total - sum(after.unplaced.values())
    width_m, depth_m, area_m2 = floor_area(given, built)
    return HallResult(
        site=site.key,
        name=site.name,
        kits=tuple(known.shown for known in kits.values()),
        racks=racks,
        unracked=tuple(standing_device(item) for item in standing if item.rack < 0),
        wanted=total,
        placed=placed,
        unplaced=unplaced,
        binds=names.get(binds, binds),
        verdict=verdict(total, placed, unplaced, ways, names, after, binds=names.get(binds, binds)),
        method=after.last.method if after.last is not None else "first fit",
        racks_used=after.hall.racks_used(),
        rack_bound=after.last.bound if after.last is not None else 0,
        relaxations=tuple(
            tuple((names.get(name, name), amount, unit) for name, amount, unit in way.raised)
            for way in ways
        ),
        fits=tuple(_fits(built, kits, _shown_kinds(kits, kinds))),
        room=tuple(_room(after, kinds, names)),
        stranded_kw=_stranded(racks, "power"),
        stranded_u=_stranded(racks, "units"),
        floor_m2=area_m2,
        floor_formula=f"{width_m:.1f} m x {depth_m:.1f} m, aisles included",
        parts=tuple(part_results(built, racks)),
        losses=tuple(loss_results(built, racks)),
        events=after.events,
        windows=tuple(window_results(given, built, racks)),
        site_check=site_check(given, site, racks, kits),
        over_limit=above,
        notes=tuple(_notes(given, site)),
    )


def demands_by_key(wanted: Sequence[Wanted]) -> dict[str, int]:
    """Devices that shall come, by kind."""
    counts: Counter[str] = Counter()
    for item in wanted:
        counts[item.kind.key] += item.count
    return dict(counts)


def _unplaced(
    after: Grown, kits: Mapping[str, Known], counts: Mapping[str, int]
) -> Iterator[UnplacedResult]:
    for key, count in after.unplaced.items():
        kind = kits[key].kind
        short = tuple(_short(item) for item in blockers(after.hall, kind))
        yield UnplacedResult(key, kind.name, count, counts[key], short)


def _short(item: Blocker) -> ShortOf:
    return ShortOf(item.limit, item.unit, item.racks, item.short_units, item.reason)


def _shown_kinds(kits: Mapping[str, Known], kinds: Sequence[Kind]) -> list[Kind]:
    """Kinds that are asked for first, then the others that take units."""
    keys = [kind.key for kind in kinds]
    keys += [key for key, known in kits.items() if key not in keys and known.kind.half_units]
    return [kits[key].kind for key in dict.fromkeys(keys)]


def _fits(
    built: BuiltHall, kits: Mapping[str, Known], kinds: Sequence[Kind]
) -> Iterator[FitResult]:
    for kind in kinds:
        for index, rack in enumerate(built.hall.classes):
            fit = rack_fit(built.hall, kind, index)
            yield FitResult(
                kit=kits[kind.key].shown.key,
                racks=rack.key,
                count=fit.count,
                binds=fit.binds,
                next_needs=fit.next_needs,
                stranded_kw=fit.stranded_kw,
                stranded_u=fit.stranded_u,
                reason=fit.reason,
            )


def _room(after: Grown, kinds: Sequence[Kind], names: Mapping[str, str]) -> Iterator[RoomResult]:
    asked = 1 if len(after.hall.class_of) > _MANY else 3
    largest = sorted(kinds, key=lambda kind: -kind.kw)
    for number, kind in enumerate(largest):
        more, full = filled_with(after.hall, kind)
        bought = gains(after.hall, kind) if number < asked else ()
        stops = binding(full, [kind])
        yield RoomResult(
            kit=kind.key,
            more=more,
            stops=names.get(stops, stops),
            gains=tuple(
                (
                    " and ".join(names.get(name, name) for name in gain.limits),
                    gain.step[0],
                    gain.step[1],
                    gain.more,
                )
                for gain in bought
            ),
        )


def _stranded(racks: Sequence[HallRackResult], name: str) -> float:
    """What is left of a limit in racks that hold something."""
    limits = [limit for rack in racks if rack.devices for limit in rack.limits]
    return math.fsum(
        max(0.0, (limit.available or 0.0) - limit.used) for limit in limits if limit.name == name
    )


def floor_area(given: HallInputs, built: BuiltHall) -> tuple[float, float, float]:
    """Width, depth in m and area in m2 of rows with their aisles (F2.7).

    A row takes its racks, half a cold and half a hot aisle along them, and a cold aisle's width at
    both ends; the longest row gives the width.
    """
    rows: dict[str, int] = {}
    for place in built.places:
        rows[place.row] = max(rows.get(place.row, 0), place.place)
    longest = max(rows.values(), default=0)
    width_m = longest * given.rack_width_m + 2 * given.cold_aisle_m
    aisles_m = (given.cold_aisle_m + given.hot_aisle_m) / 2
    depth_m = len(rows) * (given.rack_depth_m + aisles_m)
    return width_m, depth_m, width_m * depth_m


def _notes(given: HallInputs, site: Site) -> Iterator[str]:
    if not given.power:
        yield "No power tree is given: only the racks' own feeds limit."
    if any(racks.own_kg is None and racks.floor_kg is not None for racks in given.racks):
        yield "A floor load is given and the rack's own mass is not: it is taken as 0 kg."
    if all(racks.floor_kg is None for racks in given.racks):
        yield "No floor load is given: the floor is not checked."
    if given.pools:
        count = sum(pool.count for pool in given.pools)
        yield f"{count} servers of clusters are known, and no rack of them."

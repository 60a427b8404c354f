"""A described hall made ready for packing: racks, tree, shared limits (F2.6 to F2.8)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from tco.cooling.density import AIR_KW_PER_RACK
from tco.facility.hall.chain import ChainPart, carried, chain_limit
from tco.facility.hall.failure import CoolingUnit
from tco.facility.hall.kinds import RackClass
from tco.facility.hall.legs import LegRule
from tco.facility.hall.space import HALVES_PER_UNIT
from tco.facility.hall.state import Hall, Shared
from tco.facility.hall.tree import Node, PowerTree, RackFeeds, worst_shares
from tco.inputs import Hall as HallInputs
from tco.inputs import HallRacks, PowerPart, Site, rack_names

HALL, UTILITY = "hall power", "utility in the peak hour"
HALL_AIR, HALL_LIQUID, HALL_PORTS = "hall air cooling", "hall liquid cooling", "fabric ports"


@dataclass(frozen=True, slots=True)
class RackPlace:
    """One rack with its group and its place in the hall."""

    key: str
    group: HallRacks
    row: str
    place: int
    x_m: float
    y_m: float


@dataclass(frozen=True, slots=True)
class BuiltHall:
    """What packing, failures and reports need of a hall."""

    places: tuple[RackPlace, ...]
    hall: Hall
    tree: PowerTree
    feeds: tuple[RackFeeds, ...]
    shares: dict[tuple[str, str], float]  # by rack and node, in the worst failure
    units: tuple[CoolingUnit, ...]
    delivered: tuple[str, ...]  # by rack: day from which it stands and is fed

    def index(self, rack: str) -> int:
        """Index of a rack by its key."""
        return next(index for index, place in enumerate(self.places) if place.key == rack)


def built_hall(given: HallInputs, site: Site, *, reach: bool = False) -> BuiltHall:
    """Racks, tree and shared limits of a hall, empty.

    Parameters
    ----------
    reach
        Whether any kind has a reach, so that cables are measured.

    Raises
    ------
    InputErrors
        A tree or limits that cannot be.
    """
    places = tuple(rack_places(given))
    tree = PowerTree([node_of(part) for part in given.power])
    classes: list[RackClass] = []
    class_of = []
    fabric = next((p for p in places if p.key == given.fabric_rack), None) or next(
        (p for p in places if p.group.key == given.fabric_rack), None
    )
    by_group: dict[str, RackClass] = {}
    for place in places:
        made = by_group.get(place.group.key)
        if made is None:
            made = by_group[place.group.key] = rack_class(place.group, site)
        if reach and made.cable_m is None and fabric is not None:
            length_m = abs(place.x_m - fabric.x_m) + abs(place.y_m - fabric.y_m)
            made = replace(made, cable_m=round(length_m + given.cable_slack_m, 1))
        class_of.append(_class_index(classes, made))
    feeds = tuple(_feeds(places))
    shares = worst_shares(tree, feeds)
    units = tuple(_cooling_units(given, places))
    shared = tuple(_shared(given, site, places, tree, feeds, shares, units))
    delivered = tuple(
        max(
            [place.group.available_from]
            + [tree.delivered(source) for source in place.group.sources if source in tree.nodes]
        )
        for place in places
    )
    return BuiltHall(
        places, Hall.of(classes, class_of, shared), tree, feeds, shares, units, delivered
    )


def _class_index(classes: list[RackClass], made: RackClass) -> int:
    plain = replace(made, key="")
    for index, known in enumerate(classes):
        if replace(known, key="") == plain:
            return index
    classes.append(made)
    return len(classes) - 1


def rack_places(given: HallInputs) -> Iterator[RackPlace]:
    """Every rack with its place: rows in the order they appear, places from 1."""
    rows: dict[str, int] = {}
    next_place: dict[str, int] = {}
    pitch_m = given.rack_depth_m + (given.cold_aisle_m + given.hot_aisle_m) / 2
    for group in given.racks:
        row = rows.setdefault(group.row, len(rows))
        first = group.first_place or next_place.get(group.row, 1)
        for offset, key in enumerate(rack_names(group.key, group.count)):
            place = first + offset
            yield RackPlace(
                key, group, group.row, place, (place - 1) * given.rack_width_m, row * pitch_m
            )
        next_place[group.row] = max(next_place.get(group.row, 1), first + group.count)


def node_of(part: PowerPart) -> Node:
    """A part with the least of its rating and its circuit (F2.6).

    Examples
    --------
    >>> from tco.inputs import assumed
    >>> one, most = assumed(1.0, "fraction", ""), assumed(0.8, "fraction", "")
    >>> pdu = PowerPart("p", "PDU", "pdu", "", assumed(50.0, "kVA", ""), None, 400.0, "LL", 3, 63.0,
    ...                 None, 32.0, most, one, one, "")
    >>> node = node_of(pdu)
    >>> round(node.limit_kva, 2), node.part
    (17.74, 'cord')
    """
    limit_kva = None if part.kva is None else float(part.kva.value)
    weakest = "rating" if limit_kva is not None else ""
    if part.breaker_a is not None and part.voltage_v is not None:
        rated = (("breaker", part.breaker_a), ("plug", part.plug_a), ("cord", part.cord_a))
        chain = chain_limit(
            [ChainPart(name, amps) for name, amps in rated if amps is not None],
            voltage_v=part.voltage_v,
            phases=part.phases,
            reference=part.voltage_reference,
            usable_fraction=float(part.usable_fraction.value),
            thermal_factor=float(part.thermal_factor.value),
        )
        if limit_kva is None or chain.kva < limit_kva:
            limit_kva, weakest = chain.kva, chain.part
    return Node(
        key=part.key,
        name=part.name,
        kind=part.kind,
        parent=part.parent,
        limit_kva=limit_kva,
        limit_kw=None if part.kw is None else float(part.kw.value),
        diversity_fraction=float(part.diversity_fraction.value),
        part=weakest,
        available_from=part.available_from,
    )


def rack_class(group: HallRacks, site: Site) -> RackClass:
    """Limits of the racks of a group (F2.6, F2.7, F3.5)."""
    feed = group.feed
    rated = (
        *(("breaker", feed.breaker_a), ("plug", group.plug_a)),
        *(("cord", group.cord_a), ("PDU", group.pdu_a)),
    )
    chain = chain_limit(
        [ChainPart(name, amps) for name, amps in rated if amps is not None],
        voltage_v=feed.voltage_v,
        phases=feed.phases,
        reference=feed.voltage_reference,
        usable_fraction=float(feed.usable_fraction.value),
        thermal_factor=float(group.thermal_factor.value),
    )
    kva = carried([chain.kva] * feed.feeds_per_rack, feed.redundancy)
    cooling_kw, air_kw, liquid_kw = cooling_limits(group, site)
    own_kg = 0.0 if group.own_kg is None else float(group.own_kg.value)
    load = group.rack.static_load_kg
    floor = group.floor_kg
    return RackClass(
        key=group.key,
        name=group.rack.name,
        half_units=HALVES_PER_UNIT * group.rack.rack_units,
        feed=feed,
        power_kw=kva * float(feed.power_factor.value),
        circuit_kva=chain.kva,
        cooling_kw=cooling_kw,
        air_kw=air_kw,
        liquid_kw=liquid_kw,
        load_kg=None if load is None else float(load.value),
        own_kg=own_kg,
        floor_kg=None if floor is None else max(0.0, float(floor.value) - own_kg),
        ports=group.ports,
        cable_m=group.cable_m,
        reserved_half_units=HALVES_PER_UNIT * min(group.reserved_units, group.rack.rack_units),
        legs=_legs(group, kva),
    )


def cooling_limits(group: HallRacks, site: Site) -> tuple[float | None, float | None, float | None]:
    """Heat a rack may shed: together, to air, to liquid, in kW (F3.5).

    What the racks say; else by the site's cooling: with cold plates air keeps its own density.
    """
    total, air, liquid = (
        None if figure is None else float(figure.value)
        for figure in (group.cooling_kw, group.air_kw, group.liquid_kw)
    )
    if total is None and air is None and liquid is None:
        most = float(site.cooling.max_kw_per_rack.value)
        if site.cooling.kind == "direct_to_chip":
            return most, min(most, AIR_KW_PER_RACK.value), most
        return (most, None, most) if site.cooling.kind == "immersion" else (most, None, 0.0)
    if not liquid:
        given = [limit for limit in (total, air) if limit is not None]
        return (min(given) if given else 0.0), None, 0.0
    return total, air if air is not None else 0.0, liquid


def _legs(group: HallRacks, kva: float) -> LegRule | None:
    feed = group.feed
    if feed.phases != 3 or group.outlets == "three_phase":
        return None
    lines = feed.voltage_reference == "LL"
    if group.outlets == "line_neutral":
        return LegRule(kva, feed.voltage_v / (math.sqrt(3) if lines else 1.0), "LN")
    return LegRule(kva, feed.voltage_v * (1.0 if lines else math.sqrt(3)), "LL")


def _feeds(places: Sequence[RackPlace]) -> Iterator[RackFeeds]:
    for place in places:
        sources, feed = place.group.sources, place.group.feed
        if sources:
            hung = tuple(sources[index % len(sources)] for index in range(feed.feeds_per_rack))
            yield RackFeeds(place.key, hung, feed.redundancy, float(feed.power_factor.value))


def _cooling_units(given: HallInputs, places: Sequence[RackPlace]) -> Iterator[CoolingUnit]:
    for unit in given.cooling_units:
        served = frozenset(
            place.key
            for place in places
            if not unit.racks or place.key in unit.racks or place.group.key in unit.racks
        )
        yield CoolingUnit(unit.key, unit.name, unit.kind, unit.medium, float(unit.kw.value), served)


def _shared(
    given: HallInputs,
    site: Site,
    places: Sequence[RackPlace],
    tree: PowerTree,
    feeds: Sequence[RackFeeds],
    shares: dict[tuple[str, str], float],
    units: Sequence[CoolingUnit],
) -> Iterator[Shared]:
    index_of = {place.key: index for index, place in enumerate(places)}
    factor_of = {feed.rack: feed.power_factor for feed in feeds}
    at_node: dict[str, dict[int, float]] = {}
    for (rack, fed_by), share in shares.items():
        at_node.setdefault(fed_by, {})[index_of[rack]] = share
    for key, node in tree.nodes.items():
        hung = at_node.get(key, {})
        if hung and node.limit_kw is not None:
            yield Shared(key, "kW", "power", node.limit_kw, hung)
        if hung and node.limit_kva is not None:
            apparent = {
                index: share / factor_of[places[index].key] for index, share in hung.items()
            }
            yield Shared(f"{key} kVA", "kVA", "power", node.limit_kva, apparent)
    every = range(len(places))
    diversity = float(given.diversity_fraction.value)
    if site.hall_kw is not None:
        yield Shared(
            HALL, "kW", "power", float(site.hall_kw.value), dict.fromkeys(every, diversity)
        )
    if site.utility_kw is not None and given.peak_pue is not None:
        recharge_kw = 0.0 if given.recharge_kw is None else float(given.recharge_kw.value)
        left_kw = max(0.0, float(site.utility_kw.value) - recharge_kw)
        drawn = dict.fromkeys(every, diversity * float(given.peak_pue.value))
        yield Shared(UTILITY, "kW", "power", left_kw, drawn)
    for name, medium, limit in (
        (HALL_AIR, "air", given.air_kw),
        (HALL_LIQUID, "liquid", given.liquid_kw),
    ):
        if limit is not None:
            yield Shared(name, "kW", medium, float(limit.value), dict.fromkeys(every, 1.0))
    served: dict[tuple[str, frozenset[str]], list[CoolingUnit]] = {}
    for unit in units:
        served.setdefault((unit.medium, unit.racks), []).append(unit)
    for (medium, racks), group in served.items():
        name = " + ".join(unit.name for unit in group)
        hung = {index_of[rack]: 1.0 for rack in racks}
        yield Shared(name, "kW", medium, sum(unit.kw for unit in group), hung)
    if given.fabric_ports is not None:
        yield Shared(
            HALL_PORTS, "ports", "ports", float(given.fabric_ports), dict.fromkeys(every, 1.0)
        )

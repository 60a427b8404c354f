"""Why one more device does not fit, and by how much (F2.7)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from tco.facility.hall.kinds import LIMITS, LOOSE, UNITS, Kind
from tco.facility.hall.space import HALVES_PER_UNIT
from tco.facility.hall.state import Hall


@dataclass(frozen=True, slots=True)
class Blocker:
    """A limit in the way of one more device.

    Parameters
    ----------
    limit
        One of `LIMITS`, ``units``, ``legs``, ``slot``, ``reach``, ``place``, or a shared limit.
    racks
        Racks in which it stands in the way, beside others perhaps.
    short_units
        Least that is missing in any of them, in `unit`; 0 where it is no number.
    """

    limit: str
    unit: str
    racks: int
    short_units: float
    reason: str = ""


def blockers(hall: Hall, kind: Kind) -> tuple[Blocker, ...]:
    """Every limit that keeps one more `kind` out, the one in most racks first (F2.7).

    Of limits that stand in equally many racks, the one with the largest part missing comes first;
    empty where one more fits.
    """
    found: dict[str, list[tuple[float, float, str, str]]] = {}
    for rack in range(len(hall.class_of)):
        here = list(_in_rack(hall, kind, rack))
        if not here:
            return ()
        for limit, unit, short, share, reason in here:
            found.setdefault(limit, []).append((short, share, unit, reason))
    ranked = sorted(
        found.items(), key=lambda item: (-len(item[1]), -min(part[1] for part in item[1]), item[0])
    )
    return tuple(
        Blocker(limit, parts[0][2], len(parts), min(part[0] for part in parts), min(parts)[3])
        for limit, parts in ranked
    )


def _in_rack(hall: Hall, kind: Kind, rack: int) -> Iterator[tuple[str, str, float, float, str]]:
    """Limit, unit, what is missing, the missing share of what is taken, reason."""
    uses = hall.use(kind, rack)
    if uses.refused:
        yield uses.limit, UNITS.get(uses.limit, ""), 0.0, math.inf, uses.refused
        return
    for index, name in enumerate(LIMITS):
        each, room = uses.each[index], float(hall.room[rack, index])
        if each > 0 and room < each * (1 - LOOSE):
            yield name, UNITS[name], each - room, (each - room) / each, ""
    for index, factor, use in hall.touching[rack]:
        each, room = factor * uses.each[use], hall.shared_room[index]
        if each > 0 and room < each * (1 - LOOSE):
            item = hall.shared[index]
            yield item.name, item.unit, each - room, (each - room) / each, ""
    if kind.own_rack:
        if hall.occupied[rack]:
            yield "place", "racks", 1.0, 1.0, "it needs a place of its own"
        return
    space = hall.spaces[rack]
    if kind.half_units and space.lowest(kind.half_units, full_depth=kind.full_depth) is None:
        longest = max(space.segments(), default=0)
        short = max(kind.half_units - longest, 1)
        yield "units", "U", short / HALVES_PER_UNIT, short / kind.half_units, ""
    rule = hall.classes[hall.class_of[rack]].legs
    if rule is not None and uses.leg_kva > 0:
        free = rule.placed(hall.legs[rack], uses.leg_kva, uses.leg_supplies)
        if free is None:
            over = max(rule.lines_a(hall.legs[rack])) - rule.line_limit_a
            yield "legs", "A", max(0.0, over), 0.0, "no phase leg has room for it"


def binding(hall: Hall, kinds: Sequence[Kind]) -> str:
    """The first limit in the way of the kinds, in their order; empty where each still fits."""
    for kind in kinds:
        found = blockers(hall, kind)
        if found:
            return found[0].limit
    return ""


@dataclass(frozen=True, slots=True)
class RackFit:
    """How many of a kind an empty rack of a class holds, and what one more would take.

    Parameters
    ----------
    counts
        How many each limit alone allows, ``units`` included; those without a limit are left out.
    next_needs
        What each limit lacks for one more: (limit, amount, unit).
    """

    kind: str
    rack: str
    count: int
    binds: str
    counts: tuple[tuple[str, int], ...]
    next_needs: tuple[tuple[str, float, str], ...]
    stranded_kw: float
    stranded_u: float
    reason: str = ""


def rack_fit(hall: Hall, kind: Kind, index: int) -> RackFit:
    """Fill an empty rack of class `index` with one kind (F2.7).

    Examples
    --------
    >>> from tco.facility.hall.kinds import RackClass
    >>> from tco.inputs import Feed, assumed
    >>> feed = Feed("f", "F", 415.0, "LL", 3, 60.0, assumed(0.8, "fraction", "NEC"),
    ...             assumed(1.0, "fraction", "unity"))
    >>> rack = RackClass("r", "R", 96, feed, 34.5, 34.5, 15.0, None, 0.0)
    >>> fit = rack_fit(Hall.of([rack], [0]), Kind("s", "S", 16, 10.0), 0)
    >>> fit.count, fit.binds, fit.next_needs
    (1, 'cooling', (('cooling', 5.0, 'kW'),))
    """
    rack = hall.classes[index]
    alone = Hall.of([rack], [0])
    uses = alone.use(kind, 0)
    if uses.refused:
        return RackFit(kind.key, rack.key, 0, uses.limit, (), (), 0.0, 0.0, uses.refused)
    counts = {
        name: math.floor(cap / each + LOOSE)
        for name, cap, each in zip(LIMITS, rack.caps, uses.each, strict=True)
        if each > 0 and math.isfinite(cap)
    }
    placed = 0
    most = min(counts.values(), default=10_000)
    while placed < most and alone.place(kind, 0) is not None:
        placed += 1
    if kind.own_rack:
        counts["place"] = 1
    elif kind.half_units:
        usable = rack.half_units - rack.reserved_half_units
        counts["units"] = usable // kind.half_units
    binds = min(counts, key=lambda name: counts[name]) if counts else ""
    if kind.own_rack and placed == 1:
        return RackFit(
            kind.key, rack.key, 1, "place", tuple(counts.items()), (), float(alone.room[0, 0]), 0.0
        )
    if placed < min(counts.values(), default=placed):
        binds = "legs" if rack.legs is not None else "units"
    needs = tuple(
        (name, (placed + 1) * each - cap, UNITS[name])
        for name, cap, each in zip(LIMITS, rack.caps, uses.each, strict=True)
        if each > 0 and math.isfinite(cap) and (placed + 1) * each > cap * (1 + LOOSE)
    )
    if kind.half_units and not kind.own_rack and counts["units"] <= placed:
        free = rack.half_units - rack.reserved_half_units - placed * kind.half_units
        needs += (("units", (kind.half_units - free) / HALVES_PER_UNIT, "U"),)
    stranded_u = 0.0 if kind.own_rack else alone.spaces[0].free_halves() / HALVES_PER_UNIT
    stranded_kw = max(0.0, float(alone.room[0, 0])) if placed else 0.0
    return RackFit(
        kind.key, rack.key, placed, binds, tuple(counts.items()), needs, stranded_kw, stranded_u
    )

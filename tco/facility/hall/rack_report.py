"""Every rack with its bars and its devices, from the filled hall."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from tco.facility.hall.build import BuiltHall
from tco.facility.hall.growth import Grown
from tco.facility.hall.kinds import LIMITS, Kind
from tco.facility.hall.kit import Known
from tco.facility.hall.space import HALVES_PER_UNIT
from tco.facility.hall.standing import Standing
from tco.facility.hall.state import Hall
from tco.results.hall import HallDeviceResult, HallRackResult
from tco.results.limit import Limit


def rack_results(
    built: BuiltHall, grown: Grown, standing: Sequence[Standing], kits: Mapping[str, Known]
) -> Iterator[HallRackResult]:
    """Yield the racks in the order of the hall."""
    devices: dict[int, list[HallDeviceResult]] = {}
    average: dict[int, float] = {}
    for item in standing:
        known = kits.get(item.device.kit)
        devices.setdefault(item.rack, []).append(standing_device(item))
        average[item.rack] = average.get(item.rack, 0.0) + _average_kw(item.kind, known)
    numbered: dict[str, int] = {}
    for piece, day in grown.placed:
        known = kits[piece.kind]
        numbered[piece.kind] = numbered.get(piece.kind, 0) + 1
        unit = None if piece.half_unit is None else 1 + piece.half_unit / HALVES_PER_UNIT
        devices.setdefault(piece.rack, []).append(
            HallDeviceResult(
                name=f"{known.shown.name} #{numbered[piece.kind]}",
                kit=piece.kind,
                unit=unit,
                height_u=known.kind.half_units / HALVES_PER_UNIT,
                face=piece.face,
                full_depth=known.kind.full_depth,
                state="planned",
                kw=known.kind.kw,
                came=day,
            )
        )
        average[piece.rack] = average.get(piece.rack, 0.0) + _average_kw(known.kind, known)
    for index in range(len(built.places)):
        yield _rack(
            built, grown.hall, index, tuple(devices.get(index, ())), average.get(index, 0.0)
        )


def standing_device(item: Standing) -> HallDeviceResult:
    """A device that stands already."""
    return HallDeviceResult(
        name=item.device.name,
        kit=item.device.kit,
        unit=item.device.unit,
        height_u=item.kind.half_units / HALVES_PER_UNIT,
        face=item.device.face,
        full_depth=item.kind.full_depth,
        state=item.device.state,
        kw=item.kind.kw,
        parent=item.device.parent,
        tenant=item.device.tenant,
    )


def _average_kw(kind: Kind, known: Known | None) -> float:
    average = known.shown.average_kw if known is not None else None
    return kind.kw if average is None else average


def _rack(
    built: BuiltHall,
    hall: Hall,
    index: int,
    devices: tuple[HallDeviceResult, ...],
    average_kw: float,
) -> HallRackResult:
    place = built.places[index]
    rack = hall.classes[hall.class_of[index]]
    used = dict(zip(LIMITS, (float(value) for value in hall.used[index]), strict=True))
    drawn_kw = sum(device.kw for device in devices)
    air_kw, liquid_kw = used["air"], used["liquid"]
    limits = (
        Limit("power", drawn_kw, rack.power_kw, "kW"),
        _cooling(drawn_kw, air_kw, liquid_kw, rack.cooling_kw, rack.air_kw, rack.liquid_kw),
        _mass(used, rack.load_kg, rack.floor_kg, rack.own_kg),
        Limit(
            "ports",
            used["ports"],
            None if rack.ports is None else float(rack.ports),
            "ports",
            "" if rack.ports is not None else "ports of the rack not given: not checked",
        ),
        Limit("units", _units(devices), rack.half_units / HALVES_PER_UNIT, "U"),
    )
    shares = {limit.name: limit.used / limit.available for limit in limits if limit.available}
    rule, legs = rack.legs, hall.legs[index]
    return HallRackResult(
        key=place.key,
        group=place.group.key,
        row=place.row,
        place=place.place,
        rack_units=rack.half_units // HALVES_PER_UNIT,
        reserved_units=rack.reserved_half_units // HALVES_PER_UNIT,
        limits=limits,
        heat_kw=drawn_kw,
        air_kw=air_kw,
        liquid_kw=liquid_kw,
        average_kw=average_kw,
        imbalance_fraction=rule.imbalance_fraction(legs) if rule is not None else None,
        legs_a=rule.lines_a(legs) if rule is not None else (),
        line_limit_a=rule.line_limit_a if rule is not None else None,
        binds=max(shares, key=lambda name: shares[name])
        if drawn_kw or any(shares.values())
        else "",
        available_from=built.delivered[index],
        devices=devices,
        tenant=place.group.tenant,
    )


def _cooling(
    drawn_kw: float,
    air_kw: float,
    liquid_kw: float,
    total_limit_kw: float | None,
    air_limit_kw: float | None,
    liquid_limit_kw: float | None,
) -> Limit:
    """The fullest of the three ways heat leaves the rack."""
    ways = [
        ("", drawn_kw, total_limit_kw),
        ("air", air_kw, air_limit_kw),
        ("liquid", liquid_kw, liquid_limit_kw),
    ]
    known = [(word, used, cap) for word, used, cap in ways if cap]
    split = f"{air_kw:.1f} kW to air, {liquid_kw:.1f} kW to liquid"
    if not known:
        return Limit("cooling", drawn_kw, 0.0, "kW", split)
    word, used, cap = max(known, key=lambda item: item[1] / item[2])
    return Limit("cooling", used, cap, "kW", f"{word}: {split}" if word else split)


def _mass(
    used: Mapping[str, float], load_kg: float | None, floor_kg: float | None, own_kg: float
) -> Limit:
    """The rack's load or the floor's, whichever is fuller; the floor carries the rack too."""
    if load_kg is None and floor_kg is None:
        return Limit("weight", used["weight"], None, "kg", "loads not given: not checked")
    ways = []
    if load_kg is not None:
        ways.append(("load of the rack", used["weight"], load_kg))
    if floor_kg is not None:
        word = f"floor, {own_kg:g} kg of rack included"
        ways.append((word, used["floor"] + own_kg, floor_kg + own_kg))
    word, kg, cap = max(ways, key=lambda item: item[1] / item[2] if item[2] else math.inf)
    return Limit("weight", kg, cap, "kg", word)


def _units(devices: Sequence[HallDeviceResult]) -> float:
    """Units taken, each once: children and side-mounted devices take none."""
    taken: set[int] = set()
    for device in devices:
        if device.unit is None:
            continue
        start = round(HALVES_PER_UNIT * (device.unit - 1))
        taken.update(range(start, start + round(HALVES_PER_UNIT * device.height_u)))
    return len(taken) / HALVES_PER_UNIT

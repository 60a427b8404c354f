"""What stands in a hall already: booked over every limit if it must be, and told (F2.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tco.facility.hall.build import BuiltHall
from tco.facility.hall.kinds import LIMITS, UNITS, Kind
from tco.facility.hall.kit import Known
from tco.facility.hall.space import HALVES_PER_UNIT
from tco.inputs import HallDevice


@dataclass(frozen=True, slots=True)
class Standing:
    """A device with its rack; -1 where it is not racked."""

    device: HallDevice
    kind: Kind
    rack: int
    half_unit: int | None


def stood(
    built: BuiltHall, devices: Sequence[HallDevice], kits: Mapping[str, Known]
) -> tuple[Standing, ...]:
    """Book every device in its rack; children go where their parent stands.

    A device in a rack without a position counts for power, cooling and mass at once, not for units.
    """
    rack_of = {device.name: device.rack for device in devices}
    parent_of = {device.name: device.parent for device in devices if device.parent}
    index_of = {place.key: index for index, place in enumerate(built.places)}
    found = []
    for device in devices:
        kind = _kind(device, kits)
        holder = device.name
        while holder in parent_of:
            holder = parent_of[holder]
        rack = index_of.get(rack_of.get(holder, ""), -1)
        half_unit = None
        if device.unit is not None and not device.parent:
            half_unit = round(HALVES_PER_UNIT * (device.unit - 1))
        if rack >= 0:
            built.hall.stand(kind, rack, half_unit, device.face)
        found.append(Standing(device, kind, rack, half_unit))
    return tuple(found)


def _kind(device: HallDevice, kits: Mapping[str, Known]) -> Kind:
    known = kits.get(device.kit)
    if known is None:
        halves = round(HALVES_PER_UNIT * (device.height_u or 0.0))
        return Kind(f"place:{device.name}", device.name, halves, 0.0)
    kind = known.kind
    if device.parent:
        return Kind(
            key=f"{kind.key}, child",
            name=kind.name,
            half_units=0,
            kw=kind.kw,
            kg=kind.kg,
            ports=kind.ports,
            liquid_fraction=kind.liquid_fraction,
        )
    return kind


def over_limit(built: BuiltHall) -> tuple[str, ...]:
    """What stands already is above these limits: where, used, available, unit."""
    said = []
    for rack, place in enumerate(built.places):
        caps = built.hall.classes[built.hall.class_of[rack]].caps
        for index, name in enumerate(LIMITS):
            room = float(built.hall.room[rack, index])
            if name != "circuits" and room < -1e-6 * max(1.0, caps[index]):
                used = caps[index] - room
                said.append(f"{place.key}: {name} {used:.1f} of {caps[index]:.1f} {UNITS[name]}")
    for item, room in zip(built.hall.shared, built.hall.shared_room, strict=True):
        if room < -1e-6 * max(1.0, item.available):
            used = item.available - room
            said.append(f"{item.name}: {used:.1f} of {item.available:.1f} {item.unit}")
    return tuple(said)

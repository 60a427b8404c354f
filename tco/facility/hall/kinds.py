"""What is packed, into which racks, and what each takes of every limit (F2.7)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

from tco.facility.feeds import circuits_carrying, feeds_counted
from tco.facility.hall.legs import LegRule, supplies_carrying
from tco.facility.hall.space import HALVES_PER_UNIT
from tco.inputs import Feed

LIMITS = ("power", "circuits", "cooling", "air", "liquid", "weight", "floor", "ports")
UNITS = {
    **{"power": "kW", "circuits": "feeds", "cooling": "kW", "air": "kW", "liquid": "kW"},
    **{"weight": "kg", "floor": "kg", "ports": "ports", "units": "U", "legs": "A"},
}
LOOSE = 1e-9  # what the last bit of a sum may say


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of device.

    Parameters
    ----------
    kw
        Provisioned watts of one (F2.5), in kW: what breakers and cooling must carry.
    half_units
        Height in half units; 0 for side-mounted devices and for children of a chassis.
    liquid_fraction
        Share of its heat that goes to liquid; 0 for air-cooled.
    supplies
        Power supplies; 0 where unknown: then circuits are not checked.
    own_rack
        A rack-scale system: it takes a whole place and brings its frame.
    refused
        Why no slot takes it, e.g. a board over the watts of the slot (F2.2).
    """

    key: str
    name: str
    half_units: int
    kw: float
    kg: float | None = None
    ports: int = 0
    liquid_fraction: float = 0.0
    supplies: int = 0
    full_depth: bool = True
    reach_m: float | None = None
    own_rack: bool = False
    refused: str = ""


@dataclass(frozen=True, slots=True)
class RackClass:
    """Racks that are alike; None is a limit that is not known and is not checked.

    Parameters
    ----------
    power_kw
        After redundancy and power factor (F2.6).
    circuit_kva
        Of one feed, its weakest part, derated.
    floor_kg
        Left for devices: what the floor carries less the rack's own mass.
    """

    key: str
    name: str
    half_units: int
    feed: Feed
    power_kw: float
    circuit_kva: float
    cooling_kw: float | None
    air_kw: float | None
    liquid_kw: float | None
    load_kg: float | None = None
    own_kg: float = 0.0
    floor_kg: float | None = None
    ports: int | None = None
    cable_m: float | None = None
    reserved_half_units: int = 0
    legs: LegRule | None = None

    @property
    def caps(self) -> tuple[float, ...]:
        """Every limit in the order of `LIMITS`, infinite where it is unknown."""
        given = (
            self.power_kw,
            float(feeds_counted(self.feed)),
            self.cooling_kw,
            self.air_kw,
            self.liquid_kw,
            self.load_kg,
            self.floor_kg,
            self.ports,
        )
        return tuple(math.inf if limit is None else float(limit) for limit in given)


@dataclass(frozen=True, slots=True)
class Uses:
    """What one device takes of each limit of a rack, or why it cannot stand in it at all."""

    each: tuple[float, ...]
    refused: str = ""
    limit: str = ""  # the limit that refuses it
    leg_kva: float = 0.0
    leg_supplies: int = field(default=1)


def uses_of(kind: Kind, rack: RackClass) -> Uses:
    """What one device takes of each limit of a rack (F2.7), or which limit refuses it.

    Slot, height, reach, then the way it is cooled, then the circuits of its supplies.
    """
    each = _each(kind, rack)
    server_kva = kind.kw / rack.feed.power_factor.value
    refusal = _refusal(kind, rack)
    if kind.supplies >= 1 and kind.kw > 0:
        carrying = circuits_carrying(rack.feed, kind.supplies)
        share_kva = server_kva / carrying
        shares = math.floor(rack.circuit_kva / share_kva + LOOSE)
        each[1] = carrying / max(1, shares)
        if shares < 1 and not refusal:
            reason = f"{kind.name} puts {share_kva:.2f} kVA on a circuit of {rack.circuit_kva:.2f}"
            refusal = ("circuits", f"{reason} kVA")
    legs = supplies_carrying(max(1, kind.supplies), rack.feed.redundancy)
    limit, reason = refusal or ("", "")
    return Uses(tuple(each), reason, limit, leg_kva=server_kva, leg_supplies=legs)


def _each(kind: Kind, rack: RackClass) -> list[float]:
    liquid_kw = kind.kw * kind.liquid_fraction
    each = [kind.kw, 0.0, kind.kw, kind.kw - liquid_kw, liquid_kw, 0.0, 0.0, float(kind.ports)]
    if kind.kg is not None:
        each[5] = 0.0 if kind.own_rack else kind.kg
        each[6] = max(0.0, kind.kg - rack.own_kg) if kind.own_rack else kind.kg
    return each


def _refusal(kind: Kind, rack: RackClass) -> tuple[str, str] | None:
    if kind.refused:
        return "slot", kind.refused
    if not kind.own_rack and kind.half_units > rack.half_units:
        over_u = (kind.half_units - rack.half_units) / HALVES_PER_UNIT
        return "units", f"{kind.name} is {over_u:g} U taller than {rack.name}"
    if kind.reach_m is not None and rack.cable_m is not None and rack.cable_m > kind.reach_m:
        return (
            "reach",
            f"{rack.name} needs {rack.cable_m:g} m of cable, {kind.name} reaches {kind.reach_m:g}",
        )
    if kind.kw * kind.liquid_fraction > 0 and rack.liquid_kw == 0:
        return "liquid", f"{kind.name} takes liquid, and {rack.name} has none"
    return None

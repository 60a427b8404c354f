"""Kinds of devices from what people know of them, with their watts side by side (F2.2, F2.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.facility.hall.kinds import Kind
from tco.facility.hall.space import HALVES_PER_UNIT
from tco.facility.slots import slot_fit
from tco.inputs import Figure, Fleet, Kit, Server, Site
from tco.power.server_power import DEFAULT_MARGIN_FRACTION, DEFAULT_PROVISIONING_FRACTION
from tco.results.hall import KitResult

_KW = 1000.0


@dataclass(frozen=True, slots=True)
class Known:
    """A kind for packing, what is shown of it, and how its power swings."""

    kind: Kind
    shown: KitResult
    work: str


def provisioned_w(
    nameplate_w: float | None, measured_w: float | None, given_w: float | None = None
) -> float | None:
    """Watts for breakers and cooling (F2.5): what is given, else the larger of two.

    Measured 99.9 % point with a margin of a tenth, and the nameplate.

    Examples
    --------
    >>> provisioned_w(10_200.0, 8_500.0), provisioned_w(None, 8_500.0), provisioned_w(None, None)
    (10200.0, 9350.0, None)
    """
    if given_w is not None:
        return given_w
    found = []
    if measured_w is not None:
        found.append(measured_w * (1 + DEFAULT_MARGIN_FRACTION))
    if nameplate_w is not None:
        found.append(nameplate_w * DEFAULT_PROVISIONING_FRACTION)
    return max(found, default=None)


def known_kit(kit: Kit, site: Site) -> Known:
    """A kind of the hall; what it does not say is its server's."""
    server = kit.server
    nameplate = kit.nameplate_w or (server.max_system_w if server else None)
    measured = kit.measured_w
    average = kit.average_w or (server.typical_load_w if server else None)
    weight = kit.weight_kg or (server.weight_kg if server else None)
    drawn_w = provisioned_w(_value(nameplate), _value(measured), _value(kit.provisioned_w)) or 0.0
    units = kit.units if kit.units is not None else _server_units(server)
    standing = kit.mount in {"rail", "own_rack"}
    ports = kit.ports if kit.ports is not None else (server.fabric_nics if server else 0)
    supplies = kit.psu_count if kit.psu_count is not None else (server.psu_count if server else 0)
    liquid = _value(kit.liquid_fraction)
    kind = Kind(
        key=kit.key,
        name=kit.name,
        half_units=math.ceil(HALVES_PER_UNIT * units) if standing else 0,
        kw=drawn_w / _KW,
        kg=_value(weight),
        ports=ports,
        liquid_fraction=liquid_fraction(server) if liquid is None else liquid,
        supplies=supplies,
        full_depth=kit.depth == "full",
        reach_m=kit.reach_m,
        own_rack=kit.mount == "own_rack" or _fills_a_rack(server, site),
        refused=slot_refusal(server, site),
    )
    expected = kit.expected_w
    return Known(kind, _shown(kind, nameplate, expected, measured, _value(average)), kit.work)


def known_fleet(
    fleet: Fleet, site: Site, *, provisioned_kw: float, average_kw: float
) -> Known | None:
    """The servers of an owned fleet; None where it rents."""
    server = fleet.server
    if server is None:
        return None
    kind = Kind(
        key=f"fleet:{fleet.key}",
        name=server.name,
        half_units=math.ceil(HALVES_PER_UNIT * _server_units(server)),
        kw=provisioned_kw,
        kg=_value(server.weight_kg),
        ports=server.fabric_nics,
        liquid_fraction=liquid_fraction(server),
        supplies=server.psu_count,
        own_rack=_fills_a_rack(server, site),
        refused=slot_refusal(server, site),
    )
    shown = _shown(kind, server.max_system_w, server.typical_load_w, None, average_kw * _KW)
    work = "training" if fleet.workload.kind == "training" else "serving"
    return Known(kind, shown, work)


def liquid_fraction(server: Server | None) -> float:
    """Share of a server's heat that goes to liquid (F3.2).

    Its own figure, else all of it where it takes liquid only, else none: what can be bought either
    way is taken as air-cooled.
    """
    if server is None or not server.cooling.lower().startswith("liquid"):
        return 0.0
    given = server.liquid_heat_fraction
    return 1.0 if given is None else given.value


def slot_refusal(server: Server | None, site: Site) -> str:
    """Why the site's slots do not take the server's devices (F2.2), empty where they do."""
    if server is None:
        return ""
    fit = slot_fit(server, site.slot_w)
    return "" if fit.fits else fit.reason


def _fills_a_rack(server: Server | None, site: Site) -> bool:
    return server is not None and _server_units(server) >= site.rack.rack_units


def _server_units(server: Server | None) -> float:
    return 0.0 if server is None or server.rack_units is None else server.rack_units.value


def _value(figure: Figure | None) -> float | None:
    return None if figure is None else float(figure.value)


def _kilowatts(figure: Figure | None) -> float | None:
    return None if figure is None else float(figure.value) / _KW


def _shown(
    kind: Kind,
    nameplate: Figure | None,
    expected: Figure | None,
    measured: Figure | None,
    average_w: float | None,
) -> KitResult:
    return KitResult(
        key=kind.key,
        name=kind.name,
        nameplate_kw=_kilowatts(nameplate),
        expected_kw=_kilowatts(expected),
        measured_kw=_kilowatts(measured),
        provisioned_kw=kind.kw,
        average_kw=None if average_w is None else min(average_w / _KW, kind.kw),
        height_u=kind.half_units / HALVES_PER_UNIT,
        weight_kg=kind.kg,
        liquid_fraction=kind.liquid_fraction,
        ports=kind.ports,
        fleet=kind.key.removeprefix("fleet:") if kind.key.startswith("fleet:") else "",
    )

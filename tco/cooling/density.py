"""What a rack's cooling carries: the server's own cooling first, then density (F3.5)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.defaults import default
from tco.errors import InputError
from tco.inputs import Cooling, Figure, Server

AIR_KW_PER_RACK = default("cooling.density.air_kw_per_rack")
LIQUID_KINDS = ("direct_to_chip", "immersion")
# What forces a change of design, least first (F3.5); immersion is chosen, not forced.
STEPS: tuple[tuple[str, Figure], ...] = (
    ("air", AIR_KW_PER_RACK),
    ("rear_door", default("cooling.density.rear_door_kw_per_rack")),
    ("direct_to_chip", default("cooling.density.direct_to_chip_kw_per_rack")),
)


@dataclass(frozen=True, slots=True)
class RackCooling:
    """Kilowatts of heat a rack may shed; None when the server's cooling is not there at all."""

    max_kw: float | None
    reason: str


def takes_air(server: Server) -> bool:
    """True if the server can be bought air-cooled."""
    text = server.cooling.lower()
    return text.startswith("air") or "or air" in text


def takes_liquid(server: Server) -> bool:
    """True if the server can be bought with cold plates or for a tank."""
    text = server.cooling.lower()
    return text.startswith("liquid") or "or liquid" in text


def rack_cooling(server: Server, cooling: Cooling) -> RackCooling:
    """Heat limit of a rack of these servers under the site's cooling (F3.5).

    A server that only takes liquid has no place on an air or rear-door site. A server that
    only takes air gains nothing from cold plates: in a direct-to-chip hall it is held to air's
    density. Immersion takes what the site chose to immerse.
    """
    max_kw = cooling.max_kw_per_rack.value
    if cooling.kind in LIQUID_KINDS:
        if cooling.kind == "direct_to_chip" and not takes_liquid(server):
            held_kw = min(max_kw, AIR_KW_PER_RACK.value)
            return RackCooling(held_kw, f"air-cooled servers: {held_kw:g} kW per rack")
        return RackCooling(max_kw, "")
    if takes_air(server):
        return RackCooling(max_kw, "")
    return RackCooling(None, f"{server.name} takes liquid only, and the site cools with air")


def least_design(server: Server, kw_per_rack: float) -> str:
    """Least cooling that carries a rack of these servers: the server's own first (F3.5).

    Raises
    ------
    InputError
        Density below 0, above every step, or above air's where the server takes no liquid.
    """
    if not kw_per_rack >= 0:
        raise InputError("kw_per_rack", f"{kw_per_rack:g} kW is below 0", "enter 0 or more")
    for kind, most in STEPS:
        if kw_per_rack > most.value:
            continue
        if kind in LIQUID_KINDS and not takes_liquid(server):
            raise InputError(
                "kw_per_rack",
                f"{kw_per_rack:g} kW are more than air and rear doors carry, and {server.name}"
                " takes no liquid",
                "put fewer servers into a rack, or take a server with cold plates",
            )
        if kind not in LIQUID_KINDS and not takes_air(server):
            continue
        return kind
    raise InputError(
        "kw_per_rack",
        f"{kw_per_rack:g} kW are more than the {STEPS[-1][1].value:g} of cold plates",
        "put fewer servers into a rack",
    )

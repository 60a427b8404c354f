"""Coolant distribution units and chillers: how many, and what losing one does (F3.6, F16.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.errors import InputError
from tco.inputs import Units

SECONDS_PER_MINUTE = 60.0
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Lost:
    """What is left after losing units."""

    units: int  # lost
    left_kw: float
    shed_kw: float  # heat that no unit carries any more
    minutes: float | None  # until the allowed rise is used up; None: no mass given, or no shed


def units_needed(heat_kw: float, units: Units) -> int:
    """Units for a heat load, the spare ones included (F3.6).

    Raises
    ------
    InputError
        A unit of no kW, spare units below 0.

    Examples
    --------
    >>> from tco.inputs import assumed
    >>> units_needed(1000.0, Units(assumed(400.0, "kW", "x"), spare=1))
    4
    """
    if not units.kw.value > 0:
        raise InputError("kw", f"{units.kw.value:g} kW is not above 0", "enter what one carries")
    if units.spare < 0:
        raise InputError("spare", f"{units.spare} is below 0", "enter 0 for none, 1 for N+1")
    if units.count is not None:
        return units.count
    if heat_kw <= 0:
        return 0
    return math.ceil(heat_kw / units.kw.value - _ROUNDING) + units.spare


def lose(
    heat_kw: float,
    units: Units,
    *,
    lost: int = 1,
    thermal_mass_kj_per_k: float | None = None,
    allowed_rise_k: float = 5.0,
) -> Lost:
    """Effect of losing units at a heat load: kW to shed, and minutes to do it in.

    What nothing carries warms the thermal mass: minutes = mass x rise / (60 x shed kW).

    Examples
    --------
    >>> from tco.inputs import assumed
    >>> two = Units(assumed(400.0, "kW", "x"), count=2)
    >>> lose(600.0, two, thermal_mass_kj_per_k=24_000.0, allowed_rise_k=5.0)
    Lost(units=1, left_kw=400.0, shed_kw=200.0, minutes=10.0)
    >>> lose(300.0, two).shed_kw
    0.0
    """
    present = units_needed(heat_kw, units)
    left = max(0, present - lost) * units.kw.value
    shed = max(0.0, heat_kw - left)
    minutes = None
    if thermal_mass_kj_per_k is not None and shed > 0:
        minutes = thermal_mass_kj_per_k * allowed_rise_k / shed / SECONDS_PER_MINUTE
    return Lost(min(lost, present), left, shed, minutes)

"""A hall whose PUE moves with its load (F3.1, F3.3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from tco.errors import InputError
from tco.inputs import CoolingPlant, Figure, PartLoad, Site
from tco.power.facility_load import facility_kwh, tco2e
from tco.results import FleetPower, Term


@dataclass(frozen=True, slots=True)
class Losses:
    """Facility kW = fixed + linear x IT + square x IT^2; draws of shape (draws, 1) broadcast."""

    fixed_kw: Any
    linear_ratio: Any
    square_per_kw: Any

    @classmethod
    def of(cls, site: Site) -> Losses:
        """Of a site: its part-load curve, or its one PUE (F3.1, F3.3).

        P_fac = P_it + R (a0 + a1 x + a2 x^2) + R c0 + c1 P_it + other, with x = P_it / R.

        Raises
        ------
        InputError
            A rating of 0 or less.
        """
        if site.plant is not None:
            return cls.of_plant(site.plant)
        curve = site.part_load
        if curve is None:
            return cls(0.0, site.pue.value, 0.0)
        return cls.of_curve(curve)

    @classmethod
    def of_plant(cls, plant: CoolingPlant, *, peak: bool = False) -> Losses:
        """Of a cooling plant: its air and its liquid, its UPS and what is fixed (F3.1, F3.2).

        `peak` takes the figures at design wet bulb where they are given (F2.8).
        """
        share = plant.captured_fraction.value
        air, liquid = plant.air_kw_per_kw, plant.liquid_kw_per_kw
        if peak:
            air = plant.peak_air_kw_per_kw or air
            liquid = plant.peak_liquid_kw_per_kw or liquid
        linear = 1.0 + (1.0 - share) * air.value
        if liquid is not None:
            linear = linear + share * liquid.value
        fixed = plant.fixed_kw.value if plant.fixed_kw is not None else 0.0
        if plant.ups_rated_kw is None:
            return cls(fixed, linear, 0.0)
        rated = plant.ups_rated_kw.value
        return cls(
            fixed + rated * plant.ups_a0_fraction,
            linear + plant.ups_a1_fraction,
            plant.ups_a2_fraction / rated,
        )

    @classmethod
    def at_peak(cls, site: Site) -> Losses:
        """Of a site in its hottest hour (F2.8); without a plant, as over the year."""
        return cls.of_plant(site.plant, peak=True) if site.plant is not None else cls.of(site)

    @classmethod
    def of_curve(cls, curve: PartLoad) -> Losses:
        """Of a part-load curve (F3.1)."""
        rated = curve.rated_it_kw.value
        if not np.all(np.asarray(rated) > 0):
            raise InputError(
                "part_load.rated_it_kw", f"{rated} kW is not above 0", "enter the IT kW of the hall"
            )
        return cls(
            rated * (curve.ups_no_load_fraction.value + curve.cooling_fixed_fraction.value)
            + curve.other_kw.value,
            1.0 + curve.ups_linear_fraction.value + curve.cooling_fraction.value,
            curve.ups_square_fraction.value / rated,
        )

    def facility_kw(self, it_kw: Any) -> Any:
        """Facility draw of an IT draw; each kilowatt is multiplied once.

        Examples
        --------
        >>> hall = Losses(fixed_kw=100.0, linear_ratio=1.2, square_per_kw=0.0)
        >>> hall.facility_kw(1000.0) / 1000.0, hall.facility_kw(200.0) / 200.0
        (1.3, 1.7)
        """
        return self.fixed_kw + (self.linear_ratio + self.square_per_kw * it_kw) * it_kw


def with_part_load(
    sites: Mapping[str, Site], powers: Sequence[FleetPower], *, hours_per_year: float
) -> list[FleetPower]:
    """Powers of an option with the PUE that their halls have at their common load (F3.3).

    The hall's annual PUE is that of the first year's day: sum of facility kWh over sum of IT kWh.
    Fleets of one hall share it, and its peak by their own peaks.

    Parameters
    ----------
    sites
        Site of each fleet, by the fleet's key.
    powers
        As each fleet would have them at the site's one PUE.
    hours_per_year
        12 H (F0.2).
    """
    found = list(powers)
    groups: dict[str, list[int]] = {}
    for index, power in enumerate(powers):
        site = sites[power.fleet]
        if site.part_load is not None or site.plant is not None:
            groups.setdefault(site.key, []).append(index)
    for members in groups.values():
        site = sites[powers[members[0]].fleet]
        hall = Losses.of(site)
        it = np.sum([powers[index].hourly_kw for index in members], axis=0)
        if not it.any():
            continue
        pue = float(np.sum(hall.facility_kw(it)) / np.sum(it))
        it_peak = sum(powers[index].it_peak_kw for index in members)
        peak_ratio = float(Losses.at_peak(site).facility_kw(it_peak)) / it_peak
        for index in members:
            found[index] = _at(powers[index], site, pue, peak_ratio, hours_per_year)
    return found


def _at(
    power: FleetPower, site: Site, pue: float, peak_ratio: float, hours_per_year: float
) -> FleetPower:
    kwh = facility_kwh(power.it_average_kw, pue) * hours_per_year
    grid = power.grid_gco2_per_kwh
    terms = [term for term in power.terms if term.name != "PUE"]
    terms += [Term.of(name, figure) for name, figure in _figures(site) if figure is not None]
    return replace(
        power,
        pue=pue,
        facility_average_kw=power.it_average_kw * pue,
        facility_peak_kw=power.it_peak_kw * peak_ratio,
        kwh_per_year=kwh,
        tco2e_per_year=None if grid is None else tco2e(kwh, grid),
        terms=tuple(terms),
    )


def _figures(site: Site) -> tuple[tuple[str, Figure | None], ...]:
    """What a PUE that follows the load rests on."""
    if site.plant is not None:
        plant = site.plant
        return (
            ("heat into liquid", plant.captured_fraction),
            ("cooling of heat in air", plant.air_kw_per_kw),
            ("cooling of heat in liquid", plant.liquid_kw_per_kw),
            ("cooling of heat in air, hottest hour", plant.peak_air_kw_per_kw),
            ("cooling of heat in liquid, hottest hour", plant.peak_liquid_kw_per_kw),
            ("UPS rating", plant.ups_rated_kw),
            ("lighting and other", plant.fixed_kw),
        )
    curve = site.part_load
    assert curve is not None
    return (
        ("rated IT load of the hall", curve.rated_it_kw),
        ("UPS loss without load", curve.ups_no_load_fraction),
        ("UPS loss, share of the load", curve.ups_linear_fraction),
        ("UPS loss, by the square of the load", curve.ups_square_fraction),
        ("cooling whatever the load", curve.cooling_fixed_fraction),
        ("cooling, share of the load", curve.cooling_fraction),
        ("lighting and other", curve.other_kw),
    )

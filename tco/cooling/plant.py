"""Where the kilowatts of a facility go at an IT load (F3.1, F3.2), and ITUE (F3.4).

The sum is that of `tco.power.part_load`, which makes the PUE; here are its parts and their limits.
"""

from __future__ import annotations

from dataclasses import dataclass

from tco.errors import InputError
from tco.inputs import CoolingPlant, Figure


@dataclass(frozen=True, slots=True)
class FacilityLoad:
    """Where the kilowatts of one moment go."""

    it_kw: float
    liquid_kw: float  # heat into liquid
    air_kw: float  # the rest of the heat
    cooling_kw: float
    ups_loss_kw: float
    fixed_kw: float

    @property
    def facility_kw(self) -> float:
        """P_it + P_cool + losses + misc (F3.1)."""
        return self.it_kw + self.cooling_kw + self.ups_loss_kw + self.fixed_kw


def ups_loss_kw(load_kw: float, rated_kw: float, a0: float, a1: float, a2: float) -> float:
    """Loss of a UPS: rated x (a0 + a1 x + a2 x^2) at load fraction x (F3.1).

    Raises
    ------
    InputError
        A rating that is not above 0, or a load above it.

    Examples
    --------
    >>> round(ups_loss_kw(500.0, 1000.0, 0.01, 0.01, 0.02), 6)
    20.0
    """
    if not rated_kw > 0:
        raise InputError("ups_rated_kw", f"{rated_kw:g} kW is not above 0", "enter the rating")
    if load_kw > rated_kw * (1 + 1e-9):
        raise InputError(
            "ups_rated_kw",
            f"{load_kw:,.1f} kW of load are more than the {rated_kw:,.1f} kW of the UPS",
            "enter the rating of all modules that run together",
        )
    x = load_kw / rated_kw
    return rated_kw * (a0 + a1 * x + a2 * x * x)


def facility_load(plant: CoolingPlant, it_kw: float, *, peak: bool = False) -> FacilityLoad:
    """Power of the facility at an IT load (F3.1, F3.2).

    The captured share of the heat goes by liquid, the rest by air; each costs its own kW per kW.
    `peak` takes the figures at design wet bulb where they are given (F2.8).

    Raises
    ------
    InputError
        A captured fraction outside 0..1, or above 0 without a figure for liquid; a UPS too small.
    """
    share = plant.captured_fraction.value
    if not 0 <= share <= 1:
        raise InputError(
            "captured_fraction",
            f"{share:g} is outside 0..1",
            "enter the share of heat into liquid",
        )
    if not it_kw >= 0:
        raise InputError("it_kw", f"{it_kw:g} kW is below 0", "enter 0 or more")
    liquid, air = it_kw * share, it_kw * (1 - share)
    if plant.liquid_kw_per_kw is None and liquid > 0:
        raise InputError(
            "liquid_kw_per_kw",
            f"is missing, and {share:g} of the heat goes into liquid",
            "enter the kW of pumps and heat rejection per kW of heat",
        )
    cooling = air * _at(plant.air_kw_per_kw, plant.peak_air_kw_per_kw, peak)
    if plant.liquid_kw_per_kw is not None:
        cooling += liquid * _at(plant.liquid_kw_per_kw, plant.peak_liquid_kw_per_kw, peak)
    loss = 0.0
    if plant.ups_rated_kw is not None:
        rated = plant.ups_rated_kw.value
        loss = ups_loss_kw(
            it_kw, rated, plant.ups_a0_fraction, plant.ups_a1_fraction, plant.ups_a2_fraction
        )
    fixed = plant.fixed_kw.value if plant.fixed_kw else 0.0
    return FacilityLoad(it_kw, liquid, air, cooling, loss, fixed)


def _at(year: Figure, at_peak: Figure | None, peak: bool) -> float:
    return at_peak.value if peak and at_peak is not None else year.value


def itue(fan_fraction: float) -> float:
    """IT power over that of the computing parts: 1 / (1 - fans and conversion) (F3.4).

    Raises
    ------
    InputError
        A share outside 0..1, 1 excluded.

    Examples
    --------
    >>> round(itue(0.15), 4), round(itue(0.15) * 1.3, 4)  # TUE at a PUE of 1.3
    (1.1765, 1.5294)
    """
    if not 0 <= fan_fraction < 1:
        raise InputError("fan_fraction", f"{fan_fraction:g} is outside 0..1", "enter a share")
    return 1 / (1 - fan_fraction)

"""Embodied carbon and water beside the use phase (F18.2, F18.4)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.errors import InputError
from tco.power.facility_load import facility_kwh


def embodied_kg(count: float, kg_each: float, used_hours: float, life_hours: float) -> float:
    """Carbon of making the devices, by share of their life used [kgCO2e] (F18.2).

    Examples
    --------
    >>> round(embodied_kg(8, 575.1, 1.0, 52_560.0), 5)
    0.08753
    """
    if not life_hours > 0:
        raise InputError("life_hours", f"{life_hours} is not above 0", "enter hours above 0")
    if not 0 <= used_hours <= life_hours:
        raise InputError(
            "used_hours", f"{used_hours} is outside 0..{life_hours:g}", "enter hours of the life"
        )
    return count * kg_each * used_hours / life_hours


@dataclass(frozen=True, slots=True)
class Water:
    """Litres evaporated on site, and where the electricity is made (F18.4)."""

    onsite_litres: float
    offsite_litres: float

    @property
    def total_litres(self) -> float:
        """Both."""
        return self.onsite_litres + self.offsite_litres


def water(
    it_kwh: float, *, litres_per_it_kwh: float, pue: float, litres_per_grid_kwh: float
) -> Water:
    """E_it x WUE + E_fac x water intensity of the grid [L] (F18.4).

    PUE multiplies the second part only: WUE is already per kWh of IT.

    Parameters
    ----------
    it_kwh
        Energy of the IT.
    litres_per_it_kwh, litres_per_grid_kwh
        WUE of the site, EWIF of the region.

    Examples
    --------
    >>> round(water(1000.0, litres_per_it_kwh=0.5, pue=1.2, litres_per_grid_kwh=3.0).total_litres)
    4100
    """
    return Water(it_kwh * litres_per_it_kwh, facility_kwh(it_kwh, pue) * litres_per_grid_kwh)

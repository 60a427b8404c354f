"""From IT kilowatts to the facility's, and to carbon (F3.3, F18.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tco.errors import InputError

GRAMS_PER_TONNE = 1_000_000


def facility_kw(it_kw: float, pue: float) -> float:
    """Facility draw of an IT draw. The one place where PUE touches a kilowatt (F3.3).

    Raises
    ------
    InputError
        PUE below 1 or not finite.
    """
    if not math.isfinite(pue) or pue < 1:
        raise InputError("site.pue", f"{pue} is below 1", "enter 1 or more")
    return it_kw * pue


def facility_kwh(it_kwh: float, pue: float) -> float:
    """Facility energy of IT energy, `facility_kw` over any span of time (F3.3).

    Examples
    --------
    >>> facility_kwh(720_000.0, 1.25)
    900000.0
    """
    return facility_kw(it_kwh, pue)


def annual_pue(it_kwh: Sequence[float], facility_kwh: Sequence[float]) -> float | None:
    """Energy-weighted PUE: sum of facility kWh over sum of IT kWh (F3.3).

    Never a mean of ratios. None when no IT energy is used.

    Examples
    --------
    >>> annual_pue((900.0, 100.0), (1080.0, 200.0))
    1.28
    """
    total_kwh = math.fsum(it_kwh)
    return math.fsum(facility_kwh) / total_kwh if total_kwh > 0 else None


def grid_gco2_of_load(
    hourly_kw: Sequence[float],
    grid_gco2_per_kwh: float | None,
    grid_gco2_by_hour: Sequence[float] | None = None,
) -> float | None:
    """Grid carbon of a load [gCO2e/kWh]: one figure, or that of the hours it draws in (F18.1).

    Examples
    --------
    >>> grid_gco2_of_load((3.0, 1.0), 400.0), grid_gco2_of_load((3.0, 1.0), None, (100.0, 500.0))
    (400.0, 200.0)
    """
    total_kw = math.fsum(hourly_kw)
    if grid_gco2_by_hour is None or total_kw <= 0:
        return grid_gco2_per_kwh
    pairs = zip(hourly_kw, grid_gco2_by_hour, strict=True)
    return math.fsum(kw * grams for kw, grams in pairs) / total_kw


def tco2e(kwh: float, grid_gco2_per_kwh: float) -> float:
    """Tonnes of CO2 equivalent of facility energy, location based (F18.1)."""
    return kwh * grid_gco2_per_kwh / GRAMS_PER_TONNE

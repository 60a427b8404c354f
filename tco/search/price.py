"""What an owned server costs an hour, for a search (F6, F12)."""

from __future__ import annotations

import math

from tco.errors import InputError
from tco.units import HOURS_PER_YEAR


def owned_usd_per_hour(
    price_usd: float,
    life_years: float,
    *,
    power_kw: float = 0.0,
    usd_per_kwh: float = 0.0,
    pue: float = 1.0,
) -> float:
    """Cost of an owned server [USD/h]: price over its life, and its power at the meter.

    Straight line, without interest, rooms and people: enough to rank configurations on one server;
    a scenario prices the rest.

    Parameters
    ----------
    power_kw
        Of the server under load.
    pue
        Power of the site over that of its machines.

    Examples
    --------
    >>> round(owned_usd_per_hour(262_800, 5, power_kw=8, usd_per_kwh=0.1, pue=1.25), 6)
    7.0
    """
    for name, value, least in (
        ("price_usd", price_usd, 0.0),
        ("life_years", life_years, 0.0),
        ("pue", pue, 1.0),
    ):
        if not value >= least or value == 0.0 or math.isinf(value):
            wanted = "1 or more" if least else "more than 0"
            raise InputError(name, f"{value:g} cannot be used", f"enter {wanted}")
    for name, value in (("power_kw", power_kw), ("usd_per_kwh", usd_per_kwh)):
        if not 0.0 <= value < math.inf:
            raise InputError(name, f"{value:g} is below 0", "enter 0 or more")
    return price_usd / (life_years * HOURS_PER_YEAR) + power_kw * usd_per_kwh * pue

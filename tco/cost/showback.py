"""What an asset is charged inside the house: space and nameplate electricity (F22.1)."""

from __future__ import annotations

from tco.units import HOURS_PER_YEAR, W_PER_KW


def hosting_usd_per_year(height_u: float, usd_per_u_year: float) -> float:
    """Charge by rack units [USD/yr] (F22.1).

    Examples
    --------
    >>> hosting_usd_per_year(2, 200.0)
    400.0
    """
    return height_u * usd_per_u_year


def nameplate_electricity_usd_per_year(nominal_w: float, usd_per_kwh: float) -> float:
    """Nameplate watts all year at the rate, no PUE [USD/yr]: a DCIM tool's rule (F22.1).

    There to reconcile such a report. A scenario pays for mean watts and the facility's (F2.5).

    Examples
    --------
    >>> nameplate_electricity_usd_per_year(500.0, 0.25)
    1095.0
    """
    return nominal_w / W_PER_KW * HOURS_PER_YEAR * usd_per_kwh

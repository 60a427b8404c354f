"""The cooling plant of a site and its losses (F3.1 to F3.6)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.figure import Figure


@dataclass(frozen=True, slots=True)
class Units:
    """Equal units side by side: coolant distribution units, chillers."""

    kw: Figure  # heat that one carries
    spare: int = 1  # beyond what the peak needs: 1 is N+1
    count: int | None = None  # None: as many as the peak needs, and the spare ones
    usd: Figure | None = None  # of one


@dataclass(frozen=True, slots=True)
class CoolingPlant:
    """How a site's heat leaves. Watts of cooling by kW of heat, fixed losses, spare units."""

    air_kw_per_kw: Figure  # fans, pumps and chillers for heat that leaves by air
    captured_fraction: Figure  # of the heat, into liquid; 0 for air
    liquid_kw_per_kw: Figure | None = None
    peak_air_kw_per_kw: Figure | None = None  # at design wet bulb; None: as in the year
    peak_liquid_kw_per_kw: Figure | None = None
    fixed_kw: Figure | None = None  # whatever the load: lights, controls, standing fans
    ups_rated_kw: Figure | None = None
    ups_a0_fraction: float = 0.0  # share of the rating lost at no load
    ups_a1_fraction: float = 0.0
    ups_a2_fraction: float = 0.0
    fan_fraction: Figure | None = None  # of the servers' power: fans and supplies, for ITUE
    fluid: str = "water"
    delta_t_k: float = 10.0
    cdus: Units | None = None
    chillers: Units | None = None
    thermal_mass_kj_per_k: Figure | None = None  # fluid, tanks and air that may warm up
    allowed_rise_k: float = 5.0
    capex_usd_per_kw: Figure | None = None  # of provisioned IT power, without the units' own price
    retrofit_usd_per_rack: Figure | None = None
    fluid_usd_per_kw_year: Figure | None = None  # of heat into liquid
    filters_usd_per_kw_year: Figure | None = None  # of all heat
    leak_response_usd_per_year: Figure | None = None

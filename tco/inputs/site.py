"""Where hardware stands: region, tariff, cooling, racks, feeds."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from tco.inputs.figure import Figure
from tco.inputs.plant import CoolingPlant
from tco.inputs.tariff import ExistingLoad, PartLoad, Surroundings, Tariff

if TYPE_CHECKING:
    from tco.inputs.hall import Hall


@dataclass(frozen=True, slots=True)
class Region:
    """What the catalog knows of a place; a site takes from it what it does not set itself."""

    key: str
    name: str
    country: str
    energy_usd_per_kwh: Figure | None = None  # industrial average
    demand_included: bool = False
    demand_usd_per_kw_month: Figure | None = None
    grid_gco2_per_kwh: Figure | None = None
    residency_regime: str = ""


@dataclass(frozen=True, slots=True)
class Cooling:
    """A cooling design and the rack density it carries (F3.5)."""

    key: str
    name: str
    kind: str  # air | rear_door | direct_to_chip | immersion
    max_kw_per_rack: Figure
    capex_usd_per_kw: Figure | None = None


@dataclass(frozen=True, slots=True)
class Rack:
    """A rack type."""

    key: str
    name: str
    rack_units: int
    static_load_kg: Figure | None = None
    price_usd: Figure | None = None  # rack with PDUs
    reserved_units: int = 2  # switches, patch panels


@dataclass(frozen=True, slots=True)
class Feed:
    """A rack feed (F2.6). `usable_fraction` is a multiplier, 0.8 for continuous load."""

    key: str
    name: str
    voltage_v: float
    voltage_reference: str  # LL | LN
    phases: int
    breaker_a: float
    usable_fraction: Figure
    power_factor: Figure
    feeds_per_rack: int = 2
    redundancy: str = "2N"  # N | N+1 | 2N


@dataclass(frozen=True, slots=True)
class Colocation:
    """Rented space (F5.4). `power_included` stops electricity counted twice."""

    usd_per_kw_month: Figure
    power_included: bool = False
    install_usd: Figure | None = None


@dataclass(frozen=True, slots=True)
class FacilityBuild:
    """Own build charged per provisioned kW (F5.2, F25)."""

    usd_per_kw: Figure
    life_years: Figure
    charge: str = "share_of_life"  # share_of_life | whole


@dataclass(frozen=True, slots=True)
class Site:
    """A place with a tariff. `pue` touches a kilowatt-hour once (F3.3)."""

    key: str
    name: str
    region: str
    country: str
    tariff: Tariff
    pue: Figure
    cooling: Cooling
    rack: Rack
    feed: Feed
    slot_w: Figure
    hall_kw: Figure | None = None
    utility_kw: Figure | None = None
    colocation: Colocation | None = None
    build: FacilityBuild | None = None
    grid_gco2_per_kwh: Figure | None = None
    residency_regime: str = ""
    part_load: PartLoad | None = None  # then `pue` is not read
    existing_load: ExistingLoad | None = None
    load_shape: tuple[float, ...] | None = None  # a year in hours or quarter-hours; any unit
    month_shape: tuple[float, ...] | None = None  # 12, of the servers' kW; its mean counts as 1
    load_year: int | None = None  # whose weekdays the years above have
    own_generation_kw: tuple[float, ...] | None = None  # typical day
    around: Surroundings = field(default_factory=Surroundings)
    hall: Hall | None = None  # racks, power tree and what stands
    plant: CoolingPlant | None = None  # then `pue` follows from the load

"""Legal zones of an option beside one pool of the same demand (F17)."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class ZoneResult:
    """One zone at the end of the horizon."""

    zone: str
    name: str
    country: str
    site: str
    serves: tuple[str, ...]  # keys of the zones whose demand it takes
    failover_to: str
    demand_fraction: float
    servers: int
    spare_replicas: int
    pue: float | None
    energy_usd_per_kwh: float | None
    grid_gco2_per_kwh: float | None
    tco2e_per_year: float | None
    water_litres_per_year: float | None
    cost_usd: float | None  # present value of its own lines; None: a price is missing
    cost_usd_per_server: float | None


@dataclass(frozen=True, slots=True)
class Way:
    """One way between two zones of the option; what is not given is forbidden."""

    from_zone: str
    to_zone: str
    rule: str
    used: bool


@dataclass(frozen=True, slots=True)
class ZonesResult:
    """What separation costs, in money and in servers (F17.4)."""

    zones: tuple[ZoneResult, ...]
    names: dict[str, str]  # of every zone of the option, by key
    ways: tuple[Way, ...]
    shared_usd: float | None  # lines of no single zone
    cost_usd: float | None
    servers: int
    pool_zone: str  # where one pool of everything would cost least
    pool_usd: float | None
    pool_servers: int | None
    premium_usd: float | None
    premium_fraction: float | None  # of the pool's cost
    premium_servers: int | None
    premium_servers_fraction: float | None
    sentence: str
    reason: str  # why there is no premium in money; empty: there is

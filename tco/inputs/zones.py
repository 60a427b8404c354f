"""Legal zones that may not help each other, and what may pass between them (F17)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.figure import Figure


@dataclass(frozen=True, slots=True)
class Zone:
    """One legal zone: its part of the demand, its own spares, what it costs to be there."""

    key: str
    name: str
    demand_fraction: float  # of every workload
    spare_replicas: int | None = None  # None: the workload's replicas_lost
    served_in: str = ""  # key of the zone that serves it; empty: itself
    failover_to: str = ""  # key of the zone whose spares stand in; empty: spares of its own
    country: str = ""  # empty: that of its site
    staff_minimum_usd_per_year: Figure | None = None
    licences_usd_per_year: Figure | None = None
    sales_tax_fraction: Figure | None = None  # in place of the purchase's
    duty_fraction: Figure | None = None


@dataclass(frozen=True, slots=True)
class Transfer:
    """One way between two zones (F17.3)."""

    from_zone: str
    to_zone: str
    rule: str  # allowed | allowed_with_cost | forbidden
    usd_per_month: Figure | None = None  # contracts, audits, a private line
    usd_per_gb_moved: Figure | None = None
    gb_per_month: Figure | None = None


@dataclass(frozen=True, slots=True)
class ZoneFleet:
    """What a fleet is in its zone."""

    zone: Zone
    serves: tuple[str, ...]  # keys of the zones whose demand it takes
    demand_fraction: float  # of those zones together
    template_index: int  # place among the fleets as written
    transfers: tuple[Transfer, ...] = ()  # ways that are used to and from here


@dataclass(frozen=True, slots=True)
class Zoning:
    """The zones of an option."""

    zones: tuple[Zone, ...]
    transfers: tuple[Transfer, ...]
    spare_replicas: int  # that one pool would keep: the most of any zone

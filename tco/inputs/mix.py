"""What a mix of machines must keep within, beside what its sites and workloads say (F1.9)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.figure import Figure


@dataclass(frozen=True, slots=True)
class MixPhase:
    """A month in which machines may be bought; it lasts to the next one."""

    month: int


@dataclass(frozen=True, slots=True)
class YearBudget:
    """Most that may be spent on purchases in one year of the horizon, the first is 1."""

    year: int
    most_usd: Figure


@dataclass(frozen=True, slots=True)
class SiteLimit:
    """What is free at a site; None: no limit beside those of the site itself."""

    site: str
    racks: int | None = None
    it_kw: Figure | None = None
    servers: int | None = None


@dataclass(frozen=True, slots=True)
class VendorCap:
    """Most of one vendor's machines, by count or as a share of all."""

    vendor: str
    servers: int | None = None
    share_fraction: float | None = None


@dataclass(frozen=True, slots=True)
class Blast:
    """Most of a workload that may stand in one place or come from one vendor."""

    workload: str
    by: str  # site | vendor
    share_fraction: float


@dataclass(frozen=True, slots=True)
class FleetLock:
    """Machines of a fleet that are settled: at least, at most."""

    option: str
    fleet: str
    fewest: int = 0
    most: int | None = None


@dataclass(frozen=True, slots=True)
class MixRequest:
    """What to minimise and under which limits.

    Parameters
    ----------
    phases
        None: everything is bought at the start.
    alike_workloads
        Workloads whose answers must come from devices of one vendor, as those of two may differ
        (P15).
    """

    objective: str = "usd"  # usd | carbon_kg | peak_kw
    phases: tuple[MixPhase, ...] = ()
    budgets: tuple[YearBudget, ...] = ()
    site_limits: tuple[SiteLimit, ...] = ()
    vendor_caps: tuple[VendorCap, ...] = ()
    blast: tuple[Blast, ...] = ()
    locks: tuple[FleetLock, ...] = ()
    alike_workloads: tuple[str, ...] = ()
    most_carbon_kg: Figure | None = None
    most_peak_kw: Figure | None = None

"""Terms of a purchase beside its prices: how it is paid, taxed, kept running (F6, F10, F12)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.figure import Figure


@dataclass(frozen=True, slots=True)
class Financing:
    """Where the money for the servers comes from (F12.1)."""

    kind: str = "cash"  # cash | loan | finance_lease | operating_lease | as_a_service
    term_months: int | None = None
    rate_fraction_per_year: Figure | None = None  # r/12 a month, as lenders quote it (F0.3)
    down_payment_fraction: Figure | None = None  # loan
    payment_usd_per_server_month: Figure | None = None  # lease; or
    rate_factor_fraction_per_month: Figure | None = None  # lease: payment over the price
    payment_rise_fraction_per_year: Figure | None = None  # lease, service: once a year
    payment_timing: str = "arrears"  # arrears | advance
    at_end: str = "renew"  # renew | buyout | return, of a lease shorter than the need
    buyout_fraction: Figure | None = None  # of the price
    return_usd_per_server: Figure | None = None
    usd_per_unit_month: Figure | None = None  # service
    unit: str = "device"  # device | server
    minimum_count: int | None = None  # units paid for through the term, used or not

    @property
    def leased(self) -> bool:
        """Whether the servers belong to somebody else."""
        return self.kind in ("finance_lease", "operating_lease")


@dataclass(frozen=True, slots=True)
class Instalment:
    """Part of the price, so many months after the order (F6)."""

    share_fraction: float
    after_months: int = 0


@dataclass(frozen=True, slots=True)
class Assessment:
    """Taxable share of the price in one year of a machine's age (F6.2)."""

    share_fraction: float


@dataclass(frozen=True, slots=True)
class Failures:
    """Failing devices: how often, spares for them, what a repair costs (F10.1 to F10.3)."""

    afr_per_year: Figure  # failures of a device in a year
    lead_months: Figure  # until a part is delivered
    service_level_fraction: Figure  # chance that a spare is at hand
    warranty_months: int  # parts are free so long
    labour_usd_per_failure: Figure
    part_usd: Figure | None = None  # None: by its share of the server's price
    part_share_fraction: Figure | None = None  # devices in the price of a server


@dataclass(frozen=True, slots=True)
class Delivery:
    """When servers come, against when they were promised, and what bridges the gap (F5.5)."""

    lead_months: Figure  # from the order until they serve, as expected; may have a range
    bridged_fraction: Figure  # of what is not there, rented meanwhile
    bridge_usd_per_server_month: Figure | None = None
    benefit_usd_per_month: Figure | None = None  # of the whole fleet in service
    carrying_fraction_per_year: Figure | None = None  # None: the discount rate

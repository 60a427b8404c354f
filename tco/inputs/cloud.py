"""Terms of what is rented: instances, spot, storage, an API priced by token (F13)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.figure import Figure


@dataclass(frozen=True, slots=True)
class Spot:
    """How often an instance is taken away, and what a run loses by it (F13.3, F10.4)."""

    between_interruptions_hours: float  # of one instance
    restart_hours: float  # until it runs again
    checkpoint_hours: float = 0.0  # that a run stands still for one
    interval_hours: float | None = None  # between checkpoints; None: Young's


@dataclass(frozen=True, slots=True)
class StorageClass:
    """Data kept with the provider in one class (F13.5)."""

    name: str
    gb: Figure
    usd_per_gb_month: Figure
    requests_per_month: Figure | None = None
    usd_per_1000_requests: Figure | None = None
    retrieved_gb_per_month: Figure | None = None
    usd_per_gb_retrieved: Figure | None = None


@dataclass(frozen=True, slots=True)
class Rental:
    """Terms of a cloud offer (F13)."""

    commitment: str = "on_demand"  # on_demand | reserved_1y | reserved_3y | spot
    usd_per_hour: Figure | None = None
    scaling: str = "peak"  # peak: always on | hourly: follows the daily shape
    egress_gb_per_month: Figure | None = None
    egress_tiers: tuple[tuple[float, Figure], ...] = ()  # (upper bound GB, USD/GB); inf last
    egress_free_gb_per_month: float = 0.0
    support_fraction: Figure | None = None  # of the bill
    warm_up_hours: float = 0.0  # billed before an instance serves
    billing_minimum_hours: float = 0.0  # of each start
    billing_increment_hours: float = 0.0  # 0: by the second
    committed_instances: int | None = None  # None: with a reserved rate all of them are
    on_demand_usd_per_hour: Figure | None = None  # beyond the commitment; None: the offer's
    spot: Spot | None = None
    storage: tuple[StorageClass, ...] = ()
    setup_usd: Figure | None = None  # once, at go-live
    debugging_usd_per_month: Figure | None = None
    price_change_fraction_per_year: Figure | None = None  # of the hourly rates
    quota_instances: int | None = None  # most that the provider lets run
    value_usd_per_request: Figure | None = None  # lost with one that is not served


@dataclass(frozen=True, slots=True)
class Api:
    """A model served by its provider and priced by token (F13.9)."""

    provider: str
    input_usd_per_mtok: Figure
    output_usd_per_mtok: Figure
    cached_input_usd_per_mtok: Figure | None = None  # None: as other input
    price_change_fraction_per_year: Figure | None = None
    requests_per_minute_limit: float | None = None  # more is throttled
    value_usd_per_request: Figure | None = None
    country: str = ""  # where it is served; empty: not known

"""Who serves what: owned servers or cloud offers."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.agreed import Agreed
from tco.inputs.availability import Availability
from tco.inputs.cloud import Api, Rental
from tco.inputs.fabric import Fabric, Storage
from tco.inputs.figure import Figure
from tco.inputs.hardware import CloudOffer, CoLocation, Partition, Server
from tco.inputs.model import LanguageModel
from tco.inputs.moving import Exit, Migration, Retraining, Staffing, Support
from tco.inputs.purchase import Assessment, Delivery, Failures, Financing, Instalment
from tco.inputs.site import Site
from tco.inputs.workload import Workload
from tco.inputs.zones import ZoneFleet, Zoning


@dataclass(frozen=True, slots=True)
class Purchase:
    """Prices that go with owned servers (F6); None is missing, never 0."""

    server_usd: Figure | None
    discount_fraction: Figure
    network_usd_per_server: Figure | None = None  # switches, optics, cables
    network_w_per_server: Figure | None = None
    support_fraction_per_year: Figure | None = None  # of hardware price
    software_usd_per_device_year: Figure | None = None
    integration_usd_per_server: Figure | None = None
    staff_usd_per_server_year: Figure | None = None
    residual_fraction: Figure | None = None  # of price paid, at the end of life (F11)
    life_months: int = 60
    book_life_months: int | None = None  # of depreciation in the P&L view; None: life_months
    financing: Financing | None = None  # None: cash
    instalments: tuple[Instalment, ...] = ()  # none: paid whole when the servers are needed
    order_lead_months: int = 0  # from the order to the month the servers are needed in
    price_change_fraction_per_year: Figure | None = None  # by month of order (F6, F0.4)
    duty_fraction: Figure | None = None  # of the price paid
    freight_usd_per_server: Figure | None = None
    sales_tax_fraction: Figure | None = None  # of price and duty, or of lease payments
    property_tax_fraction_per_year: Figure | None = None  # of the assessed value
    property_tax_schedule: tuple[Assessment, ...] = ()  # by year of age; none: straight line
    insurance_fraction_per_year: Figure | None = None  # of the price of what stands there
    retirement_usd_per_server: Figure | None = None  # dismantling, wiping, disposal
    physical_security_usd_per_year: Figure | None = None  # of the whole fleet
    failures: Failures | None = None
    delivery: Delivery | None = None  # None: as promised
    embodied_kgco2e_per_server: Figure | None = None  # of making one, devices included


@dataclass(frozen=True, slots=True)
class Fleet:
    """One kind of machine serving one workload."""

    key: str
    name: str
    workload: Workload
    share_fraction: float  # of the workload's requests
    server: Server | None = None  # owned
    site: Site | None = None  # owned: where
    purchase: Purchase | None = None
    offer: CloudOffer | None = None  # rented
    rental: Rental | None = None
    api: Api | None = None  # served by someone else's machines, priced by token
    count: int | None = None  # None: sized by the engine (P8)
    tensor_parallel: int | None = None  # None: searched
    pipeline_parallel: int = 1
    expert_parallel: int = 1
    attention_data_parallel: int = 1
    engine: str = ""  # serving stack whose fitted host times apply; empty: today's vLLM
    migration: Migration | None = None
    exit: Exit | None = None
    retraining: Retraining | None = None
    canary_fraction: Figure | None = None  # of the fleet, held beside what serves
    framework: str = ""  # key in the support matrix; empty: not named
    support: tuple[Support, ...] = ()  # cells of the features needed; others are not known
    start_month: int = 0  # go-live
    stage: str = ""  # of a pipeline: the stage this fleet serves
    stage_model: LanguageModel | None = None  # in place of the stage's own
    partition: Partition | None = None
    co_located: CoLocation | None = None
    zone: ZoneFleet | None = None  # legal zone it stands in; None: one pool (F17)
    availability: Availability | None = None  # None: downtime is not counted (F16)
    confidential_speed_fraction: Figure | None = None  # throughput left under it (P19.3)
    fabrics: tuple[Fabric, ...] = ()
    store: Storage | None = None
    agreed: Agreed | None = None  # entry of the price book that speaks of the machine

    @property
    def owned(self) -> bool:
        """True for bought servers."""
        return self.server is not None


@dataclass(frozen=True, slots=True)
class Option:
    """A complete answer: fleets that together serve every workload."""

    key: str
    name: str
    fleets: tuple[Fleet, ...]
    staffing: Staffing | None = None
    zoning: Zoning | None = None  # None: one pool

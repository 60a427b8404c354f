"""What a projection says. Every view (page, API, CLI, workbook) is a view of this."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tco.inputs import CURRENCIES, ExchangePath, Status, plain
from tco.results.accounting import AccountingViews
from tco.results.availability import AvailabilityResult
from tco.results.hall import HallResult as HallResult
from tco.results.ledger import Ledger as Ledger
from tco.results.ledger import LedgerLine as LedgerLine
from tco.results.ledger import Original as Original
from tco.results.ledger import Term as Term
from tco.results.limit import Limit as Limit
from tco.results.networks import CoolingResult, FabricResult, StorageResult
from tco.results.zones import ZonesResult


@dataclass(frozen=True, slots=True)
class Explained:
    """A result with the formula and the terms that give it (U4).

    `value` is None when it cannot be given; `reason` then says why (missing price, no load).
    """

    key: str
    label: str
    value: float | None
    unit: str
    status: Status
    formula: str
    terms: tuple[Term, ...] = ()
    low: float | None = None
    high: float | None = None
    reason: str = ""
    reference: str = ""  # F19.1, P8 ...


@dataclass(frozen=True, slots=True)
class Finding:
    """Something to know: names the field, the value and the mend."""

    code: str  # e.g. model_does_not_fit
    severity: str  # error | warning | info
    field: str  # path in the scenario document, e.g. options[0].fleets[1].server
    message: str
    mend: str = ""
    option: str = ""
    fleet: str = ""


@dataclass(frozen=True, slots=True)
class LoadPoint:
    """Latency at one offered load."""

    requests_per_s: float
    utilisation_fraction: float
    ttft_ms: dict[str, float]  # mean p50 p90 p95 p99
    tpot_ms: dict[str, float]
    e2e_ms: dict[str, float]
    saturated: bool
    measured_range: bool  # False: outside what was measured
    within_model_range: bool = True  # False: outside the range stated for the model (P6.3)
    batch: float = 0.0  # mean number of sequences decoding on one replica (P6.4)
    kv_fraction: float | None = None  # of the KV room of a replica in use; None: room not known
    # 80 % interval of each metric: factors below and above every number of it (P13.3)
    interval_ratio: dict[str, tuple[float, float]] = field(default_factory=dict)
    simulated: bool = False  # by the event simulator, outside the range of the closed form


@dataclass(frozen=True, slots=True)
class HourLoad:
    """Load of one fleet in one hour of the typical day; shares are per device of a busy server."""

    requests_per_s: float  # offered to the whole fleet
    servers_on: int  # rented fleets may follow the day; owned ones stay on
    busy_fraction: float  # share of time with at least one request in flight
    compute_fraction: float  # share of the dense peak in use
    memory_fraction: float  # share of the memory bandwidth in use


@dataclass(frozen=True, slots=True)
class TargetResult:
    """A latency target and what the model gives at peak."""

    metric: str
    percentile: float
    limit_ms: float
    predicted_ms: float | None
    met: bool
    binds: bool


@dataclass(frozen=True, slots=True)
class MemoryLine:
    """One line of the memory table (P1)."""

    label: str
    gb_per_device: float
    formula: str


@dataclass(frozen=True, slots=True)
class CountRule:
    """How machines follow the demand: ceil((ceil(replicas x factor) + spare) / per server) (P8)."""

    month_0_replicas: float  # at the design load of month 0, before rounding
    replicas_per_server: int = 1
    spare_replicas: int = 0


@dataclass(frozen=True, slots=True)
class FleetResult:
    """How one fleet serves its workload."""

    fleet: str
    name: str
    workload: str
    owned: bool
    feasible: bool
    servers: int  # at the end of the horizon
    servers_by_month: tuple[int, ...]
    replicas: int
    tensor_parallel: int
    device_count: int
    binds: str  # which target or limit sizes it
    at_peak: LoadPoint | None
    curve: tuple[LoadPoint, ...]  # offered load from light to beyond the knee
    targets: tuple[TargetResult, ...]
    memory: tuple[MemoryLine, ...]
    memory_capacity_gb: float | None
    status: Status
    terms: tuple[Term, ...] = ()  # figures the sizing rests on
    floor_ms: dict[str, float] = field(default_factory=dict)  # physical floors (P0.1)
    hours: tuple[HourLoad, ...] = ()  # 24, typical day of the first year
    training_days: float | None = None
    parallel: str = ""  # degrees of a replica as printed: t4, t1 dp8 e8
    evidence: str = ""  # what the speed rests on, and how near it is to this device (P13.1)
    count_rule: CountRule | None = None  # None: the count is given, or follows another rule


@dataclass(frozen=True, slots=True)
class StageResult:
    """One stage of a pipeline at its design load (P9)."""

    stage: str
    name: str
    fleet: str  # empty: inside another stage's servers
    replicas: int  # or cores
    utilisation_fraction: float
    stage_ms: dict[str, float]  # mean p50 p90 p95 p99 of the requests that take it
    slow_fraction: float  # share of the time of the slow requests, along their slowest path
    budget_ms: float | None
    within_budget: bool
    most_in_flight: int
    memory_gb: float  # that the requests in flight hold, at most
    binds: bool


@dataclass(frozen=True, slots=True)
class PipelineResult:
    """A pipeline simulated as a whole: percentiles of requests, not sums (P9)."""

    workload: str
    name: str
    feasible: bool
    requests_per_s: float
    e2e_ms: dict[str, float]
    percentile: float  # that the target, and `slow_fraction`, speak of
    limit_ms: float | None
    low_ms: float | None  # 80 % interval of that percentile, of the simulation alone
    high_ms: float | None
    binds: str
    stages: tuple[StageResult, ...]


@dataclass(frozen=True, slots=True)
class FleetPower:
    """Two numbers per server (F2.5), then the fleet and the facility."""

    fleet: str
    server_provisioned_kw: float
    server_average_kw: float
    server_idle_kw: float
    it_provisioned_kw: float
    it_average_kw: float
    facility_peak_kw: float
    facility_average_kw: float
    pue: float
    kwh_per_year: float
    tco2e_per_year: float | None
    hourly_kw: tuple[float, ...]  # 24, IT average by hour of the day
    status: Status
    terms: tuple[Term, ...] = ()  # figures the watts rest on
    reason: str = ""  # what was unknown and what stands in for it
    server_average_range_kw: tuple[float, float] | None = None  # 80 % interval (P13.3)
    it_peak_kw: float = 0.0  # quarter-hour, before PUE
    hourly_peak_kw: tuple[float, ...] = ()  # 24, IT quarter-hour peak within each hour of the day
    grid_gco2_per_kwh: float | None = None  # location based, weighted by the load of the hours


@dataclass(frozen=True, slots=True)
class PlacedServer:
    """A server in a rack: lowest unit (1-based) and height."""

    name: str
    unit: int
    height_u: int
    fleet: str


@dataclass(frozen=True, slots=True)
class RackCost:
    """What a full rack of a fleet costs over the horizon.

    Parameters
    ----------
    total_usd, classes
        Present value of its servers' share of the fleet's lines, and by class of cost.
    depreciation_usd
        Written off over the horizon, not discounted.
    funding
        cash | loan | finance_lease | operating_lease | as_a_service
    """

    total_usd: float
    classes: tuple[tuple[str, float], ...]
    depreciation_usd: float
    funding: str


@dataclass(frozen=True, slots=True)
class RackLayout:
    """Racks of one fleet; all full ones are alike, so one is drawn."""

    fleet: str
    site: str
    rack_name: str
    rack_units: int
    racks: int
    servers_per_rack: int
    servers_in_last_rack: int
    binds: str
    limits: tuple[Limit, ...]
    placed: tuple[PlacedServer, ...]
    stranded_kw: float  # of a full rack: fed, but no further server can use it
    stranded_units: int
    reason: str = ""  # what is unknown, or why nothing fits
    cost: RackCost | None = None  # of a full rack; None: no server, or a price is missing


@dataclass(frozen=True, slots=True)
class OptionResult:
    """One option, projected."""

    key: str
    name: str
    feasible: bool
    complete: bool
    kpis: dict[str, Explained]
    ledger: Ledger
    fleets: tuple[FleetResult, ...]
    power: tuple[FleetPower, ...]
    racks: tuple[RackLayout, ...]
    pipelines: tuple[PipelineResult, ...] = ()
    fabrics: tuple[FabricResult, ...] = ()
    stores: tuple[StorageResult, ...] = ()
    cooling: tuple[CoolingResult, ...] = ()
    views: AccountingViews | None = None
    availability: tuple[AvailabilityResult, ...] = ()
    zones: ZonesResult | None = None
    halls: tuple[HallResult, ...] = ()


@dataclass(frozen=True, slots=True)
class Crossing:
    """A threshold: where one option overtakes another."""

    between: tuple[str, str]
    what: str  # e.g. cumulative_cost_month, price_usd_per_board_w
    value: float | None  # None: never
    unit: str
    sentence: str
    low: float | None = None
    high: float | None = None
    terms: tuple[Term, ...] = ()


@dataclass(frozen=True, slots=True)
class Projection:
    """A pure function of the inputs: same hash, same bytes."""

    name: str
    engine_version: str
    input_hash: str
    verdict: str
    best_option: str | None
    options: tuple[OptionResult, ...]
    findings: tuple[Finding, ...]
    crossings: tuple[Crossing, ...]
    conventions: tuple[Term, ...]  # defaults and modes, printed with the result
    figures: tuple[Term, ...]  # every input figure used, once: the provenance
    currency: str = "USD"  # the unit of account: every amount is in it (F0.6)
    exchange: tuple[ExchangePath, ...] = ()  # of the currencies its prices were in

    def to_dict(self) -> dict[str, Any]:
        """Return the documented JSON form of ``tco project --json``.

        Every amount, those of names in ``_usd`` too, is in ``currency``.
        Keys: ``kpis``, ``ledger``, ``views``, ``latency``, ``power``, ``racks``, ``pipelines``
        (each by option key),
        ``findings``, ``provenance``, and ``name``, ``verdict``, ``best_option``, ``options``,
        ``crossings``.
        """
        return {
            "schema": "tco-projection/1",
            "name": self.name,
            "currency": {
                **plain(CURRENCIES[self.currency]),
                "rates": [
                    {
                        "currency": path.currency,
                        "per_unit": path.account_per_unit[0],
                        "date": path.rate_date,
                        "source": path.rate_source,
                        "by_month": [] if path.flat else list(path.account_per_unit),
                    }
                    for path in self.exchange
                ],
            },
            "verdict": self.verdict,
            "best_option": self.best_option,
            "options": [
                {
                    "key": option.key,
                    "name": option.name,
                    "feasible": option.feasible,
                    "complete": option.complete,
                }
                for option in self.options
            ],
            "kpis": {option.key: plain(option.kpis) for option in self.options},
            "ledger": {
                option.key: {
                    "months": option.ledger.months,
                    "monthly_rate_fraction": option.ledger.monthly_rate_fraction,
                    "complete": option.ledger.complete,
                    "lines": plain(option.ledger.lines),
                }
                for option in self.options
            },
            "views": {option.key: plain(option.views) for option in self.options},
            "latency": {option.key: plain(option.fleets) for option in self.options},
            "power": {option.key: plain(option.power) for option in self.options},
            "racks": {option.key: plain(option.racks) for option in self.options},
            "pipelines": {option.key: plain(option.pipelines) for option in self.options},
            "zones": {option.key: plain(option.zones) for option in self.options if option.zones},
            "fabrics": {option.key: plain(option.fabrics) for option in self.options},
            "stores": {option.key: plain(option.stores) for option in self.options},
            "cooling": {option.key: plain(option.cooling) for option in self.options},
            "availability": {option.key: plain(option.availability) for option in self.options},
            "halls": {option.key: plain(option.halls) for option in self.options},
            "findings": plain(self.findings),
            "crossings": plain(self.crossings),
            "provenance": {
                "engine_version": self.engine_version,
                "input_hash": self.input_hash,
                "conventions": plain(self.conventions),
                "figures": plain(self.figures),
            },
        }

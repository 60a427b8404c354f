"""Availability of a fleet: layers, the next steps of redundancy, support contracts (F16)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs import Status


@dataclass(frozen=True, slots=True)
class LayerResult:
    """One part of the chain in the last month; servers are a part like the others."""

    key: str
    name: str
    kind: str
    scheme: str  # N, N+1 ..., or how many are installed
    needed: int
    installed: int
    unit_availability_fraction: float
    availability_fraction: float
    downtime_hours_per_year: float
    events_per_year: float


@dataclass(frozen=True, slots=True)
class RedundancyChoice:
    """One way to build one part, all else as it is; present values of the whole fleet."""

    part: str  # key of the layer, servers, or second_site
    name: str
    scheme: str
    installed: int
    chosen: bool
    availability_fraction: float  # of the service
    downtime_hours_per_year: float
    cost_usd: float | None  # all lines but downtime; None: a price is missing
    downtime_usd: float | None
    extra_usd: float | None  # against the step before it
    saving_usd: float | None  # of downtime, against the step before it
    pays: bool | None  # whether the saving is above the extra cost; None: not priced
    cheapest: bool


@dataclass(frozen=True, slots=True)
class ContractChoice:
    """One support contract, all else as it is."""

    key: str
    name: str
    chosen: bool
    response_hours: float
    parts_hours: float
    repair_hours: float  # from failure to service (MTTR)
    server_availability_fraction: float
    availability_fraction: float  # of the service
    downtime_hours_per_year: float
    spares: int  # devices kept at the end
    contract_usd: float | None  # present values
    spares_usd: float | None
    downtime_usd: float | None
    cost_usd: float | None  # of everything, downtime with it
    saving_usd: float | None  # against the contract that is bought, or none
    cheapest: bool


@dataclass(frozen=True, slots=True)
class AvailabilityResult:
    """How often one fleet's service is down, why, and what another step would bring."""

    fleet: str
    name: str
    availability_fraction: float
    downtime_hours_per_year: float
    events_per_year: float
    repair_hours: float
    servers_spared: int  # that the sizing can lose with the targets kept (P7)
    downtime_usd: float | None  # present value
    reason: str  # why it has none
    layers: tuple[LayerResult, ...]
    choices: tuple[RedundancyChoice, ...]
    contracts: tuple[ContractChoice, ...]
    status: Status

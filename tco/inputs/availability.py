"""What a service stands on and how soon it is mended: layers, support, a second site (F16)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs.figure import Figure


@dataclass(frozen=True, slots=True)
class Layer:
    """Units in parallel that the servers depend on: k of n must be up (F16.2)."""

    key: str
    kind: str  # feeds | ups | chillers | cdu | fabric | site | other
    needed: int  # k
    repair_hours: Figure  # mean time that a unit is down
    name: str = ""
    scheme: str = "N"  # N | N+1 | N+2 | 2N | 2(N+1): how many there are
    installed: int | None = None  # n, in place of a scheme: all on one side
    availability_fraction: Figure | None = None  # of one unit; or
    mtbf_hours: Figure | None = None  # between failures of one unit
    common_cause_fraction: Figure | None = None  # beta; None: failures are independent
    usd_per_unit: Figure | None = None  # None: in another line, such as the rent of the space
    usd_per_unit_year: Figure | None = None  # maintenance


@dataclass(frozen=True, slots=True)
class SupportContract:
    """A vendor's promise: someone there, and a part there, after so many hours (F8, F16)."""

    key: str
    response_hours: Figure
    parts_hours: Figure
    name: str = ""
    parts_included: bool = True
    usd_per_server_year: Figure | None = None
    price_fraction_per_year: Figure | None = None  # of the price paid for the servers


@dataclass(frozen=True, slots=True)
class SecondSite:
    """Another place that can serve everything (F16.3)."""

    mode: str  # active_active | active_passive
    capex_fraction: Figure  # of the first site's capital lines
    running_fraction: Figure  # of its running lines
    failover_hours: Figure
    failover_success_fraction: Figure
    common_cause_fraction: Figure | None = None


@dataclass(frozen=True, slots=True)
class Availability:
    """How one fleet's service stays up, beside the servers that its sizing spares (P7)."""

    repair_hours: Figure  # hands-on time of a server's repair, once person and part are there
    server_failures_per_year: Figure | None = None  # out of service; None: its devices' failures
    server_common_cause_fraction: Figure | None = None
    layers: tuple[Layer, ...] = ()
    contracts: tuple[SupportContract, ...] = ()
    contract: str = ""  # key of the one that is bought
    second_site: SecondSite | None = None

    @property
    def bought_contract(self) -> SupportContract | None:
        """The contract that is paid for."""
        return next((one for one in self.contracts if one.key == self.contract), None)

"""What a check reads: one fleet, or the whole scenario, with paths as a person wrote them."""

from __future__ import annotations

from dataclasses import dataclass

from tco.facility.slots import SlotFit
from tco.infrastructure import Around
from tco.inputs import Device, Fleet, Option, ScenarioInputs
from tco.results import Finding, FleetPower, FleetResult, HallResult, LedgerLine, RackLayout
from tco.results.networks import CoolingResult


@dataclass(frozen=True, slots=True)
class FleetView:
    """One fleet with what the rooms said about it."""

    scenario: ScenarioInputs
    option_index: int
    fleet_index: int
    option: Option
    fleet: Fleet
    result: FleetResult
    power: FleetPower | None
    racks: RackLayout | None
    slot: SlotFit | None
    lines: tuple[LedgerLine, ...]
    around: Around

    @property
    def path(self) -> str:
        """Path of the fleet in the scenario document."""
        zone = self.fleet.zone  # a fleet in zones is written once
        index = self.fleet_index if zone is None else zone.template_index
        return f"options[{self.option_index}].fleets[{index}]"

    @property
    def machine_path(self) -> str:
        """Path of what was chosen: the server, the offer or the API."""
        rented = "offer" if self.fleet.api is None else "api"
        return f"{self.path}.{'server' if self.fleet.owned else rented}"

    @property
    def site_path(self) -> str:
        """Path of the fleet's site."""
        keys = [site.key for site in self.scenario.sites]
        key = self.fleet.site.key if self.fleet.site else ""
        return f"sites[{keys.index(key)}]" if key in keys else f"{self.path}.site"

    @property
    def workload_path(self) -> str:
        """Path of the fleet's workload."""
        keys = [workload.key for workload in self.scenario.workloads]
        key = self.fleet.workload.key
        return f"workloads[{keys.index(key)}]" if key in keys else f"{self.path}.workload"

    @property
    def device(self) -> Device | None:
        """The device that does the work."""
        machine = self.fleet.server or self.fleet.offer
        return machine.device if machine else None

    @property
    def machine_name(self) -> str:
        """Name of the server or the instance type."""
        if self.fleet.server is not None:
            return self.fleet.server.name
        if self.fleet.offer is not None:
            return f"{self.fleet.offer.provider} {self.fleet.offer.instance_type}"
        return self.fleet.name

    def finding(self, code: str, severity: str, field: str, message: str, mend: str) -> Finding:
        """Finding about this fleet."""
        return Finding(code, severity, field, message, mend, self.option.key, self.fleet.key)


@dataclass(frozen=True, slots=True)
class ScenarioView:
    """The scenario with every fleet."""

    inputs: ScenarioInputs
    fleets: tuple[FleetView, ...]
    halls: tuple[tuple[str, HallResult], ...] = ()  # by option
    cooling: tuple[tuple[str, tuple[CoolingResult, ...]], ...] = ()  # by option key

    def of_option(self, key: str) -> list[FleetView]:
        """Fleets of one option."""
        return [view for view in self.fleets if view.option.key == key]

    def cooling_of(self, option: str, site: str) -> CoolingResult | None:
        """Cooling of a site under an option's load, where its plant is given."""
        found = dict(self.cooling).get(option, ())
        return next((one for one in found if one.site == site), None)

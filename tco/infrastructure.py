"""What serves a fleet beside its servers: networks, store, cooling plant (F3, F7).

Between sizing and money: the store decides how fast a job writes and reads, the network and the
store add watts to the IT load, and a site's plant makes its PUE from the load of all its fleets.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from tco.cooling.flow import flow_litres_per_min
from tco.cooling.plant import facility_load, itue
from tco.cooling.spare_units import Lost, lose, units_needed
from tco.errors import InputError
from tco.inputs import CoolingPlant, Fleet, Site, Status, Units, weakest
from tco.network.bill import fabric_result
from tco.results import FleetPower, FleetResult, Term
from tco.results.networks import CoolingResult, FabricResult, StorageResult
from tco.storage.of_fleet import store_of_fleet, with_store

_ROUNDS = 3  # of servers and the share of the store that each reads
W_PER_KW = 1000


@dataclass(frozen=True, slots=True)
class Around:
    """What stands around a fleet's servers."""

    fabrics: tuple[FabricResult, ...] = ()
    store: StorageResult | None = None

    @property
    def power_w(self) -> float:
        """Drawn day and night by switches, modules and storage servers."""
        stored = self.store.power_w if self.store else 0.0
        return math.fsum((*(fabric.power_w for fabric in self.fabrics), stored))

    @property
    def terms(self) -> tuple[Term, ...]:
        """The watts with what they rest on."""
        parts = [
            (f"network, {fabric.role}", fabric.power_w, fabric.status) for fabric in self.fabrics
        ]
        if self.store is not None:
            parts.append(("shared storage", self.store.power_w, self.store.status))
        return tuple(
            Term(f"power of the {name}", watts, "W", status, "bill of materials (F7.3)")
            for name, watts, status in parts
        )


def sized_with_store(
    fleet: Fleet, size: Callable[[Fleet], FleetResult]
) -> tuple[Fleet, FleetResult]:
    """Size a fleet as its store lets it work: checkpoint time, then the reading of each server."""
    prepared = with_store(fleet)
    result = size(prepared)
    if prepared is fleet:
        return fleet, result
    for _ in range(_ROUNDS):
        shared = with_store(fleet, result.servers)
        if shared == prepared:
            break
        prepared, result = shared, size(shared)
    return prepared, result


def around(fleet: Fleet, result: FleetResult) -> Around:
    """Return the networks and the store of an owned fleet for its servers (F7).

    Raises
    ------
    InputError
        A network that no such switches make.
    """
    server = fleet.server
    if server is None:
        return Around()
    servers = max((result.servers, *result.servers_by_month))
    return Around(
        tuple(
            fabric_result(fabric, servers, fleet=fleet.key, devices_per_server=server.device_count)
            for fabric in fleet.fabrics
        ),
        store_of_fleet(fleet),
    )


def cooled(
    site: Site, powers: Sequence[FleetPower], *, hours_per_year: float
) -> CoolingResult | None:
    """Cooling of a site under the power of its fleets (F3).

    None without a plant or without load. Units and flow are for the provisioned power (F2.5).

    Raises
    ------
    InputError
        A plant that cannot be, or whose UPS is too small.
    """
    plant = site.plant
    peak_kw = math.fsum(power.it_peak_kw for power in powers)
    if plant is None or peak_kw <= 0:
        return None
    at_peak = facility_load(plant, peak_kw, peak=True)
    design_kw = math.fsum(power.it_provisioned_kw for power in powers)
    liquid_kw = design_kw * plant.captured_fraction.value
    cdus, chillers = _lost(plant, plant.cdus, liquid_kw), _lost(plant, plant.chillers, design_kw)
    shed = [one for one in (cdus, chillers) if one is not None and one.shed_kw > 0]
    reason = ""
    if shed and plant.thermal_mass_kj_per_k is None:
        reason = "no thermal mass is given: how long the heat may stay is not known"
    hourly = [math.fsum(hour) for hour in zip(*(p.hourly_kw for p in powers), strict=True)]
    wue = site.around.wue_l_per_kwh
    kwh = math.fsum(hourly) / len(hourly) * hours_per_year
    return CoolingResult(
        site=site.key,
        it_peak_kw=peak_kw,
        it_provisioned_kw=design_kw,
        liquid_kw=liquid_kw,
        air_kw=design_kw - liquid_kw,
        cooling_kw=at_peak.cooling_kw,
        ups_loss_kw=at_peak.ups_loss_kw,
        pue=powers[0].pue,
        peak_pue=at_peak.facility_kw / peak_kw,
        itue=itue(plant.fan_fraction.value) if plant.fan_fraction else 1.0,
        flow_litres_per_min=flow_litres_per_min(liquid_kw, plant.delta_t_k, plant.fluid)
        if liquid_kw > 0
        else None,
        cdus=units_needed(liquid_kw, plant.cdus) if plant.cdus else 0,
        cdu_lost_kw=cdus.shed_kw if cdus else 0.0,
        chillers=units_needed(design_kw, plant.chillers) if plant.chillers else 0,
        chiller_lost_kw=chillers.shed_kw if chillers else 0.0,
        minutes=min((one.minutes for one in shed if one.minutes is not None), default=None),
        water_litres_per_year=None if wue is None else wue.value * kwh,
        status=weakest([Status.ESTIMATED, *(power.status for power in powers)]),
        reason=reason,
    )


def _lost(plant: CoolingPlant, units: Units | None, heat_kw: float) -> Lost | None:
    """Effect of losing one unit; None where none are given."""
    if units is None:
        return None
    mass = plant.thermal_mass_kj_per_k
    return lose(
        heat_kw,
        units,
        thermal_mass_kj_per_k=None if mass is None else mass.value,
        allowed_rise_k=plant.allowed_rise_k,
    )


def cooled_sites(
    fleets: Sequence[Fleet], powers: Sequence[FleetPower], *, hours_per_year: float
) -> tuple[tuple[CoolingResult, ...], dict[str, tuple[InputError, ...]]]:
    """Cooling of each site with a plant under its fleets; what a plant cannot do, by fleet."""
    found: list[CoolingResult] = []
    failed: dict[str, tuple[InputError, ...]] = {}
    for site in {fleet.site.key: fleet.site for fleet in fleets if fleet.site}.values():
        here = [fleet.key for fleet in fleets if fleet.site and fleet.site.key == site.key]
        at_site = [power for power in powers if power.fleet in here]
        try:
            cooling = cooled(site, at_site, hours_per_year=hours_per_year)
        except InputError as error:
            failed |= dict.fromkeys(here, (error,))
            continue
        if cooling is not None:
            found.append(cooling)
    return tuple(found), failed

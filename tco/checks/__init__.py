"""Consistency checks: one function per check, each finding names field, value and mend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from tco.checks import (
    agreed,
    availability,
    currency,
    degrading,
    embedded_leases,
    evidence,
    financing,
    halls,
    hardware,
    infrastructure,
    moving,
    network_effect,
    prices,
    renting,
    scenario,
    serving,
    supply,
    tariff,
    workloads,
    zones,
)
from tco.checks.view import FleetView, ScenarioView
from tco.results import Finding, Term

__all__ = ["FleetView", "ScenarioView", "blocks", "run_checks"]

FLEET_CHECKS: tuple[Callable[[FleetView], Iterator[Finding]], ...] = (
    serving.model_fits,
    serving.carries_its_load,
    serving.has_servers,
    hardware.slot_holds_device,
    hardware.rack_holds_server,
    hardware.circuits_known,
    hardware.can_be_bought_and_kept,
    infrastructure.networks_known,
    network_effect.network_slows,
    infrastructure.store_suffices,
    infrastructure.plant_takes_the_heat,
    degrading.goes_on_slower,
    degrading.density_forces,
    serving.features_present,
    serving.residency_kept,
    serving.dtype_is_native,
    serving.parameters_match_the_shape,
    evidence.prices_known,
    prices.prices_in_band,
    prices.replaced_just_before_the_end,
    financing.contract_past_the_horizon,
    financing.paid_outside_the_horizon,
    financing.owner_pays,
    embedded_leases.embedded_lease,
    financing.failures_by_default,
    supply.delivered_in_time,
    agreed.agreement_holds,
    availability.server_loss_covered,
    zones.stands_in_its_zone,
    availability.independence,
    availability.availability_defaults,
    moving.features_supported,
    moving.porting_by_planning_figures,
    moving.dual_running_by_own_rate,
    moving.canaries_within_count,
    renting.interruptions_given,
    renting.deadline_kept,
    renting.quota_holds,
    renting.commitment_ends,
    renting.api_as_it_is,
    evidence.device_confirmed,
    evidence.device_measured,
    evidence.service_in_range,
    workloads.batch_evidence,
    workloads.quality_floor,
    workloads.confidential_price,
    workloads.shared_devices,
)
SCENARIO_CHECKS: tuple[Callable[[ScenarioView], Iterator[Finding]], ...] = (
    scenario.shares_sum_to_one,
    scenario.every_workload_served,
    scenario.one_basis,
    scenario.escalation_reads_as_the_rate,
    currency.rates_are_of_their_time,
    tariff.demand_counted_once,
    tariff.carbon_counted_once,
    tariff.space_is_paid_for,
    prices.site_in_band,
    prices.tariff_in_band,
    prices.classes_left_out,
    moving.staff_counted_once,
    hardware.hall_carries_all,
    halls.hall_holds_all,
    halls.hall_stands_within_limits,
    halls.hall_survives_a_lost_part,
    halls.hall_within_its_site,
    infrastructure.plant_survives_one_loss,
    infrastructure.plant_paid_once,
    evidence.rack_prices_known,
    workloads.reserved_memory_fits,
    workloads.numerics_agree,
    zones.no_redundancy_in_a_zone,
)
_SEVERITIES = ("error", "warning", "info")


def run_checks(view: ScenarioView, figures: Sequence[Term]) -> tuple[Finding, ...]:
    """All findings, errors first, each said once."""
    found: list[Finding] = []
    for scenario_check in SCENARIO_CHECKS:
        found += scenario_check(view)
    for fleet in view.fleets:
        for fleet_check in FLEET_CHECKS:
            found += fleet_check(fleet)
    found += evidence.recalled_figures(figures)
    found += evidence.nothing_measured(figures)
    found += evidence.planning_values(view, figures)
    unique = list(dict.fromkeys(found))
    return tuple(sorted(unique, key=lambda finding: _SEVERITIES.index(finding.severity)))


def blocks(finding: Finding) -> bool:
    """Whether a finding makes its option infeasible; a missing price only leaves it incomplete."""
    return finding.severity == "error" and finding.code != "missing_price"

"""Checks of availability: what the sizing spares, what is taken as independent, defaults (F16)."""

from __future__ import annotations

from collections.abc import Iterator

from tco.checks.view import FleetView
from tco.cost.availability import installed, server_failures, servers_spared
from tco.cost.case import Calendar, FleetCase
from tco.results import Finding


def server_loss_covered(view: FleetView) -> Iterator[Finding]:
    """Lost replicas that are fewer than one server's spare no server (P7)."""
    given, rule = view.fleet.availability, view.result.count_rule
    lost = view.fleet.workload.replicas_lost
    if given is None or rule is None or rule.replicas_per_server <= 1 or not lost:
        return
    if lost < rule.replicas_per_server:
        yield view.finding(
            "server_loss_not_covered",
            "warning",
            f"{view.workload_path}.replicas_lost",
            f"{lost} replica{'s' if lost > 1 else ''} may fail, but a server of"
            f" {view.fleet.name} holds {rule.replicas_per_server}: with any server down the"
            " service counts as down",
            f"enter {rule.replicas_per_server} to spare one server",
        )


def independence(view: FleetView) -> Iterator[Finding]:
    """Redundant units without a common cause flatter the redundancy: said."""
    given = view.fleet.availability
    if given is None:
        return
    alone = [
        layer.name or layer.key
        for layer in given.layers
        if installed(layer) > layer.needed and layer.common_cause_fraction is None
    ]
    if servers_spared(_case(view)) and given.server_common_cause_fraction is None:
        alone.insert(0, "servers")
    if given.second_site is not None and given.second_site.common_cause_fraction is None:
        alone.append("the two sites")
    if alone:
        yield view.finding(
            "common_cause_left_out",
            "info",
            f"{view.path}.availability",
            f"failures of {', '.join(alone)} of {view.fleet.name} are taken to be independent:"
            " real redundancy is worse",
            "enter a common cause fraction",
        )


def availability_defaults(view: FleetView) -> Iterator[Finding]:
    """What nobody entered, and what a contract takes the place of."""
    given, purchase = view.fleet.availability, view.fleet.purchase
    if given is None or not (view.fleet.server or view.fleet.offer):
        return
    failures = purchase.failures if purchase is not None else None
    if given.server_failures_per_year is None:
        figure = server_failures(_case(view), given)
        yield view.finding(
            "server_failures_by_devices",
            "info",
            f"{view.path}.availability.server_failures_per_year",
            f"a server of {view.fleet.name} is taken to fail {figure.value:.3g} times a year"
            f" ({figure.source}); its host, fans and supplies are not in it",
            "enter what your own log says",
        )
    if given.bought_contract is not None and failures is not None:
        yield view.finding(
            "lead_time_by_contract",
            "info",
            f"{view.path}.purchase.failures.lead_months",
            f"parts of {view.fleet.name} come by the contract {given.contract}, not after"
            f" {failures.lead_months.value:g} months: spares are counted for its hours",
            "leave contract out to count spares for the lead time",
        )


def _case(view: FleetView) -> FleetCase:
    calendar = Calendar.of(view.scenario.finance)
    return FleetCase.of(view.fleet, view.result, view.power, view.racks, calendar)

"""Checks of what the figures rest on: prices, measurements, recall."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tco.checks.view import FleetView, ScenarioView
from tco.cost.ledger import NOT_COMPUTED
from tco.cost.wording import number_text
from tco.defaults import Default, defaults_in
from tco.inputs import Status
from tco.results import Finding, Term

_PRICE_FIELDS = {
    "servers": "purchase.server_usd",
    "support": "purchase.server_usd",
    "instances": "rental.usd_per_hour",
    "egress": "rental.egress_tiers",
    "cloud_support": "rental.usd_per_hour",
    "migration": "migration.engineer_months",
    "migration_training": "migration.usd_per_person_trained",
    "migration_validation": "migration.usd_per_accuracy_test",
    "migration_contingency": "migration",
    "migration_delay": "migration.benefit_usd_per_month",
    "stack_exit": "exit.move",
    "model_retraining": "retraining.usd_per_device_hour",
}
MANY = 5


def prices_known(view: FleetView) -> Iterator[Finding]:
    """Every line has its price; a missing one is a blank, never 0."""
    fields: set[str] = set()
    for line in view.lines:
        field = _PRICE_FIELDS.get(line.key, "purchase")
        if not line.missing or field in fields:
            continue
        fields.add(field)
        if line.key == NOT_COMPUTED:
            yield view.finding(
                "fleet_failed",
                "error",
                view.path,
                f"the cost of {view.fleet.name} could not be computed: {line.missing}",
                "check this fleet's figures",
            )
            continue
        yield view.finding(
            "missing_price",
            "error",
            f"{view.path}.{field}",
            f"{line.label} of {view.fleet.name} is left blank: {line.missing}",
            "enter a price; mark it assumed if there is no quote",
        )


def rack_prices_known(scenario: ScenarioView) -> Iterator[Finding]:
    """Racks of an own hall have a price; without one they are not in the total."""
    for index, site in enumerate(scenario.inputs.sites):
        needed = [
            view.racks.racks
            for view in scenario.fleets
            if view.racks is not None and view.racks.site == site.key
        ]
        if site.rack.price_usd is None and site.colocation is None and any(needed):
            yield Finding(
                "rack_price_not_set",
                "info",
                f"sites[{index}].rack",
                f"{site.rack.name} has no price: the racks at {site.name} are not in the totals",
                "enter a price for the rack if it is yours to buy",
            )


def device_confirmed(view: FleetView) -> Iterator[Finding]:
    """A person has confirmed the device."""
    if view.device is not None and view.device.pending:
        yield view.finding(
            "device_pending",
            "warning",
            view.machine_path,
            f"{view.device.name} came with an upload and waits for a person to confirm it",
            "confirm it in the catalog",
        )


def device_measured(view: FleetView) -> Iterator[Finding]:
    """Trusted runs stand behind the device's speed; the load is inside what was measured."""
    device = view.device
    if device is None or view.fleet.workload.kind in {"measured_service", "batch_inference"}:
        return
    if device.measured is None:
        yield view.finding(
            "not_measured",
            "info",
            view.machine_path,
            f"no trusted measurement of {device.name} of your own: "
            f"{view.result.evidence or 'data sheet and typical efficiencies'}",
            "run the agent on it and upload the result",
        )
    elif view.result.at_peak is not None and not view.result.at_peak.measured_range:
        yield view.finding(
            "outside_measured_range",
            "warning",
            view.machine_path,
            f"{view.fleet.name} works outside what was measured on {device.name}:"
            " the nearest measured efficiency is held",
            "measure the shapes of this workload",
        )


def service_in_range(view: FleetView) -> Iterator[Finding]:
    """A measured service is used within its load test (F1.3)."""
    point = view.result.at_peak
    if view.fleet.workload.kind != "measured_service" or point is None or point.measured_range:
        return
    yield view.finding(
        "outside_measured_range",
        "warning",
        f"{view.workload_path}.service",
        f"the peak of {view.fleet.name} lies outside the load test",
        "add servers, or measure the service at that load",
    )


def recalled_figures(figures: Sequence[Term]) -> Iterator[Finding]:
    """Figures that were recalled and not checked again."""
    recalled = [term.name for term in figures if not term.verified]
    if recalled:
        more = f" and {len(recalled) - MANY} more" if len(recalled) > MANY else ""
        yield Finding(
            "recalled_figures",
            "info",
            "options",
            f"{len(recalled)} figures were recalled and their document was not opened again:"
            f" {', '.join(recalled[:MANY])}{more}",
            "open the source and confirm them in the catalog",
        )


def nothing_measured(figures: Sequence[Term]) -> Iterator[Finding]:
    """At least one figure is measured."""
    if figures and not any(term.status is Status.MEASURED for term in figures):
        yield Finding(
            "nothing_measured",
            "info",
            "options",
            "no figure of this scenario is measured",
            "run the agent on a device like these and upload the result",
        )


def planning_values(scenario: ScenarioView, figures: Sequence[Term]) -> Iterator[Finding]:
    """Every default without a source that a result rests on is named."""
    sources = [term.source for term in figures]
    for view in scenario.fleets:
        sources += [term.source for term in view.result.terms]
        sources += [term.source for term in view.power.terms] if view.power else []
        sources += [term.source for line in view.lines for term in line.terms]
    used = [found for found in defaults_in(sources) if found.planning]
    if used:
        yield Finding(
            "planning_values",
            "info",
            "options",
            f"{_count(len(used))} without a source: {'; '.join(map(_said, used))}",
            "enter or measure what you know better",
        )


def _count(values: int) -> str:
    return (
        "one default is a planning value"
        if values == 1
        else f"{values} defaults are planning values"
    )


def _said(found: Default) -> str:
    unit = "" if found.figure.unit in ("fraction", "ratio", "count") else f" {found.figure.unit}"
    return (
        f"{found.used_for[0].lower()}{found.used_for[1:]} {number_text(found.figure.value)}{unit}"
    )

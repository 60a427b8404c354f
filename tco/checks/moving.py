"""Checks of moving and running: the support matrix, planning figures, staff (F9)."""

from __future__ import annotations

from collections.abc import Iterator

from tco.checks.view import FleetView, ScenarioView
from tco.cost.porting_months import cells, is_planned, unknown_features
from tco.cost.wording import list_text, number_text, percent_text
from tco.results import Finding


def features_supported(view: FleetView) -> Iterator[Finding]:
    """What the support matrix says of the features that the workload needs."""
    fleet, device = view.fleet, view.device
    needed = fleet.workload.framework_features
    if device is None or not needed:
        return
    field = f"{view.path}.framework"
    if not fleet.framework:
        yield view.finding(
            "framework_not_named",
            "warning",
            field,
            f"{fleet.workload.name} needs {list_text(list(needed))}, and {fleet.name} names no"
            " framework: whether they work on it is not known",
            "name the framework, as the support matrix does",
        )
        return
    for cell in cells(fleet, "missing"):
        yield view.finding(
            "feature_missing",
            "warning",
            field,
            f"{cell.feature} is missing on {device.name} with {fleet.framework}"
            f" ({cell.status}: {cell.source})",
            "plan its porting under migration, or choose another framework or device",
        )
    for cell in cells(fleet, "partial"):
        share = cell.efficiency_fraction
        speed = "" if share is None else f", at {percent_text(share.value)} of the hardware"
        yield view.finding(
            "feature_partial",
            "info",
            field,
            f"{cell.feature} works in part on {device.name} with {fleet.framework}{speed}"
            f" ({cell.status}: {cell.source})",
            "measure it at the load of the workload",
        )
    unknown = unknown_features(fleet)
    if unknown:
        yield view.finding(
            "feature_not_known",
            "warning",
            field,
            f"the support matrix says nothing about {list_text(list(unknown))} on {device.name}"
            f" with {fleet.framework}",
            "add what you know to the support matrix, with its source",
        )


def porting_by_planning_figures(view: FleetView) -> Iterator[Finding]:
    """Engineer-months out of the support matrix rest on figures without a source."""
    move = view.fleet.migration
    if move is None or not is_planned(view.fleet):
        return
    figures = [
        f"{number_text(figure.value)} for {what}"
        for what, figure, works in (
            ("a feature that works in part", move.partial_feature_months, "partial"),
            ("a missing kernel", move.missing_feature_months, "missing"),
        )
        if figure is not None and cells(view.fleet, works)
    ]
    if figures:
        yield view.finding(
            "porting_by_planning_figure",
            "info",
            f"{view.path}.migration",
            f"the engineer-months of {view.fleet.name} come from planning figures:"
            f" {list_text(figures)}",
            "enter engineer_months from an estimate of your own",
        )


def dual_running_by_own_rate(view: FleetView) -> Iterator[Finding]:
    """Dual running is priced by the new fleet where the old one's run rate is not given."""
    move = view.fleet.migration
    months = move.dual_running_months if move else None
    if move is None or months is None or months.is_zero or move.old_usd_per_month is not None:
        return
    yield view.finding(
        "dual_running_by_own_rate",
        "info",
        f"{view.path}.migration.old_usd_per_month",
        f"the old fleet beside {view.fleet.name} is taken to cost what this one does a month",
        "enter what the old fleet costs a month",
    )


def canaries_within_count(view: FleetView) -> Iterator[Finding]:
    """A fixed count holds its canaries; what is left for serving is for the person to judge."""
    share = view.fleet.canary_fraction
    if share is None or share.is_zero or view.fleet.count is None:
        return
    yield view.finding(
        "canaries_within_count",
        "info",
        f"{view.path}.canary_fraction",
        f"{percent_text(share.value)} of the {view.fleet.count} servers of {view.fleet.name} are"
        " held for canaries: the rest serves, and latencies are those of all",
        "leave out count to have them beside what serves",
    )


def staff_counted_once(scenario: ScenarioView) -> Iterator[Finding]:
    """Staff by the server and staff of the option are two ways to say the same."""
    for view in scenario.fleets:
        bought = view.fleet.purchase
        if view.option.staffing is None or bought is None:
            continue
        if bought.staff_usd_per_server_year is not None:
            yield view.finding(
                "staff_counted_twice",
                "warning",
                f"{view.path}.purchase.staff_usd_per_server_year",
                f"staff of {view.fleet.name} is priced by the server and by staffing of the option",
                "leave out one of the two",
            )

"""Checks of a hall: what finds no place, what is over a limit, what a lost side would break."""

from __future__ import annotations

from collections.abc import Iterator

from tco.checks.view import ScenarioView
from tco.results import Finding, HallResult

SELDOM = 0.001  # a chance above which a sum over the limit is told


def hall_holds_all(scenario: ScenarioView) -> Iterator[Finding]:
    """Every device that shall come finds a place (F2.7)."""
    for option, hall, path in _halls(scenario):
        if hall.unplaced:
            yield Finding(
                "hall_full",
                "error",
                f"{path}.hall.racks",
                f"{hall.name}: {hall.verdict}",
                "raise the limit named, add racks, or place fewer",
                option,
            )


def hall_stands_within_limits(scenario: ScenarioView) -> Iterator[Finding]:
    """What stands already is within the limits of its racks and of the tree."""
    for option, hall, path in _halls(scenario):
        if hall.over_limit:
            shown = "; ".join(hall.over_limit[:5])
            more = len(hall.over_limit) - 5
            shown += f" and {more} more" if more > 0 else ""
            yield Finding(
                "hall_over_limit",
                "warning",
                f"{path}.hall.devices",
                f"{hall.name}: what stands is above a limit: {shown}",
                "mend the watts or the limits, or move devices",
                option,
            )


def hall_survives_a_lost_part(scenario: ScenarioView) -> Iterator[Finding]:
    """Without a part that has a spare, no rack that stays fed is overloaded or warm (F2.6)."""
    for option, hall, path in _halls(scenario):
        broken = [loss for loss in hall.losses if {"overloaded", "warm"} & set(loss.states)]
        if broken:
            worst = min(broken, key=lambda loss: loss.left_fraction)
            yield Finding(
                "hall_not_redundant",
                "warning",
                f"{path}.hall",
                f"{hall.name}: {worst.sentence} {len(broken)} parts are like that.",
                "size what is left for the whole load, or accept that clocks drop",
                option,
            )


def hall_within_its_site(scenario: ScenarioView) -> Iterator[Finding]:
    """The peak hour is within the utility; the hall is seldom above its limit (F2.8)."""
    for option, hall, path in _halls(scenario):
        check = hall.site_check
        site_kw, utility_kw = check.site_kw or 0.0, check.utility_kw
        if utility_kw is not None and site_kw > utility_kw * (1 + 1e-9):
            yield Finding(
                "utility_peak_exceeded",
                "error",
                f"{path}.utility_kw",
                f"{hall.name} needs {site_kw:,.1f} kW in the peak hour, and the utility"
                f" gives {utility_kw:,.1f} kW",
                "place fewer devices, improve the peak hour, or raise the connection",
                option,
            )
        above = check.above_hall_fraction
        if above is not None and above > SELDOM:
            yield Finding(
                "hall_oversubscribed",
                "warning",
                f"{path}.hall_kw",
                f"{hall.name}: the servers together are above {check.hall_limit_kw:,.1f} kW"
                f" {above:.1%} of the time (mean {check.mean_kw:,.1f} kW)",
                "cap power, place fewer devices, or raise the limit",
                option,
            )


def _halls(scenario: ScenarioView) -> Iterator[tuple[str, HallResult, str]]:
    paths = {site.key: f"sites[{index}]" for index, site in enumerate(scenario.inputs.sites)}
    for option, hall in scenario.halls:
        yield option, hall, paths[hall.site]

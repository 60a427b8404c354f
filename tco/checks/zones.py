"""Checks of legal zones: machines that stand outside the law of their zone (F17)."""

from __future__ import annotations

from collections.abc import Iterator

from tco.checks.regions import allowed_countries, offer_country
from tco.checks.view import FleetView, ScenarioView
from tco.results import Finding


def stands_in_its_zone(view: FleetView) -> Iterator[Finding]:
    """A server or instance of a zone stands in the country of the zone."""
    fleet = view.fleet
    zone = fleet.zone.zone if fleet.zone is not None else None
    if zone is None or not zone.country:
        return
    allowed = allowed_countries([zone.country])
    if fleet.site is not None and fleet.owned:
        country: str | None = fleet.site.country.upper()
        what, field = fleet.site.name, "site"
    elif fleet.offer is not None:
        country, what = offer_country(fleet.offer.region), f"region {fleet.offer.region}"
        field = "country"
    elif fleet.api is not None:
        country, what, field = fleet.api.country.upper() or None, fleet.name, "country"
    else:
        return
    keys = [item.key for item in view.option.zoning.zones] if view.option.zoning else []
    path = f"options[{view.option_index}].zones[{keys.index(zone.key)}]" if keys else view.path
    if country is None:
        yield view.finding(
            "zone_unknown",
            "warning",
            path,
            f"the country of {what} is not known; {zone.name} is under the law of {zone.country}",
            "check where it lies",
        )
    elif country not in allowed:
        yield view.finding(
            "outside_its_zone",
            "error",
            path,
            f"{what} is in {country}, and {zone.name} is under the law of {zone.country}:"
            " no fleet there may hold its data",
            f"choose a {field} in {zone.country} for the zone",
        )


def no_redundancy_in_a_zone(view: ScenarioView) -> Iterator[Finding]:
    """A zone without a spare of its own and without a failover stands still when one fails."""
    for fleet in view.fleets:
        terms = fleet.fleet.zone
        if terms is None or terms.zone.failover_to or fleet.fleet.workload.replicas_lost:
            continue
        yield fleet.finding(
            "zone_without_spare",
            "info",
            f"{fleet.path}.workload",
            f"{terms.zone.name} keeps no spare of {fleet.fleet.name} and fails over nowhere",
            "enter spare_replicas of the zone",
        )

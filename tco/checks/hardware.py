"""Checks of the hardware where it stands: slot, rack, cooling, hall, dates (F2.2, F2.7, F2.8)."""

from __future__ import annotations

import math
from collections.abc import Iterator

from tco.checks.view import FleetView, ScenarioView
from tco.inputs import Lifecycle
from tco.results import Finding
from tco.units import date_of, month_start

_RACK_FIELDS = {"power": "feed", "weight": "rack", "units": "rack", "circuits": "feed"}


def slot_holds_device(view: FleetView) -> Iterator[Finding]:
    """The site's slot feeds and cools the device (F2.2)."""
    slot = view.slot
    if slot is None:
        return
    if not slot.fits:
        site = view.fleet.site
        default = site is not None and "default" in site.slot_w.source
        yield view.finding(
            "slot_too_small",
            "error",
            f"{view.site_path}.slot_w",
            f"{view.fleet.name}: {slot.reason}"
            + (" (the default, as the site does not say)" if default else ""),
            "enter what a slot of the site feeds and cools, choose a device of lower power, or"
            " measure it under a power cap",
        )
    elif slot.capped:
        yield view.finding(
            "power_capped",
            "info",
            f"{view.site_path}.slot_w",
            f"{view.fleet.name}: {slot.reason}",
            "power, throughput and cost use the capped point",
        )


def rack_holds_server(view: FleetView) -> Iterator[Finding]:
    """A rack of the site feeds, cools and carries at least one server (F2.7, F3.5)."""
    layout = view.racks
    if layout is None or layout.servers_per_rack > 0 or view.result.servers == 0:
        return
    if layout.binds in ("cooling", "cooling type"):
        code = "liquid_in_air_hall" if layout.binds == "cooling type" else "rack_over_cooling"
        yield view.finding(
            code,
            "error",
            f"{view.site_path}.cooling",
            f"{view.fleet.name}: {layout.reason or layout.binds}",
            "choose a cooling design that carries it, or another server",
        )
        return
    yield view.finding(
        f"rack_over_{layout.binds}",
        "error",
        f"{view.site_path}.{_RACK_FIELDS.get(layout.binds, 'rack')}",
        f"{view.fleet.name}: {layout.reason or layout.binds}",
        "choose a larger feed or rack, or a smaller server",
    )


def circuits_known(view: FleetView) -> Iterator[Finding]:
    """A server that draws more than one circuit says how many supplies share it (F2.6)."""
    layout = view.racks
    if layout is None or view.result.servers == 0 or layout.servers_per_rack == 0:
        return
    for limit in layout.limits:
        if limit.name == "circuits" and limit.reason:
            yield view.finding(
                "circuits_not_checked",
                "warning",
                view.machine_path,
                f"{view.fleet.name} draws more than one circuit of"
                f" {view.fleet.site.feed.name if view.fleet.site else 'the rack'} carries:"
                f" {limit.reason}",
                "enter psu_count of the server, or choose a larger feed",
            )


def hall_carries_all(scenario: ScenarioView) -> Iterator[Finding]:
    """All fleets of an option at a site stay within its hall and its utility feed (F2.8)."""
    for index, site in enumerate(scenario.inputs.sites):
        for option in scenario.inputs.options:
            powers = [
                view.power
                for view in scenario.of_option(option.key)
                if view.power is not None and view.fleet.site and view.fleet.site.key == site.key
            ]
            it_kw = math.fsum(power.it_provisioned_kw for power in powers)
            cooled = scenario.cooling_of(option.key, site.key)
            facility_kw = it_kw * (cooled.peak_pue if cooled else site.pue.value)
            for name, limit, need, what in (
                ("hall_kw", site.hall_kw, it_kw, "of IT power to provision"),
                ("utility_kw", site.utility_kw, facility_kw, "with the PUE"),
            ):
                if limit is not None and need > limit.value * (1.0 + 1e-9):
                    yield Finding(
                        f"{name.removesuffix('_kw')}_exceeded",
                        "error",
                        f"sites[{index}].{name}",
                        f"{option.name} needs {need:,.1f} kW {what} at {site.name},"
                        f" which has {limit.value:,.1f} kW",
                        "use fewer or smaller servers, a second site, or raise the limit",
                        option.key,
                    )


def can_be_bought_and_kept(view: FleetView) -> Iterator[Finding]:
    """Sale and support have not ended when the machine is bought, nor before the horizon does."""
    start = date_of(view.scenario.finance.valuation_date)
    if start is None:
        return
    bought = month_start(start, view.fleet.start_month)
    end = month_start(start, view.scenario.finance.horizon_months)
    for name, life in _lifecycles(view):
        sale, support = date_of(life.end_of_sale), date_of(life.end_of_support)
        if view.fleet.owned and life.end_of_sale and sale is not None and sale < bought:
            yield view.finding(
                "past_end_of_sale",
                "error",
                view.machine_path,
                f"{name} is not sold after {life.end_of_sale}; it would be bought on {bought}",
                "choose its successor, or an earlier valuation date",
            )
        if life.end_of_support and support is not None and support < bought:
            yield view.finding(
                "past_end_of_support",
                "error",
                view.machine_path,
                f"support of {name} ended on {life.end_of_support}, before {bought}",
                "choose a device that is still supported",
            )
        elif life.end_of_support and support is not None and support < end:
            yield view.finding(
                "support_ends",
                "warning",
                view.machine_path,
                f"support of {name} ends on {life.end_of_support}, before the horizon on {end}",
                "shorten the horizon or plan the replacement",
            )


def _lifecycles(view: FleetView) -> Iterator[tuple[str, Lifecycle]]:
    if view.fleet.server is not None:
        yield view.fleet.server.name, view.fleet.server.lifecycle
    if view.device is not None:
        yield view.device.name, view.device.lifecycle

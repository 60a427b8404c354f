"""Networks, store and cooling plant: what is short, what is not known, what one loss does."""

from __future__ import annotations

from collections.abc import Iterator

from tco.checks.view import FleetView, ScenarioView
from tco.cooling.density import takes_liquid
from tco.results import Finding


def networks_known(view: FleetView) -> Iterator[Finding]:
    """Watts that no figure gives, and an oversubscription that could not be built as allowed."""
    for index, fabric in enumerate(view.around.fabrics):
        if fabric.reason:
            yield view.finding(
                "network_figures",
                "info",
                f"{view.path}.fabrics[{index}]",
                f"{fabric.role} network of {view.fleet.name}: {fabric.reason}",
                "enter what you know of the switch and the modules",
            )


def store_suffices(view: FleetView) -> Iterator[Finding]:
    """A given number of storage servers holds and delivers what is asked."""
    store = view.around.store
    if store is not None and store.short:
        yield view.finding(
            "store_short",
            "error" if store.short.startswith("capacity") else "warning",
            f"{view.path}.store.servers",
            f"shared storage of {view.fleet.name}: {store.short}",
            "leave the number out, or raise it",
        )


def plant_takes_the_heat(view: FleetView) -> Iterator[Finding]:
    """Liquid takes a share of the heat of servers that can be bought with it."""
    site, server = view.fleet.site, view.fleet.server
    if site is None or server is None or site.plant is None:
        return
    captured = site.plant.captured_fraction.value
    kind = site.cooling.kind
    if captured > 0 and kind == "direct_to_chip" and not takes_liquid(server):
        yield view.finding(
            "heat_not_captured",
            "warning",
            f"{view.site_path}.plant.captured_fraction",
            f"{captured:g} of the heat of {server.name} is taken by liquid, and it is air-cooled",
            "enter 0, or choose a server with cold plates",
        )


def plant_survives_one_loss(scenario: ScenarioView) -> Iterator[Finding]:
    """What losing one coolant distribution unit or chiller leaves without cooling (F16.2)."""
    keys = [site.key for site in scenario.inputs.sites]
    for option, found in scenario.cooling:
        for one in found:
            path = f"sites[{keys.index(one.site)}].plant"
            for field, name, shed in (
                ("cdus", "coolant distribution unit", one.cdu_lost_kw),
                ("chillers", "chiller", one.chiller_lost_kw),
            ):
                if shed <= 0:
                    continue
                within = f" within {one.minutes:.1f} min" if one.minutes is not None else ""
                yield Finding(
                    "cooling_unit_lost",
                    "warning",
                    f"{path}.{field}",
                    f"losing one {name} leaves {shed:,.0f} kW of {one.it_provisioned_kw:,.0f} kW"
                    f" without cooling: it must be shed{within}",
                    "add a spare unit, or say who sheds the load",
                    option,
                )


def plant_paid_once(scenario: ScenarioView) -> Iterator[Finding]:
    """A building's price per kilowatt holds its cooling already (F5.2)."""
    for index, site in enumerate(scenario.inputs.sites):
        if site.build is not None and site.plant is not None and site.plant.capex_usd_per_kw:
            yield Finding(
                "cooling_paid_twice",
                "warning",
                f"sites[{index}].plant.capex_usd_per_kw",
                f"the building of {site.name} has a price per kW, which holds its cooling,"
                " and the plant has one of its own",
                "leave one of the two out, unless the building's price is without cooling",
            )

"""Checks of what a site costs: demand counted once (F4.5a), the space paid for (F5)."""

from __future__ import annotations

from collections.abc import Iterator

from tco.checks.view import ScenarioView
from tco.results import Finding


def demand_counted_once(scenario: ScenarioView) -> Iterator[Finding]:
    """A demand charge stands beside an energy price that does not hold it already."""
    for index, site in enumerate(scenario.inputs.sites):
        tariff = site.tariff
        demand, energy = tariff.demand_usd_per_kw_month, tariff.energy_usd_per_kwh
        place = f"sites[{index}].demand_usd_per_kw_month"
        if demand is None and tariff.demand:
            demand = tariff.demand[0].usd_per_kw_month
            place = f"sites[{index}].tariff.demand"
        if demand is None or demand.value == 0.0:
            continue
        if site.colocation is not None and site.colocation.power_included:
            continue
        price = f"{energy.value:g} {energy.unit} of {site.name} ({energy.source})"
        if tariff.demand_included:
            yield Finding(
                "demand_not_counted",
                "warning",
                place,
                f"the demand charge of {demand.value:g} {demand.unit} is not counted: the energy"
                f" price of {price} is an average that contains one",
                "enter energy_usd_per_kwh of your own tariff without demand, with demand_included"
                " false, or take the demand charge out",
            )
        elif tariff.energy_holds_demand:
            yield Finding(
                "demand_counted_twice",
                "warning",
                f"sites[{index}].demand_included",
                f"demand is counted twice: the energy price of {price} is an average that contains"
                f" the demand charge, and {demand.value:g} {demand.unit} come on top",
                "enter energy_usd_per_kwh of your own tariff, or leave demand_included out",
            )


def carbon_counted_once(scenario: ScenarioView) -> Iterator[Finding]:
    """A carbon price stands beside an energy price that does not hold it already (F4.5a, F18.3)."""
    for index, site in enumerate(scenario.inputs.sites):
        price, around = site.around.carbon_usd_per_t, site.around
        if price is None or not around.carbon_included or price.is_zero:
            continue
        yield Finding(
            "carbon_not_counted",
            "warning",
            f"sites[{index}].carbon_usd_per_t",
            f"the carbon price of {price.value:g} {price.unit} is not counted: the electricity"
            f" price of {site.name} holds it already (carbon_included)",
            "set carbon_included to false if it comes on top, or take the carbon price out",
        )


def space_is_paid_for(scenario: ScenarioView) -> Iterator[Finding]:
    """Owned servers stand somewhere: rented space, or a building, has a cost (F5.2, F5.4)."""
    used = {
        fleet.site.key
        for option in scenario.inputs.options
        for fleet in option.fleets
        if fleet.owned and fleet.site is not None
    }
    for index, site in enumerate(scenario.inputs.sites):
        if site.key in used and site.colocation is None and site.build is None:
            yield Finding(
                "space_costs_nothing",
                "info",
                f"sites[{index}]",
                f"neither rent nor a building is entered for {site.name}: its space costs nothing"
                " here",
                "enter the rent or the building, unless the hall is paid for anyway",
            )

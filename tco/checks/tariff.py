"""Check of the demand charge: counted once, never twice, never dropped in silence (F4.5a)."""

from __future__ import annotations

from collections.abc import Iterator

from tco.checks.view import ScenarioView
from tco.results import Finding


def demand_counted_once(scenario: ScenarioView) -> Iterator[Finding]:
    """A demand charge stands beside an energy price that does not hold it already."""
    for index, site in enumerate(scenario.inputs.sites):
        tariff = site.tariff
        demand, energy = tariff.demand_usd_per_kw_month, tariff.energy_usd_per_kwh
        if demand is None or demand.value == 0.0:
            continue
        if site.colocation is not None and site.colocation.power_included:
            continue
        price = f"{energy.value:g} {energy.unit} of {site.name} ({energy.source})"
        if tariff.demand_included:
            yield Finding(
                "demand_not_counted",
                "warning",
                f"sites[{index}].demand_usd_per_kw_month",
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

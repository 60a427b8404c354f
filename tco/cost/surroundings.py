"""Carbon price and heat sold: lines of F18.3 and F18.5, and the kWh they rest on."""

from __future__ import annotations

from typing import Any

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import mean
from tco.cost.finance import FloatArray
from tco.cost.site_power import FleetBill
from tco.power.facility_load import GRAMS_PER_TONNE
from tco.results import LedgerLine, Term


def facility_kwh_by_month(case: FleetCase, bill: FleetBill | None = None) -> FloatArray | None:
    """Energy from the grid by month: that of the bill in parts, or average kW x hours (F4.1)."""
    if bill is not None:
        return bill.kwh
    if case.power is None:
        return None
    kw: FloatArray = case.average_share * case.power.facility_average_kw * case.pue_ratio
    return kw * case.calendar.hours


def it_kwh_by_month(case: FleetCase) -> FloatArray | None:
    """Energy of the servers by month, before PUE (F4.1)."""
    if case.power is None:
        return None
    return np.asarray(case.average_share * case.power.it_average_kw * case.calendar.hours)


def grid_gco2(case: FleetCase, basis: str) -> tuple[Any, Term] | None:
    """Carbon of a kWh and where it is from, ``location`` or ``market`` based (F18.1)."""
    site = case.fleet.site
    if site is None:
        return None
    if basis == "market":
        figure = site.around.market_gco2_per_kwh
        return None if figure is None else (figure.value, Term.of("contract carbon", figure))
    if site.around.grid_gco2_by_hour is not None and case.power is not None:
        grams = case.power.grid_gco2_per_kwh
        found = next((t for t in case.power.terms if t.name.startswith("grid carbon by")), None)
        return None if grams is None or found is None else (grams, found)
    figure = site.grid_gco2_per_kwh
    return None if figure is None else (figure.value, Term.of("grid carbon", figure))


def carbon_price(case: FleetCase, bill: FleetBill | None) -> LedgerLine | None:
    """kWh x carbon x price, unless the electricity price already holds it (F18.3)."""
    site = case.fleet.site
    if not case.fleet.owned or site is None or case.power is None:
        return None
    around, price = site.around, site.around.carbon_usd_per_t
    if price is None or around.carbon_included:
        return None
    kwh, grid = facility_kwh_by_month(case, bill), grid_gco2(case, around.carbon_basis)
    tonnes: FloatArray | None = None
    if kwh is not None and grid is not None:
        tonnes = kwh * grid[0] / GRAMS_PER_TONNE
    terms = [Term.of("carbon price", price)]
    if kwh is not None:
        total = mean(np.sum(kwh, axis=-1))
        terms.append(
            computed("energy over the horizon", total, "kWh", case.power.status, "power (F4.1)")
        )
    if grid is not None:
        terms.append(grid[1])
    return case.line(
        "carbon_price",
        "Carbon price",
        "energy",
        end=None if tonnes is None else tonnes * case.amount(price),
        formula="kWh x gCO2e/kWh / 10^6 x USD/t, held flat",
        reference="F18.3",
        terms=terms,
        missing="" if tonnes is not None else f"no {around.carbon_basis}-based carbon is known",
    )


def heat_credit(case: FleetCase) -> LedgerLine | None:
    """Heat of the servers that somebody pays for (F18.5)."""
    site, it_kwh = case.fleet.site, it_kwh_by_month(case)
    reuse = site.around.heat_reuse if site is not None else None
    if not case.fleet.owned or reuse is None or it_kwh is None or case.power is None:
        return None
    sold = it_kwh * reuse.it_energy_fraction.value
    total = mean(np.sum(sold, axis=-1))
    return case.line(
        "heat_credit",
        "Heat sold",
        "energy",
        end=-sold * case.amount(reuse.usd_per_kwh),
        formula="- kWh of the servers x share reused x USD/kWh of heat, held flat",
        reference="F18.5",
        terms=[
            computed("heat over the horizon", total, "kWh", case.power.status, "power (F4.1)"),
            Term.of("share of the heat reused", reuse.it_energy_fraction),
            Term.of("price of heat", reuse.usd_per_kwh),
        ],
    )

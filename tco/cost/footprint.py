"""Carbon and water of an option over its horizon, as KPIs (F18)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tco.cost.case import FleetCase, computed, life_months, status_of
from tco.cost.columns import mean
from tco.cost.site_power import FleetBill, bills_of
from tco.cost.surroundings import facility_kwh_by_month, grid_gco2, it_kwh_by_month
from tco.power.facility_load import GRAMS_PER_TONNE
from tco.power.footprint import embodied_kg
from tco.results import Explained, Term

_KG_PER_TONNE = 1000.0
_LITRES_PER_M3 = 1000.0


@dataclass(frozen=True, slots=True)
class _Amount:
    """What one fleet adds; without an amount, why it is not known."""

    value: float | None
    terms: tuple[Term, ...] = ()
    reason: str = ""


_Measure = Callable[[FleetCase, FleetBill | None], _Amount]


def footprint_kpis(cases: Sequence[FleetCase]) -> list[Explained]:
    """Use and embodied carbon, and water, of all fleets; blank where a fleet's is not known.

    Both kinds of use-phase carbon stand side by side and are never added (F18.1).
    """
    bills = {key: bill for key, bill in bills_of(cases).items() if isinstance(bill, FleetBill)}
    return [_added(cases, bills, entry) for entry in _ENTRIES]


def _kwh(case: FleetCase, bill: FleetBill | None) -> tuple[float, Term] | None:
    by_month = facility_kwh_by_month(case, bill)
    if by_month is None or case.power is None:
        return None
    total = mean(np.sum(by_month, axis=-1))
    name = f"{case.fleet.name}: energy from the grid"
    return total, computed(name, total, "kWh", case.power.status, "power (F4.1)")


def _it_kwh(case: FleetCase) -> tuple[float, Term] | None:
    by_month = it_kwh_by_month(case)
    if by_month is None or case.power is None:
        return None
    total = mean(np.sum(by_month, axis=-1))
    name = f"{case.fleet.name}: energy of the servers"
    return total, computed(name, total, "kWh", case.power.status, "power (F4.1)")


def _use(basis: str) -> _Measure:
    def measured(case: FleetCase, bill: FleetBill | None) -> _Amount:
        kwh, grid = _kwh(case, bill), grid_gco2(case, basis)
        if kwh is None:
            return _Amount(None, reason=f"the power of {case.fleet.name} is not known")
        if grid is None:
            what = "grid carbon" if basis == "location" else "carbon of a supply contract"
            return _Amount(None, reason=f"no {what} is known for the site of {case.fleet.name}")
        return _Amount(kwh[0] * mean(grid[0]) / GRAMS_PER_TONNE, (kwh[1], grid[1]))

    return measured


def _embodied(case: FleetCase, bill: FleetBill | None) -> _Amount:
    """Of the servers, by the months of their life that they serve here (F18.2)."""
    purchase = case.fleet.purchase
    each = purchase.embodied_kgco2e_per_server if purchase is not None else None
    if each is None:
        return _Amount(
            None, reason=f"no embodied carbon is known for the servers of {case.fleet.name}"
        )
    server_months = mean(np.sum(case.servers, axis=-1))
    life = life_months(case.fleet)
    tonnes = embodied_kg(server_months, each.value, 1.0, float(life)) / _KG_PER_TONNE
    name = case.fleet.name
    return _Amount(
        tonnes,
        (
            computed(
                f"{name}: in service", server_months, "server-months", case.result.status, "P8"
            ),
            Term.of(f"{name}: embodied in a server", each),
            computed(f"{name}: life", float(life), "months", each.status, "purchase.life_months"),
        ),
    )


def _onsite(case: FleetCase, bill: FleetBill | None) -> _Amount:
    site, kwh = case.fleet.site, _it_kwh(case)
    wue = site.around.wue_l_per_kwh if site is not None else None
    if kwh is None:
        return _Amount(None, reason=f"the power of {case.fleet.name} is not known")
    if wue is None:
        return _Amount(None, reason=f"no water use is known for the site of {case.fleet.name}")
    return _Amount(kwh[0] * wue.value / _LITRES_PER_M3, (kwh[1], Term.of("WUE of the site", wue)))


def _offsite(case: FleetCase, bill: FleetBill | None) -> _Amount:
    site, kwh = case.fleet.site, _kwh(case, bill)
    ewif = site.around.ewif_l_per_kwh if site is not None else None
    if kwh is None:
        return _Amount(None, reason=f"the power of {case.fleet.name} is not known")
    if ewif is None:
        why = f"no water of the electricity is known for the site of {case.fleet.name}"
        return _Amount(None, reason=why)
    terms = (kwh[1], Term.of("water of a kilowatt-hour of the grid", ewif))
    return _Amount(kwh[0] * ewif.value / _LITRES_PER_M3, terms)


_Entry = tuple[str, str, str, str, str, _Measure]
_ENTRIES: tuple[_Entry, ...] = (
    (
        "carbon_location_t",
        "Carbon of use over the horizon, location based",
        "t CO2e",
        "sum over fleets of kWh from the grid x gCO2e/kWh of the grid / 10^6",
        "F18.1",
        _use("location"),
    ),
    (
        "carbon_market_t",
        "Carbon of use over the horizon, market based",
        "t CO2e",
        "sum over fleets of kWh from the grid x gCO2e/kWh of the supply contract / 10^6",
        "F18.1",
        _use("market"),
    ),
    (
        "carbon_embodied_t",
        "Embodied carbon of the months in service",
        "t CO2e",
        "sum over fleets of server-months x kg of a server / months of its life / 1000",
        "F18.2",
        _embodied,
    ),
    (
        "water_onsite_m3",
        "Water evaporated on site over the horizon",
        "m3",
        "sum over fleets of kWh of the servers x WUE / 1000; PUE is not in it",
        "F18.4",
        _onsite,
    ),
    (
        "water_offsite_m3",
        "Water of the electricity over the horizon",
        "m3",
        "sum over fleets of kWh from the grid x litres per kWh of the grid / 1000",
        "F18.4",
        _offsite,
    ),
)


def _added(cases: Sequence[FleetCase], bills: Mapping[str, FleetBill], entry: _Entry) -> Explained:
    key, label, unit, formula, reference, measure = entry
    owned = [case for case in cases if case.fleet.owned]
    if len(owned) < len(cases):
        what = "rented" if not owned else "part is rented"
        return _blank(entry, f"{what}: what the provider's machines use is not known")
    parts = [measure(case, bills.get(case.fleet.key)) for case in owned]
    reasons = dict.fromkeys(part.reason for part in parts if part.value is None)
    terms = tuple(dict.fromkeys(term for part in parts for term in part.terms))
    known = [part.value for part in parts if part.value is not None]
    return Explained(
        key=key,
        label=label,
        value=None if reasons or not parts else sum(known),
        unit=unit,
        status=status_of(term.status for term in terms),
        formula=formula,
        terms=terms,
        reason="; ".join(reasons) or ("" if parts else "no server is owned"),
        reference=reference,
    )


def _blank(entry: _Entry, reason: str) -> Explained:
    key, label, unit, formula, reference, _ = entry
    return Explained(
        key=key,
        label=label,
        value=None,
        unit=unit,
        status=status_of(()),
        formula=formula,
        reason=reason,
        reference=reference,
    )

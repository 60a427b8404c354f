"""Lines of electricity at one price: energy, demand, fixed charge (F4), escalated (F0.4).

The kilowatts are the facility's, so PUE has touched them once. Rented space with electricity in
its rate has none of these lines (F5.4). A tariff in parts is billed by `tco.cost.site_power`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import last, mean
from tco.cost.site_power import billed_in_parts
from tco.inputs import Figure, Site, Tariff
from tco.results import LedgerLine, Term
from tco.tariff.bill import Charges, charges


def energy(case: FleetCase) -> LedgerLine | None:
    """Facility kWh x tariff x escalation (F4.2)."""
    bill = _bill(case)
    if bill is None or case.power is None or case.fleet.site is None:
        return None
    tariff = case.fleet.site.tariff
    price = tariff.energy_usd_per_kwh
    rate = case.calendar.finance.electricity_escalation_fraction
    kwh = mean(np.sum(bill.energy_kwh, axis=-1))
    terms = [
        computed("facility energy over the horizon", kwh, "kWh", case.power.status, "power (F4.1)"),
        Term.of("PUE, already in the energy", case.fleet.site.pue),
        Term.of("electricity price", price),
        *_escalation_terms(case, price, rate),
    ]
    return case.line(
        "electricity_energy",
        "Electricity, energy",
        "energy",
        end=bill.energy_usd * case.calendar.escalation(price, rate),
        formula="facility average kW x hours x USD/kWh x escalation",
        reference="F4.2, F0.4",
        terms=terms,
    )


def demand(case: FleetCase) -> LedgerLine | None:
    """Facility peak kW x demand rate, unless the energy price already holds it (F4.3, F4.5a)."""
    bill = _bill(case)
    if bill is None or case.power is None or case.fleet.site is None:
        return None
    tariff = case.fleet.site.tariff
    price = tariff.demand_usd_per_kw_month
    if price is None or tariff.demand_included:
        return None
    rate = case.calendar.finance.electricity_escalation_fraction
    return case.line(
        "electricity_demand",
        "Electricity, demand",
        "energy",
        end=bill.demand_usd * case.calendar.escalation(price, rate),
        formula="facility peak kW x USD/kW-month x escalation",
        reference="F4.3, F0.4",
        terms=[
            computed(
                "facility peak, last month",
                last(case.average_share * case.power.facility_peak_kw * case.pue_ratio),
                "kW",
                case.power.status,
                "power (F2.5)",
            ),
            Term.of("demand rate", price),
            *_escalation_terms(case, price, rate),
        ],
    )


def site_fixed(site: Site, cases: list[FleetCase]) -> LedgerLine | None:
    """Fixed charge of a site's meter, once however many fleets stand there (F4.4)."""
    price = site.tariff.fixed_usd_per_month
    if price is None or not cases or _power_included(site) or billed_in_parts(site):
        return None
    case = cases[0]
    rate = case.calendar.finance.electricity_escalation_fraction
    used = np.any(np.broadcast_arrays(*(other.servers > 0 for other in cases)), axis=0)
    line = case.line(
        "electricity_fixed",
        f"Electricity, fixed charge of {site.name}",
        "energy",
        end=used * case.amount(price) * case.calendar.escalation(price, rate),
        formula="USD/month x escalation",
        reference="F4.4",
        terms=[Term.of("fixed charge", price), *_escalation_terms(case, price, rate)],
    )
    return replace(line, fleet=case.fleet.key if len(cases) == 1 else "")


def _bill(case: FleetCase) -> Charges | None:
    """Charges of all months at today's prices."""
    site, power = case.fleet.site, case.power
    if site is None or power is None or _power_included(site) or billed_in_parts(site):
        return None
    highest_kw = max(power.facility_peak_kw, power.facility_average_kw)
    return charges(
        case.average_share * power.facility_average_kw * case.pue_ratio,
        case.average_share * highest_kw * case.pue_ratio,
        case.calendar.hours,
        _tariff_at_bound(case, site.tariff),
    )


def _power_included(site: Site) -> bool:
    return site.colocation is not None and site.colocation.power_included


def _tariff_at_bound(case: FleetCase, tariff: Tariff) -> Tariff:
    if case.bound == "value":
        return tariff

    def at(figure: Figure) -> Figure:
        return replace(figure, value=case.amount(figure))

    demand_rate = tariff.demand_usd_per_kw_month
    return replace(
        tariff,
        energy_usd_per_kwh=at(tariff.energy_usd_per_kwh),
        demand_usd_per_kw_month=None if demand_rate is None else at(demand_rate),
    )


def _escalation_terms(case: FleetCase, price: Figure, rate: Figure | None) -> list[Term]:
    if rate is None:
        return []
    age = case.calendar.price_age_months(price)
    return [
        Term.of("escalation of electricity", rate),
        computed("age of the price at month 0", float(age), "months", price.status, price.source),
    ]

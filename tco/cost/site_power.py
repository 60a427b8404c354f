"""The bill of a site with a tariff in parts, as lines of its fleets (F4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tco.cost.case import FleetCase, computed, status_of
from tco.cost.columns import mean
from tco.cost.finance import FloatArray
from tco.errors import InputError
from tco.inputs import Figure, Site
from tco.power.part_load import Losses
from tco.results import FleetPower, LedgerLine, Term
from tco.tariff.load_year import FleetDay, load_year
from tco.tariff.site_bill import Part, energy_of, site_bill
from tco.tariff.site_load import SiteLoad
from tco.units import date_of, month_start

BILL_LINES = frozenset(
    {
        *("electricity_energy", "electricity_demand", "electricity_ratchet"),
        *("electricity_contract", "electricity_power_factor", "electricity_fixed"),
        *("electricity_minimum", "electricity_levy", "electricity_tax", "electricity_export"),
    }
)


@dataclass(frozen=True, slots=True, eq=False)
class FleetBill:
    """A fleet's share of its site's bill: its lines, and the kWh it adds to the meter by month."""

    lines: tuple[LedgerLine, ...]
    kwh: FloatArray


def billed_in_parts(site: Site | None) -> bool:
    """Whether the site's bill is made from the parts of a tariff."""
    if site is None or not site.tariff.in_parts:
        return False
    return site.colocation is None or not site.colocation.power_included


def bills_of(cases: Sequence[FleetCase]) -> dict[str, FleetBill | InputError]:
    """Bill of each fleet whose site has a tariff in parts, by the fleet's key.

    The parts of a site's bill are shared by the IT energy of its fleets in the month, so the
    shares add up to the bill. A bill that cannot be made is its error.
    """
    groups: dict[str, list[FleetCase]] = {}
    for case in cases:
        site = case.fleet.site
        if site is not None and case.fleet.owned and billed_in_parts(site):
            groups.setdefault(site.key, []).append(case)
    found: dict[str, FleetBill | InputError] = {}
    for members in groups.values():
        powered = [case for case in members if case.power is not None and case.months]
        if not powered:
            continue
        try:
            found |= _site_bills(powered)
        except InputError as error:
            found |= dict.fromkeys((case.fleet.key for case in powered), error)
    return found


def _site_bills(cases: Sequence[FleetCase]) -> dict[str, FleetBill | InputError]:
    site = cases[0].fleet.site
    assert site is not None
    load, first = site_load(cases), cases[0]
    rate = first.calendar.finance.electricity_escalation_fraction

    def priced(figure: Figure) -> FloatArray:
        return np.asarray(first.amount(figure) * first.calendar.escalation(figure, rate))

    energy = energy_of(load, site.tariff)
    parts = site_bill(load, site.tariff, priced, energy)
    shares = load.fleet_fraction
    return {
        case.fleet.key: FleetBill(
            tuple(_line(case, site, part, share, len(cases)) for part in parts),
            energy.added_kwh * share,
        )
        for case, share in zip(cases, shares, strict=True)
    }


def site_load(cases: Sequence[FleetCase]) -> SiteLoad:
    """Load of one site's fleets over the ledger (F4.1).

    Raises
    ------
    InputError
        A series that is no year.
    """
    first = cases[0]
    site = first.fleet.site
    assert site is not None
    start = date_of(first.calendar.finance.valuation_date)
    if start is None:
        given = first.calendar.finance.valuation_date
        raise InputError("finance.valuation_date", f"{given!r} is not a date", "write 2026-12-01")
    # a month belongs to the calendar month it starts in
    month_of = np.array([month_start(start, m).month - 1 for m in range(first.months)])
    return SiteLoad(
        year=load_year(
            [_day(case.power) for case in cases if case.power is not None],
            shape=site.load_shape,
            month_shape=site.month_shape,
            existing=site.existing_load,
            year=site.load_year or start.year,
        ),
        month_of=month_of.astype(np.intp),
        hours=first.calendar.hours,
        shares=tuple(case.average_share for case in cases),
        losses=Losses.of(site),
        existing=site.existing_load is not None,
        generation_kw=site.own_generation_kw,
    )


def _day(power: FleetPower) -> FleetDay:
    return FleetDay(power.hourly_kw, power.hourly_peak_kw or power.hourly_kw)


def _line(case: FleetCase, site: Site, part: Part, share: FloatArray, fleets: int) -> LedgerLine:
    assert case.power is not None
    terms = [
        computed(name, amount, unit, case.power.status, "power (F4.1)")
        for name, amount, unit in part.quantities
    ]
    terms += [Term.of(name, figure) for name, figure in part.figures]
    if part.quantities:
        terms += _pue_terms(case, site)
    if site.existing_load is not None:
        given = site.existing_load.average_kw
        if given is not None:
            terms.append(Term.of("load there before", given))
        else:
            terms.append(Term("load there before", 1.0, "year", status_of(()), "scenario"))
    if fleets > 1:
        of_energy = mean(np.mean(share))
        status = case.power.status
        terms.append(computed("share of the site's IT energy", of_energy, "fraction", status, "F4"))
    rate = case.calendar.finance.electricity_escalation_fraction
    if rate is not None:
        terms.append(Term.of("escalation of electricity", rate))
    increment = "bill with the fleet - bill without it: " if site.existing_load is not None else ""
    return case.line(
        part.key,
        part.label,
        "energy",
        end=part.usd * share,
        formula=increment + part.formula,
        reference=part.reference + (", F4.6" if increment else ""),
        terms=terms,
    )


def _pue_terms(case: FleetCase, site: Site) -> list[Term]:
    assert case.power is not None
    if site.part_load is not None:
        rated, source = site.part_load.rated_it_kw, "part load of the hall (F3.1)"
    elif site.plant is not None:
        rated, source = site.plant.air_kw_per_kw, "cooling plant of the hall (F3.1)"
    else:
        return [Term.of("PUE, already in the kilowatts", site.pue)]
    status = status_of([rated.status, case.power.status])
    name = "PUE of the first year at its load, already in the kilowatts"
    return [Term(name, case.power.pue, "ratio", status, source)]

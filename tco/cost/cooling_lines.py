"""Lines of a site's cooling plant: capital by kilowatt, units, retrofit, upkeep (F3.6)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import last, mean, months_with, once
from tco.cost.finance import FloatArray
from tco.cost.premises import provisioned_kw
from tco.inputs import CoolingPlant, Figure, Site, Status
from tco.results import LedgerLine, Term
from tco.results.networks import CoolingResult
from tco.units import MONTHS_PER_YEAR

CAPITAL = frozenset({"cooling_plant", "cooling_cdus", "cooling_chillers", "cooling_retrofit"})
RUNNING = frozenset({"cooling_fluid", "cooling_filters", "cooling_leaks"})


def cooling_lines(site: Site, cases: list[FleetCase]) -> list[LedgerLine]:
    """Lines of the plant of a site, once however many fleets stand there."""
    plant = site.plant
    case = cases[0]
    if plant is None or case.cooling is None:
        return []
    kw: FloatArray = sum((provisioned_kw(each) for each in cases), start=np.zeros(case.months))
    one = case.fleet.key if len(cases) == 1 else ""
    lines = [*_capital(site, plant, cases, kw, case.cooling), *_upkeep(site, plant, case, kw)]
    return [replace(line, fleet=one) for line in lines]


def _capital(
    site: Site,
    plant: CoolingPlant,
    cases: list[FleetCase],
    kw: FloatArray,
    found: CoolingResult,
) -> Iterator[LedgerLine]:
    case = cases[0]
    price = plant.capex_usd_per_kw
    if price is not None:
        grown = np.maximum.accumulate(kw, axis=-1)
        yield case.line(
            "cooling_plant",
            f"Cooling plant of {site.name}",
            "facility",
            start=np.diff(grown, prepend=0.0) * case.amount(price),
            formula="provisioned kW x USD/kW",
            reference="F3.6",
            terms=(_kw_term(kw), Term.of("cost of the plant", price)),
        )
    first = min(months_with(each.servers)[0] for each in cases)
    for key, words, units, count in (
        ("cooling_cdus", "coolant distribution units", plant.cdus, found.cdus),
        ("cooling_chillers", "chillers", plant.chillers, found.chillers),
    ):
        if units is None or units.usd is None or not count:
            continue
        yield case.line(
            key,
            f"Cooling of {site.name}: {words}",
            "facility",
            start=once(case.months, first, count * case.amount(units.usd)),
            formula=f"{words} x price, spare ones included",
            reference="F3.6",
            terms=(
                Term(words, float(count), "pieces", Status.ESTIMATED, f"{units.spare} spare"),
                Term.of("price of one", units.usd),
            ),
        )
    retrofit = plant.retrofit_usd_per_rack
    racks = sum(each.racks.racks for each in cases if each.racks is not None)
    if retrofit is not None and racks:
        yield case.line(
            "cooling_retrofit",
            f"Cooling of {site.name}: retrofit of racks",
            "facility",
            start=once(case.months, first, racks * case.amount(retrofit)),
            formula="racks x USD",
            reference="F3.6",
            terms=(
                Term("racks", float(racks), "racks", Status.ESTIMATED, "packing (F2.7)"),
                Term.of("retrofit of a rack", retrofit),
            ),
        )


def _upkeep(
    site: Site, plant: CoolingPlant, case: FleetCase, kw: FloatArray
) -> Iterator[LedgerLine]:
    rate = case.calendar.finance.opex_escalation_fraction
    heat = "heat into liquid"
    parts: tuple[tuple[str, str, Figure | None, FloatArray, str], ...] = (
        ("fluid", "fluid", plant.fluid_usd_per_kw_year, kw * plant.captured_fraction.value, heat),
        ("filters", "filters", plant.filters_usd_per_kw_year, kw, "heat"),
        (
            "leaks",
            "leak response",
            plant.leak_response_usd_per_year,
            np.asarray(kw > 0, dtype=np.float64),
            "site in use",
        ),
    )
    for key, words, price, units, name in parts:
        if price is None or price.is_zero or not np.any(units):
            continue
        unit = "sites" if key == "leaks" else "kW"
        terms = [
            computed(f"{name}, last month", last(units), unit, Status.ESTIMATED, "power (F2.5)"),
            Term.of(f"{words} a year", price),
        ]
        if rate is not None:
            terms.append(Term.of("escalation of running costs", rate))
        yield case.line(
            f"cooling_{key}",
            f"Cooling of {site.name}: {words}",
            "facility",
            end=units
            * case.amount(price)
            / MONTHS_PER_YEAR
            * case.calendar.escalation(price, rate),
            formula=f"{name} x USD a year / 12 x escalation",
            reference="F3.6",
            terms=terms,
        )


def _kw_term(kw: FloatArray) -> Term:
    most = mean(np.max(kw, axis=-1))
    return computed("provisioned IT power", most, "kW", Status.ESTIMATED, "power (F2.5)")

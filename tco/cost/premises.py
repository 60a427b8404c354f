"""Lines of the place: own build by share of life, rented space (F5.2, F5.4, F25)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import last, mean, months_with, once
from tco.cost.finance import FloatArray
from tco.inputs import FacilityBuild, Site
from tco.results import LedgerLine, Term
from tco.units import MONTHS_PER_YEAR


def provisioned_kw(case: FleetCase) -> FloatArray:
    """IT power to provision by month, in proportion to the servers in service (F2.5)."""
    if case.power is None:
        return np.zeros(case.months)
    return case.provisioned_share * case.power.it_provisioned_kw


def life_share(build: FacilityBuild, months: float, charge: str | None = None) -> float:
    """Share of a facility charged to `months` of use (F25); ``whole`` charges all of it.

    Examples
    --------
    >>> from tco.inputs import assumed
    >>> build = FacilityBuild(assumed(10_000, "USD/kW", "x"), assumed(15, "yr", "x"))
    >>> round(life_share(build, 60), 6), life_share(build, 60, "whole")
    (0.333333, 1.0)
    """
    if (charge or build.charge) == "whole":
        return 1.0
    return min(1.0, months / (build.life_years.value * MONTHS_PER_YEAR))


def _life_shares(build: FacilityBuild, months: FloatArray) -> FloatArray:
    if build.charge == "whole":
        return np.ones(months.shape)
    return np.minimum(1.0, months / (build.life_years.value * MONTHS_PER_YEAR))


def build(case: FleetCase) -> LedgerLine | None:
    """Own facility: provisioned kW x USD/kW x share of its life used here (F5.2, F25)."""
    site = case.fleet.site
    if site is None or site.build is None or case.power is None:
        return None
    facility = site.build
    added = np.diff(provisioned_kw(case), prepend=0.0)
    left = case.months - np.arange(case.months, dtype=np.float64)
    share = _life_shares(facility, left)
    first = next(iter(months_with(added)), 0)
    terms = [
        computed(
            "provisioned IT power",
            mean(np.sum(added, axis=-1)),
            "kW",
            case.power.status,
            "power (F2.5)",
        ),
        Term.of("facility cost", facility.usd_per_kw),
        computed(
            "share charged",
            mean(share[..., first]),
            "fraction",
            facility.life_years.status,
            "whole facility (F25)"
            if facility.charge == "whole"
            else "months from purchase to the end of the horizon over the facility's life (F25)",
        ),
    ]
    if facility.charge != "whole":
        terms.append(Term.of("life of the facility", facility.life_years))
    return case.line(
        "facility_build",
        "Facility, own build",
        "facility",
        start=added * case.amount(facility.usd_per_kw) * share,
        formula="provisioned kW x USD/kW x share of the facility's life",
        reference="F5.2, F25",
        terms=terms,
    )


def stranded(site: Site, cases: list[FleetCase]) -> LedgerLine | None:
    """Part of a hall built for this scenario alone that its fleets do not use (F5.2).

    Only where the whole facility is charged and its size is known: by share of life, and in a
    hall shared with others, what is unused is not this scenario's.
    """
    build = site.build
    if build is None or build.charge != "whole" or site.hall_kw is None:
        return None
    months = cases[0].months
    drawn = sum((provisioned_kw(case) for case in cases), start=np.zeros(months))
    used = np.max(drawn, axis=-1, keepdims=True)
    unused = np.maximum(site.hall_kw.value - used, 0.0)
    if not np.any(unused):
        return None
    first = min(months_with(case.servers)[0] for case in cases)
    start = once(months, first, unused * cases[0].amount(build.usd_per_kw))
    line = cases[0].line(
        "facility_stranded",
        f"Facility, unused part of {site.name}",
        "facility",
        start=start,
        formula="(hall kW - provisioned kW) x USD/kW",
        reference="F5.2",
        terms=(
            Term.of("hall", site.hall_kw),
            computed(
                "provisioned IT power", mean(used), "kW", cases[0].result.status, "power (F2.5)"
            ),
            Term.of("facility cost", build.usd_per_kw),
        ),
    )
    return replace(line, fleet=cases[0].fleet.key if len(cases) == 1 else "")


def colocation(case: FleetCase) -> LedgerLine | None:
    """Rented space: committed (provisioned) kW x rate, escalated (F5.4)."""
    site = case.fleet.site
    if site is None or site.colocation is None or case.power is None:
        return None
    rate = site.colocation.usd_per_kw_month
    finance = case.calendar.finance
    factor = case.calendar.escalation(rate, finance.opex_escalation_fraction)
    committed = provisioned_kw(case)
    terms = [
        computed(
            "committed IT power, last month",
            last(committed),
            "kW",
            case.power.status,
            "provisioned (F2.5)",
        ),
        Term.of("rate", rate),
    ]
    if finance.opex_escalation_fraction is not None:
        terms.append(Term.of("escalation of running costs", finance.opex_escalation_fraction))
    included = " (electricity included)" if site.colocation.power_included else ""
    return case.line(
        "colocation",
        f"Colocation{included}",
        "facility",
        end=committed * case.amount(rate) * factor,
        formula="committed kW x USD/kW-month x escalation",
        reference="F5.4",
        terms=terms,
    )

"""People who run an option: a formula over servers, sites and kinds of devices (F9.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from tco.cost.case import FleetCase, computed
from tco.cost.columns import mean
from tco.inputs import Figure, Staffing, Status
from tco.results import LedgerLine, Term
from tco.units import MONTHS_PER_YEAR


def run_fte(
    given: Staffing, servers: Any, sites: Any, device_families: Any, *, someone: Any = True
) -> Any:
    """Full-time people: max(site minimum, rota, a + b servers + c sites + d families) (F9.2).

    Shares of their time that other work pays for are taken off last. `servers`, `sites` and
    `device_families` are counts, plain or by month; where `someone` is false nobody is needed.

    Examples
    --------
    >>> from tco.inputs import Figure, Status
    >>> one = lambda value, unit="FTE": Figure(value, unit, Status.ASSUMED, "example")
    >>> team = Staffing(one(150_000), one(1), one(0.02), one(0.5), one(0.25), one(2))
    >>> float(run_fte(team, 40, 1, 2)), float(run_fte(team, 4, 1, 1))
    (2.8, 2.0)
    >>> float(run_fte(replace(team, rota=True, rota_fte=one(5)), 40, 1, 2))
    5.0
    """
    work = (
        given.base_fte.value
        + given.fte_per_server.value * servers
        + given.fte_per_site.value * sites
        + given.fte_per_device_family.value * device_families
    )
    least = given.minimum_fte_per_site.value * np.asarray(sites)
    if given.rota and given.rota_fte is not None:
        least = np.maximum(least, given.rota_fte.value)
    own = 1.0 - (given.shared_fraction.value if given.shared_fraction else 0.0)
    return np.where(someone, np.maximum(least, work) * own, 0.0)


def run_staff(given: Staffing | None, cases: Sequence[FleetCase]) -> LedgerLine | None:
    """Staff of all fleets of an option by month, at the loaded rate, escalated (F9.2).

    Servers and sites are the owned ones in service; kinds of devices count on rented machines too.
    An API has no machines to run.
    """
    run = [case for case in cases if case.fleet.server or case.fleet.offer]
    if given is None or not run or not run[0].months:
        return None
    first = run[0]
    owned = [case for case in run if case.fleet.owned]
    servers: Any = sum((case.servers for case in owned), start=np.zeros(first.months))
    at_site: dict[str, Any] = {}
    of_family: dict[tuple[str, str], Any] = {}
    for case in run:
        in_service = case.servers > 0
        if case.fleet.owned and case.fleet.site is not None:
            key = case.fleet.site.key
            at_site[key] = np.logical_or(at_site.get(key, False), in_service)
        family = family_of(case)
        of_family[family] = np.logical_or(of_family.get(family, False), in_service)
    sites: Any = sum((x.astype(float) for x in at_site.values()), start=np.zeros(first.months))
    families: Any = sum((x.astype(float) for x in of_family.values()), start=np.zeros(first.months))
    fte = run_fte(given, servers, sites, families, someone=families > 0)
    rate = first.calendar.finance.opex_escalation_fraction
    factor = first.calendar.escalation(given.usd_per_fte_year, rate)
    line = first.line(
        "run_staff",
        "Run staff",
        "people",
        end=fte * first.amount(given.usd_per_fte_year) / MONTHS_PER_YEAR * factor,
        formula="max(site minimum, rota, a + b servers + c sites + d device families)"
        " x (1 - shared) x USD a person and year / 12 x escalation",
        reference="F9.2",
        terms=(
            *_terms(given, first, rate),
            computed("servers at the end", servers[..., -1], "servers", first.result.status, "P8"),
            _count("sites", sites),
            _count("device families", families),
            computed("staff at the end", mean(fte[..., -1]), "FTE", _weakest(given), "F9.2"),
        ),
    )
    return replace(line, fleet=first.fleet.key if len(run) == 1 else "")


def family_of(case: FleetCase) -> tuple[str, str]:
    """Vendor and architecture of the fleet's device, or its name where that is not known."""
    machine = case.fleet.server or case.fleet.offer
    if machine is None:
        return "", case.fleet.name
    device = machine.device
    return device.vendor, device.architecture or device.name


def _terms(given: Staffing, case: FleetCase, rate: Figure | None) -> list[Term]:
    named: list[tuple[str, Figure | None]] = [
        ("a person and year", given.usd_per_fte_year),
        ("base", given.base_fte),
        ("for each server", given.fte_per_server),
        ("for each site", given.fte_per_site),
        ("for each device family", given.fte_per_device_family),
        ("least at a site", given.minimum_fte_per_site),
        ("least of a rota", given.rota_fte if given.rota else None),
        ("shared", given.shared_fraction),
        ("escalation of running costs", rate),
    ]
    return [Term.of(name, figure) for name, figure in named if figure is not None]


def _count(name: str, counts: Any) -> Term:
    return computed(name, mean(counts[..., -1]), name, Status.PUBLISHED, "option, at the end")


def _weakest(given: Staffing) -> Status:
    figures = (given.base_fte, given.fte_per_server, given.fte_per_site)
    return max((figure.status for figure in figures), key=lambda status: status.rank)

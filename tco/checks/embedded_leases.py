"""Contracts that may hold a lease: dedicated reserved instances, a cage (F24)."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from tco.checks.view import FleetView
from tco.cost.finance import monthly_rate_fraction
from tco.cost.wording import money_text
from tco.inputs import Site
from tco.results import Finding
from tco.units import MONTHS_PER_YEAR

TERMS = {"reserved_1y": 12, "reserved_3y": 36}
STANDARDS = {"asc_842": "ASC 842", "ifrs_16": "IFRS 16"}
_FIXED = {"instances", "commitment_unused", "colocation"}


def embedded_lease(view: FleetView) -> Iterator[Finding]:
    """Yield what a controller must look at: fixed payments for things kept for us alone.

    Whether a contract holds a lease hangs on who controls the asset, which no scenario says; the
    present value of its fixed payments is what the balance sheet would show if it does.
    """
    rental = view.fleet.rental
    if rental is not None and rental.commitment in TERMS:
        months = TERMS[rental.commitment]
        yield from _named(
            view,
            f"{view.path}.rental.commitment",
            f"the reserved instances of {view.fleet.name}",
            "if they are dedicated to you",
            months,
        )
    site = view.fleet.site
    if site is not None and site.colocation is not None and _first_at(view, site):
        months = view.scenario.finance.horizon_months
        yield from _named(
            view,
            f"{view.site_path}.colocation",
            f"the space of {view.fleet.name} at {site.name}",
            "if it is a cage or a suite of your own",
            months,
        )


def _first_at(view: FleetView, site: Site) -> bool:
    """Whether this is the first owned fleet at a site: each site is named once."""
    there = (
        (option.key, fleet.key)
        for option in view.scenario.options
        for fleet in option.fleets
        if fleet.owned and fleet.site is not None and fleet.site.key == site.key
    )
    return next(there, None) == (view.option.key, view.fleet.key)


def _named(view: FleetView, path: str, what: str, condition: str, months: int) -> Iterator[Finding]:
    finance = view.scenario.finance
    usd = fixed_payments_usd(view, months)
    if usd <= 0.0:
        return
    standard = STANDARDS[finance.lease_standard]
    yield view.finding(
        "may_hold_a_lease",
        "info",
        path,
        f"the contract for {what} holds a lease under {standard} {condition}: fixed payments of"
        f" {months / MONTHS_PER_YEAR:g} years, {money_text(usd)} at present value, would stand as"
        " right of use and liability; cash does not change",
        "let the controller decide who controls it",
    )


def fixed_payments_usd(view: FleetView, months: int) -> float:
    """Present value of the first `months` of payments for instances or space, at the own rate."""
    finance = view.scenario.finance
    rate = monthly_rate_fraction(finance.discount_rate_fraction.value, finance.monthly_rate)
    total = 0.0
    for line in view.lines:
        if line.key in _FIXED and not line.missing:
            start = np.asarray(line.start_usd[:months], dtype=np.float64)
            end = np.asarray(line.end_usd[:months], dtype=np.float64)
            factor = (1.0 + rate) ** -np.arange(start.size, dtype=np.float64)
            total += float(np.sum(start * factor + end * factor / (1.0 + rate)))
    return total

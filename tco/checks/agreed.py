"""Checks of the price book: an agreement that no longer holds, or that ends before the order."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator

from tco.checks.view import FleetView
from tco.results import Finding

MONTHS = 12


def agreement_holds(view: FleetView) -> Iterator[Finding]:
    """Yield what is to be said of the agreement on a fleet's machine."""
    agreed = view.fleet.agreed
    if agreed is None:
        return
    day = view.scenario.finance.valuation_date
    price = "purchase.server_usd" if view.fleet.owned else "rental.usd_per_hour"
    path = f"{view.path}.{price}"
    span = f"{agreed.valid_from} to {agreed.valid_to}"
    if agreed.state == "ended":
        yield view.finding(
            "quote_ended",
            "warning",
            path,
            f"the {agreed.words} for {view.fleet.name} held from {span}, not on the valuation date"
            f" {day}: the list price is used",
            "renew it in the price book, or enter the price",
        )
    elif agreed.state == "later":
        yield view.finding(
            "quote_not_yet",
            "warning",
            path,
            f"the {agreed.words} for {view.fleet.name} holds from {span}, not yet on the valuation"
            f" date {day}: the list price is used",
            "move the valuation date, or enter the price",
        )
    elif agreed.state == "own_terms":
        yield view.finding(
            "quote_not_used",
            "info",
            f"{view.path}.purchase.discount_fraction",
            f"the {agreed.words} for {view.fleet.name} is not used: the scenario gives a discount"
            " of its own, off the list price",
            "leave the discount out to use the price book",
        )
    elif agreed.state == "used":
        ordered = month_of(day, _order_month(view))
        if agreed.valid_to[:7] < ordered:
            yield view.finding(
                "quote_ends_before_order",
                "warning",
                path,
                f"the {agreed.words} for {view.fleet.name} ends on {agreed.valid_to}; the first"
                f" order is placed in {ordered}",
                "order earlier, or have it prolonged",
            )
        least, count = agreed.minimum_quantity, view.result.servers
        if least is not None and 0 < count < least:
            yield view.finding(
                "quote_minimum",
                "warning",
                path,
                f"the {agreed.words} holds from {least} {agreed.what}s on; {view.fleet.name} has"
                f" {count}",
                "ask for a quote for so many, or enter the price",
            )


def _order_month(view: FleetView) -> int:
    lead = view.fleet.purchase.order_lead_months if view.fleet.purchase is not None else 0
    return max(0, view.fleet.start_month - lead)


def month_of(day: str, months: int) -> str:
    """Return the calendar month so many months after that of a day.

    Examples
    --------
    >>> month_of("2026-11-30", 2), month_of("2026-12-01", 0)
    ('2027-01', '2026-12')
    """
    start = dt.date.fromisoformat(day)
    place = start.year * MONTHS + start.month - 1 + months
    return f"{place // MONTHS:04d}-{place % MONTHS + 1:02d}"

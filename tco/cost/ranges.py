"""Low and high totals, where prices have a low and a high end (F21.1, all at once)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tco.cost import cloud, owned
from tco.cost.case import FleetCase
from tco.cost.ledger import Book, OptionCase, build_ledger
from tco.inputs import Figure, Purchase


@dataclass(frozen=True, slots=True)
class Range:
    """The ledger with all prices at their low end, and at their high end."""

    low: Book
    high: Book


def price_range(case: OptionCase) -> Range | None:
    """Both ledgers, or None when no price has a range: then there is nothing to show."""
    figures = [figure for fleet in case.fleets for figure in prices(fleet) if figure is not None]
    if case.option.staffing is not None:
        figures.append(case.option.staffing.usd_per_fte_year)
    if not any(figure.low is not None or figure.high is not None for figure in figures):
        return None
    return Range(Book.of(build_ledger(case.at("low"))), Book.of(build_ledger(case.at("high"))))


def prices(case: FleetCase) -> Iterator[Figure | None]:
    """Every price that the fleet's lines read at a bound."""
    fleet, move = case.fleet, case.fleet.migration
    if fleet.owned:
        yield owned.server_price(case)
        if fleet.purchase is not None:
            yield fleet.purchase.network_usd_per_server
            yield fleet.purchase.integration_usd_per_server
            yield fleet.purchase.software_usd_per_device_year
            yield fleet.purchase.staff_usd_per_server_year
            yield from _terms(fleet.purchase)
        if fleet.site is not None:
            yield fleet.site.rack.price_usd
            yield fleet.site.tariff.energy_usd_per_kwh
            yield fleet.site.tariff.demand_usd_per_kw_month
            yield fleet.site.tariff.fixed_usd_per_month
            if fleet.site.colocation is not None:
                yield fleet.site.colocation.usd_per_kw_month
                yield fleet.site.colocation.install_usd
            if fleet.site.build is not None:
                yield fleet.site.build.usd_per_kw
    else:
        yield cloud.hourly_rate(case)
        yield from (rate for _, rate in cloud.rental_of(case).egress_tiers)
    for each in (move, fleet.exit.move if fleet.exit else None):
        if each is not None:
            yield each.usd_per_engineer_month
            yield each.validation_usd
            yield each.benefit_usd_per_month
            yield each.usd_per_person_trained
            yield each.usd_per_accuracy_test
            yield each.numeric_drift_usd
            yield each.old_usd_per_month
    if fleet.retraining is not None:
        yield fleet.retraining.usd_per_device_hour
        yield fleet.retraining.usd_per_run


def _terms(purchase: Purchase) -> Iterator[Figure | None]:
    yield purchase.freight_usd_per_server
    yield purchase.retirement_usd_per_server
    yield purchase.physical_security_usd_per_year
    if purchase.financing is not None:
        yield purchase.financing.payment_usd_per_server_month
        yield purchase.financing.return_usd_per_server
        yield purchase.financing.usd_per_unit_month
    if purchase.failures is not None:
        yield purchase.failures.labour_usd_per_failure
        yield purchase.failures.part_usd

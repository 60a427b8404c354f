"""Low and high totals, where prices have a low and a high end (F21.1, all at once)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from tco.cost import cloud, owned
from tco.cost.case import FleetCase
from tco.cost.ledger import Book, OptionCase, build_ledger
from tco.inputs import Figure


@dataclass(frozen=True, slots=True)
class Range:
    """The ledger with all prices at their low end, and at their high end."""

    low: Book
    high: Book


def price_range(case: OptionCase) -> Range | None:
    """Both ledgers, or None when no price has a range: then there is nothing to show."""
    figures = [figure for fleet in case.fleets for figure in prices(fleet)]
    figures += _priced(case.option.staffing)
    if not any(figure.low is not None or figure.high is not None for figure in figures):
        return None
    return Range(Book.of(build_ledger(case.at("low"))), Book.of(build_ledger(case.at("high"))))


def prices(case: FleetCase) -> Iterator[Figure]:
    """Every price of a fleet's terms: that of its machine, and each figure in USD of the others.

    A machine has several prices of which one is read; of all else what is there is read.
    """
    fleet = case.fleet
    machine = owned.server_price(case) if fleet.owned else cloud.hourly_rate(case)
    if machine is not None and fleet.api is None:
        yield machine
    for part in (fleet.purchase, fleet.rental, fleet.api, fleet.migration, fleet.exit):
        yield from _priced(part)
    yield from _priced(fleet.retraining)
    yield from _priced(fleet.zone)
    yield from _priced((fleet.fabrics, fleet.store))
    if fleet.availability is not None:
        yield from _priced(fleet.availability)
        yield from _priced(fleet.workload.downtime_usd_per_hour)
        yield from _priced(fleet.workload.downtime_usd_per_event)
    if fleet.site is not None:
        place = fleet.site
        yield from (
            x
            for part in (*(place.tariff, place.colocation, place.build, place.around, place.plant),)
            for x in _priced(part)
        )
        if place.rack.price_usd is not None:
            yield place.rack.price_usd


def _priced(part: Any) -> list[Figure]:
    """Figures in USD, however deep in a part of the inputs."""
    if isinstance(part, Figure):
        return [part] if "USD" in part.unit else []
    if isinstance(part, tuple):
        return [figure for item in part for figure in _priced(item)]
    if dataclasses.is_dataclass(part) and not isinstance(part, type):
        return [figure for name in _names(type(part)) for figure in _priced(getattr(part, name))]
    return []


@lru_cache(maxsize=64)
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))

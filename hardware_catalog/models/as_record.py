"""Rows as records: the form that the seed files have too."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from django.db.models import Prefetch, QuerySet, prefetch_related_objects

from hardware_catalog.models.entry import CatalogEntry
from hardware_catalog.models.figure import Figure
from hardware_catalog.models.price import Price
from hardware_catalog.seed.record import Record

CURRENT = (
    Prefetch(
        "figures",
        Figure.objects.filter(superseded_at=None).order_by("pk"),
        to_attr="current_figures",
    ),
    Prefetch(
        "prices",
        Price.objects.filter(superseded_at=None).order_by("series", "price_date", "pk"),
        to_attr="current_prices",
    ),
)


def with_current(entries: QuerySet[CatalogEntry]) -> QuerySet[CatalogEntry]:
    """Fetch the current figures and prices too: two more queries, however many entries."""
    return entries.prefetch_related(*CURRENT)


def as_record(entry: CatalogEntry) -> Record:
    """Return the record of an entry, from what `with_current` fetched or with two queries."""
    if not hasattr(entry, "current_figures"):
        prefetch_related_objects([entry], *CURRENT)
    figures: Iterable[Figure] = getattr(entry, "current_figures", ())
    prices: Iterable[Price] = getattr(entry, "current_prices", ())
    return Record(
        kind=entry.kind,
        key=entry.key,
        name=entry.name,
        vendor=entry.vendor,
        attributes=entry.attributes,
        figures={figure.name: figure.record for figure in figures},
        prices=tuple(price.record for price in prices),
        release_date=entry.release_date,
        end_of_sale=entry.end_of_sale,
        end_of_support=entry.end_of_support,
        pending=entry.pending,
    )


def snapshot(record: Record) -> dict[str, Any]:
    """Return a record as the JSON that the history keeps."""
    return {
        "name": record.name,
        "vendor": record.vendor,
        "attributes": dict(record.attributes),
        "release_date": record.release_date,
        "end_of_sale": record.end_of_sale,
        "end_of_support": record.end_of_support,
        "pending": record.pending,
        "figures": {
            name: {
                "value": figure.value,
                "low": figure.low,
                "high": figure.high,
                "unit": figure.unit,
                "status": figure.status,
                "verified": figure.verified,
                "source": figure.source,
                "as_of": figure.as_of,
            }
            for name, figure in record.figures.items()
        },
        "prices": [
            {
                "series": price.series,
                "low": price.low,
                "mid": price.mid,
                "high": price.high,
                "unit": price.unit,
                "status": price.status,
                "source": price.source,
                "price_date": price.price_date,
            }
            for price in record.prices
        ],
    }


def difference(
    before: Mapping[str, Any], after: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return only what differs between two snapshots, as (before, after)."""
    old: dict[str, Any] = {}
    new: dict[str, Any] = {}
    for part in sorted({*before, *after}):
        was, now = before.get(part), after.get(part)
        if was == now:
            continue
        if isinstance(was, dict) and isinstance(now, dict):
            names = [name for name in sorted({*was, *now}) if was.get(name) != now.get(name)]
            old[part] = {name: was[name] for name in names if name in was}
            new[part] = {name: now[name] for name in names if name in now}
        else:
            old[part], new[part] = was, now
    return old, new

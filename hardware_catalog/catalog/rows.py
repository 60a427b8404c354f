"""Writing records into rows: values that change stay as superseded rows."""

from __future__ import annotations

import dataclasses
from decimal import Decimal
from typing import Any

from django.utils import timezone

from hardware_catalog.models import CatalogEntry, Figure, Price
from hardware_catalog.models.as_record import as_record
from hardware_catalog.seed.record import FigureRecord, PriceRecord, Record


def figure_row(entry: CatalogEntry, record: FigureRecord) -> Figure:
    """Return an unsaved row of a figure."""
    return Figure(entry=entry, **dataclasses.asdict(record))


def price_row(entry: CatalogEntry, record: PriceRecord) -> Price:
    """Return an unsaved row of a price."""
    fields: dict[str, Any] = dataclasses.asdict(record)
    for bound in ("low", "mid", "high"):
        if fields[bound] is not None:
            fields[bound] = Decimal(str(fields[bound]))
    return Price(entry=entry, **fields)


def entry_fields(record: Record) -> dict[str, Any]:
    """Return what an entry's own row keeps of a record."""
    return {
        "name": record.name,
        "vendor": record.vendor,
        "attributes": dict(record.attributes),
        "release_date": record.release_date,
        "end_of_sale": record.end_of_sale,
        "end_of_support": record.end_of_support,
        "pending": record.pending,
    }


def bring_to(entry: CatalogEntry, record: Record) -> tuple[list[Figure], list[Price]]:
    """Bring a stored entry to `record`; return the new rows, which the caller saves in bulk.

    Figures and prices that differ or are gone are marked as superseded, and the entry is saved.
    """
    now = timezone.now()
    held = as_record(entry)
    stale = [name for name, one in held.figures.items() if record.figures.get(name) != one]
    if stale:
        entry.figures.filter(superseded_at=None, name__in=stale).update(superseded_at=now)
    gone = [
        row.pk for row in entry.prices.filter(superseded_at=None) if row.record not in record.prices
    ]
    if gone:
        entry.prices.filter(pk__in=gone).update(superseded_at=now)
    for name, value in entry_fields(record).items():
        setattr(entry, name, value)
    entry.full_clean()
    entry.save()
    for cached in ("current_figures", "current_prices"):
        if hasattr(entry, cached):
            delattr(entry, cached)
    figures = [
        figure_row(entry, one)
        for name, one in record.figures.items()
        if held.figures.get(name) != one
    ]
    return figures, [price_row(entry, one) for one in record.prices if one not in held.prices]

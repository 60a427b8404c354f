"""Loading the seed files into the shared part of the catalog."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import connection, transaction

from hardware_catalog.catalog.rows import bring_to, entry_fields, figure_row, price_row
from hardware_catalog.models import CatalogEntry, Change, Figure, Price, SeedLoad
from hardware_catalog.models.as_record import as_record, difference, snapshot, with_current
from hardware_catalog.seed.kinds import all_kinds
from hardware_catalog.seed.reader import seed_checksum, seed_records
from hardware_catalog.seed.record import Record

SEED = "seed catalog"
_LOCK = 7_320_041  # advisory: two loads at once would both insert


@dataclass(slots=True)
class LoadCount:
    """What a load did."""

    added: int = 0
    changed: int = 0
    archived: int = 0
    unchanged: int = 0
    skipped: bool = False  # the same files were loaded before


def _history(entry: CatalogEntry, message: str, before: Any, after: Any) -> Change:
    return Change(entry=entry, by=SEED, message=message, before=before, after=after)


def _load_kind(kind: str, count: LoadCount) -> None:
    shared = CatalogEntry.objects.filter(organisation=None, kind=kind)
    held = {entry.key: entry for entry in with_current(shared)}
    fresh: list[CatalogEntry] = []
    figures: list[Figure] = []
    prices: list[Price] = []
    history: list[Change] = []
    new_records: list[Record] = []
    for record in seed_records(kind):
        entry = held.pop(record.key, None)
        if entry is None:
            fresh.append(CatalogEntry(kind=kind, key=record.key, **entry_fields(record)))
            new_records.append(record)
            continue
        current = as_record(entry)
        if current == record and not entry.archived:
            count.unchanged += 1
            continue
        before, after = snapshot(current), snapshot(record)
        entry.archived = False
        new_figures, new_prices = bring_to(entry, record)
        figures += new_figures
        prices += new_prices
        history.append(_history(entry, "Updated from the seed files", *difference(before, after)))
        count.changed += 1
    CatalogEntry.objects.bulk_create(fresh)
    for entry, record in zip(fresh, new_records, strict=True):
        figures += [figure_row(entry, one) for one in record.figures.values()]
        prices += [price_row(entry, one) for one in record.prices]
        history.append(_history(entry, "Loaded from the seed files", {}, {}))
    count.added += len(fresh)
    for entry in held.values():
        if not entry.archived:
            entry.archived = True
            entry.save()
            history.append(_history(entry, "No longer in the seed files", {}, {"archived": True}))
            count.archived += 1
    Figure.objects.bulk_create(figures, batch_size=2000)
    Price.objects.bulk_create(prices, batch_size=2000)
    Change.objects.bulk_create(history, batch_size=2000)


@transaction.atomic
def seed_load(*, force: bool = False) -> LoadCount:
    """Load the seed files into the shared catalog; the same files again do nothing.

    New rows are added, changed figures and prices supersede the old ones, rows that left the
    files are archived. Own entries of organisations are not touched.
    """
    with connection.cursor() as cursor:
        cursor.execute("select pg_advisory_xact_lock(%s)", [_LOCK])
    count = LoadCount()
    checksum = seed_checksum()
    last = SeedLoad.objects.first()
    if not force and last is not None and last.checksum == checksum:
        count.skipped = True
        return count
    for kind in all_kinds():
        _load_kind(kind, count)
    SeedLoad.objects.create(checksum=checksum)
    if count.added:
        _analyse()
    return count


def _analyse() -> None:
    """Tell the planner how many rows there are now: it would take the tables for empty until its
    own next look, and join them row by row meanwhile."""
    with connection.cursor() as cursor:
        for model in (CatalogEntry, Figure, Price, Change):
            cursor.execute(f"analyze {connection.ops.quote_name(model._meta.db_table)}")

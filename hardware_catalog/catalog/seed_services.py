"""Loading the seed files into the shared part of the catalog."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, TypeVar

from django.db import connection, transaction
from django.utils import timezone

from hardware_catalog.models import CatalogEntry, Change, Figure, Price, SeedLoad
from hardware_catalog.models.as_record import as_record, difference, snapshot, with_current
from hardware_catalog.seed.kinds import all_kinds
from hardware_catalog.seed.reader import seed_checksum, seed_records
from hardware_catalog.seed.record import FigureRecord, PriceRecord, Record

T = TypeVar("T")
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


def _history(entry: CatalogEntry, message: str, before: Any, after: Any) -> Change:
    return Change(entry=entry, by=SEED, message=message, before=before, after=after)


def _update(entry: CatalogEntry, record: Record, rows: list[Figure | Price]) -> None:
    """Bring one entry to `record`; values that change stay as superseded rows."""
    now = timezone.now()
    held = as_record(entry)
    stale = [name for name, one in held.figures.items() if record.figures.get(name) != one]
    entry.figures.filter(superseded_at=None, name__in=stale).update(superseded_at=now)
    rows += [
        figure_row(entry, one)
        for name, one in record.figures.items()
        if held.figures.get(name) != one
    ]
    gone = [price for price in held.prices if price not in record.prices]
    for price in gone:
        entry.prices.filter(
            superseded_at=None, series=price.series, price_date=price.price_date
        ).update(superseded_at=now)
    rows += [price_row(entry, price) for price in record.prices if price not in held.prices]
    for name, value in entry_fields(record).items():
        setattr(entry, name, value)
    entry.archived = False
    entry.save()


def _load_kind(kind: str, count: LoadCount) -> None:
    shared = CatalogEntry.objects.filter(organisation=None, kind=kind)
    held = {entry.key: entry for entry in with_current(shared)}
    fresh: list[CatalogEntry] = []
    rows: list[Figure | Price] = []
    history: list[Change] = []
    new_records: list[Record] = []
    for record in seed_records(kind):
        entry = held.pop(record.key, None)
        if entry is None:
            fresh.append(CatalogEntry(kind=kind, key=record.key, **entry_fields(record)))
            new_records.append(record)
            continue
        before, after = snapshot(as_record(entry)), snapshot(record)
        if as_record(entry) == record and not entry.archived:
            count.unchanged += 1
            continue
        _update(entry, record, rows)
        history.append(_history(entry, "Updated from the seed files", *difference(before, after)))
        count.changed += 1
    CatalogEntry.objects.bulk_create(fresh)
    for entry, record in zip(fresh, new_records, strict=True):
        rows += [figure_row(entry, one) for one in record.figures.values()]
        rows += [price_row(entry, one) for one in record.prices]
        history.append(_history(entry, "Loaded from the seed files", {}, {}))
    count.added += len(fresh)
    for entry in held.values():
        if not entry.archived:
            entry.archived = True
            entry.save()
            history.append(_history(entry, "No longer in the seed files", {}, {"archived": True}))
            count.archived += 1
    Figure.objects.bulk_create(_only(Figure, rows), batch_size=2000)
    Price.objects.bulk_create(_only(Price, rows), batch_size=2000)
    Change.objects.bulk_create(history, batch_size=2000)


def _only(wanted: type[T], rows: Iterable[Any]) -> list[T]:
    return [row for row in rows if isinstance(row, wanted)]


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
    return count

"""Writing own entries of the catalog; every change is in the history."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import PermissionDenied
from django.db import transaction

from accounts.models import Organisation, User
from hardware_catalog.catalog.entry_input import (
    EntryInput,
    PriceInput,
    entry_record,
    price_record,
)
from hardware_catalog.catalog.rows import bring_to, entry_fields, figure_row, price_row
from hardware_catalog.catalog.selectors import device_keys, own_copy_of
from hardware_catalog.models import CatalogEntry, Change, Figure, Price
from hardware_catalog.models.as_record import as_record, difference, snapshot
from hardware_catalog.seed.record import Record
from hardware_catalog.seed.specs import KindSpec
from tco.errors import InputError, InputErrors


@dataclass(frozen=True, slots=True)
class Author:
    """Who changes something: a person, or a token by its label."""

    label: str
    user: User | None = None

    @classmethod
    def of(cls, user: Any) -> Author:
        """Author of a signed-in person."""
        return cls(label=str(user)[:100], user=user)


def _write(entry: CatalogEntry, figures: list[Figure], prices: list[Price]) -> None:
    for row in (*figures, *prices):
        row.full_clean(exclude=["entry"], validate_constraints=False)
    Figure.objects.bulk_create(figures)
    Price.objects.bulk_create(prices)
    for cached in ("current_figures", "current_prices"):
        if hasattr(entry, cached):
            delattr(entry, cached)


def _remember(
    entry: CatalogEntry,
    author: Author,
    message: str,
    before: dict[str, Any],
    after: dict[str, Any],
) -> None:
    old, new = difference(before, after)
    Change.objects.create(
        entry=entry,
        who=author.user,
        by=author.label,
        message=message.strip()[:500],
        before=old,
        after=new,
    )


def _add(organisation: Organisation, record: Record) -> CatalogEntry:
    entry = CatalogEntry(
        kind=record.kind, key=record.key, organisation=organisation, **entry_fields(record)
    )
    entry.full_clean()
    entry.save()
    _write(
        entry,
        [figure_row(entry, one) for one in record.figures.values()],
        [price_row(entry, one) for one in record.prices],
    )
    return entry


@transaction.atomic
def entry_create(
    *,
    organisation: Organisation,
    spec: KindSpec,
    given: EntryInput,
    author: Author,
    message: str = "",
    key: str = "",
) -> CatalogEntry:
    """Add an own entry.

    Raises InputErrors if something cannot be used, or if the key is taken by another entry.
    """
    if not spec.may_be_own:
        error = InputError("kind", f"{spec.plural} cannot be added", "add them to a scenario")
        raise InputErrors((error,))
    record = entry_record(
        spec,
        given,
        base=None,
        device_keys=device_keys(organisation=organisation),
        key=key,
    )
    if not record.key:
        error = InputError("name", f"{record.name!r} has no letters", "use some letters or digits")
        raise InputErrors((error,))
    taken = CatalogEntry.objects.filter(kind=spec.kind, key=record.key)
    if taken.filter(organisation=organisation).exists():
        error = InputError(
            "name", f"your {spec.label.lower()} {record.key} exists", "edit it, or choose a name"
        )
        raise InputErrors((error,))
    if taken.filter(organisation=None, archived=False).exists():
        error = InputError(
            "name",
            f"the shared catalog has {record.key}",
            "edit that entry to make your own copy, or choose another name",
        )
        raise InputErrors((error,))
    entry = _add(organisation, record)
    _remember(entry, author, message or "Added", {}, snapshot(record))
    return entry


@transaction.atomic
def entry_revise(
    *,
    organisation: Organisation,
    entry: CatalogEntry,
    given: EntryInput,
    author: Author,
    message: str = "",
) -> CatalogEntry:
    """Change an own entry; a shared one gets an own copy, which shadows it, and is returned."""
    entry, before = _own_for_writing(organisation, entry)
    record = entry_record(
        entry.spec, given, base=before, device_keys=device_keys(organisation=organisation)
    )
    return _keep(organisation, entry, before, record, author, message or "Changed")


@transaction.atomic
def price_add(
    *,
    organisation: Organisation,
    entry: CatalogEntry,
    given: PriceInput,
    author: Author,
    message: str = "",
) -> CatalogEntry:
    """Add a dated price; one of the same series and date is superseded."""
    entry, before = _own_for_writing(organisation, entry)
    made, errors = price_record(entry.spec.price(given.series), given)
    if errors or made is None:
        raise InputErrors(tuple(errors))
    kept = [
        price
        for price in before.prices
        if (price.series, price.price_date) != (made.series, made.price_date)
    ]
    prices = sorted([*kept, made], key=lambda price: (price.series, price.price_date))
    record = dataclasses.replace(before, prices=tuple(prices))
    return _keep(organisation, entry, before, record, author, message or "Price added")


@transaction.atomic
def entry_archive(
    *, organisation: Organisation, entry: CatalogEntry, author: Author, archived: bool = True
) -> CatalogEntry:
    """Put an own entry away, or take it back; scenarios then no longer find it."""
    if entry.organisation_id != organisation.pk:
        raise PermissionDenied("A shared entry cannot be archived.")
    entry = CatalogEntry.objects.select_for_update().get(pk=entry.pk)
    if entry.archived != archived:
        entry.archived = archived
        entry.save()
        _remember(
            entry,
            author,
            "Archived" if archived else "Taken back",
            {"archived": not archived},
            {"archived": archived},
        )
    return entry


@transaction.atomic
def device_confirm(
    *, organisation: Organisation, entry: CatalogEntry, name: str, vendor: str, author: Author
) -> CatalogEntry:
    """Confirm an uploaded device, under the name that a person gives it."""
    if entry.organisation_id != organisation.pk:
        raise PermissionDenied("A shared entry needs no confirmation.")
    entry, before = _own_for_writing(organisation, entry)
    record = entry_record(
        entry.spec,
        EntryInput(name=name, vendor=vendor),
        base=before,
        device_keys=frozenset(),
    )
    record = dataclasses.replace(record, pending=False)
    return _keep(organisation, entry, before, record, author, "Confirmed")


def _own_for_writing(
    organisation: Organisation, entry: CatalogEntry
) -> tuple[CatalogEntry, Record]:
    """Return the entry to write to, locked, and its record.

    For a shared entry that is the own copy if there is one, else the shared one itself, of which
    `_keep` then makes the copy.
    """
    if entry.shared:
        own = own_copy_of(organisation=organisation, entry=entry)
        entry = own if own is not None and not own.archived else entry
    if not entry.shared:
        entry = CatalogEntry.objects.select_for_update().get(pk=entry.pk, organisation=organisation)
    return entry, as_record(entry)


def _keep(
    organisation: Organisation,
    entry: CatalogEntry,
    before: Record,
    record: Record,
    author: Author,
    message: str,
) -> CatalogEntry:
    if record == before:
        return entry  # nothing was changed: no copy, no history
    if entry.shared:
        archived = own_copy_of(organisation=organisation, entry=entry)
        if archived is None:
            own = _add(organisation, record)
        else:
            archived.archived = False
            _write(archived, *bring_to(archived, record))
            own = archived
        message = f"{message} (own copy of the shared entry)"
    else:
        _write(entry, *bring_to(entry, record))
        own = entry
    _remember(own, author, message, snapshot(before), snapshot(record))
    return own

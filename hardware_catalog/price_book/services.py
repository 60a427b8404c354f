"""Writing the price book: entries added whole, withdrawn, never changed."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import transaction
from django.utils import timezone

from accounts.models import Organisation, User
from hardware_catalog.models import Agreement
from hardware_catalog.price_book.selectors import agreements, known_keys
from tco.document.nearest import suggestion
from tco.document.price_book import AgreedPrice, entry_errors, read_price_book
from tco.errors import InputError, InputErrors

Keys = Mapping[str, Sequence[str]]


@dataclass(frozen=True, slots=True)
class Imported:
    """How many entries a table adds, and how many are there already."""

    added: int
    known: int


@transaction.atomic
def price_book_import(
    *,
    organisation: Organisation,
    text: str,
    by: User | None = None,
    by_name: str = "",
    dry_run: bool = False,
) -> Imported:
    """Take in a table; the same table again adds nothing.

    Raises
    ------
    tco.errors.InputErrors
        Every error of the table, keys that the catalog does not have, and entries that overlap
        with ones that are there. Nothing is taken in then.
    """
    entries = read_price_book(text)
    added, errors = _new(organisation, list(enumerate(entries, start=2)), "row {}, {}")
    if errors:
        raise InputErrors(tuple(errors))
    if not dry_run:
        for entry in added:
            _add(organisation, entry, by, by_name)
    return Imported(len(added), len(entries) - len(added))


@transaction.atomic
def agreement_add(
    *, organisation: Organisation, entry: AgreedPrice, by: User | None = None, by_name: str = ""
) -> Agreement:
    """Add one entry.

    Raises
    ------
    tco.errors.InputErrors
        What is wrong with it, by field.
    """
    wrong = list(entry_errors(entry))
    added, errors = _new(organisation, [(0, entry)], "{1}") if not wrong else ([], wrong)
    if not errors and not added:
        errors = [InputError("reference", "this entry is in the book already", "change it")]
    if errors:
        raise InputErrors(tuple(errors))
    return _add(organisation, entry, by, by_name)


@transaction.atomic
def agreement_withdraw(
    *, organisation: Organisation, pk: int, by: User | None = None, by_name: str = ""
) -> Agreement:
    """Take an entry out of use; it stays in the book, with who withdrew it and when.

    Raises
    ------
    Agreement.DoesNotExist
        The organisation has no such entry.
    """
    found = agreements(organisation=organisation).select_for_update().get(pk=pk)
    if found.withdrawn_at is None:
        found.withdrawn_at = timezone.now()
        found.withdrawn_by_name = _writer(by, by_name)
        found.save(update_fields=["withdrawn_at", "withdrawn_by_name"])
    return found


def _new(
    organisation: Organisation, entries: Iterable[tuple[int, AgreedPrice]], place: str
) -> tuple[list[AgreedPrice], list[InputError]]:
    """Entries that are not there yet, and what is wrong with them."""
    Organisation.objects.select_for_update().get(pk=organisation.pk)  # one writer at a time
    held = [row.agreed for row in agreements(organisation=organisation).filter(withdrawn_at=None)]
    keys = known_keys(organisation=organisation)
    added: list[AgreedPrice] = []
    errors: list[InputError] = []
    for number, entry in entries:
        if any(_same(entry, other) for other in held):
            continue
        errors += [
            InputError(place.format(number, error.field), error.message, error.mend)
            for error in (*_unknown(entry, keys), *_overlap(entry, held))
        ]
        added.append(entry)
    return added, errors


def _same(entry: AgreedPrice, other: AgreedPrice) -> bool:
    return dataclasses.astuple(entry) == dataclasses.astuple(other)


def _unknown(entry: AgreedPrice, keys: Keys) -> Iterable[InputError]:
    if entry.key not in keys[entry.kind]:
        mend = suggestion(entry.key, keys[entry.kind]) or "use its key in the catalog"
        yield InputError("key", f"the catalog has no {entry.kind} {entry.key[:60]!r}", mend)
    if entry.device and entry.device not in keys["device"]:
        mend = suggestion(entry.device, keys["device"]) or "use its key in the catalog"
        yield InputError("device", f"the catalog has no device {entry.device[:60]!r}", mend)


def _overlap(entry: AgreedPrice, held: Iterable[AgreedPrice]) -> Iterable[InputError]:
    for other in held:
        if entry.overlaps(other):
            yield InputError(
                "valid_from",
                f"overlaps with quote {other.reference} of {other.supplier}, {other.valid_from} to"
                f" {other.valid_to}",
                "withdraw that one, or change the days",
            )


def _add(
    organisation: Organisation, entry: AgreedPrice, by: User | None, by_name: str
) -> Agreement:
    given: dict[str, Any] = dataclasses.asdict(entry)
    row = Agreement(organisation=organisation, by=by, by_name=_writer(by, by_name), **given)
    row.full_clean()
    row.save()
    return row


def _writer(by: User | None, by_name: str) -> str:
    return ((str(by) if by is not None else by_name) or "API token")[:200]

"""Bills taken in: whole tables, once by reference."""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from accounts.models import User
from planner.models import ActualBill, Scenario
from tco.document.bills_csv import BillRow, read_bills
from tco.errors import InputError, InputErrors

FACTS = (
    *("month", "line", "fleet", "amount", "currency", "quantity", "planned_quantity", "rate"),
    "note",
)


@dataclass(frozen=True, slots=True)
class Imported:
    """How many bills a table added, and how many were there already."""

    added: int
    known: int


@transaction.atomic
def bills_import(
    *, scenario: Scenario, text: str, by: User | None = None, by_name: str = ""
) -> Imported:
    """Take in a table; the same table again adds nothing.

    Raises
    ------
    tco.errors.InputErrors
        Every error of the table, and every reference that stands for another bill already.
        Nothing is taken in then.
    """
    rows = read_bills(text)
    Scenario.objects.select_for_update().get(pk=scenario.pk)  # one table at a time
    stored = {bill.reference: bill for bill in ActualBill.objects.filter(scenario=scenario)}
    errors = []
    added = []
    writer = (str(by) if by is not None else by_name) or "API token"
    for row in rows:
        before = stored.get(row.reference)
        if before is None:
            added.append(_bill(scenario, row, by, writer))
        elif changed := [name for name in FACTS if getattr(before, name) != getattr(row, name)]:
            errors.append(
                InputError(
                    f"row {row.row}, {changed[0]}",
                    f"{row.reference!r} is stored with another {changed[0].replace('_', ' ')}:"
                    f" {getattr(before, changed[0])}",
                    "a stored bill stays; enter a credit or a correction under its own reference",
                )
            )
    if errors:
        raise InputErrors(tuple(errors))
    for bill in added:
        bill.full_clean()
    ActualBill.objects.bulk_create(added)
    return Imported(len(added), len(rows) - len(added))


def _bill(scenario: Scenario, row: BillRow, by: User | None, writer: str) -> ActualBill:
    return ActualBill(
        organisation=scenario.organisation,
        scenario=scenario,
        reference=row.reference,
        by=by,
        by_name=writer[:200],
        **{name: getattr(row, name) for name in FACTS},
    )

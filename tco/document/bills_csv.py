"""Bills out of a table: month, line, amount, currency, reference."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal

from tco.document.money_csv import Column, read_table
from tco.errors import InputError, InputErrors

SMALLEST_RATE, LARGEST_RATE = Decimal("0.000001"), Decimal(1_000_000)
COLUMNS = (
    Column("month", "month", required=True),
    Column("line", required=True),
    Column("fleet"),
    Column("amount", "number", required=True),
    Column("currency", "currency", required=True),
    Column("reference", required=True),
    Column("quantity", "number", minimum=Decimal(0)),
    Column("planned_quantity", "number", minimum=Decimal(0)),
    Column("rate", "number", minimum=SMALLEST_RATE, maximum=LARGEST_RATE),
    Column("note"),
)


@dataclass(frozen=True, slots=True)
class BillRow:
    """One bill as the table gives it; months stay calendar months."""

    row: int
    month: str
    line: str
    amount: Decimal
    currency: str
    reference: str
    fleet: str = ""
    quantity: Decimal | None = None
    planned_quantity: Decimal | None = None
    rate: Decimal | None = None
    note: str = ""

    @property
    def facts(self) -> tuple[object, ...]:
        """All but the row: two bills of one reference must agree in it."""
        return (
            *(self.month, self.line, self.amount, self.currency, self.reference, self.fleet),
            *(self.quantity, self.planned_quantity, self.rate, self.note),
        )


def read_bills(text: str) -> tuple[BillRow, ...]:
    """Return the bills of a table; a row that repeats another one whole is taken once.

    Raises
    ------
    InputErrors
        All errors, by row and column; a reference that stands on two different bills.

    Examples
    --------
    >>> read_bills("month,line,amount,currency,reference\\n2026-12,staff,10.5,EUR,A1")[0].amount
    Decimal('10.5')
    """
    errors: list[InputError] = []
    found: dict[str, BillRow] = {}
    for given in read_table(text, COLUMNS):
        bill = _bill(given)
        before = found.get(bill.reference)
        if before is not None and before.facts != bill.facts:
            message = f"{bill.reference!r} stands in row {before.row} with other content"
            mend = "give each bill its own reference"
            errors.append(InputError(f"row {bill.row}, reference", message, mend))
        if (bill.quantity is None) != (bill.planned_quantity is None):
            name = "quantity" if bill.quantity is None else "planned_quantity"
            message, mend = "is empty beside the other quantity", "give both, or neither"
            errors.append(InputError(f"row {bill.row}, {name}", message, mend))
        found.setdefault(bill.reference, bill)
    if errors:
        raise InputErrors(tuple(errors))
    return tuple(found.values())


def _bill(given: Mapping[str, object]) -> BillRow:
    values = {name: value for name, value in given.items() if value is not None}
    return BillRow(**values)  # type: ignore[arg-type]  # columns and fields have the same names

"""Prices agreed with suppliers: a table of them, and the one that holds on a day (F6, F13.1).

What a scenario says itself comes first, then the price book, then the catalog's list price. An
entry holds from its first to its last day; entries of one thing may not overlap.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from tco.document.money_csv import Column, read_table
from tco.errors import InputError, InputErrors
from tco.inputs import BASE, CURRENCIES, Agreed, Figure, Foreign, Status, weakest

CODES = tuple(CURRENCIES)
KINDS = {"server": "USD/server", "offer": "USD/h"}
COMMITMENTS = ("on_demand", "reserved_1y", "reserved_3y", "spot")
_LARGEST = Decimal(100_000_000)
COLUMNS = (
    Column("kind", required=True),
    Column("key", required=True),
    Column("device"),
    Column("commitment"),
    Column("price", "number", minimum=Decimal("0.0001"), maximum=_LARGEST),
    Column("currency", "currency"),
    Column("discount_fraction", "number", minimum=Decimal("0.0001"), maximum=Decimal(1)),
    Column("supplier", required=True),
    Column("reference", required=True),
    Column("valid_from", "date", required=True),
    Column("valid_to", "date", required=True),
    Column("minimum_quantity", "count", minimum=Decimal(1)),
    Column("note"),
)
NAMES = tuple(column.name for column in COLUMNS)


@dataclass(frozen=True, slots=True)
class AgreedPrice:
    """One entry of a price book.

    Parameters
    ----------
    kind, key
        ``server`` or ``offer``, and its key in the catalog.
    device, commitment
        Of a server: the device in its slots, empty: any. Of an offer: what is committed.
    price, discount_fraction
        One of the two: net per server or per instance-hour in `currency`, or off the list price.
    valid_from, valid_to
        First and last day, ISO.
    """

    kind: str
    key: str
    supplier: str
    reference: str
    valid_from: str
    valid_to: str
    price: Decimal | None = None
    currency: str = BASE
    discount_fraction: Decimal | None = None
    device: str = ""
    commitment: str = ""
    minimum_quantity: int | None = None
    note: str = ""

    @property
    def thing(self) -> tuple[str, str, str, str]:
        """What it is a price of: entries of one thing may not overlap."""
        return self.kind, self.key, self.device, self.commitment

    def holds(self, day: str) -> bool:
        """Whether it holds on a day."""
        return self.valid_from <= day <= self.valid_to

    def overlaps(self, other: AgreedPrice) -> bool:
        """Whether both are prices of one thing on one day."""
        days = self.valid_from <= other.valid_to and other.valid_from <= self.valid_to
        return days and self.thing == other.thing

    @property
    def words(self) -> str:
        """Where a figure of it comes from."""
        return (
            f"price book: quote {self.reference} of {self.supplier}, {self.valid_from} to"
            f" {self.valid_to}"
        )


def read_price_book(text: str) -> tuple[AgreedPrice, ...]:
    """Return the entries of a table.

    Raises
    ------
    InputErrors
        All errors, by row and column: a price and a discount at once or neither, a last day
        before the first, entries of one thing that overlap.

    Examples
    --------
    >>> table = ("kind,key,price,currency,supplier,reference,valid_from,valid_to\\n"
    ...          "server,hgx-h100,250000,EUR,Acme,Q-1,2026-10-01,2026-12-31")
    >>> read_price_book(table)[0].words
    'price book: quote Q-1 of Acme, 2026-10-01 to 2026-12-31'
    """
    errors: list[InputError] = []
    found: list[tuple[int, AgreedPrice]] = []
    for row in read_table(text, COLUMNS):
        given = {name: value for name, value in row.items() if name != "row" and value is not None}
        entry = AgreedPrice(**{**given, **_defaults(given)})
        wrong = list(entry_errors(entry))
        errors += [_at(row["row"], error) for error in wrong]
        for number, other in found:
            if entry.overlaps(other):
                mend = "end one before the other begins"
                message = f"overlaps with row {number}, quote {other.reference}"
                errors.append(InputError(f"row {row['row']}, valid_from", message, mend))
        if not wrong:
            found.append((row["row"], entry))
    if errors:
        raise InputErrors(tuple(errors))
    return tuple(entry for _, entry in found)


def _at(row: int, error: InputError) -> InputError:
    return InputError(f"row {row}, {error.field}", error.message, error.mend)


def _defaults(given: Mapping[str, Any]) -> dict[str, Any]:
    if given["kind"] == "offer" and "commitment" not in given:
        return {"commitment": COMMITMENTS[0]}
    return {}


def entry_errors(entry: AgreedPrice) -> Iterable[InputError]:
    """Yield what is wrong with one entry by itself, by field."""
    if entry.kind not in KINDS:
        yield InputError("kind", f"{entry.kind!r} has no prices here", "use server or offer")
    if (entry.price is None) == (entry.discount_fraction is None):
        both = "stands beside a discount" if entry.price is not None else "is empty"
        mend = "give a price, or a discount off the list price"
        yield InputError("price", both, mend)
    if entry.discount_fraction is not None and entry.discount_fraction >= 1:
        message = f"{entry.discount_fraction} leaves nothing to pay"
        yield InputError("discount_fraction", message, "enter less than 1")
    if entry.valid_to < entry.valid_from:
        message = f"{entry.valid_to} is before {entry.valid_from}"
        yield InputError("valid_to", message, "enter the last day on which it holds")
    if entry.kind == "offer" and entry.device:
        yield InputError("device", "an offer has its own device", "leave it empty")
    if entry.kind == "offer" and entry.commitment not in COMMITMENTS:
        message = f"{entry.commitment!r} is no commitment"
        yield InputError("commitment", message, f"use one of {', '.join(COMMITMENTS)}")
    if entry.kind == "server" and entry.commitment:
        yield InputError("commitment", "a server is bought", "leave it empty")


def agreed_price(
    book: Sequence[AgreedPrice],
    *,
    kind: str,
    key: str,
    detail: str,
    listed: Figure | None,
    day: str,
    own_terms: bool = False,
) -> tuple[Figure | None, Agreed | None]:
    """Return the agreed price that holds on a day, and which entry speaks of the machine.

    Parameters
    ----------
    detail
        The device of a server, the commitment of an offer.
    listed
        List price of the catalog, off which a discount goes.
    own_terms
        The scenario gives a discount of its own: the book is named and not used.

    Raises
    ------
    InputError
        A discount off a list price that the catalog does not have.
    """
    ours = [entry for entry in book if (entry.kind, entry.key) == (kind, key)]
    if kind == "server":
        exact = [entry for entry in ours if entry.device == detail]
        ours = exact or [entry for entry in ours if not entry.device]
    else:
        ours = [entry for entry in ours if entry.commitment == detail]
    if not ours:
        return None, None
    holding = next((entry for entry in ours if entry.holds(day)), None)
    what = "server" if kind == "server" else "instance"
    if holding is None:
        past = [entry for entry in ours if entry.valid_to < day]
        near = (
            max(past, key=lambda entry: entry.valid_to)
            if past
            else min(ours, key=lambda entry: entry.valid_from)
        )
        return None, _told(near, "ended" if past else "later", what)
    if own_terms:
        return None, _told(holding, "own_terms", what)
    return _figure(holding, listed), _told(holding, "used", what)


def _told(entry: AgreedPrice, state: str, what: str) -> Agreed:
    return Agreed(
        state,
        entry.reference,
        entry.supplier,
        entry.valid_from,
        entry.valid_to,
        what,
        entry.minimum_quantity,
    )


def _figure(entry: AgreedPrice, listed: Figure | None) -> Figure:
    if entry.price is not None:
        value = float(entry.price)
        return Figure(
            value=value,
            unit=KINDS[entry.kind],
            status=Status.PUBLISHED,
            source=entry.words,
            as_of=entry.valid_from,
            foreign=None if entry.currency == BASE else Foreign(entry.currency, value),
        )
    assert entry.discount_fraction is not None
    if listed is None:
        raise InputError(
            entry.key,
            f"the {entry.words} takes {entry.discount_fraction:.1%} off a list price that the"
            " catalog does not have",
            "enter a price in the book, or the price in the scenario",
        )
    left = 1.0 - float(entry.discount_fraction)
    low, high = (None if end is None else end * left for end in (listed.low, listed.high))
    return dataclasses.replace(
        listed,
        value=listed.value * left,
        low=low,
        high=high,
        samples=tuple(sample * left for sample in listed.samples),
        status=weakest([listed.status, Status.PUBLISHED]),
        source=f"{entry.discount_fraction:.1%} off ({listed.source}); {entry.words}",
    )

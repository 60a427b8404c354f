"""Quotes and their bill of materials out of tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any

from tco.cost.quotes import Needed, Quote, Quoted
from tco.document.money_csv import Column, read_table
from tco.errors import InputError, InputErrors

_LEAST = Decimal("0.0001")
QUOTE = (
    Column("vendor"),
    Column("item", required=True),
    Column("quantity", "number", required=True, minimum=_LEAST),
    Column("unit_price", "number", minimum=Decimal(0)),
    Column("currency", "currency"),
    Column("included"),
    Column("valid_until", "date"),
    Column("note"),
)
SCOPE = (
    Column("item", required=True),
    Column("quantity", "number", required=True, minimum=_LEAST),
    Column("catalog_unit_price", "number", minimum=Decimal(0)),
    Column("source"),
)
_YES = frozenset({"yes", "true", "1", "included", "y"})
_NO = frozenset({"no", "false", "0", "n", ""})
RateOf = Callable[[str], float]


def read_quotes(tables: Sequence[tuple[str, str]], rate_of: RateOf) -> tuple[Quote, ...]:
    """Return the quotes of tables, each a name and its text.

    A table holds one vendor's quote, named by the table, or several with a column ``vendor``.
    `rate_of` gives the unit of account for one of a currency.

    Raises
    ------
    InputErrors
        Every error of every table, with table, row and column.

    Examples
    --------
    >>> table = "item,quantity,unit_price\\nservers,2,100"
    >>> read_quotes([("acme", table)], lambda code: 1.0)[0].vendor
    'acme'
    """
    errors: list[InputError] = []
    found: list[Quote] = []
    for name, text in tables:
        try:
            rows = read_table(text, QUOTE)
        except InputErrors as error:
            errors += [_of(name, one) for one in error.errors]
            continue
        errors += [_of(name, one) for row in rows for one in _row_errors(row)]
        for vendor in dict.fromkeys(row["vendor"] or name for row in rows):
            own = [row for row in rows if (row["vendor"] or name) == vendor]
            quote = _quote(name, vendor, own, rate_of, errors)
            if quote is not None:
                found.append(quote)
    if errors:
        raise InputErrors(tuple(errors))
    return tuple(found)


def _of(name: str, error: InputError) -> InputError:
    return InputError(f"{name}: {error.field}", error.message, error.mend)


def _row_errors(row: dict[str, Any]) -> list[InputError]:
    said = (row["included"] or "").casefold()
    place = f"row {row['row']}"
    if said not in _YES | _NO:
        return [
            InputError(f"{place}, included", f"{said!r} is neither yes nor no", "write yes or no")
        ]
    if said in _YES:
        return []
    if row["unit_price"] is None:
        mend = "enter it, or yes under included"
        return [InputError(f"{place}, unit_price", "is empty", mend)]
    if row["unit_price"] == 0:
        mend = "write yes under included if nothing is asked for it"
        return [InputError(f"{place}, unit_price", "0 is no price", mend)]
    return []


def _quote(
    name: str,
    vendor: str,
    rows: Sequence[dict[str, Any]],
    rate_of: RateOf,
    errors: list[InputError],
) -> Quote | None:
    codes = sorted({row["currency"] or "USD" for row in rows})
    if len(codes) > 1:
        mend = "quote one vendor in one currency"
        errors.append(InputError(f"{name}: {vendor}", f"is in {' and '.join(codes)}", mend))
        return None
    try:
        rate = Fraction(rate_of(codes[0]))
    except KeyError:
        message = f"{codes[0]} has no exchange rate"
        errors.append(InputError(f"{name}: {vendor}", message, "give its rate with the quotes"))
        return None
    dates = [row["valid_until"] for row in rows if row["valid_until"]]
    lines = tuple(
        Quoted(
            row["item"].casefold().replace(" ", "_"),
            row["quantity"],
            None if (row["included"] or "").casefold() in _YES else row["unit_price"],
        )
        for row in rows
    )
    return Quote(vendor, codes[0], lines, rate, min(dates, default=""))


def read_scope(text: str) -> tuple[Needed, ...]:
    """Return a bill of materials; prices of the catalog are in the unit of account.

    Raises
    ------
    InputErrors
        Every error by row and column; an item that stands twice.
    """
    rows = read_table(text, SCOPE)
    found: dict[str, Needed] = {}
    errors = []
    for row in rows:
        item = row["item"].casefold().replace(" ", "_")
        if item in found:
            errors.append(
                InputError(f"row {row['row']}, item", f"{item!r} stands twice", "join them")
            )
        price = row["catalog_unit_price"] or None
        found[item] = Needed(item, row["quantity"], price, row["source"] or "")
    if errors:
        raise InputErrors(tuple(errors))
    return tuple(found.values())


def scope_of(quotes: Sequence[Quote]) -> tuple[Needed, ...]:
    """Return the widest scope of some quotes: every item, at the largest quantity quoted."""
    most: dict[str, Decimal] = {}
    for quote in quotes:
        for line in quote.lines:
            most[line.item] = max(line.quantity, most.get(line.item, line.quantity))
    return tuple(Needed(item, quantity) for item, quantity in most.items())

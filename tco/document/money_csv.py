"""Tables of money as finance exports them: all errors at once, with row and column.

UTF-8 with or without a mark, any line ends; comma, semicolon or tab between the columns; a decimal
point, or a decimal comma where commas do not part the columns. Nothing is taken from a table that
has an error.
"""

from __future__ import annotations

import csv
import datetime as dt
import io
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Any

from tco.document.nearest import suggestion
from tco.document.parse import UNREADABLE
from tco.errors import InputError, InputErrors
from tco.inputs import CURRENCIES

MOST_ROWS = 20_000
MOST_CHARACTERS = 5_000_000
LONGEST_TEXT = 200
LARGEST = Decimal(10) ** 12
_MONTH = re.compile(r"\d{4}-(0[1-9]|1[0-2])")
_GROUPS_POINT = re.compile(r"-?\d{1,3}(\.\d{3})+")
_GROUPS_COMMA = re.compile(r"-?\d{1,3}(,\d{3})+")

Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Column:
    """One column: its name, what its cells hold, whether each row needs it.

    `kind` is ``text``, ``number`` (a `Decimal`), ``count``, ``month`` (``2026-12``), ``date`` or
    ``currency``. Limits are those of a number.
    """

    name: str
    kind: str = "text"
    required: bool = False
    minimum: Decimal | None = None
    maximum: Decimal | None = None
    unit: str = ""


def read_table(text: str, columns: Sequence[Column]) -> list[Row]:
    """Return the rows of a table; an empty cell is None. The key ``row`` is the line number.

    Raises
    ------
    InputErrors
        Every error of the table: a column that is unknown, missing or stands twice, and each cell
        that cannot be read, as ``row 3, amount``.

    Examples
    --------
    >>> read_table("month;amount\\n2026-12;1.234,50",
    ...            [Column("month", "month"), Column("amount", "number")])
    [{'row': 2, 'month': '2026-12', 'amount': Decimal('1234.50')}]
    """
    if len(text) > MOST_CHARACTERS:
        raise _refused("table", f"{len(text):,} characters are too many", "split the file")
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    if not text.strip():
        raise _refused("table", "the table is empty", f"start with {_names(columns)}")
    between = _delimiter(text)
    try:
        lines = list(csv.reader(io.StringIO(text), delimiter=between, strict=True))
    except csv.Error as error:
        raise _refused("table", f"cannot be read: {error}", "close every quote") from None
    filled = [
        (number, line) for number, line in enumerate(lines, 1) if any(c.strip() for c in line)
    ]
    if len(filled) - 1 > MOST_ROWS:
        raise _refused("table", f"{len(filled) - 1:,} rows are too many", f"send {MOST_ROWS:,}")
    head = [cell.strip().casefold().replace(" ", "_") for cell in filled[0][1]]
    errors = _head_errors(head, columns)
    if errors:
        raise InputErrors(tuple(errors))
    if len(filled) == 1:
        raise _refused("table", "the table has no rows below its head", "add one row or more")
    known = {column.name: column for column in columns}
    rows = []
    for number, line in filled[1:]:
        if len([cell for cell in line[len(head) :] if cell.strip()]):
            message = f"has {len(line)} cells, the head has {len(head)}"
            errors.append(
                InputError(f"row {number}", message, "put quotes around a cell with commas")
            )
            continue
        given = dict(zip(head, line, strict=False))
        rows.append(_row(number, given, known, between, errors))
    if errors:
        raise InputErrors(tuple(errors))
    return rows


def _row(
    number: int,
    given: Mapping[str, str],
    known: Mapping[str, Column],
    between: str,
    errors: list[InputError],
) -> Row:
    row: Row = {"row": number}
    for column in known.values():
        cell = given.get(column.name, "").strip()
        place = f"row {number}, {column.name}"
        row[column.name] = None
        if not cell:
            if column.required:
                errors.append(InputError(place, "is empty", f"enter {_wanted(column)}"))
            continue
        try:
            row[column.name] = _cell(cell, column, between)
        except ValueError as error:
            errors.append(InputError(place, *error.args))
    return row


def _cell(cell: str, column: Column, between: str) -> Any:
    shown = repr(cell if len(cell) <= 40 else cell[:37] + "...")
    if column.kind == "text":
        if len(cell) > LONGEST_TEXT:
            raise ValueError(
                f"{len(cell)} characters are too many", f"enter {LONGEST_TEXT} or fewer"
            )
        if UNREADABLE.search(cell):
            raise ValueError("the text holds characters nobody can read", "type it again")
        return cell
    if column.kind == "currency":
        code = cell.upper()
        if code not in CURRENCIES:
            near = suggestion(code, CURRENCIES)
            raise ValueError(f"{shown} is no currency known here", near or "use a code such as EUR")
        return code
    if column.kind == "month":
        if not _MONTH.fullmatch(cell):
            raise ValueError(f"{shown} is not a month", "write year-month, such as 2026-12")
        return cell
    if column.kind == "date":
        try:
            return dt.date.fromisoformat(cell).isoformat()
        except ValueError:
            mend = "write year-month-day, such as 2026-12-01"
            raise ValueError(f"{shown} is not a date", mend) from None
    return _number(cell, shown, column, between)


def _number(cell: str, shown: str, column: Column, between: str) -> Decimal | int:
    found = decimal_of(cell, comma=between != ",")
    unit = f" {column.unit}" if column.unit else ""
    if column.minimum is not None and found < column.minimum:
        raise ValueError(
            f"{shown} is below {column.minimum}{unit}", f"enter {column.minimum} or more"
        )
    most = LARGEST if column.maximum is None else column.maximum
    if abs(found) > most:
        mend = f"enter {most} or less"
        if column.maximum == 1 and found <= 100:
            mend = f"a fraction is not a percentage: write {found / 100} for {found} %"
        raise ValueError(f"{shown} is above {most}{unit}", mend)
    if column.kind == "count":
        if found != int(found):
            raise ValueError(f"{shown} is not a whole number", "enter a whole number")
        return int(found)
    return found


def decimal_of(cell: str, *, comma: bool) -> Decimal:
    """Return a number as finance writes it; `comma`: a comma may be the decimal sign.

    Raises
    ------
    ValueError
        With two arguments, what is wrong and the mend: no number, or one that reads in two ways.

    Examples
    --------
    >>> decimal_of("1.234.567,80", comma=True), decimal_of("1,234.5", comma=False)
    (Decimal('1234567.80'), Decimal('1234.5'))
    >>> decimal_of("12,5", comma=True)
    Decimal('12.5')
    """
    shown = repr(cell if len(cell) <= 40 else cell[:37] + "...")
    text = re.sub(r"[\s\u00a0\u202f'’]", "", cell)
    both = "," in text and "." in text
    if both:
        last = max(text.rfind(","), text.rfind("."))
        group = "," if text[last] == "." else "."
        whole = text[:last]
        pattern = _GROUPS_COMMA if group == "," else _GROUPS_POINT
        if not pattern.fullmatch(whole):
            raise ValueError(f"{shown} is not a number", "write 1234.56")
        text = whole.replace(group, "") + "." + text[last + 1 :]
    elif "," in text:
        text = _with_comma(text, shown, comma)
    elif comma and _GROUPS_POINT.fullmatch(text):
        if text.count(".") == 1:
            plain = text.replace(".", "")
            raise ValueError(
                f"{shown} reads in two ways beside decimal commas", f"write {plain} or {text}0"
            )
        text = text.replace(".", "")
    try:
        found = Decimal(text)
    except InvalidOperation:
        raise ValueError(f"{shown} is not a number", "write a number such as 1234.56") from None
    if not found.is_finite():
        raise ValueError(f"{shown} is not a finite number", "write a number such as 1234.56")
    return found


def _with_comma(text: str, shown: str, comma: bool) -> str:
    if text.count(",") > 1 or not comma:
        if not _GROUPS_COMMA.fullmatch(text):
            mend = "write a decimal point, 12.5, or part the columns by semicolons"
            raise ValueError(f"{shown} is not a number", mend)
        return text.replace(",", "")
    return text.replace(",", ".")


def _delimiter(text: str) -> str:
    """What parts the columns: whichever of semicolon, tab and comma the head holds most."""
    head = text.split("\n", 1)[0]
    return max((";", "\t", ","), key=head.count)


def _head_errors(head: Sequence[str], columns: Sequence[Column]) -> list[InputError]:
    names = [column.name for column in columns]
    errors = [
        InputError(
            f"column {name[:40]!r}", "is not known", suggestion(name, names) or _names(columns)
        )
        for name in head
        if name and name not in names
    ]
    errors += [
        InputError(f"column {name!r}", "stands twice", "keep one of them")
        for name in dict.fromkeys(head)
        if name and head.count(name) > 1
    ]
    errors += [
        InputError(f"column {column.name!r}", "is missing", f"the table has {_names(columns)}")
        for column in columns
        if column.required and column.name not in head
    ]
    return errors


def _names(columns: Sequence[Column]) -> str:
    return ", ".join(column.name for column in columns)


def _wanted(column: Column) -> str:
    words = {"month": "a month", "date": "a date", "currency": "a currency code", "text": "a text"}
    return words.get(column.kind, "a number")


def _refused(field: str, message: str, mend: str) -> InputErrors:
    return InputErrors((InputError(field, message, mend),))

"""All that is wrong with a document, at once: path, value and mend of every error."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable, Mapping
from typing import Any

from tco.document.currency import broken_currencies
from tco.document.nearest import suggestion
from tco.document.parse import DOCUMENT, path_to, scalar_errors
from tco.document.quantity import currency_in
from tco.document.rules import broken_rules
from tco.document.values import number, plain_number, range_ends, shown
from tco.errors import InputError
from tco.fields import Field, section
from tco.inputs import BASE

KEY = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,99}\Z", re.ASCII)
DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z", re.ASCII)
LONGEST_TEXT = 4000
HOURS = 24
MONTHS = 12
YEAR_LENGTHS = (8_760, 35_040)  # hours, quarter-hours
MOST_ERRORS = 10  # of one series: the rest says the same
MOST_SAMPLES = 10_000


def validate(document: Mapping[str, Any]) -> tuple[InputError, ...]:
    """Return every error of a document, without a catalog; empty where it is good.

    Each error has the path as written (``options[0].fleets[1].server``), the value and the mend.
    Names of the catalog are not looked up here, see `resolve`.

    Examples
    --------
    >>> errors = validate({"schema": "tco-scenario/1", "nam": "x"})
    >>> str(errors[0])
    "nam: unknown key; did you mean 'name'?"
    """
    if not isinstance(document, Mapping):
        return (InputError(DOCUMENT, f"{shown(document)} is not a mapping", "see the examples"),)
    beyond = tuple(scalar_errors(document))
    if beyond:  # nothing may compute with such numbers
        return beyond
    found: list[InputError] = []
    _check_section(found, "scenario", document, "")
    found.extend(broken_rules(document))
    found.extend(broken_currencies(document))
    unique = {(error.field, error.message): error for error in found}
    return tuple(unique.values())


def _check_section(found: list[InputError], name: str, value: Any, path: str) -> None:
    if not isinstance(value, Mapping):
        article = f"enter the fields of {path or name}, each on its own line"
        found.append(InputError(path, f"{shown(value)} is not a mapping", article))
        return
    fields = section(name)
    for key in value:
        if key not in fields:
            mend = suggestion(str(key), fields) or "leave it out"
            found.append(InputError(path_to(path, str(key)), "unknown key", mend))
    for field in fields.values():
        place = path_to(path, field.name)
        if field.name not in value:
            if field.required:
                found.append(InputError(place, "is missing", _asks(field)))
        elif value[field.name] is None:
            found.append(InputError(place, "is empty", "enter a value, or leave the line out"))
        else:
            _CHECKS[field.kind](found, field, value[field.name], place)


def _asks(field: Field) -> str:
    words = f" ({', '.join(field.choices)})" if field.choices else ""
    unit = f" in {field.unit}" if field.unit else ""
    return f"enter {field.label[0].lower()}{field.label[1:]}{unit}{words}"


def _check_text(found: list[InputError], field: Field, value: Any, place: str) -> None:
    if not isinstance(value, str):
        mend = "put it in quotes" if isinstance(value, (int, float)) else "enter text"
        found.append(InputError(place, f"{shown(value)} is not text", mend))
    elif not value.strip():
        found.append(InputError(place, "is empty", _asks(field)))
    elif len(value) > LONGEST_TEXT:
        found.append(
            InputError(
                place,
                f"{len(value):,} characters are too many",
                f"enter {LONGEST_TEXT:,} or fewer",
            )
        )


def _check_key(found: list[InputError], field: Field, value: Any, place: str) -> None:
    before = len(found)
    _check_text(found, field, value, place)
    if len(found) == before and not KEY.match(value):
        mend = "use up to 100 letters, digits, '.', '_' and '-', a letter or digit first"
        found.append(InputError(place, f"{shown(value)} is not a short name", mend))


def _check_date(found: list[InputError], field: Field, value: Any, place: str) -> None:
    good = isinstance(value, str) and DATE.match(value) is not None
    if good:
        try:
            dt.date.fromisoformat(value)
        except ValueError:
            good = False
    if not good:
        message = f"{shown(value)} is not a date"
        found.append(InputError(place, message, "write year-month-day, such as 2026-12-01"))


def _check_boolean(found: list[InputError], field: Field, value: Any, place: str) -> None:
    if not isinstance(value, bool):
        found.append(InputError(place, f"{shown(value)} is neither true nor false", "enter one"))


def _check_integer(found: list[InputError], field: Field, value: Any, place: str) -> None:
    whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
    if isinstance(value, bool) or not whole:
        found.append(
            InputError(place, f"{shown(value)} is not a whole number", "enter a whole number")
        )
    else:
        _check_limits(found, field, value, float(value), place)


def _check_number(found: list[InputError], field: Field, value: Any, place: str) -> None:
    try:
        size = number(value, field.unit)
    except ValueError as error:
        found.append(InputError(place, *error.args))
    else:
        _check_limits(found, field, value, size, place)


def _check_limits(
    found: list[InputError], field: Field, value: Any, size: float, place: str
) -> None:
    low, high = field.minimum, field.maximum
    if isinstance(value, str) and currency_in(value) not in ("", BASE):
        high = None  # a limit in dollars: held against the price once it is converted
    bare = field.unit in {"", "ratio", "1", "device", "server"} or field.unit.startswith("fraction")
    unit = "" if bare else f" {field.unit}"
    written = value if isinstance(value, str) else f"{plain_number(size)}{unit}"
    if low is not None and size < low:
        mend = f"enter {plain_number(low)}{unit} or more"
        _, _, left_out = field.description.partition("Left out: ")
        if left_out:
            mend += f", or leave it out: {left_out.rstrip('.')}"
        found.append(InputError(place, f"{written} is below {plain_number(low)}{unit}", mend))
    elif high is not None and size > high:
        mend = f"enter {plain_number(high)}{unit} or less"
        if field.unit.startswith("fraction") and size <= 100:
            share = plain_number(round(size / 100, 12))
            mend = f"a fraction is not a percentage: write {share} for {plain_number(size)} %"
        found.append(InputError(place, f"{written} is above {plain_number(high)}{unit}", mend))


def _check_figure(found: list[InputError], field: Field, value: Any, place: str) -> None:
    ends = range_ends(value)
    if ends is not None:
        _check_range(found, field, ends, place)
        return
    if not isinstance(value, Mapping):
        _check_number(found, field, value, place)
        return
    before = len(found)
    parts = section("figure")
    for key in value:
        if key not in parts:
            mend = suggestion(str(key), parts)
            found.append(InputError(path_to(place, str(key)), "unknown key", mend))
    for name, part in parts.items():
        inner = path_to(place, name)
        if name not in value:
            if part.required:
                unit = f" in {field.unit}" if field.unit else ""
                found.append(InputError(inner, "is missing", f"enter the number{unit}"))
        elif value[name] is None:
            found.append(InputError(inner, "is empty", "enter a value, or leave the line out"))
        elif part.kind == "number":
            _check_number(found, field, value[name], inner)
        elif part.kind == "numbers":
            _check_samples(found, field, value[name], inner)
        else:
            _CHECKS[part.kind](found, part, value[name], inner)
    if len(found) == before:
        _check_order(found, field, value, place)


def _check_samples(found: list[InputError], field: Field, value: Any, place: str) -> None:
    if not isinstance(value, list) or not 2 <= len(value) <= MOST_SAMPLES:
        message = (
            f"{len(value)} samples" if isinstance(value, list) else f"{shown(value)} is no list"
        )
        found.append(InputError(place, message, f"list 2 to {MOST_SAMPLES:,} numbers"))
        return
    for index, item in enumerate(value):
        _check_number(found, field, item, f"{place}[{index}]")


def _check_range(
    found: list[InputError], field: Field, ends: tuple[float | str, float | str], place: str
) -> None:
    before = len(found)
    for end in ends:
        _check_number(found, field, end, place)
    if len(found) == before:
        low, high = (number(end, field.unit) for end in ends)
        if low > high:
            message = f"{shown(ends[0])} to {shown(ends[1])} runs backwards"
            found.append(InputError(place, message, f"write {shown(ends[1])} to {shown(ends[0])}"))


def _check_order(
    found: list[InputError], field: Field, value: Mapping[str, Any], place: str
) -> None:
    middle = number(value["value"], field.unit)
    for end, wrong in (("low", 1), ("high", -1)):
        if end in value and (number(value[end], field.unit) - middle) * wrong > 0:
            side = "above" if end == "low" else "below"
            message = f"{shown(value[end])} is {side} the value {shown(value['value'])}"
            found.append(InputError(path_to(place, end), message, "enter low <= value <= high"))


def _check_choice(found: list[InputError], field: Field, value: Any, place: str) -> None:
    written = str(value) if isinstance(value, (str, int)) and not isinstance(value, bool) else None
    if written not in field.choices:
        mend = f"use {' or '.join(field.choices)}" if len(field.choices) < 4 else ""
        near = suggestion(written or "", field.choices)
        found.append(
            InputError(place, f"{shown(value)} is not known", mend or near or _asks(field))
        )


def _check_list(found: list[InputError], value: Any, place: str) -> list[tuple[Any, str]]:
    if not isinstance(value, list):
        found.append(InputError(place, f"{shown(value)} is not a list", "write [a, b], or - a"))
        return []
    return [(item, path_to(place, index)) for index, item in enumerate(value)]


def _check_choices(found: list[InputError], field: Field, value: Any, place: str) -> None:
    for item, inner in _check_list(found, value, place):
        _check_choice(found, field, item, inner)


def _check_texts(found: list[InputError], field: Field, value: Any, place: str) -> None:
    for item, inner in _check_list(found, value, place):
        _check_text(found, field, item, inner)


def _check_hours(found: list[InputError], field: Field, value: Any, place: str) -> None:
    members = _check_list(found, value, place)
    if isinstance(value, list) and len(members) != HOURS:
        message = f"{len(members)} numbers do not make a day"
        found.append(InputError(place, message, f"enter {HOURS}, one an hour from midnight"))
    for item, inner in members:
        _check_number(found, field, item, inner)


def _check_months(found: list[InputError], field: Field, value: Any, place: str) -> None:
    members = _check_list(found, value, place)
    if isinstance(value, list) and len(members) != MONTHS:
        message = f"{len(members)} numbers do not make a year"
        found.append(InputError(place, message, f"enter {MONTHS}, January first"))
    for item, inner in members:
        _check_number(found, field, item, inner)


def _check_series(found: list[InputError], field: Field, value: Any, place: str) -> None:
    members = _check_list(found, value, place)
    if isinstance(value, list) and len(members) not in YEAR_LENGTHS:
        message = f"{len(members):,} numbers do not make a year"
        found.append(InputError(place, message, "enter 8,760 hours or 35,040 quarter-hours"))
        return
    before = len(found)
    for item, inner in members:
        _check_number(found, field, item, inner)
        if len(found) - before >= MOST_ERRORS:
            return


def _check_map(found: list[InputError], field: Field, value: Any, place: str) -> None:
    if not isinstance(value, Mapping):
        mend = f"write one line for each of {', '.join(field.choices)} that it has"
        found.append(InputError(place, f"{shown(value)} is not a mapping", mend))
        return
    for key, item in value.items():
        inner = path_to(place, str(key))
        if key not in field.choices:
            mend = suggestion(str(key), field.choices)
            found.append(InputError(inner, "unknown key", mend))
        else:
            _check_figure(found, field, item, inner)


def _check_one(found: list[InputError], field: Field, value: Any, place: str) -> None:
    _check_section(found, field.of, value, place)


def _check_many(found: list[InputError], field: Field, value: Any, place: str) -> None:
    members = _check_list(found, value, place)
    if field.required and isinstance(value, list) and not members:
        found.append(InputError(place, "the list is empty", f"enter at least one {field.of}"))
    for item, inner in members:
        _check_section(found, field.of, item, inner)


_CHECKS: dict[str, Callable[[list[InputError], Field, Any, str], None]] = {
    "text": _check_text,
    "ref": _check_text,
    "local": _check_text,
    "key": _check_key,
    "date": _check_date,
    "boolean": _check_boolean,
    "integer": _check_integer,
    "number": _check_number,
    "figure": _check_figure,
    "choice": _check_choice,
    "choices": _check_choices,
    "list": _check_texts,
    "hours": _check_hours,
    "months": _check_months,
    "series": _check_series,
    "map": _check_map,
    "one": _check_one,
    "many": _check_many,
}

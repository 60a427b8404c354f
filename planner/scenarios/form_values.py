"""One field of the builder: from the document's value to text, and back without loss."""

from __future__ import annotations

import re
from typing import Any, Protocol

from tco.fields import Field

_INTEGER = re.compile(r"[+-]?\d{1,15}")
_NUMBER = re.compile(r"[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?")
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d+)?")
ENTERED = "entered in the builder"
ABSENT = object()


class Names(Protocol):
    """Names of the catalog's entries, for people."""

    def label(self, kind: str, key: str) -> str:
        """Return the name of `key`."""
        ...

    def key(self, kind: str, label: str) -> str:
        """Return the key of a name; what is no name comes back as it is."""
        ...


def number_text(value: Any) -> str:
    """Return a number so that reading the text gives the same number.

    >>> number_text(0.08), number_text(60), number_text("40 kW"), number_text(1000.0)
    ('0.08', '60', '40 kW', '1000.0')
    """
    if value is None:
        return ""
    return repr(value) if isinstance(value, float) else str(value)


def read_number(text: str) -> Any:
    """Return a number where the text is one, else the text: it may carry a unit.

    >>> read_number("60"), read_number(" 0.1 "), read_number("40 kW"), read_number("1e3")
    (60, 0.1, '40 kW', 1000.0)
    >>> read_number("1,200"), read_number("1,200.5"), read_number("1,2")
    (1200, 1200.5, '1,2')
    """
    text = text.strip()
    if _THOUSANDS.fullmatch(text):  # as the pages print numbers
        text = text.replace(",", "")
    if _INTEGER.fullmatch(text):
        return int(text)
    return float(text) if _NUMBER.fullmatch(text) else text


def field_text(field: Field, value: Any, names: Names) -> str:
    """Return the text that the builder shows for a document's value."""
    if value is ABSENT or value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if field.kind == "figure" and isinstance(value, dict):
        return number_text(value.get("value"))
    if isinstance(value, dict):
        return ""
    if isinstance(value, list):
        return ", ".join(number_text(item) for item in value)
    if field.kind == "ref" and isinstance(value, str):
        return names.label(field.of, value)
    if isinstance(value, str):
        return value
    return number_text(value)


def field_value(field: Field, text: str, names: Names) -> Any:
    """Return the document's value of a typed text; ABSENT where nothing was typed."""
    text = text.replace("\r\n", "\n").strip()
    if not text:
        return ABSENT
    if field.kind in {"figure", "number", "integer"}:
        return read_number(text)
    if field.kind == "boolean":
        return {"yes": True, "no": False}.get(text, text)
    if field.kind in {"list", "choices", "hours", "months", "series"}:
        parts = [part for part in re.split(r"[,;\s]+", text) if part]
        numbers = field.kind in {"hours", "months", "series"} or field.of == "number"
        return [read_number(part) for part in parts] if numbers else parts
    if field.kind == "ref":
        return names.key(field.of, text)
    if field.kind == "choice" and _INTEGER.fullmatch(text) and field.name == "percentile":
        return int(text)
    return text


def changed_figure(old: Any, value: Any, status: str | None, source: str | None) -> Any:
    """Return a figure after an edit of its number, its status or its source.

    A new number no longer rests on the old source: unless the person gave one, it is assumed and
    says where it comes from. A range stays only while it still holds the number.
    """
    before: dict[str, Any] = dict(old) if isinstance(old, dict) else {"value": old}
    given_status = status is not None and status != before.get("status", "assumed")
    given_source = source is not None and source.strip() != str(before.get("source") or "").strip()
    same_number = before.get("value") == value
    if same_number and not given_status and not given_source:
        return old
    if not isinstance(old, dict) and not given_status and not given_source:
        return value
    figure = dict(before) if isinstance(old, dict) else {}
    figure["value"] = value
    if not same_number:
        figure["status"] = "assumed"
        figure["source"] = ENTERED
        figure.pop("as_of", None)
        low, high = figure.get("low"), figure.get("high")
        inside = isinstance(value, (int, float)) and (
            (low is None or (isinstance(low, (int, float)) and low <= value))
            and (high is None or (isinstance(high, (int, float)) and value <= high))
        )
        if not inside:
            figure.pop("low", None)
            figure.pop("high", None)
    if given_status:
        figure["status"] = status
    if given_source:
        figure["source"] = (source or "").strip() or ENTERED
    return figure

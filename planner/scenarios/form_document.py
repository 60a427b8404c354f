"""From a posted builder form to a document.

The form carries the document it was made from. Only what the person changed is written into a copy
of it, so everything the form does not show comes through untouched.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from planner.scenarios.form_layout import LAYOUT, ROWS, field_of
from planner.scenarios.form_values import (
    ABSENT,
    Names,
    changed_figure,
    field_text,
    field_value,
    number_text,
)
from tco.fields import Field


def places(document: dict[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield (path prefix, section, mapping) of every part the builder shows, outer before inner."""
    yield "", "scenario", document
    finance = document.setdefault("finance", {})
    if isinstance(finance, dict):
        yield "finance", "finance", finance
    for name in ("sites", "workloads", "options"):
        yield from _rows(document, name, "")


def _rows(
    parent: dict[str, Any], name: str, prefix: str
) -> Iterator[tuple[str, str, dict[str, Any]]]:
    items = parent.get(name)
    if not isinstance(items, list):
        return
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            continue
        path = f"{prefix}.{name}[{index}]" if prefix else f"{name}[{index}]"
        yield path, ROWS[name], item
        for inner in ("targets", "fleets"):
            if inner in item:
                yield from _rows(item, inner, path)


def get_value(part: Mapping[str, Any], name: str) -> Any:
    """Return the value under a name of the layout, or ABSENT.

    >>> get_value({"purchase": {"financing": {"kind": "loan"}}}, "purchase.financing.kind")
    'loan'
    """
    outer, _, inner = name.partition(".")
    value = part.get(outer, ABSENT)
    if not inner:
        return value
    return get_value(value, inner) if isinstance(value, dict) else ABSENT


def _set_value(part: dict[str, Any], name: str, value: Any) -> None:
    outer, _, inner = name.partition(".")
    if not inner:
        if value is ABSENT:
            part.pop(outer, None)
        else:
            part[outer] = value
        return
    if value is ABSENT:
        if isinstance(part.get(outer), dict):
            _set_value(part[outer], inner, ABSENT)
            if not part[outer]:
                part.pop(outer)
        return
    if not isinstance(part.get(outer), dict):
        part[outer] = {}
    _set_value(part[outer], inner, value)


def _posted(data: Any, path: str, field: Field) -> str | None:
    """Return what was posted for a field, or None if the form did not have it."""
    if field.kind == "choices":
        if f"{path}.shown" not in data:
            return None
        return ", ".join(data.getlist(path))
    value = data.get(path)
    return None if value is None else str(value)


def _same(posted: str, shown: str) -> bool:
    return posted.replace("\r\n", "\n").strip() == shown.strip()


def document_from_form(base: dict[str, Any], data: Any, names: Names) -> dict[str, Any]:
    """Return the document that a posted form describes.

    Parameters
    ----------
    base
        The document the form was made from.
    data
        A QueryDict. Text that is no number stays text: the checks at the door name it, and the
        form shows it again.
    names
        Names of the catalog's entries.
    """
    document = copy.deepcopy(base)
    for prefix, section, part in places(document):
        for group in LAYOUT[section]:
            for name in group.names:
                _take(part, prefix, section, name, data, names)
    return document


def _take(
    part: dict[str, Any], prefix: str, section: str, name: str, data: Any, names: Names
) -> None:
    field = field_of(section, name)
    path = f"{prefix}.{name}" if prefix else name
    posted = _posted(data, path, field)
    if posted is None:
        return
    old = get_value(part, name)
    if name == "daily_shape":
        posted = _shape_text(data, path, posted)
    unchanged = _same(posted, field_text(field, old, names))
    if field.kind == "choices" and isinstance(old, list):
        unchanged = set(data.getlist(path)) == set(old)
    if field.kind != "figure":
        if not unchanged:
            _set_value(part, name, field_value(field, posted, names))
        return
    number = old.get("value") if isinstance(old, dict) else old
    if not unchanged:
        number = field_value(field, posted, names)
    if number is ABSENT:
        if old is not ABSENT:
            _set_value(part, name, ABSENT)
        return
    status = data.get(f"{path}.status")
    source = data.get(f"{path}.source")
    new = number if old is ABSENT else changed_figure(old, number, status, source)
    if new is not old and new != old:
        _set_value(part, name, new)


# Shapes of a day a person can pick by name; the text field holds any other.
PRESETS: dict[str, tuple[str, tuple[float, ...]]] = {
    "flat": ("Flat: the peak all day", (1.0,) * 24),
    "office": (
        "Office day: 8 to 18 h, quiet nights",
        (
            *(0.1, 0.08, 0.08, 0.08, 0.1, 0.15, 0.3, 0.55, 0.85, 1.0, 1.0, 0.95),
            *(0.8, 0.9, 1.0, 1.0, 0.95, 0.8, 0.5, 0.3, 0.2, 0.15, 0.12, 0.1),
        ),
    ),
    "consumer": (
        "Consumer day: evening peak",
        (
            *(0.45, 0.35, 0.27, 0.25, 0.25, 0.28, 0.35, 0.45, 0.55, 0.6, 0.65, 0.7),
            *(0.72, 0.7, 0.7, 0.72, 0.75, 0.82, 0.9, 0.97, 1.0, 0.98, 0.85, 0.65),
        ),
    ),
}


def preset_of(value: Any) -> str:
    """Return the preset that equals a shape, else ``own``; empty where no shape is given."""
    if value is ABSENT or value is None:
        return ""
    for key, (_, shape) in PRESETS.items():
        if isinstance(value, list) and value == list(shape):
            return key
    return "own"


def _shape_text(data: Any, path: str, typed: str) -> str:
    """A newly picked preset wins over the text; "own" and no choice leave the text."""
    picked = data.get(f"{path}.preset", "")
    shown = data.get(f"{path}.preset_shown", "")
    if picked == shown or picked == "own":
        return typed
    if picked in PRESETS:
        return ", ".join(number_text(share) for share in PRESETS[picked][1])
    return ""

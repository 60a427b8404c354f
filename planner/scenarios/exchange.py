"""Scenario files: read with every error at once, written in the order people read them."""

from __future__ import annotations

from typing import Any

from planner.scenarios.paths import path_label
from tco.document import dump_json, dump_yaml, parse
from tco.errors import InputError, InputErrors
from tco.fields import sections

WRITERS = {"yaml": dump_yaml, "json": dump_json}
CONTENT_TYPES = {"yaml": "application/yaml; charset=utf-8", "json": "application/json"}


def in_order(document: dict[str, Any], section: str = "scenario") -> dict[str, Any]:
    """Return the document with its keys in the order of the dictionary; the store keeps none.

    >>> list(in_order({"workloads": [], "name": "x", "schema": "tco-scenario/1"}))
    ['schema', 'name', 'workloads']
    """
    fields = sections().get(section, {})
    order = {name: position for position, name in enumerate(fields)}
    ordered: dict[str, Any] = {}
    for key in sorted(document, key=lambda name: order.get(name, len(order))):
        value = document[key]
        field = fields.get(key)
        if field is not None and field.kind == "one" and isinstance(value, dict):
            value = in_order(value, field.of)
        elif field is not None and field.kind == "many" and isinstance(value, list):
            value = [in_order(item, field.of) if isinstance(item, dict) else item for item in value]
        elif field is not None and field.kind == "figure" and isinstance(value, dict):
            value = in_order(value, "figure")
        elif field is not None and field.kind == "map" and isinstance(value, dict):
            value = {
                word: in_order(value[word], "figure")
                if isinstance(value[word], dict)
                else value[word]
                for word in sorted(value)
            }
        ordered[key] = value
    return ordered


def write_document(document: dict[str, Any], form: str) -> str:
    """Return the document as text of `form`: ``yaml`` or ``json``. Reading it gives it back."""
    return WRITERS[form](in_order(document))


def read_document(text: str) -> dict[str, Any]:
    """Return the document of a text.

    Raises
    ------
    tco.errors.InputErrors
        If the text is no YAML or JSON document.
    """
    return parse(text)


def errors_of(error: InputError | InputErrors) -> tuple[InputError, ...]:
    """Return the errors as a tuple, whether it was one or many."""
    return error.errors if isinstance(error, InputErrors) else (error,)


def error_rows(document: dict[str, Any], error: InputError | InputErrors) -> list[dict[str, str]]:
    """Return errors for a page: the place in words, the message, the mend."""
    return [
        {
            "field": found.field,
            "label": path_label(document, found.field) or found.field,
            "message": found.message,
            "mend": found.mend,
        }
        for found in errors_of(error)
    ]

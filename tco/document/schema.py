"""The published JSON Schema of the scenario document, made from ``tco/fields.csv``."""

from __future__ import annotations

import json
from typing import Any

from tco.document.validate import DATE, HOURS, KEY, LONGEST_TEXT, MONTHS, YEAR_LENGTHS
from tco.fields import Field, section, sections

DIALECT = "https://json-schema.org/draft/2020-12/schema"
IDENTIFIER = "urn:tco:scenario:1"
# a number and something after it; the unit itself is checked on reading
QUANTITY = r"^\s*[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]{1,3})?\s*[^0-9\s].*$"


def json_schema() -> dict[str, Any]:
    """Return the JSON Schema (draft 2020-12) of ``tco-scenario/1``.

    It refuses unknown keys everywhere. Rules between fields, units in text, and names of the
    catalog are checked on reading only. ``x-unit`` holds the unit of a field.

    Examples
    --------
    >>> json_schema()["$defs"]["site"]["properties"]["pue"]["x-unit"]
    'ratio'
    """
    definitions = {name: _object(name) for name in sections() if name not in {"scenario", "figure"}}
    return {
        "$schema": DIALECT,
        "$id": IDENTIFIER,
        "title": "TCO scenario, version 1",
        **_object("scenario"),
        "$defs": dict(sorted(definitions.items())),
    }


def schema_text() -> str:
    """Return the schema as the published file holds it."""
    return json.dumps(json_schema(), indent=2, ensure_ascii=False) + "\n"


def _object(name: str) -> dict[str, Any]:
    fields = section(name)
    found: dict[str, Any] = {
        "type": "object",
        "additionalProperties": False,
        "properties": {field.name: _property(field) for field in fields.values()},
    }
    required = [field.name for field in fields.values() if field.required]
    if required:
        found["required"] = required
    return found


def _property(field: Field) -> dict[str, Any]:
    found: dict[str, Any] = {"title": field.label, "description": field.description}
    if field.unit:
        found["x-unit"] = field.unit
    if field.default:
        found["default"] = _default(field)
    return found | _type(field)


def _default(field: Field) -> Any:
    if field.kind in {"figure", "number", "integer"}:
        value = float(field.default)
        return int(value) if value.is_integer() else value
    return field.default == "true" if field.kind == "boolean" else field.default


def _limits(field: Field) -> dict[str, Any]:
    ends = (("minimum", field.minimum), ("maximum", field.maximum))
    return {name: int(end) if end.is_integer() else end for name, end in ends if end is not None}


def _number(field: Field) -> list[dict[str, Any]]:
    return [
        {"type": "number", **_limits(field)},
        {"type": "string", "pattern": QUANTITY, "maxLength": 80},
    ]


def _figure(field: Field) -> dict[str, Any]:
    parts = {
        part.name: (
            {"title": part.label, "description": part.description, "anyOf": _number(field)}
            if part.kind == "number"
            else {
                "title": part.label,
                "description": part.description,
                "type": "array",
                "minItems": 2,
                "items": {"anyOf": _number(field)},
            }
            if part.kind == "numbers"
            else _property(part)
        )
        for part in section("figure").values()
    }
    mapping = {
        "type": "object",
        "additionalProperties": False,
        "properties": parts,
        "required": [part.name for part in section("figure").values() if part.required],
    }
    return {"anyOf": [*_number(field), mapping]}


def _choice(field: Field) -> dict[str, Any]:
    words: list[Any] = list(field.choices)
    return {"enum": words + [int(word) for word in words if word.isdigit()]}


def _type(field: Field) -> dict[str, Any]:
    text = {"type": "string", "minLength": 1, "maxLength": LONGEST_TEXT, "pattern": r"\S"}
    match field.kind:
        case "key":
            return {"type": "string", "pattern": _pattern(KEY.pattern)}
        case "date":
            return {"type": "string", "format": "date", "pattern": _pattern(DATE.pattern)}
        case "boolean":
            return {"type": "boolean"}
        case "integer":
            return {"type": "integer", **_limits(field)}
        case "number":
            return {"anyOf": _number(field)}
        case "figure":
            return _figure(field)
        case "choice":
            return _choice(field)
        case "choices":
            return {"type": "array", "items": _choice(field)}
        case "list":
            return {"type": "array", "items": text}
        case "hours":
            hour = {"anyOf": _number(field)}
            return {"type": "array", "items": hour, "minItems": HOURS, "maxItems": HOURS}
        case "months":
            month = {"anyOf": _number(field)}
            return {"type": "array", "items": month, "minItems": MONTHS, "maxItems": MONTHS}
        case "series":
            lengths = [{"minItems": count, "maxItems": count} for count in YEAR_LENGTHS]
            return {"type": "array", "items": {"anyOf": _number(field)}, "anyOf": lengths}
        case "map":
            return {
                "type": "object",
                "additionalProperties": False,
                "properties": {word: _figure(field) for word in field.choices},
            }
        case "one":
            return {"$ref": f"#/$defs/{field.of}"}
        case "many":
            least = {"minItems": 1} if field.required else {}
            return {"type": "array", "items": {"$ref": f"#/$defs/{field.of}"}, **least}
    return text


def _pattern(pattern: str) -> str:
    return "^" + pattern.removesuffix(r"\Z") + "$"

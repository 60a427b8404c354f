"""The data dictionary as a page and as a table."""

from __future__ import annotations

from cli.text_table import text_table
from tco.document.values import plain_number
from tco.fields import Field, sections

_TYPES = {
    "text": "text",
    "key": "short name",
    "date": "date",
    "boolean": "true or false",
    "integer": "whole number",
    "number": "number",
    "figure": "figure",
    "list": "list of texts",
    "hours": "24 numbers",
    "months": "12 numbers",
    "series": "8,760 or 35,040 numbers",
    "numbers": "list of numbers",
}
_INTRODUCTION = """\
# Fields of a scenario

Made from `tco/fields.csv` by `tco fields --markdown`; change it there. The same rules are in
[scenario.schema.json](scenario.schema.json), as JSON Schema.

A **figure** is a number in the unit of its field (`0.08`), text with a unit that is converted
exactly (`"80 USD/MWh"`), or a mapping with its range and where it comes from:

```yaml
energy_usd_per_kwh:
  {value: 0.08, low: 0.07, high: 0.10, status: published, source: tariff 7, as_of: 2026-05}
```

A figure without a status is assumed. GB is 10^9 bytes; write `"80 GiB"` for binary units. Fractions
run from 0 to 1: write 0.2 or `"20 %"`. Leave a line out where nothing is known: a missing price is
shown as missing and never counts as 0.
"""


def fields_markdown() -> str:
    """Return docs/reference/fields.md."""
    parts = [_INTRODUCTION]
    for name, fields in sections().items():
        lines = [
            f"## {name}",
            "",
            "| field | what it is | type | unit | default | limits | source |",
            "| --- | --- | --- | --- | --- | --- | --- |",
        ]
        lines += [_row(field) for field in fields.values()]
        parts.append("\n".join(lines) + "\n")
    return "\n".join(parts)


def fields_table() -> str:
    """Return the dictionary for a terminal."""
    rows = [
        [f"{field.section}.{field.name}", field.unit, _limits(field), field.label]
        for fields in sections().values()
        for field in fields.values()
    ]
    return text_table(["field", "unit", "limits", "label"], rows, left=(0, 1, 2, 3)) + "\n"


def _row(field: Field) -> str:
    name = f"`{field.name}`" + (" (required)" if field.required else "")
    what = f"{field.label}. {field.description}"
    cells = [name, what, _type(field), field.unit, field.default, _limits(field), field.source]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def _type(field: Field) -> str:
    match field.kind:
        case "choice":
            return "one of " + ", ".join(f"`{word}`" for word in field.choices)
        case "choices":
            return "any of " + ", ".join(f"`{word}`" for word in field.choices)
        case "map":
            return "figure for each of " + ", ".join(f"`{word}`" for word in field.choices)
        case "one":
            return f"[{field.of}](#{field.of})"
        case "many":
            return f"list of [{field.of}](#{field.of})"
        case "ref":
            return f"{field.of} of the catalog"
        case "local":
            return f"key of one of the {field.of}"
    return _TYPES[field.kind]


def _limits(field: Field) -> str:
    if field.minimum is None or field.maximum is None:
        return ""
    return f"{plain_number(field.minimum)} to {plain_number(field.maximum)}"

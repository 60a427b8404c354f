"""The table of defaults for a terminal, as JSON and as a page."""

from __future__ import annotations

import json

from cli.text_table import text_table
from tco.defaults import Default, defaults
from tco.document.values import plain_number

_INTRODUCTION = """\
# Defaults

Made from `tco/defaults.csv` by `tco defaults --markdown`; change it there. What nobody enters is
taken from here and printed with the result, with its source. A **planning** value has no source: a
finding names it whenever a result rests on it. A **convention** needs none. Defaults of 0 or 1 that
leave something out are in [fields.md](fields.md) alone.

"""


def defaults_table() -> str:
    """Return the table for a terminal."""
    head = ["default", "value", "range", "status", "basis", "used for", "source"]
    return (
        text_table(head, [_cells(one) for one in defaults().values()], left=(0, 3, 4, 5, 6)) + "\n"
    )


def defaults_markdown() -> str:
    """Return docs/reference/defaults.md."""
    rows = [_cells(one) for one in defaults().values()]
    lines = ["| default | value | range | status | basis | used for | source |"]
    lines.append("| --- | --- | --- | --- | --- | --- | --- |")
    for name, *cells in rows:
        escaped = [cell.replace("|", "\\|") for cell in cells]
        lines.append(f"| `{name}` | {' | '.join(escaped)} |")
    return _INTRODUCTION + "\n".join(lines) + "\n"


def defaults_json() -> str:
    """Return the table as JSON, one object a default."""
    found = [
        {
            "key": one.key,
            "used_for": one.used_for,
            "value": one.figure.value,
            "unit": one.figure.unit,
            "low": one.figure.low,
            "high": one.figure.high,
            "status": one.figure.status.value,
            "basis": one.basis,
            "source": one.figure.source,
            "as_of": one.figure.as_of,
        }
        for one in defaults().values()
    ]
    return json.dumps(found, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _cells(one: Default) -> list[str]:
    figure = one.figure
    ends = "" if figure.low is None or figure.high is None else _ends(figure.low, figure.high)
    dated = f"{figure.source} ({figure.as_of})" if figure.as_of else figure.source
    value = f"{plain_number(figure.value)} {figure.unit}"
    return [one.key, value, ends, figure.status.value, one.basis, one.used_for, dated]


def _ends(low: float, high: float) -> str:
    return f"{plain_number(low)} to {plain_number(high)}"

"""The accuracy report as plain text and as docs/accuracy.md."""

from __future__ import annotations

import textwrap

from cli.text_table import text_table
from tco.evidence.accuracy import Report
from tco.evidence.section import Section
from tco.evidence.sections import made_line, method, sections

_WIDTH = 100
_LONGEST_CELL = 72


def accuracy_text(report: Report) -> str:
    """Return the whole report as text tables."""
    parts = [f"Accuracy of the performance model. {made_line(report)}"]
    for one in sections(report):
        parts.append(_text(one))
    refused = report["refused"]["bad"]
    if refused:
        lines = [
            f"  {bad['file']}:{bad['line']} {bad['field']} {bad['value']!r}: {bad['reason']}"
            for bad in refused[:10]
        ]
        more = report["refused"]["bad_rows"] - len(lines)
        if more > 0:
            lines.append(f"  and {more:,} more, see --json")
        parts.append("\n".join(["First refused rows", *lines]))
    return "\n\n".join(parts) + "\n"


def _text(one: Section) -> str:
    rows = [[_short(cell) for cell in row] for row in one.rows]
    table = text_table(list(one.head), rows, left=tuple(range(one.words)))
    told = textwrap.fill(one.text, _WIDTH)
    return "\n".join(part for part in (one.title, told, table) if part)


def _short(cell: str) -> str:
    return cell if len(cell) <= _LONGEST_CELL else f"{cell[: _LONGEST_CELL - 1]}…"


def accuracy_markdown(report: Report) -> str:
    """Return the published page."""
    parts = [
        "# Accuracy of the performance model",
        "Made by `make docs` from `tco/evidence/tables/accuracy.json`, which "
        "`tco accuracy FOLDER --out FILE` writes; the page in the app shows the same file.",
        made_line(report),
    ]
    for one in sections(report):
        parts.append(_markdown(one))
    parts.append("## How the figures are made")
    for heading, text in method():
        parts.append(f"### {heading}\n\n{textwrap.fill(text, _WIDTH)}")
    return "\n\n".join(parts) + "\n"


def _markdown(one: Section) -> str:
    rule = ["---" if column < one.words else "---:" for column in range(len(one.head))]
    lines = [_row(one.head), _row(rule), *(_row(row) for row in one.rows)]
    told = textwrap.fill(one.text, _WIDTH)
    return "\n\n".join(part for part in (f"## {one.title}", told, "\n".join(lines)) if part)


def _row(cells: tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"

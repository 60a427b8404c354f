"""The report of worked examples as plain text."""

from __future__ import annotations

import textwrap

from cli.text_table import text_table
from tco.examples.run import Outcome, Report
from tco.examples.wording import tolerance_text, value_text

_WIDTH = 100
_LONGEST_CELL = 44
_HEAD = ("result", "published", "ours", "unit", "tolerance", "")


def examples_text(report: Report) -> str:
    """Return every example with its results, its source, and the closing line."""
    parts = [_example(one) for one in report.outcomes]
    return "\n\n".join([*parts, report.summary()]) + "\n"


def _example(one: Outcome) -> str:
    example = one.example
    title = textwrap.fill(f"{example.id}  {example.title}  [{example.formula}]", _WIDTH)
    rows = [
        [
            check.name,
            _short(value_text(check.expected.value)),
            _short(value_text(check.ours)),
            check.expected.unit,
            tolerance_text(check.expected),
            "ok" if check.ok else "failed",
        ]
        for check in one.checks
    ]
    lines = [title]
    if rows:
        lines.append(text_table(_HEAD, rows, left=(0, 3, 5)))
    if one.not_dispatched:
        lines.append(f"no formula here gives {', '.join(one.not_dispatched)}")
    lines += [f"unusable: {error}" for error in one.errors]
    if example.source:
        lines.append(textwrap.fill(f"source: {example.source}", _WIDTH))
    return "\n".join(lines)


def _short(cell: str) -> str:
    return cell if len(cell) <= _LONGEST_CELL else f"{cell[: _LONGEST_CELL - 1]}…"

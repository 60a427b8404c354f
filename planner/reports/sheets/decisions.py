"""The decision log in the workbook: every entry, the options beside it, what they cost then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.reports.book import Book

NAME = "Decisions"
_HEAD = (
    *("No.", "Decided on", "Decided by", "Option", "Decision", "Total cost", "Currency", "Status"),
    *("Reason, or why not", "Revision", "Result hash (SHA-256)", "Corrects", "Corrected by"),
    *("Written by", "Written at"),
)
_WIDTHS = (6, 12, 24, 34, 12, 18, 10, 12, 60, 10, 66, 10, 13, 24, 26)


def write_decisions(book: Book, *, decisions: Sequence[Mapping[str, Any]]) -> None:
    """Write the sheet; without an entry it says so."""
    sheet = book.sheet(NAME, _WIDTHS)
    book.text(sheet, 0, 0, "Decision log", "title")
    if not decisions:
        book.text(sheet, 2, 0, "No decision is recorded for this scenario yet.")
        book.protect(sheet)
        return
    for column, text in enumerate(_HEAD):
        book.text(sheet, 2, column, text, "head")
    for row, values in enumerate(decision_rows(decisions), start=3):
        for column, value in enumerate(values):
            if isinstance(value, (int, float)):
                book.number(sheet, row, column, float(value))
            else:
                book.text(sheet, row, column, value, "wrap")
    book.protect(sheet)


def decision_rows(decisions: Sequence[Mapping[str, Any]]) -> list[tuple[Any, ...]]:
    """Return a row for each option of each entry, the chosen one first; blank where not given."""
    rows = []
    for entry in decisions:
        for option in (entry["chosen"], *entry["rejected"]):
            chosen = option is entry["chosen"]
            cost = option["tco_usd"]
            rows.append(
                (
                    entry["number"],
                    entry["decided_on"],
                    entry["decided_by"],
                    option["name"],
                    "chosen" if chosen else "rejected",
                    "" if cost is None else cost,
                    option.get("currency", "USD"),
                    option["status"],
                    entry["reason"]
                    if chosen
                    else option["rejected_because"] or option["missing"] or "not said",
                    entry["revision_number"],
                    entry["result_hash"],
                    entry["corrects"] or "",
                    entry["corrected_by"] or "",
                    entry["recorded_by"],
                    entry["recorded_at"],
                )
            )
    return rows


def decision_head() -> tuple[str, ...]:
    """Return the names of the columns."""
    return _HEAD

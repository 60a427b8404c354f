"""Where the workbook comes from: versions, hash, findings, conventions, room for signatures."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.reports.book import Book

NAME = "Provenance"


def write_provenance(book: Book, *, result: Mapping[str, Any], facts: Mapping[str, str]) -> None:
    """Write the sheet."""
    sheet = book.sheet(NAME, (34, 26, 16, 14, 70))
    provenance = result["provenance"]
    book.text(sheet, 0, 0, "Provenance", "title")
    row = 2
    for label, value in {
        **facts,
        "Engine version": provenance["engine_version"],
        "Input hash (SHA-256)": provenance["input_hash"],
    }.items():
        book.text(sheet, row, 0, label, "bold")
        book.text(sheet, row, 1, value)
        row += 1
    row += 1
    row = _table(
        book,
        sheet,
        row,
        ("Convention", "Value", "Unit", "Status", "Source"),
        [
            (x["name"], x["value"], x["unit"], x["status"], x["source"])
            for x in provenance["conventions"]
        ],
    )
    row = _table(
        book,
        sheet,
        row,
        ("Finding", "Severity", "Option", "", "Message and mend"),
        [
            (x["code"], x["severity"], x["option"], "", f"{x['message']}. {x['mend']}")
            for x in result["findings"]
        ],
    )
    row = _table(
        book,
        sheet,
        row,
        ("Sign-off", "Name", "Date", "", "Remarks"),
        [(who, "", "", "", "") for who in ("Prepared", "Reviewed", "Approved")],
    )
    book.protect(sheet)


def _table(
    book: Book, sheet: Any, row: int, head: tuple[str, ...], rows: list[tuple[Any, ...]]
) -> int:
    for column, text in enumerate(head):
        book.text(sheet, row, column, text, "head")
    for values in rows:
        row += 1
        for column, value in enumerate(values):
            if isinstance(value, (int, float)) and not isinstance(value, bool):
                book.number(sheet, row, column, float(value))
            else:
                book.text(sheet, row, column, value, "wrap")
    return row + 2

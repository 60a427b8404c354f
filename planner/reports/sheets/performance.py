"""How each fleet serves: latencies with their 80 % interval, batch, cache, evidence."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.reports.book import Book
from planner.reports.performance import HEAD, performance_rows

NAME = "Performance"
WIDTHS = (26, 30, 16, 12, 28, 14, 12, 18, 18, 60)
_NUMBERS = {5, 7, 8}


def write_performance(book: Book, *, result: Mapping[str, Any]) -> None:
    """Write the sheet."""
    sheet = book.sheet(NAME, WIDTHS)
    book.text(sheet, 0, 0, NAME, "title")
    book.text(sheet, 1, 0, "80 % of measured runs would lie within the interval (P13.3).")
    for column, text in enumerate(HEAD):
        book.text(sheet, 3, column, text, "head_num" if column in _NUMBERS else "head")
    for offset, row in enumerate(performance_rows(result), start=4):
        for column, value in enumerate(row):
            if column in _NUMBERS:
                assert not isinstance(value, str)
                book.number(sheet, offset, column, value)
            else:
                book.text(sheet, offset, column, value, "wrap" if column == 9 else "text")
    sheet.freeze_panes(4, 2)
    book.protect(sheet)

"""Bills against the plan: budget, actual, the parts of the difference, live sums."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from xlsxwriter.utility import xl_rowcol_to_cell

from planner.reports.book import Book

NAME = "Bills"
_COLUMNS = (
    *("budget", "actual", "variance", "price", "volume", "price_or_volume", "currency", "timing"),
    *("rounding", "remaining", "forecast"),
)
_FIRST_ROW = 4


def write_bills(book: Book, *, actuals: Mapping[str, Any] | None) -> None:
    """Write the sheet; nothing where no bill is known."""
    if not actuals:
        return
    sheet = book.sheet(NAME, (44, 14, *([16] * len(_COLUMNS))))
    book.text(sheet, 0, 0, f"Bills against the plan: {actuals['option_name']}", "title")
    book.text(
        sheet,
        1,
        0,
        f"{actuals['currency']}, not discounted, to {actuals['last_month']}; plan of revision "
        f"{actuals['revision_number']}. The parts of a variance sum to it.",
    )
    for column, head in enumerate(("Line", "Billed", *_COLUMNS)):
        text = head.replace("_", " ").capitalize()
        book.text(sheet, _FIRST_ROW - 1, column, text, "head" if column < 2 else "head_num")
    for offset, row in enumerate(actuals["rows"]):
        place = _FIRST_ROW + offset
        book.text(sheet, place, 0, row["label"])
        book.text(sheet, place, 1, "yes" if row["billed"] else "as planned")
        for column, name in enumerate(_COLUMNS, start=2):
            book.number(sheet, place, column, float(row[name]), "money")
    last = _FIRST_ROW + len(actuals["rows"])
    book.text(sheet, last, 0, "All lines", "bold")
    for column, name in enumerate(_COLUMNS, start=2):
        span = f"{xl_rowcol_to_cell(_FIRST_ROW, column)}:{xl_rowcol_to_cell(last - 1, column)}"
        total = float(actuals["total"][name])
        book.formula(sheet, last, column, f"SUM({span})", total, "money_bold")
    sheet.freeze_panes(_FIRST_ROW, 1)
    book.protect(sheet)

"""Every input once: value, unit, status, source, date. Change one here and all sheets follow."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from planner.reports.book import Book, Cell

NAME = "Assumptions"
HEAD = ("Figure", "Value", "Unit", "Kind", "Status", "Verified", "Source", "As of", "Used in")
WIDTHS = (48, 18, 16, 14, 12, 10, 60, 12, 40)
FIRST_ROW = 4
# Only an input moves other cells when a reader changes it; only inputs are yellow and unlocked.
INPUT, DERIVED, RESULT, FIGURE = "input", "derived", "engine result", "engine figure"


class Assumptions:
    """Collects terms while the other sheets are planned, then writes itself."""

    def __init__(self) -> None:
        self._rows: list[tuple[Mapping[str, Any], str, list[str]]] = []
        self._index: dict[tuple[Any, ...], int] = {}
        self._figures: set[tuple[Any, ...]] = set()
        self._formulas: dict[int, str] = {}

    def cell(self, term: Mapping[str, Any], used_in: str = "", kind: str = INPUT) -> Cell:
        """Return the cell that holds the term, adding a row for a new one."""
        key = (kind, term["name"], term["value"], term["unit"], term["source"])
        if key not in self._index:
            self._index[key] = len(self._rows)
            self._rows.append((term, kind, []))
            self._figures.add(_figure(term))
        row = self._index[key]
        if used_in and used_in not in self._rows[row][2]:
            self._rows[row][2].append(used_in)
        return Cell(NAME, FIRST_ROW + row, 1)

    def derived(self, term: Mapping[str, Any], formula: str, used_in: str = "") -> Cell:
        """Return the cell of a value that follows from other inputs by `formula`."""
        cell = self.cell(term, used_in, DERIVED)
        self._formulas[cell.row - FIRST_ROW] = formula
        return cell

    def figure(self, term: Mapping[str, Any]) -> None:
        """List a figure that the engine used, unless it stands above as an input."""
        if _figure(term) not in self._figures:
            self.cell(term, "Engine", FIGURE)

    def write(self, book: Book) -> None:
        """Write the sheet."""
        sheet = book.workbook.get_worksheet_by_name(NAME)
        book.text(sheet, 0, 0, "Assumptions", "title")
        book.text(
            sheet,
            1,
            0,
            "Yellow cells are inputs: a changed price or discount rate moves every sheet. The "
            "other figures made sizing, power and price paths: to change one, project anew.",
        )
        for column, head in enumerate(HEAD):
            book.text(sheet, FIRST_ROW - 1, column, head, "head_num" if head == "Value" else "head")
        for offset, (term, kind, used_in) in enumerate(self._rows):
            row = FIRST_ROW + offset
            book.text(sheet, row, 0, term["name"], "wrap")
            if offset in self._formulas:
                book.formula(sheet, row, 1, self._formulas[offset], term["value"], "number")
            else:
                style = "input" if kind == INPUT else "number"
                book.number(sheet, row, 1, term["value"], style)
            book.text(sheet, row, 2, term["unit"])
            book.text(sheet, row, 3, kind)
            book.text(sheet, row, 4, term["status"])
            book.text(sheet, row, 5, "yes" if term.get("verified", True) else "no: recalled")
            book.text(sheet, row, 6, term["source"], "wrap")
            book.text(sheet, row, 7, term.get("as_of", ""))
            book.text(sheet, row, 8, ", ".join(used_in), "wrap")
        sheet.freeze_panes(FIRST_ROW, 1)
        if self._rows:
            sheet.autofilter(FIRST_ROW - 1, 0, FIRST_ROW + len(self._rows) - 1, len(HEAD) - 1)
        book.protect(sheet)


def _figure(term: Mapping[str, Any]) -> tuple[Any, ...]:
    """What makes two terms the same figure, whatever they are called."""
    return (term["value"], term["unit"], term["source"])

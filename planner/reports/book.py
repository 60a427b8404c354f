"""The workbook's paper: formats, safe writing, references between sheets."""

from __future__ import annotations

import io
from dataclasses import dataclass
from typing import Any

import xlsxwriter
from xlsxwriter.format import Format
from xlsxwriter.utility import xl_rowcol_to_cell
from xlsxwriter.worksheet import Worksheet

from planner.reports.safe_text import clean_text

MONEY = "#,##0.00;[Red]-#,##0.00"
NUMBER = "#,##0.######"
FRACTION = "0.0000%"

_STYLES: dict[str, dict[str, Any]] = {
    "text": {},
    "wrap": {"text_wrap": True},
    "title": {"bold": True, "font_size": 16},
    "lede": {"text_wrap": True, "font_size": 12},
    "head": {"bold": True, "bg_color": "#E4EFFA", "bottom": 1, "text_wrap": True},
    "head_num": {
        **{"bold": True, "bg_color": "#E4EFFA", "bottom": 1, "align": "right"},
        "text_wrap": True,
    },
    "bold": {"bold": True},
    "money": {"num_format": MONEY},
    "money_bold": {"num_format": MONEY, "bold": True, "top": 1},
    "number": {"num_format": NUMBER},
    "input": {"num_format": NUMBER, "locked": False, "bg_color": "#FFF9E5"},
    "factor": {"num_format": "0.00000000"},
    "share": {"num_format": "0.00%"},
    "good": {"bold": True, "font_color": "#0B6B45"},
}


@dataclass(frozen=True)
class Cell:
    """A cell of a named sheet."""

    sheet: str
    row: int
    column: int

    def reference(self, *, absolute: bool = True) -> str:
        """Return `'Sheet'!$A$1`."""
        name = xl_rowcol_to_cell(self.row, self.column, absolute, absolute)
        return f"'{self.sheet}'!{name}"


class Book:
    """An XlsxWriter workbook in memory; text goes in as text, never as a formula."""

    def __init__(self, *, title: str, created: Any) -> None:
        self._buffer = io.BytesIO()
        self.workbook = xlsxwriter.Workbook(
            self._buffer,
            {
                "in_memory": True,
                "strings_to_formulas": False,
                "strings_to_urls": False,
                "strings_to_numbers": False,
            },
        )
        self.workbook.set_properties(
            {"title": clean_text(title), "comments": "TCO planner", "created": created}
        )
        self.workbook.set_calc_mode("auto")
        base: dict[str, Any] = {"font_name": "Calibri", "font_size": 10, "valign": "top"}
        styles: dict[str, dict[str, Any]] = _STYLES
        self.formats: dict[str, Format] = {
            name: self.workbook.add_format({**base, **style}) for name, style in styles.items()
        }

    def sheet(self, name: str, widths: tuple[float, ...] = ()) -> Worksheet:
        """Add a sheet with column widths."""
        sheet = self.workbook.add_worksheet(name)
        for column, width in enumerate(widths):
            sheet.set_column(column, column, width)
        sheet.hide_gridlines(2)
        return sheet

    def text(
        self, sheet: Worksheet, row: int, column: int, value: Any, style: str = "text"
    ) -> None:
        """Write text as text."""
        sheet.write_string(row, column, clean_text(value), self.formats[style])

    def number(
        self, sheet: Worksheet, row: int, column: int, value: float | None, style: str = "number"
    ) -> None:
        """Write a number; a missing one leaves the cell blank, never 0."""
        if value is None:
            sheet.write_blank(row, column, None, self.formats[style])
        else:
            sheet.write_number(row, column, value, self.formats[style])

    def formula(
        self,
        sheet: Worksheet,
        row: int,
        column: int,
        formula: str,
        cached: float | bool | str,
        style: str = "money",
    ) -> None:
        """Write a live formula with the server's value cached in it."""
        sheet.write_formula(row, column, f"={formula}", self.formats[style], cached)

    def protect(self, sheet: Worksheet) -> None:
        """Lock formulas; inputs are unlocked by their format. No password: it is no secret."""
        sheet.protect(
            "", {"select_locked_cells": True, "format_columns": True, "format_rows": True}
        )

    def close(self) -> bytes:
        """Return the file."""
        self.workbook.close()
        return self._buffer.getvalue()

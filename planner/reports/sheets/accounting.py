"""Cash, P&L and capital expenditure by fiscal year: rows as computed, sums and checks live."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from xlsxwriter.utility import xl_rowcol_to_cell

from planner.charts.currency import currency_of
from planner.reports.book import Book

NAME = "Cash and P&L"
FIRST_YEAR = 3


def write_accounting(book: Book, *, result: Mapping[str, Any]) -> None:
    """Write one block of three views for each option; nothing for results stored without them."""
    views = result.get("views", {})
    found = [
        (option, views[option["key"]]) for option in result["options"] if option["key"] in views
    ]
    found = [(option, view) for option, view in found if view]
    if not found:
        return
    years = max(len(view["years"]) for _, view in found)
    sheet = book.sheet(NAME, (44, 20, 16, *([16] * (years + 1))))
    book.text(sheet, 0, 0, "Cash and P&L by fiscal year", "title")
    book.text(
        sheet,
        1,
        0,
        f"{currency_of(result)}, not discounted. The views agree in total, not within a year.",
    )
    row = 3
    for option, view in found:
        row = _option(book, sheet, row, option, view)
    book.protect(sheet)


def _option(
    book: Book, sheet: Any, row: int, option: Mapping[str, Any], view: Mapping[str, Any]
) -> int:
    known = "" if view["complete"] else " (incomplete, a price is missing)"
    book.text(sheet, row, 0, f"{option['name']}{known}", "bold")
    row += 1
    last = FIRST_YEAR + len(view["years"])
    totals = []
    for part, title in (
        ("cash", "Cash paid"),
        ("pnl", "Cost in the P&L"),
        ("capex", "Capital expenditure"),
    ):
        for column, head in enumerate((title, "Fleet", "Kind")):
            book.text(sheet, row, column, head, "head")
        for place, year in enumerate((*view["years"], "Total")):
            book.text(sheet, row, FIRST_YEAR + place, year, "head_num")
        row = _rows(book, sheet, row + 1, view[part], last)
        totals.append(row - 1)
        row += 1
    cash, cost = (xl_rowcol_to_cell(place, last) for place in totals[:2])
    paid = math.fsum(math.fsum(entry["years_usd"]) for entry in view["cash"])
    spent = math.fsum(math.fsum(entry["years_usd"]) for entry in view["pnl"])
    book.text(sheet, row, 0, "Cash and cost agree over the horizon", "bold")
    book.formula(sheet, row, last, f"ABS({cash}-{cost})<0.01", abs(paid - spent) < 0.01, "good")
    for note in view["notes"]:
        row += 1
        book.text(sheet, row, 0, note[0].upper() + note[1:])
    return row + 2


def _rows(book: Book, sheet: Any, row: int, entries: Sequence[Mapping[str, Any]], last: int) -> int:
    """The rows of a view and their sum; the next free row."""
    first = row
    for entry in entries:
        book.text(sheet, row, 0, entry["label"])
        book.text(sheet, row, 1, entry["fleet"])
        book.text(sheet, row, 2, entry["kind"].replace("_", " "))
        for place, usd in enumerate(entry["years_usd"]):
            book.number(sheet, row, FIRST_YEAR + place, float(usd), "money")
        _sum(book, sheet, row, last, (row, FIRST_YEAR, row, last - 1), entry["years_usd"], "money")
        row += 1
    book.text(sheet, row, 0, "Sum", "bold")
    for place in range(last - FIRST_YEAR):
        column = FIRST_YEAR + place
        usd = [float(entry["years_usd"][place]) for entry in entries]
        _sum(book, sheet, row, column, (first, column, row - 1, column), usd, "money_bold")
    every = [float(usd) for entry in entries for usd in entry["years_usd"]]
    _sum(book, sheet, row, last, (row, FIRST_YEAR, row, last - 1), every, "money_bold")
    return row + 1


def _sum(
    book: Book,
    sheet: Any,
    row: int,
    column: int,
    span: tuple[int, int, int, int],
    amounts: Sequence[float],
    style: str,
) -> None:
    begin, end = xl_rowcol_to_cell(*span[:2]), xl_rowcol_to_cell(*span[2:])
    if span[2] < span[0] or span[3] < span[1]:  # a view without rows or years
        book.number(sheet, row, column, 0.0, style)
        return
    book.formula(sheet, row, column, f"SUM({begin}:{end})", math.fsum(amounts), style)

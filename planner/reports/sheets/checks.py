"""Checks a reader can trust: all TRUE as exported; a changed input flips the last ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.reports.book import Book
from planner.reports.sheets.ledger import FIRST_MONTH, FIRST_ROW, LedgerSheet, ledger_rows

NAME = "Checks"


def write_checks(book: Book, *, result: Mapping[str, Any], ledgers: Sequence[LedgerSheet]) -> None:
    """Lines sum to totals; the recomputed cost equals the server's."""
    sheet = book.sheet(NAME, (70, 20, 20, 12))
    book.text(sheet, 0, 0, "Checks", "title")
    for column, head in enumerate(("Check", "Left", "Right", "Holds")):
        book.text(sheet, 2, column, head, "head" if column in (0, 3) else "head_num")
    row = 3
    for ledger in ledgers:
        data = result["ledger"][ledger.option]
        rows = ledger_rows(data)
        name = next(x["name"] for x in result["options"] if x["key"] == ledger.option)
        lines = f"SUM('{ledger.name}'!$G${FIRST_ROW + 1}:$G${FIRST_ROW + len(rows)})"
        total = sum(sum(x.amounts) for x in rows)
        row = _check(
            book,
            sheet,
            row,
            f"{name}: line totals add up to the total by month",
            (lines, total),
            (ledger.undiscounted.reference(), total),
        )
        kpi = result["kpis"][ledger.option].get("tco_usd")
        if kpi is not None and kpi["value"] is not None:
            value = float(kpi["value"])
            row = _check(
                book,
                sheet,
                row,
                f"{name}: present value equals the site's (false once an input is changed)",
                (ledger.tco.reference(), value),
                (None, value),
            )
    book.text(sheet, row + 1, 0, "All checks hold", "bold")
    book.formula(sheet, row + 1, 3, f"AND($D$4:$D${row})", True, "good")
    book.text(
        sheet, row + 2, 0, f"Months run from column {FIRST_MONTH + 1} of each ledger.", "text"
    )
    book.protect(sheet)


def _check(
    book: Book,
    sheet: Any,
    row: int,
    label: str,
    left: tuple[str, float],
    right: tuple[str | None, float],
) -> int:
    book.text(sheet, row, 0, label, "wrap")
    book.formula(sheet, row, 1, left[0], left[1])
    if right[0] is None:
        book.number(sheet, row, 2, right[1], "money")
    else:
        book.formula(sheet, row, 2, right[0], right[1])
    cells = f"ABS($B${row + 1}-$C${row + 1})<=0.005"
    book.formula(sheet, row, 3, cells, True, "good")
    return row + 1

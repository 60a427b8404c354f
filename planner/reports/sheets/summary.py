"""The answer, option beside option, every money figure live."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from planner.charts.currency import currency_of
from planner.reports.book import Book, Cell
from planner.reports.sheets.assumptions import RESULT, Assumptions
from planner.reports.sheets.ledger import LedgerSheet

NAME = "Summary"
FIRST_ROW = 6


def write_summary(
    book: Book,
    assumptions: Assumptions,
    *,
    result: Mapping[str, Any],
    ledgers: Sequence[LedgerSheet],
    lines: Sequence[str],
    takeaway: str = "",
) -> dict[tuple[str, str], Cell]:
    """Write verdict and KPIs; return the cell of each (option, KPI)."""
    sheet = book.workbook.get_worksheet_by_name(NAME)
    book.text(sheet, 0, 0, result["name"], "title")
    sheet.merge_range(1, 0, 1, 2 + 2 * len(ledgers), "")
    book.text(sheet, 1, 0, result["verdict"], "lede")
    sheet.set_row(1, 48)
    for offset, line in enumerate(lines[:2]):
        book.text(sheet, 2 + offset, 0, line)
    if takeaway:
        sheet.merge_range(4, 0, 4, 2 + 2 * len(ledgers), "")
        book.text(sheet, 4, 0, f"Take-away: {takeaway}", "lede")
        sheet.set_row(4, 48)
    book.text(sheet, FIRST_ROW - 1, 0, "Figure", "head")
    book.text(sheet, FIRST_ROW - 1, 1, "Unit", "head")
    by_option = {ledger.option: ledger for ledger in ledgers}
    options = [option for option in result["options"] if option["key"] in by_option]
    for index, option in enumerate(options):
        book.text(sheet, FIRST_ROW - 1, 2 + 2 * index, option["name"], "head_num")
        book.text(sheet, FIRST_ROW - 1, 3 + 2 * index, "Status", "head")
    cells: dict[tuple[str, str], Cell] = {}
    currency = currency_of(result)
    keys = list(dict.fromkeys(key for option in options for key in result["kpis"][option["key"]]))
    for offset, key in enumerate(keys):
        row = FIRST_ROW + offset
        first = next(
            result["kpis"][option["key"]][key]
            for option in options
            if key in result["kpis"][option["key"]]
        )
        book.text(sheet, row, 0, first["label"])
        book.text(sheet, row, 1, first["unit"])
        for index, option in enumerate(options):
            kpi = result["kpis"][option["key"]].get(key)
            column = 2 + 2 * index
            if kpi is None:
                continue
            if kpi["value"] is None:
                book.text(sheet, row, column, f"not given: {kpi['reason']}", "wrap")
                continue
            cells[option["key"], key] = Cell(NAME, row, column)
            tco = result["kpis"][option["key"]]["tco_usd"]["value"]
            formula = live_formula(
                key, kpi, by_option[option["key"]], assumptions, option["name"], tco, currency
            )
            if formula is None:
                cell = assumptions_result(assumptions, kpi, option["name"])
                formula = cell.reference()
            style = "money" if str(kpi["unit"]).startswith(currency) else "number"
            book.formula(sheet, row, column, formula, float(kpi["value"]), style)
            book.text(sheet, row, column + 1, kpi["status"])
    sheet.freeze_panes(FIRST_ROW, 2)
    book.protect(sheet)
    return cells


def assumptions_result(assumptions: Assumptions, kpi: Mapping[str, Any], option: str) -> Cell:
    """Cell of a figure that only the engine can give (latency, power, racks)."""
    term = {
        "name": f"{kpi['label']} ({option})",
        "value": kpi["value"],
        "unit": kpi["unit"],
        "status": kpi["status"],
        "source": kpi["formula"],
        "verified": True,
    }
    return assumptions.cell(term, "Summary", RESULT)


def live_formula(
    key: str,
    kpi: Mapping[str, Any],
    ledger: LedgerSheet,
    assumptions: Assumptions,
    option: str,
    tco: float | None,
    currency: str,
) -> str | None:
    """Return the formula of a KPI that follows from the ledger, else None."""
    if key == "tco_usd":
        return ledger.tco.reference()
    if key == "undiscounted_usd":
        return ledger.undiscounted.reference()
    terms = kpi["terms"]
    if key == "capex_usd" or key == "opex_usd_per_month":
        cells = [
            cell.reference()
            for term in terms
            if term["unit"] == currency
            for cell in ledger.totals.get(term["name"], [])
        ]
        months = next((term for term in terms if term["unit"] == "months"), None)
        if not cells or (key == "opex_usd_per_month" and months is None):
            return None
        total = "+".join(cells)
        if key == "capex_usd" or months is None:
            return total
        return f"({total})/{assumptions.cell(months, 'Summary', RESULT).reference()}"
    if not str(kpi["unit"]).startswith(currency) or len(terms) < 2 or tco is None:
        return None
    # A unit cost of the whole ledger: present value of the cost over a quantity.
    cost, quantity = terms[0], terms[1]
    same = cost["unit"] == currency and abs(cost["value"] - tco) <= 1e-9 * abs(tco)
    if not same or not quantity["value"]:
        return None
    term = {**quantity, "name": f"{quantity['name']} ({option})"}
    return f"{ledger.tco.reference()}/{assumptions.cell(term, 'Summary', RESULT).reference()}"

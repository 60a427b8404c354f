"""The monthly ledger of one option: amount = quantity x price, both live.

Quantities (servers bought, kWh, instance-hours) are the engine's results and stand on a sheet of
their own; the price stands on Assumptions. A line without one price has its amounts as
quantities in the
reporting currency.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from xlsxwriter.utility import xl_col_to_name, xl_rowcol_to_cell

from planner.reports.book import Book, Cell
from planner.reports.sheets.assumptions import Assumptions

HEAD = ("Line", "Fleet", "Category", "Paid", "Status", "Formula", "Total")
WIDTHS = (34, 20, 12, 8, 11, 40, 16)
FIRST_ROW = 4
FIRST_MONTH = len(HEAD)
TIMINGS = (("start", "start_usd"), ("end", "end_usd"))


@dataclass(frozen=True)
class Row:
    """One line at one timing."""

    line: Mapping[str, Any]
    timing: str
    amounts: Sequence[float]
    price: Mapping[str, Any] | None


@dataclass(frozen=True)
class LedgerSheet:
    """Where the totals of an option stand."""

    option: str
    name: str
    tco: Cell
    undiscounted: Cell
    totals: dict[str, list[Cell]]  # cells of the totals, by "label, fleet"


def price_term(line: Mapping[str, Any], currency: str) -> Mapping[str, Any] | None:
    """Return the one price in the currency that the line is proportional to, if there is one."""
    prices: list[Mapping[str, Any]] = [
        term for term in line["terms"] if str(term["unit"]).startswith(currency)
    ]
    if len(prices) != 1 or not prices[0]["value"]:
        return None
    return prices[0]


# Lines that follow the price paid for a server, list x (1 - discount).
PAID_LINES = frozenset(
    {
        *("servers", "support", "residual", "duty", "sales_tax", "property_tax", "insurance"),
        *("loan_drawn", "loan_principal", "loan_interest"),
    }
)


def paid_price(
    ledger: Mapping[str, Any], fleet: str
) -> tuple[Mapping[str, Any], Mapping[str, Any]] | None:
    """Return the terms of list price and discount of a fleet's servers, if they are known."""
    line = next((x for x in ledger["lines"] if x["key"] == "servers" and x["fleet"] == fleet), None)
    if line is None or line["missing"]:
        return None
    terms = {term["name"]: term for term in line["terms"]}
    price, discount = terms.get("list price of a server"), terms.get("discount")
    return (price, discount) if price and discount else None


# Prices of these lines belong to the site, not to one fleet.
SITE_CATEGORIES = frozenset({"energy", "facility"})


def _named(term: Mapping[str, Any], item: Row, fleet: str) -> Mapping[str, Any]:
    """Return the term under a name that says of what and whose it is."""
    of_site = item.line["category"] in SITE_CATEGORIES
    return {
        **term,
        "name": f"{item.line['label']}: {term['name']}" + ("" if of_site else f" ({fleet})"),
    }


def _factors(
    assumptions: Assumptions, ledger: Mapping[str, Any], item: Row, fleet: str, used_in: str
) -> list[tuple[Cell, float]]:
    """Return the cells of the inputs that a line is proportional to, and their values."""
    found = paid_price(ledger, item.line["fleet"]) if item.line["key"] in PAID_LINES else None
    if found is None or not found[0]["value"] or found[1]["value"] >= 1:
        if item.price is None:
            return []
        cell = assumptions.cell(_named(item.price, item, fleet), used_in)
        return [(cell, float(item.price["value"]))]
    price = {**found[0], "name": f"List price of a server ({fleet})"}
    discount = {**found[1], "name": f"Discount on servers ({fleet})"}
    value = float(price["value"]) * (1.0 - float(discount["value"]))
    formula = (
        f"{assumptions.cell(price, used_in).reference()}"
        f"*(1-{assumptions.cell(discount, used_in).reference()})"
    )
    paid = {
        **price,
        "name": f"Price paid for a server ({fleet})",
        "value": value,
        "source": "list price x (1 - discount)",
    }
    factors = [(assumptions.derived(paid, formula, used_in), value)]
    share = next((x for x in item.line["terms"] if x["name"] == "support share"), None)
    if item.line["key"] == "support" and share is not None and share["value"]:
        cell = assumptions.cell(_named(share, item, fleet), used_in)
        factors.append((cell, float(share["value"])))
    return factors


def ledger_rows(ledger: Mapping[str, Any], currency: str = "USD") -> list[Row]:
    """Split lines by timing; a line of nothing keeps one row, so that it is seen."""
    rows = []
    for line in ledger["lines"]:
        price = price_term(line, currency)
        found = [Row(line, timing, line[key], price) for timing, key in TIMINGS if any(line[key])]
        rows += found or [Row(line, "end", line["end_usd"], price)]
    return rows


def write_ledger(
    book: Book,
    assumptions: Assumptions,
    *,
    number: int,
    option: Mapping[str, Any],
    ledger: Mapping[str, Any],
    rate: Cell,
    currency: str,
) -> LedgerSheet:
    """Write the ledger sheet and the quantities sheet of one option."""
    months = int(ledger["months"])
    name, quantities = f"Ledger {number}", f"Quantities {number}"
    sheet = book.sheet(name, WIDTHS)
    source = book.sheet(quantities, WIDTHS)
    for target, title in ((sheet, "Monthly ledger"), (source, "Quantities (engine results)")):
        book.text(target, 0, 0, f"{title}: {option['name']}", "title")
        for column, head in enumerate(HEAD):
            book.text(target, FIRST_ROW - 1, column, head, "head")
        for month in range(months):
            book.text(target, FIRST_ROW - 1, FIRST_MONTH + month, f"month {month + 1}", "head_num")
        target.set_column(FIRST_MONTH, FIRST_MONTH + months, 14)
        target.freeze_panes(FIRST_ROW, 1)
    book.text(sheet, 1, 0, f"{currency}. Costs positive; resale and tax shields negative.")
    book.text(
        source, 1, 0, f"Amount in {currency} over the inputs that the ledger multiplies it with."
    )
    last = FIRST_MONTH + months - 1
    rows = ledger_rows(ledger, currency)
    several = len({line["fleet"] for line in ledger["lines"] if line["fleet"]}) > 1
    totals: dict[str, list[Cell]] = {}
    for offset, item in enumerate(rows):
        row = FIRST_ROW + offset
        title = f"{item.line['label']}, {item.line['fleet']}".removesuffix(", ")
        totals.setdefault(title, []).append(Cell(name, row, FIRST_MONTH - 1))
        used_in = f"{item.line['label']} ({option['name']})"
        fleet = option["name"] + (f", {item.line['fleet']}" if several else "")
        factors = _factors(assumptions, ledger, item, fleet, used_in)
        unit_price = math.prod(value for _, value in factors)
        for target in (sheet, source):
            book.text(target, row, 0, item.line["label"])
            book.text(target, row, 1, item.line["fleet"])
            book.text(target, row, 2, item.line["category"])
            book.text(target, row, 3, item.timing)
            book.text(target, row, 4, item.line["status"])
            note = f"missing: {item.line['missing']}" if item.line["missing"] else ""
            book.text(target, row, 5, note or item.line["formula"], "wrap")
        for month in range(months):
            column = FIRST_MONTH + month
            amount = float(item.amounts[month])
            book.number(source, row, column, amount / unit_price)
            formula = Cell(quantities, row, column).reference(absolute=False)
            formula += "".join(f"*{cell.reference()}" for cell, _ in factors)
            book.formula(sheet, row, column, formula, amount)
        span = f"{xl_rowcol_to_cell(row, FIRST_MONTH)}:{xl_rowcol_to_cell(row, last)}"
        book.formula(sheet, row, FIRST_MONTH - 1, f"SUM({span})", math.fsum(item.amounts))
        book.number(source, row, FIRST_MONTH - 1, math.fsum(item.amounts) / unit_price)
    end = FIRST_ROW + len(rows) - 1
    result = _write_totals(book, sheet, name, rows, months, end, rate, ledger)
    book.protect(sheet)
    book.protect(source)
    return LedgerSheet(option["key"], name, result[0], result[1], totals)


def _write_totals(
    book: Book,
    sheet: Any,
    name: str,
    rows: Sequence[Row],
    months: int,
    end: int,
    rate: Cell,
    ledger: Mapping[str, Any],
) -> tuple[Cell, Cell]:
    """Sums by timing, discount factors, present value, cumulative (F0.1, F12.3)."""
    r = float(ledger["monthly_rate_fraction"])
    base = end + 2
    labels = (
        *("Paid at the start", "Paid at the end", "Factor, start", "Factor, end"),
        *("Present value", "Cumulative present value"),
    )
    last = FIRST_MONTH + months - 1
    for offset, label in enumerate(labels):
        book.text(sheet, base + offset, 0, label, "bold")
    running = 0.0
    nominal = []
    present = []
    for month in range(months):
        column = FIRST_MONTH + month
        letter = xl_col_to_name(column)
        sums = []
        for offset, timing in enumerate(("start", "end")):
            span = f"{letter}${FIRST_ROW + 1}:{letter}${end + 1}"
            kinds = f"$D${FIRST_ROW + 1}:$D${end + 1}"
            total = math.fsum(float(x.amounts[month]) for x in rows if x.timing == timing)
            sums.append(total)
            book.formula(sheet, base + offset, column, f'SUMIF({kinds},"{timing}",{span})', total)
        factors = ((1 + r) ** -month, (1 + r) ** -(month + 1))
        for offset, power in ((2, month), (3, month + 1)):
            text = f"(1+{rate.reference()})^-{power}"
            book.formula(sheet, base + offset, column, text, factors[offset - 2], "factor")
        value = sums[0] * factors[0] + sums[1] * factors[1]
        running += value
        nominal.append(math.fsum(sums))
        present.append(value)
        text = f"{letter}{base + 1}*{letter}{base + 3}+{letter}{base + 2}*{letter}{base + 4}"
        book.formula(sheet, base + 4, column, text, value, "money_bold")
        previous = f"{xl_col_to_name(column - 1)}{base + 6}+" if month else ""
        book.formula(sheet, base + 5, column, f"{previous}{letter}{base + 5}", running)
    span = f"{xl_rowcol_to_cell(base + 4, FIRST_MONTH)}:{xl_rowcol_to_cell(base + 4, last)}"
    book.formula(sheet, base + 4, FIRST_MONTH - 1, f"SUM({span})", math.fsum(present), "money_bold")
    span = f"{xl_rowcol_to_cell(base, FIRST_MONTH)}:{xl_rowcol_to_cell(base + 1, last)}"
    book.formula(sheet, base, FIRST_MONTH - 1, f"SUM({span})", math.fsum(nominal), "money_bold")
    return Cell(name, base + 4, FIRST_MONTH - 1), Cell(name, base, FIRST_MONTH - 1)

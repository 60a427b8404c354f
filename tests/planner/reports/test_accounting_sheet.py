"""The sheet of cash and P&L, and the table of the page, from a stored result."""

from __future__ import annotations

import copy
import io
from datetime import UTC, datetime

import openpyxl

from planner.projections.places import places_of
from planner.projections.tables import ledger_tables
from planner.reports.workbook import build_workbook
from tco.projection import project
from tests.engine.cost.cast import fig, option, owned, purchase, scenario
from tests.engine.uncertainty.test_evaluate import financed


def result():
    """One option for each way to pay."""
    buy = purchase(residual_fraction=fig(0.1, "fraction"))
    options = [option(key, owned(purchase=terms, count=2)) for key, terms in financed(buy).items()]
    return project(scenario(*options)).to_dict()


def sheets(stored):
    """The workbook, read again."""
    content = build_workbook(stored, facts={}, generated_at=datetime(2026, 12, 1, tzinfo=UTC))
    return openpyxl.load_workbook(io.BytesIO(content))


def test_every_option_has_three_views_that_agree():
    """A block for each option; every check row is a live formula."""
    stored = result()
    sheet = sheets(stored)["Cash and P&L"]
    column = [cell.value for cell in sheet["A"]]
    for title in ("Cash paid", "Cost in the P&L", "Capital expenditure"):
        assert column.count(title) == len(stored["options"])
    checks = [
        cell.value
        for row in sheet.iter_rows()
        for cell in row
        if str(cell.value).startswith("=ABS(")
    ]
    assert len(checks) == len(stored["options"])
    for view in stored["views"].values():
        assert abs(sum(view["cash_usd"]) - sum(view["pnl_usd"])) < 0.01


def test_a_result_stored_before_has_no_views():
    """Older results keep their page and workbook."""
    stored = copy.deepcopy(result())
    del stored["views"]
    assert "Cash and P&L" not in sheets(stored).sheetnames
    assert all(table.accounting is None for table in ledger_tables(stored, places_of(stored)))


def test_the_page_shows_the_summary():
    """Parts are marked, and the last balance is nothing."""
    stored = result()
    for table in ledger_tables(stored, places_of(stored)):
        rows = {row.label: row for row in table.accounting.rows}
        assert (
            rows["Cash paid"].total_usd == table.total_usd
            or abs(rows["Cash paid"].total_usd - table.total_usd) < 0.01
        )
        assert rows["Paid and not yet a cost, end of year"].years_usd[-1] == 0.0
        assert rows["Running and other costs"].part

"""The workbook recalculates to the site's figures, and can carry no formula of a stranger's."""

from __future__ import annotations

import copy
import csv
import io
import re
import zipfile
from decimal import Decimal
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware_catalog.seed.to_engine import SeedCatalog
from planner.reports.csv_ledger import build_csv
from planner.reports.safe_text import csv_cell
from tco.document import parse, resolve
from tco.projection import project
from tco.results.rounding import cents
from tests.planner.reports.workbook_cases import (
    cached_cells,
    example_result,
    formula_cells,
    recalculated,
    workbook_bytes,
)

EURO = Path(__file__).resolve().parents[3] / "examples" / "euro.yaml"


@pytest.fixture(scope="module")
def read(book):
    """Reader of the recalculated workbook."""
    return recalculated(book)


@pytest.fixture(scope="module")
def book(tmp_path_factory):
    """The file on disk."""
    path = tmp_path_factory.mktemp("book") / "chat.xlsx"
    path.write_bytes(workbook_bytes(example_result()))
    return path


def _summary(content, label):
    sheet = openpyxl.load_workbook(io.BytesIO(content), data_only=True)["Summary"]
    for row in sheet.iter_rows(min_row=6):
        if row[0].value == label:
            return row
    raise AssertionError(f"no row {label!r}")


def _assumption(path, name):
    sheet = openpyxl.load_workbook(path, data_only=True)["Assumptions"]
    found = [row[1].coordinate for row in sheet.iter_rows() if row[0].value == name]
    assert len(found) == 1, (name, found)
    return found[0]


def test_every_formula_recalculates_to_its_cached_value(book, read):
    """Cached = recalculated by an independent engine, for every formula cell (FX5, F23.14)."""
    content = book.read_bytes()
    cached = cached_cells(content)
    found = formula_cells(content)
    assert len(found) > 150
    for sheet, cell in found:
        was, now = cached[sheet, cell], read(sheet, cell)
        if isinstance(was, bool):
            assert bool(now) is was, (sheet, cell)
        else:
            assert float(now) == pytest.approx(was, rel=1e-9, abs=0.005), (sheet, cell)


def test_summary_equals_the_projection(book):
    """The figures on the first sheet are the page's, to the last digit."""
    result = example_result()
    for key in ("tco_usd", "capex_usd", "usd_per_mtok_output", "servers", "ttft_ms"):
        kpis = [result["kpis"][option["key"]][key] for option in result["options"]]
        row = _summary(book.read_bytes(), kpis[0]["label"])
        assert [row[2].value, row[4].value] == pytest.approx([k["value"] for k in kpis], rel=1e-12)


def test_a_changed_price_moves_the_total_as_the_engine_does(book):
    """Electricity at 0.16 instead of 0.08 USD/kWh: the sheet and a new projection agree."""
    cell = _assumption(book, "Electricity, energy: electricity price")
    read = recalculated(book, {("Assumptions", cell): 0.16})
    expected = example_result(energy_usd_per_kwh=0.16)["kpis"]["h100"]["tco_usd"]["value"]
    row = _summary(book.read_bytes(), "Total cost over 6 months, present value")
    assert read("Summary", row[2].coordinate) == pytest.approx(expected, rel=1e-9)
    assert expected > row[2].value * 1.001


def test_a_changed_input_flips_a_check(book, read):
    """The reader sees that the sheet no longer is what was exported (FX6)."""
    cell = _assumption(book, "Electricity, energy: electricity price")
    sheet = openpyxl.load_workbook(book)["Checks"]
    last = next(r for r in sheet.iter_rows() if r[0].value == "All checks hold")[3].coordinate
    assert bool(read("Checks", last)) is True
    assert bool(recalculated(book, {("Assumptions", cell): 0.5})("Checks", last)) is False


def test_a_missing_price_is_blank_never_zero(tmp_path):
    """Totals of an option without a price say why they are not given."""
    result = copy.deepcopy(example_result())
    kpi = result["kpis"]["p5"]["tco_usd"]
    kpi.update(value=None, reason="no rate is known")
    row = _summary(workbook_bytes(result), kpi["label"])
    assert row[4].value == "not given: no rate is known"


def test_no_macros_no_links_and_inputs_alone_are_unlocked(book):
    """Nothing runs, nothing points outside; formulas are protected (FX11)."""
    names = zipfile.ZipFile(book).namelist()
    assert not [n for n in names if "vba" in n.lower() or "externalLink" in n]
    workbook = openpyxl.load_workbook(book)
    for sheet in workbook:
        assert sheet.protection.sheet, sheet.title
        for row in sheet.iter_rows():
            for cell in row:
                if not cell.protection.locked:
                    assert sheet.title == "Assumptions"
                    assert cell.data_type == "n"


def test_every_yellow_cell_moves_the_answer(book, read):
    """An input that moves nothing would be a trap: each is referenced by a formula (FX2)."""
    sheet = openpyxl.load_workbook(book)["Assumptions"]
    inputs = [row[1].coordinate for row in sheet.iter_rows(min_row=5) if row[3].value == "input"]
    assert len(inputs) >= 10
    formulas = " ".join(formula_cells(book.read_bytes()).values())
    names = [row[0].value for row in sheet.iter_rows(min_row=5)]
    for cell in inputs:
        absolute = f"$B${cell[1:]}"
        found = re.search(rf"{re.escape(absolute)}(?!\d)", formulas)
        assert found, (cell, sheet[f"A{cell[1:]}"].value)
    assert len(set(names)) == len(names), "two rows of one name"


def test_one_option_s_discount_is_its_own(tmp_path):
    """Inputs are not shared between fleets that happen to have the same value."""
    sheet = openpyxl.load_workbook(io.BytesIO(workbook_bytes(example_result())))["Assumptions"]
    names = {row[0].value for row in sheet.iter_rows(min_row=5)}
    assert {"Discount on servers (Own 8xH100)", "List price of a server (Own 8xH100)"} <= names
    assert any(name and "support share (Own 8xH100)" in name for name in names)


def test_sheets_keep_the_order_of_the_projection():
    """Total cost comes first, options stand as the scenario has them."""
    sheet = openpyxl.load_workbook(io.BytesIO(workbook_bytes(example_result())))["Summary"]
    assert sheet["A7"].value.startswith("Total cost")
    assert [sheet["C6"].value, sheet["E6"].value] == ["Own 8xH100", "Rent p5.48xlarge"]


def test_named_ranges_resolve(book):
    """Each defined name points at a cell that is there (FX3)."""
    workbook = openpyxl.load_workbook(book)
    assert set(workbook.defined_names) >= {"monthly_discount_rate", "tco_usd_1", "tco_usd_2"}
    for name in workbook.defined_names.values():
        if name.name.startswith("_xlnm"):
            continue
        for title, coordinate in name.destinations:
            assert workbook[title][coordinate].value is not None


NASTY = st.one_of(
    st.sampled_from(
        [
            *("=1+1", "+1", "-1", "@SUM(1)", "\t=1", "\r=1", "\n=1", "|calc", "＝1+1", "%0A"),
            *('=HYPERLINK("http://x")', "=WEBSERVICE(1)", "=cmd|' /C calc'!A0", "{=1}", " =1"),
            *("\u202e=1", "\x00=1", "\ud800", "http://example.org", "internal:Summary!A1"),
        ]
    ),
    st.text(max_size=40),
)


# References to our sheets, numbers, operators and four functions: nothing else is written.
OURS = re.compile(
    r"=(?:'(?:Summary|Assumptions|Ledger \d+|Quantities \d+)'!|\$?[A-Z]{1,3}\$?\d+|SUM\(|SUMIF\("
    r"|ABS\(|AND\(|\"start\"|\"end\"|[\d.]+|[-+*/^(),:<>=])+"
)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(texts=st.lists(NASTY, min_size=6, max_size=6))
def test_user_text_never_becomes_a_formula(texts):
    """Whatever people type, the only formulas are ours (FX8)."""
    clean = example_result(months=2)
    dirty = copy.deepcopy(clean)
    dirty["name"], dirty["verdict"] = texts[0], texts[1]
    dirty["options"][0]["name"] = texts[2]
    line = dirty["ledger"]["h100"]["lines"][0]
    line["label"] = texts[3]
    dirty["provenance"]["figures"][0]["source"] = texts[4]
    dirty["findings"][0]["message"] = texts[5]
    content = workbook_bytes(dirty)
    for value in formula_cells(content).values():
        assert OURS.fullmatch(value), value
    cells = list(csv.reader(io.StringIO(build_csv(dirty).decode("utf-8-sig"))))
    for row in cells[1:]:
        for cell in row[:4]:
            assert not cell.startswith(("=", "+", "@", "\t", "|", "＝"))


def test_csv_opens_right_and_adds_up():
    """A BOM for Excel, numbers as numbers, months add up to the total."""
    content = build_csv(example_result())
    assert content.startswith("\ufeff".encode())
    rows = list(csv.DictReader(io.StringIO(content.decode("utf-8-sig"))))
    assert len(rows) >= 8
    for row in rows:
        months = [float(row[f"month_{m + 1}_usd"]) for m in range(6)]
        assert sum(months) == pytest.approx(float(row["total_usd"]), abs=1e-6)


def test_csv_names_its_currency_and_keeps_the_originals():
    """Heads in euro, the original beside each line, and rows that sum to the total to the cent."""
    result = project(resolve(parse(EURO.read_text()), SeedCatalog())).to_dict()
    rows = list(csv.DictReader(io.StringIO(build_csv(result).decode("utf-8-sig"))))
    assert not [head for head in rows[0] if "usd" in head]
    servers = next(row for row in rows if row["line"] == "Servers")
    assert (servers["currency"], servers["total_eur"]) == ("EUR", "509090.91")
    assert (servers["original_amount"], servers["original_currency"]) == ("560000.00", "USD")
    assert servers["rate_date"] == "2026-12-01"
    for option in result["options"]:
        own = [row for row in rows if row["option"] == option["name"]]
        total = result["kpis"][option["key"]]["undiscounted_usd"]["value"]
        assert sum(Decimal(row["total_eur"]) for row in own) == cents(total)
        months = [sum(Decimal(row[f"month_{m + 1}_eur"]) for row in own) for m in range(36)]
        assert sum(months) == cents(total)


def test_csv_guards_text_and_leaves_numbers():
    """Only text is guarded."""
    assert csv_cell("=A1") == "'=A1"
    assert csv_cell(-3.5) == -3.5
    assert csv_cell(None) == ""


def test_two_exports_differ_only_in_their_time():
    """Same revision, same bytes: the file is a function of the projection (FX7)."""
    assert workbook_bytes(example_result()) == workbook_bytes(example_result())

"""The electricity bill by part and month on the projection page and in the workbook (F4)."""

from __future__ import annotations

import io
import json
import math

import openpyxl
import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from planner.projections.bills import bill_tables
from planner.projections.places import places_of
from planner.projections.services import projection_get_or_run
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_create
from tco.document import resolve
from tco.projection import project
from tests.planner.conftest import example
from tests.planner.reports.workbook_cases import (
    cached_cells,
    formula_cells,
    recalculated,
    workbook_bytes,
)


def test_the_page_and_the_workbook_show_the_bill(ada_client, seed_catalog, demo_organisation, ada):
    """Each part by month, their sum the bill, carbon beside it; the workbook has each line."""
    scenario = scenario_create(organisation=demo_organisation, document=example("tariff"), by=ada)
    projection = projection_get_or_run(revision=revision_get(scenario=scenario))
    parts, average = bill_tables(projection.result, places_of(projection.result))
    assert [row.label for row in parts.rows] == [
        "Energy, evening",
        "Energy, night and day",
        "Energy, weekend",
        "Demand, month's peak",
        "Ratchet excess, month's peak",
        "Tax on the bill",
    ]
    assert (parts.increment, average.increment) == (True, False)
    assert parts.months[:2] == ("Dec 26", "Jan 27")
    assert len(parts.months) == len(parts.sums_usd) == 12
    lines = projection.result["ledger"]["parts"]["lines"]
    bill = [line for line in lines if line["key"].startswith("electricity_")]
    for month in range(12):
        expected = math.fsum(line["end_usd"][month] for line in bill)
        assert parts.sums_usd[month] == pytest.approx(expected, abs=0.005)
    page = ada_client.get(f"/scenarios/{scenario.pk}/").content.decode()
    for words in (
        "Electricity bill by part and month",
        "Energy, evening",
        "Dec 26",
        "carbon price",
    ):
        assert words in page
    assert "on top of what stands there" in page
    assert "Embodied carbon of the months in service" in page
    book = openpyxl.load_workbook(io.BytesIO(workbook_bytes(projection.result)))
    cells = {
        str(cell.value) for sheet in book for row in sheet.iter_rows() for cell in row if cell.value
    }
    assert "Electricity, energy, evening" in cells
    assert any("Water evaporated on site" in cell for cell in cells)


def test_the_workbook_of_a_bill_in_parts_recomputes(tmp_path):
    """F23.14: every formula gives the server's figure, parts with a negative sum included."""
    document = example("tariff")
    document["finance"]["horizon_months"] = 8
    result = json.loads(json.dumps(project(resolve(document, SeedCatalog())).to_dict()))
    content = workbook_bytes(result)
    path = tmp_path / "tariff.xlsx"
    path.write_bytes(content)
    read, cached = recalculated(path), cached_cells(content)
    formulas = formula_cells(content)
    assert len(formulas) > 50
    for where in formulas:
        was, now = cached[where], read(*where)
        if isinstance(was, bool):
            assert bool(now) is was, where
        else:
            assert float(now) == pytest.approx(was, rel=1e-9, abs=0.005), where

"""Legal zones on the projection page and in the workbook (F17)."""

from __future__ import annotations

import io

import openpyxl
import pytest

from planner.projections.services import projection_get_or_run
from planner.projections.zones import zones_tables
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_create
from tests.planner.conftest import example
from tests.planner.reports.workbook_cases import workbook_bytes


def test_the_page_names_the_premium(ada_client, seed_catalog, demo_organisation, ada):
    """Zones, transfers and the premium of each option; the same figures in the workbook."""
    scenario = scenario_create(organisation=demo_organisation, document=example("zones"), by=ada)
    projection = projection_get_or_run(revision=revision_get(scenario=scenario))
    apart, shared = zones_tables(projection.result)
    assert apart.names == shared.names == ("United States", "Germany", "Sweden")
    assert [cell["word"] for cell in apart.matrix[1][1]] == ["forbidden", "–", "at a cost"]
    assert [cell["used"] for cell in shared.matrix[2][1]] == [False, True, False]
    assert apart.figure["premium_usd"] > shared.figure["premium_usd"] > 0
    page = ada_client.get(f"/scenarios/{scenario.pk}/").content.decode()
    for words in (apart.figure["sentence"], "One pool in United States", "at a cost", "Sweden"):
        assert words in page
    book = openpyxl.load_workbook(io.BytesIO(workbook_bytes(projection.result)))
    rows = list(book["Zones"].iter_rows(min_row=5, values_only=True))
    premiums = [row for row in rows if row[1] == "premium of separation"]
    for row, table in zip(premiums, (apart, shared), strict=True):
        assert row[12] == pytest.approx(table.figure["premium_usd"], rel=1e-14)
    assert [row[5] for row in premiums] == [3, 1]

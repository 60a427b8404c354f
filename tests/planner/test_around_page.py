"""Networks, storage and cooling on the projection page and in the workbook (F3, F7)."""

from __future__ import annotations

import io

import openpyxl

from planner.projections.around import around_view
from planner.projections.places import places_of
from planner.projections.services import projection_get_or_run
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_create
from tests.planner.conftest import example
from tests.planner.reports.workbook_cases import workbook_bytes


def test_page_and_workbook_show_the_parts(ada_client, seed_catalog, demo_organisation, ada):
    """Switches by tier, modules, the store and what losing a chiller does, in both."""
    scenario = scenario_create(
        organisation=demo_organisation, document=example("liquid_cluster"), by=ada
    )
    projection = projection_get_or_run(revision=revision_get(scenario=scenario))
    view = around_view(projection.result, places_of(projection.result))
    rails = view.fabrics[0]
    assert (rails.tiers, rails.switches, rails.modules) == ("32 leaf, 16 spine", 48, 2224)
    assert (view.fabrics[1].copper, view.fabrics[1].optical) == (200, 80)
    assert "to shed in" in view.cooling[0].lost
    page = ada_client.get(f"/scenarios/{scenario.pk}/").content.decode()
    assert 'id="around"' in page
    for words in ("32 leaf, 16 spine", "NVIDIA QM9700 (NDR)", view.cooling[0].lost, "2,224"):
        assert words in page
    book = openpyxl.load_workbook(io.BytesIO(workbook_bytes(projection.result)))
    rows = list(book["Networks and cooling"].iter_rows(min_row=5, values_only=True))
    found = {(row[1], row[2], row[3]): row[4] for row in rows}
    name = "scale-out network, rail optimised"
    assert found["rails-cluster", name, "switches, leaf"] == 32
    assert found["rails-cluster", name, "server to leaf, modules"] == 1200
    assert found["rails-cluster", "shared storage", "storage servers"] == 7
    assert found["hall", "cooling plant", "chillers"] == 2


def test_a_scenario_without_any_has_neither(ada_client, chat):
    """No empty section, no empty sheet."""
    page = ada_client.get(f"/scenarios/{chat.pk}/").content.decode()
    assert 'id="around"' not in page

"""Availability on the projection page and in the workbook (F16)."""

from __future__ import annotations

import io

import openpyxl

from planner.projections.availability import availability_tables
from planner.projections.places import places_of
from planner.projections.services import projection_get_or_run
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_create
from tests.planner.conftest import example
from tests.planner.reports.workbook_cases import workbook_bytes

AVAILABILITY = {
    "repair_hours": 4,
    "layers": [
        {
            "key": "ups",
            "kind": "ups",
            "name": "UPS modules",
            "scheme": "N+1",
            "mtbf_hours": 250000,
            "repair_hours": 8,
            "common_cause_fraction": 0.05,
            "usd_per_unit": 60000,
        }
    ],
    "contracts": [
        {"key": "nbd", "response_hours": 30, "parts_hours": 10, "usd_per_server_year": 5000},
        {"key": "4h", "response_hours": 4, "parts_hours": 4, "usd_per_server_year": 15000},
    ],
    "contract": "nbd",
    "second_site": {"mode": "active_passive", "failover_hours": 0.5},
}


def test_the_page_and_the_workbook_show_each_step(ada_client, seed_catalog, demo_organisation, ada):
    """Every scheme, contract and mode with its money; the same rows in the workbook."""
    document = example("chat")
    document["workloads"][0] |= {"replicas_lost": 4, "downtime_usd_per_hour": 20000}
    document["options"] = document["options"][:1]
    fleet = document["options"][0]["fleets"][0]
    fleet["availability"] = AVAILABILITY
    del fleet["purchase"]["support_fraction_per_year"]
    scenario = scenario_create(organisation=demo_organisation, document=document, by=ada)
    projection = projection_get_or_run(revision=revision_get(scenario=scenario))
    (table,) = availability_tables(projection.result, places_of(projection.result))
    assert [part.name for part in table.parts] == ["Servers", "UPS modules", "Sites"]
    page = ada_client.get(f"/scenarios/{scenario.pk}/").content.decode()
    for words in ("UPS modules", "2(N+1)", "active passive", "as it is", "Support contracts"):
        assert words in page
    assert table.sentence in page.replace("&#x27;", "'")
    book = openpyxl.load_workbook(io.BytesIO(workbook_bytes(projection.result)))
    rows = list(book["Availability"].iter_rows(min_row=5, values_only=True))
    assert len(rows) == 1 + 2 + 3 + 5 + 3 + 2
    chosen = next(row for row in rows if row[3] == "N+1 (as it is)" and row[2] == "UPS modules")
    assert chosen[5] == table.figure["availability_fraction"]
    assert rows[0][8] == table.figure["downtime_usd"]


def test_a_scenario_without_availability_has_neither(ada_client, chat):
    """No section and no sheet."""
    projection = projection_get_or_run(revision=revision_get(scenario=chat))
    assert 'id="availability"' not in ada_client.get(f"/scenarios/{chat.pk}/").content.decode()
    book = openpyxl.load_workbook(io.BytesIO(workbook_bytes(projection.result)))
    assert "Availability" not in book.sheetnames

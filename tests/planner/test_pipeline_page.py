"""The stage table of a pipeline on the projection page (P9)."""

from __future__ import annotations

import pytest

from planner.projections.places import places_of
from planner.projections.services import projection_get_or_run
from planner.projections.stages import pipeline_tables
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_create
from tests.planner.conftest import example


@pytest.fixture
def pipeline(seed_catalog, demo_organisation, ada):
    """The shipped example, stored."""
    document = example("pipeline")
    return scenario_create(organisation=demo_organisation, document=document, by=ada)


def test_the_page_shows_each_stage_and_which_one_binds(ada_client, pipeline):
    """One table an option: the stage that binds, the whole against its limit, why a 70B is not."""
    projection = projection_get_or_run(revision=revision_get(scenario=pipeline))
    tables = pipeline_tables(projection.result, places_of(projection.result))
    assert [table.option for table in tables] == [
        "Own L40S, answer by 8B",
        "Own L40S, answer by 70B",
        "Own L40S and H100, answer by 70B",
    ]
    assert [stage.name for stage in tables[0].stages if stage.binds] == ["Answer"]
    assert tables[0].whole_ms <= tables[0].limit_ms == 450
    assert tables[1].sentence.startswith("Not possible: Answer: p99 is")
    page = ada_client.get(f"/scenarios/{pipeline.pk}/").content.decode()
    assert page.count("Share of slow requests") == 3
    assert "Not possible: Answer" in page
    assert "stage percentiles do not add up" in page

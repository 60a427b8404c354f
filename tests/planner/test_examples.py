"""The shipped examples: loaded once, projected, using the machine that was measured."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from planner.models import Projection, Scenario, ScenarioRevision
from planner.projections.examples import load_examples
from planner.scenarios.services import scenario_revise
from tests.planner.conftest import EXAMPLE_NAMES


def test_loading_twice_changes_nothing(seed_catalog, demo_organisation, ada):
    """One scenario, one revision and one projection each, whoever calls how often."""
    for word in ("added", "as before"):
        loaded = load_examples(organisation=demo_organisation, by=ada)
        assert [item.name for item in loaded] == EXAMPLE_NAMES
        assert {item.word for item in loaded} == {word}
        assert all(item.verdict for item in loaded)
    count = len(EXAMPLE_NAMES)
    assert Scenario.objects.count() == count
    assert ScenarioRevision.objects.count() == count
    assert Projection.objects.filter(adopted_at__isnull=False).count() == count


def test_an_example_somebody_edited_is_left_alone(seed_catalog, demo_organisation, ada):
    """It is theirs now."""
    load_examples(organisation=demo_organisation, by=ada)
    scenario = Scenario.objects.get(example="chat")
    document = {**scenario.revisions.get().document, "name": "Mine"}
    scenario_revise(scenario=scenario, document=document, base_number=1, by=ada, message="mine")
    load_examples(organisation=demo_organisation, by=ada)
    scenario.refresh_from_db()
    assert (scenario.name, scenario.revision_number) == ("Mine", 2)


@pytest.fixture
def processor(seed_catalog, demo_organisation):
    """A processor that an upload made known: pending, with a measured memory bandwidth."""
    from django.utils import timezone

    from hardware_catalog.models import CatalogEntry, ThroughputFigure

    entry = CatalogEntry.objects.create(
        kind="device",
        key="example-cpu-9000",
        name="Example CPU 9000",
        vendor="Example",
        organisation=demo_organisation,
        attributes={"device_kind": "cpu"},
        pending=True,
    )
    for metric, dtype, value, unit, shape in (
        ("membw", "", 33.0, "GB/s", {}),
        ("gemm", "fp32", 0.9, "TFLOP/s", {"m": 1024, "n": 2048, "k": 2048}),
        ("gemm", "fp32", 0.4, "TFLOP/s", {"m": 1, "n": 2048, "k": 2048}),
    ):
        ThroughputFigure.objects.create(
            organisation=demo_organisation,
            entry=entry,
            metric=metric,
            dtype=dtype,
            value=value,
            low=0.9 * value,
            high=1.1 * value,
            unit=unit,
            runs=["5f0c6d3e-0000-4000-8000-000000000001"],
            method_version=f"{metric}.v1",
            measured_at=timezone.now(),
            **shape,
        )
    return entry


def test_this_machine_uses_the_measured_processor(processor, demo_organisation, ada):
    """The fleet names the measured device, the revision says so, its rates reach the result."""
    load_examples(organisation=demo_organisation, by=ada)
    scenario = Scenario.objects.get(example="this_machine")
    revision = scenario.revisions.get()
    (device,) = revision.document["catalog"]["devices"]
    assert device["key"] == processor.key
    assert revision.document["catalog"]["servers"][0]["device"] == processor.key
    assert "Example CPU 9000, measured here" in revision.message
    assert device["peak_tflops"]["fp32"]["value"] == 0.9
    assert device["peak_tflops"]["fp32"]["status"] == "estimated"
    figures = Projection.objects.get(revision=revision).result["provenance"]["figures"]
    measured = {term["value"] for term in figures if term["status"] == "measured"}
    assert 33.0 in measured


def test_a_measurement_after_the_first_load_revises_the_example(
    seed_catalog, demo_organisation, ada, request
):
    """Loaded before the benchmark, the example is revised by the next load, and says why."""
    load_examples(organisation=demo_organisation, by=ada)
    request.getfixturevalue("processor")
    words = {item.name: item.word for item in load_examples(organisation=demo_organisation, by=ada)}
    assert words.pop("this_machine") == "revised"
    assert set(words.values()) == {"as before"}
    scenario = Scenario.objects.get(example="this_machine")
    assert scenario.revision_number == 2
    assert "measured here" in scenario.revisions.first().message


def test_the_command_prints_a_line_each_and_names_what_is_wrong(
    seed_catalog, demo_organisation, ada
):
    """The last line sums up; an unknown organisation or person is one clear line."""
    out = StringIO()
    call_command("load_examples", organisation="Demo Ltd", by="ada@example.org", stdout=out)
    lines = out.getvalue().splitlines()
    assert len(lines) == len(EXAMPLE_NAMES) + 1
    assert lines[-1].startswith(f"{len(EXAMPLE_NAMES)} example scenarios")
    with pytest.raises(CommandError, match="no organisation"):
        call_command("load_examples", organisation="Nobody")
    with pytest.raises(CommandError, match="no person"):
        call_command("load_examples", organisation="Demo Ltd", by="x@example.org")

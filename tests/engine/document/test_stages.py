"""Pipelines, batches, slices and quality in the document: named errors and figures."""

from __future__ import annotations

import pytest

from tco.document import validate
from tests.engine.document.small_catalog import scenario
from tests.engine.document.test_resolve import refused, resolved
from tests.engine.document.test_validate import FLEET, change


def pipeline():
    """The base document with a pipeline of two stages, each with a fleet."""
    document = scenario()
    load = document["workloads"][0]
    model = load.pop("model")
    for name in ("input_tokens", "output_tokens", "weight_dtype", "kv_dtype"):
        load.pop(name, None)
    load["targets"] = [{"metric": "e2e", "percentile": 99, "limit_ms": 450}]
    load["stages"] = [
        {"key": "clean", "kind": "cpu", "service_ms": 2, "cores": 16},
        {
            "key": "answer",
            "kind": "model",
            "model": model,
            "after": ["clean"],
            "input_tokens": 512,
            "output_tokens": 16,
        },
    ]
    for option in document["options"]:
        first = option["fleets"][0]
        first["stage"] = "clean"
        option["fleets"].append(first | {"key": f"{first['key']}-2", "stage": "answer"})
    return document


def errors(document):
    """Messages by field."""
    return {error.field: str(error) for error in validate(document)}


def test_a_pipeline_resolves_with_its_stages_and_fleets():
    """Each fleet takes the whole of its stage."""
    assert errors(pipeline()) == {}
    inputs = resolved(pipeline())
    work = inputs.workloads[0]
    assert work.kind == "pipeline"
    assert [stage.key for stage in work.stages] == ["clean", "answer"]
    assert work.stages[1].model.layers == 16
    assert work.stages[0].service_ms.value == 2
    assert [fleet.stage for fleet in inputs.options[0].fleets] == ["clean", "answer"]
    assert {fleet.share_fraction for fleet in inputs.options[0].fleets} == {1.0}


STAGE = "workloads[0].stages[1]"


@pytest.mark.parametrize(
    ("path", "value", "field", "message"),
    [
        (f"{STAGE}.after", ["cleen"], f"{STAGE}.after[0]", "did you mean 'clean'"),
        ("workloads[0].stages[0].after", ["answer"], "workloads[0].stages[0].after", "wait for"),
        (f"{STAGE}.after", ["answer"], f"{STAGE}.after", "answer -> answer"),
        (f"{STAGE}.model", ..., f"{STAGE}.model", "a stage of kind model needs it"),
        (f"{STAGE}.kind", "modle", f"{STAGE}.kind", "is not known"),
        ("workloads[0].stages[0].cores", ..., "workloads[0].stages[0].cores", "kind cpu needs"),
        (f"{FLEET}.stage", "cleann", f"{FLEET}.stage", "did you mean 'clean'"),
        (f"{FLEET}.stage", ..., f"{FLEET}.stage", "name one of clean, answer"),
        ("options[0].fleets[1].stage", "clean", "options[0].fleets[1].stage", "already served"),
        (f"{STAGE}.share_fraction", 1.2, f"{STAGE}.share_fraction", "above 1"),
        ("workloads[0].stages", [], "workloads[0].stages", "the list is empty"),
    ],
)
def test_what_does_not_fit_together_is_named(path, value, field, message):
    """Unknown stage, a circle, no model, no fleet: each where it stands, with the mend."""
    found = errors(change(pipeline(), path, value))
    assert message in found[field]


def test_a_stage_without_a_fleet_is_said():
    """Every stage needs one in every option."""
    document = pipeline()
    del document["options"][0]["fleets"][1]
    assert "no fleet of this option serves 'answer'" in errors(document)[f"{FLEET}.stage"]


def test_a_stage_belongs_to_a_pipeline():
    """A fleet of one model has no stage."""
    assert "has no stages" in errors(change(scenario(), f"{FLEET}.stage", "x"))[f"{FLEET}.stage"]


def test_a_slice_the_device_does_not_have_is_refused_with_the_nearest():
    """The H100 has 1g.10gb; the H200's 1g.18gb is another size."""
    found = refused(change(scenario(), f"{FLEET}.partition", "1g.10g"))
    assert "did you mean '1g.10gb'" in str(found[f"{FLEET}.partition"])
    good = resolved(change(scenario(), f"{FLEET}.partition", "1g.10gb"))
    assert good.options[0].fleets[0].partition.per_device == 7


def test_batches_and_quality_reach_the_engine():
    """A model of one pass; an own quality figure of the model at a precision."""
    document = scenario()
    load = document["workloads"][0]
    for name in ("input_tokens", "output_tokens"):
        load.pop(name)
    load["batch_inference"] = {"batch_limit": 8, "timeout_ms": "5 ms"}
    load["quality_floor_fraction"] = 0.8
    load["quality"] = [
        {"measure": "own set", "weight_dtype": "fp8", "accepted_fraction": {"value": 0.85}}
    ]
    load["targets"] = []
    work = resolved(document).workloads[0]
    assert work.kind == "batch_inference"
    assert (work.batch.batch_limit, work.batch.timeout_ms) == (8, 5.0)
    assert work.model.quality[0].accepted_fraction.value == 0.85

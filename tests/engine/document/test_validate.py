"""Checks at the door: every error at once, each with path, value and mend."""

from __future__ import annotations

import pytest

from tco.document import parse, validate
from tests.engine.document.small_catalog import scenario


def change(document, path, value):
    """Set `a.b[0].c` of a document; Ellipsis deletes it."""
    steps = [
        int(step) if step.isdigit() else step
        for step in path.replace("[", ".").replace("]", "").split(".")
    ]
    node = document
    for step in steps[:-1]:
        node = node.setdefault(step, {}) if isinstance(node, dict) else node[step]
    if value is ...:
        del node[steps[-1]]
    else:
        node[steps[-1]] = value
    return document


def only_error(path, value):
    """The single error that one change causes."""
    errors = validate(change(scenario(), path, value))
    assert len(errors) == 1, [str(error) for error in errors]
    return errors[0]


def test_a_good_document_has_no_error():
    """The base of these tests."""
    assert validate(scenario()) == ()


FLEET = "options[0].fleets[0]"


@pytest.mark.parametrize(
    ("path", "value", "field", "message", "mend"),
    [
        ("sites[0].slot_w", "-5 kW", "sites[0].slot_w", "-5 kW is below 1 W", "enter 1 W"),
        ("sites[0].hall_kw", -3, "sites[0].hall_kw", "-3 kW is below 0.1 kW", "0.1 kW or more"),
        (f"{FLEET}.count", 0, f"{FLEET}.count", "0 is below 1", "enter 1 or more, or leave it out"),
        (f"{FLEET}.count", 2.5, f"{FLEET}.count", "2.5 is not a whole number", "whole number"),
        (
            "finance.discount_rate_fraction",
            20,
            "finance.discount_rate_fraction",
            "20 is above 1",
            "write 0.2 for 20 %",
        ),
        (
            f"{FLEET}.purchase.discount_fraction",
            12.5,
            f"{FLEET}.purchase.discount_fraction",
            "12.5 is above 1",
            "write 0.125 for 12.5 %",
        ),
        ("sites[0].pue", 0.7, "sites[0].pue", "0.7 is below 1", "enter 1 or more"),
        ("sites[0].pwe", 1.2, "sites[0].pwe", "unknown key", "did you mean 'pue'?"),
        ("sites[0].pue", "1.3", "sites[0].pue", "text without a unit", "without quotes"),
        ("sites[0].pue", None, "sites[0].pue", "is empty", "leave the line out"),
        ("sites[0].pue", True, "sites[0].pue", "true is not a number", "number"),
        ("sites[0].pue", {"valu": 1.3, "value": 1.3}, "sites[0].pue.valu", "unknown", "'value'"),
        ("sites[0].pue", {"low": 1.3}, "sites[0].pue.value", "is missing", "enter the number"),
        (
            "sites[0].pue",
            {"value": 1.3, "low": 1.4},
            "sites[0].pue.low",
            "1.4 is above the value 1.3",
            "low <= value",
        ),
        (
            "sites[0].pue",
            {"value": 1.3, "status": "guessed"},
            "sites[0].pue.status",
            "'guessed' is not known",
            "measured",
        ),
        ("schema", "tco-scenario/2", "schema", "is not known", "tco-scenario/1"),
        ("finance.hours_mode", 731, "finance.hours_mode", "731 is not known", "730"),
        ("finance.valuation_date", "1.12.2026", "finance.valuation_date", "not a date", "2026-12"),
        ("finance.valuation_date", "2026-02-30", "finance.valuation_date", "not a date", "2026"),
        ("name", 12, "name", "12 is not text", "quotes"),
        ("name", ..., "name", "is missing", "enter name"),
        ("workloads[0].daily_shape", [1] * 23, "workloads[0].daily_shape", "23 numbers", "24"),
        ("workloads[0].daily_shape", [0] * 24, "workloads[0].daily_shape", "no hour", "to 1"),
        (
            "workloads[0].daily_shape",
            [1] * 23 + [1.5],
            "workloads[0].daily_shape[23]",
            "1.5 is above 1",
            "0.015",
        ),
        ("workloads[0].model", ..., "workloads[0].model", "is missing", "serving a model"),
        (
            "workloads[0].requires",
            ["atestation"],
            "workloads[0].requires[0]",
            "is not known",
            "attestation",
        ),
        (
            "workloads[0].targets[0].limit_ms",
            "1 fortnight",
            "workloads[0].targets[0].limit_ms",
            "unit 'fortnight'",
            "ms",
        ),
        (f"{FLEET}.site", "hal", f"{FLEET}.site", "no site has the key 'hal'", "'hall'"),
        (f"{FLEET}.workload", "x", f"{FLEET}.workload", "no workload has the key", "chat"),
        (f"{FLEET}.server", ..., f"{FLEET}.server", "is missing", "offer to rent"),
        (f"{FLEET}.offer", "aws-p5", f"{FLEET}.offer", "both owned and rented", "leave out"),
        (f"{FLEET}.site", ..., f"{FLEET}.site", "is missing", "where the servers stand"),
        (f"{FLEET}.rental", {}, f"{FLEET}.rental", "does not go with a server", "leave it out"),
        (f"{FLEET}.start_month", 60, f"{FLEET}.start_month", "after the horizon of 60", "from 0"),
        (f"{FLEET}.share_fraction", 0.8, f"{FLEET}.share_fraction", "add up to 0.8", "to 1"),
        (
            "options[1].fleets[0].site",
            "hall",
            "options[1].fleets[0].site",
            "does not go with a cloud offer",
            "leave it out",
        ),
        ("options[1].key", "own", "options[1].key", "already the key of options[0]", "its own"),
        ("options[0].fleets", [], "options[0].fleets", "the list is empty", "at least one fleet"),
        ("sites[0].region", ..., "sites[0].country", "is missing", "region of the catalog"),
        ("sites[0].feeds_per_rack", 1, "sites[0].feeds_per_rack", "cannot give 2N", "2 or more"),
        ("sites[0].key", "the hall!", "sites[0].key", "not a short name", "letters"),
        ("sites", {"key": "hall"}, "sites", "a mapping is not a list", "write"),
        ("finance", 3, "finance", "3 is not a mapping", "fields of finance"),
    ],
)
def test_each_error_names_field_value_and_mend(path, value, field, message, mend):
    """Path as written, what is wrong with the value, and what to do."""
    errors = validate(change(scenario(), path, value))
    named = {error.field: error for error in errors}
    assert field in named, [str(error) for error in errors]
    assert message in named[field].message
    assert mend in named[field].mend


def test_all_errors_come_at_once():
    """Five mistakes in five places are five errors, in the order of the document."""
    document = scenario()
    document["nam"] = "x"
    change(document, "finance.horizon_months", 0)
    change(document, "sites[0].pue", 0.5)
    change(document, "workloads[0].input_tokens", -1)
    change(document, f"{FLEET}.workload", "chatt")
    assert [error.field for error in validate(document)] == [
        "nam",
        "finance.horizon_months",
        "sites[0].pue",
        "workloads[0].input_tokens",
        f"{FLEET}.workload",
    ]


def test_non_finite_numbers_are_refused_without_the_parser_too():
    """A form or an API may hand over a mapping that was never text."""
    assert "not a finite" in only_error("sites[0].pue", float("nan")).message
    assert "not a finite" in only_error("sites[0].pue", {"value": float("inf")}).message
    assert "beyond any use" in only_error("sites[0].hall_kw", 1e308).message


def test_shares_may_be_left_open():
    """One fleet takes 0.7 and the other what is left; two of 0.7 are too much."""
    document = scenario()
    first = document["options"][0]["fleets"][0]
    second = {**first, "key": "more"}
    document["options"][0]["fleets"].append(second)
    first["share_fraction"] = 0.7
    assert validate(document) == ()
    second["share_fraction"] = 0.7
    assert "add up to 1.4" in validate(document)[0].message
    first["share_fraction"], second["share_fraction"] = 1, 0
    assert validate(document) == ()
    del second["share_fraction"]
    assert "leave nothing" in validate(document)[0].message


def service():
    """A measured service with a rising load test."""
    rows = [(1, 20, 40, 45, 50), (8, 120, 60, 80, 95), (16, 180, 80, 120, 170)]
    names = ("concurrency", "requests_per_s", "p50_ms", "p95_ms", "p99_ms")
    return {
        "name": "ranker",
        "server": "sys-821",
        "source": "load test",
        "points": [dict(zip(names, row, strict=True)) for row in rows],
    }


def test_a_measured_service_needs_no_model():
    """Its points must rise, and its percentiles must be in order."""
    document = scenario()
    document["workloads"][0] = {"key": "chat", "requests_per_minute": 60, "service": service()}
    assert validate(document) == ()
    points = document["workloads"][0]["service"]["points"]
    points[2]["concurrency"] = 8
    points[1]["p95_ms"] = 200
    fields = [error.field for error in validate(document)]
    assert fields == [
        "workloads[0].service.points[1].p99_ms",
        "workloads[0].service.points[2].concurrency",
    ]
    document["workloads"][0]["service"]["points"] = points[:1]
    assert "one point gives no curve" in validate(document)[0].message


def test_a_training_run_answers_no_requests():
    """Requests and training in one workload are two workloads."""
    document = scenario()
    training = {"tokens": 1e12, "global_batch_tokens": 4e6, "sequence_tokens": 8192}
    document["workloads"][0]["training"] = training
    fields = {error.field for error in validate(document)}
    assert fields == {"workloads[0].requests_per_minute", "workloads[0].targets"}


@pytest.mark.parametrize("document", [[], None, "x", 3, {}, {"options": 3, "sites": [1, None]}])
def test_any_shape_gives_errors_not_tracebacks(document):
    """Nothing that JSON can hold makes the check itself fail."""
    assert validate(document)


def test_errors_of_a_parsed_text_have_the_same_paths():
    """What stands in the YAML is what the error says."""
    errors = validate(
        parse("schema: tco-scenario/1\noptions:\n- key: a\n  fleets:\n  - sever: x\n")
    )
    named = {error.field: error.mend for error in errors}
    assert named["options[0].fleets[0].sever"] == "did you mean 'server'?"

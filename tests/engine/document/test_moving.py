"""Migration, exit, staffing and the support matrix in a document: read, and refused by name."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import parse, resolve, validate
from tco.errors import InputErrors
from tco.projection import project

EXAMPLE = Path(__file__).resolve().parents[3] / "examples" / "migrate.yaml"


@pytest.fixture(scope="module")
def shipped():
    """The example."""
    return parse(EXAMPLE.read_text(encoding="utf-8"))


@pytest.fixture
def document(shipped):
    """The example, to be changed at will."""
    return copy.deepcopy(shipped)


def serve(document):
    """The fleet that moves."""
    return document["options"][1]["fleets"][1]


def errors(document) -> dict[str, str]:
    """Errors by path."""
    with pytest.raises(InputErrors) as found:
        resolve(document, SeedCatalog())
    return {error.field: str(error) for error in found.value.errors}


PLACE = "options[1].fleets[1]"


@pytest.mark.parametrize(
    ("name", "value", "path", "words"),
    [
        ("dual_running_months", -1, "migration.dual_running_months", "-1"),
        ("delay_months", -0.5, "migration.delay_months", "-0.5"),
        ("people_trained", -3, "migration.people_trained", "-3"),
        ("factor", -2, "migration.factor", "-2"),
        ("partial_feature_months", -1, "migration.partial_feature_months", "-1"),
        ("dual_running_months", 61, "migration.dual_running_months", "horizon of 60 months"),
        ("delay_months", {"value": 72}, "migration.delay_months", "horizon of 60 months"),
        ("engineer_months", 3, "migration.engineer_months", "as a sum and by model"),
        ("dual_runing_months", 2, "migration.dual_runing_months", "dual_running_months"),
        ("usd_per_accuracy_test", "400 USD/month", "migration.usd_per_accuracy_test", "USD/test"),
    ],
)
def test_a_move_that_cannot_be_is_refused_at_its_field(document, name, value, path, words):
    """Negative months, more months than the horizon, both ways to give them, a wrong unit."""
    serve(document)["migration"][name] = value
    found = errors(document)
    assert words in found[f"{PLACE}.{path}"]
    assert len(found) == 1


@pytest.mark.parametrize("value", [-0.1, 1.2, "130 %"])
def test_a_probability_lies_between_0_and_1(document, value):
    """30 or 130 % is a slip."""
    serve(document)["exit"]["probability_fraction"] = value
    assert f"{PLACE}.exit.probability_fraction" in errors(document)


def test_an_exit_says_how_likely_it_is_and_what_it_costs(document):
    """Half an exit is none."""
    del serve(document)["exit"]["probability_fraction"]
    del serve(document)["exit"]["move"]
    found = errors(document)
    assert "is missing" in found[f"{PLACE}.exit.probability_fraction"]
    assert "is missing" in found[f"{PLACE}.exit.move"]


def test_a_price_of_a_month_is_not_taken_for_one_of_a_year(document):
    """UP17: the period is part of the unit; it is converted, and an hour is refused."""
    document["staffing"]["usd_per_fte_year"] = "10000 USD/FTE-month"
    assert resolve(document, SeedCatalog()).options[0].staffing.usd_per_fte_year.value == 120_000
    document["staffing"]["usd_per_fte_year"] = "80 USD/FTE-h"
    assert "USD/FTE-year" in errors(document)["staffing.usd_per_fte_year"]


def test_names_the_matrix_does_not_know_are_refused_with_near_ones(document):
    """A framework, a feature, a device of an own row."""
    serve(document)["framework"] = "vlm"
    document["workloads"][1]["framework_features"][0] = "prefix-cashing"
    document["catalog"]["support"][0]["device"] = "mi300"
    found = errors(document)
    assert "did you mean 'mi300x'" in found["catalog.support[0].device"]
    document["catalog"]["support"][0]["device"] = "mi300x"
    found = errors(document)
    assert "did you mean 'vllm'" in found[f"{PLACE}.framework"]
    assert "did you mean 'prefix-caching'" in found["workloads[1].framework_features[0]"]


def test_an_own_row_goes_before_the_shared_one(document):
    """The example's row says partial where the catalog says works."""
    shared = {cell.feature: cell.works for cell in SeedCatalog().support("mi300x", "vllm")}
    assert shared["speculative-decoding"] == "works"
    fleet = resolve(document, SeedCatalog()).options[1].fleets[1]
    assert {cell.feature: cell.works for cell in fleet.support} == {
        "prefix-caching": "works",
        "fp8-w8a8": "works",
        "fp8-kv-cache": "works",
        "lora": "works",
        "speculative-decoding": "partial",
        "gptq": "missing",
    }


def test_a_new_framework_and_feature_can_be_a_scenarios_own(document):
    """What the shared matrix has never heard of is known once a row says it."""
    document["workloads"][1]["framework_features"] = ["ring-attention"]
    document["catalog"]["support"].append(
        {
            "key": "ours",
            "device": "mi300x",
            "framework": "house-engine",
            "feature": "ring-attention",
            "works": "missing",
        }
    )
    serve(document)["framework"] = "house-engine"
    result = project(resolve(document, SeedCatalog()))
    line = next(x for x in result.options[1].ledger.lines if x.key == "migration")
    assert line.total_usd == pytest.approx((4 + 2) * 2 * 18_000)


@pytest.mark.parametrize(
    ("change", "code", "words"),
    [
        (
            lambda d: d["options"][1]["fleets"][1].pop("framework"),
            "framework_not_named",
            "names no framework",
        ),
        (
            lambda d: d["workloads"][1]["framework_features"].append("serving"),
            "feature_not_known",
            "says nothing about serving",
        ),
        (
            lambda d: d["options"][1]["fleets"][1]["migration"].pop("old_usd_per_month"),
            "dual_running_by_own_rate",
            "taken to cost what this one does",
        ),
        (
            lambda d: d["options"][1]["fleets"][1].update(count=10),
            "canaries_within_count",
            "5 % of the 10 servers",
        ),
        (
            lambda d: d["options"][1]["fleets"][1]["purchase"].update(
                staff_usd_per_server_year=6000
            ),
            "staff_counted_twice",
            "by the server and by staffing",
        ),
    ],
)
def test_what_a_person_should_know_is_a_finding(document, change, code, words):
    """Each with its place and what to do about it."""
    assert code not in {x.code for x in project(resolve(document, SeedCatalog())).findings}
    change(document)
    found = [x for x in project(resolve(document, SeedCatalog())).findings if x.code == code]
    assert found
    assert words in found[0].message
    assert found[0].mend
    assert found[0].field.startswith(("options[", "workloads["))


def test_a_feature_that_is_not_known_leaves_the_port_blank(document):
    """The option is then incomplete and cannot win; nothing is taken for 0."""
    document["workloads"][1]["framework_features"].append("serving")
    result = project(resolve(document, SeedCatalog()))
    line = next(x for x in result.options[1].ledger.lines if x.key == "migration")
    assert "serving" in line.missing
    assert not result.options[1].complete
    assert "missing_price" in {x.code for x in result.findings if x.option == "mixed"}


def test_the_planning_figures_are_labelled(document):
    """Defaults without a source say so on the line itself."""
    result = project(resolve(document, SeedCatalog()))
    line = next(x for x in result.options[1].ledger.lines if x.key == "migration")
    sources = {term.name: (term.source, term.status.value) for term in line.terms}
    source, status = sources["work for a feature missing"]
    assert status == "assumed"
    assert "no source" in source


def test_the_door_takes_any_shape():
    """Half-written parts are told, never an exception of another kind."""
    for part in (None, 3, [], {"exit": 3}, {"migration": {"ports": 3}}, {"exit": {"move": []}}):
        document = {"options": [{"fleets": [part]}], "staffing": part, "catalog": {"support": part}}
        assert validate(document)

"""The worked examples through the one runner: all pass, and each of them can fail."""

from __future__ import annotations

import copy
import json
from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from tco.errors import InputError, InputErrors
from tco.examples.example import Example, read_examples, shipped_examples
from tco.examples.run import SHEETS, Report, run_examples

SHIPPED = json.loads(
    resources.files("tco.examples").joinpath("tables/worked_examples.json").read_text("utf-8")
)
SHARED = Path(__file__).resolve().parents[3] / "shared" / "validation" / "worked_examples.json"
# Inputs that say what the example is about and that no result depends on.
TOLD_ONLY = {
    ("WE12", "low_gpus"),  # the rate is that of the group
    ("WE18", "base_load"),  # any load below the ratchet's is billed alike
    ("WE46", "capacity"),  # the study is of one size
    ("WE56", "planned_density"),
    ("WE16", "mi300x_hyperscaler"),  # given, and no result of it published
    ("WE16", "gb200_hyperscaler"),
    ("WE16", "gb200_power"),
}


def document(example: str) -> dict[str, Any]:
    """A document with that shipped example alone, to be changed."""
    (entry,) = (one for one in SHIPPED["examples"] if one["id"] == example)
    return {"examples": [copy.deepcopy(entry)]}


def run(changed: dict[str, Any]) -> Report:
    """Run a document; examples that it refers to may be shipped ones."""
    return run_examples(read_examples(changed, shipped_examples()))


def ours(changed: dict[str, Any]) -> dict[str, Any]:
    """Results by name of a document of one example."""
    (outcome,) = run(changed).outcomes
    assert not outcome.errors, outcome.errors
    return {check.name: check.ours for check in outcome.checks}


def put(example: str, **inputs: Any) -> dict[str, Any]:
    """An example with other values: (value, unit), or a value in the same unit."""
    changed = document(example)
    for name, value in inputs.items():
        if isinstance(value, tuple):
            changed["examples"][0]["inputs"][name] = {"value": value[0], "unit": value[1]}
        else:
            changed["examples"][0]["inputs"][name]["value"] = value
    return changed


@pytest.mark.parametrize("example", shipped_examples(), ids=lambda one: one.id)
def test_every_shipped_example_passes(example: Example) -> None:
    """All results within their tolerances."""
    (outcome,) = run_examples([example]).outcomes
    assert outcome.ok, [(c.name, c.expected.value, c.ours) for c in outcome.checks if not c.ok]
    assert len(outcome.checks) == len(example.expected)


def test_the_closing_line() -> None:
    """38 of them, none twice."""
    assert run_examples(shipped_examples()).summary() == "38 passed, 0 failed"


@pytest.mark.shared
def test_the_reference_file_passes() -> None:
    """The same facts from the reference file, which is not part of the project."""
    if not SHARED.exists():
        pytest.skip("no reference examples beside the project")
    reference = json.loads(SHARED.read_text(encoding="utf-8"))
    assert run_examples(read_examples(reference)).summary() == "38 passed, 0 failed"
    facts = {
        one["id"]: (one["formula"], one["inputs"], one["expected"]) for one in SHIPPED["examples"]
    }
    for one in reference["examples"]:
        assert facts[one["id"]] == (one["formula"], one["inputs"], one["expected"]), one["id"]


@pytest.mark.parametrize("example", shipped_examples(), ids=lambda one: one.id)
def test_every_published_figure_can_fail(example: Example) -> None:
    """Each result, moved by three times its tolerance and a hair, fails alone."""
    for name, expected in example.expected.items():
        changed = document(example.id)
        entry = changed["examples"][0]["expected"][name]
        entry["value"] = _off(
            entry["value"], 3 * expected.relative_fraction + 1e-6, expected.absolute
        )
        report = run(changed)
        assert report.failed == [example.id], name
        assert report.summary() == f"0 passed, 1 failed: {example.id}"
        assert [c.name for c in report.outcomes[0].checks if not c.ok] == [name]


def _off(value: Any, relative: float, absolute: float) -> Any:
    if isinstance(value, list):
        return [*value[:-1], _off(value[-1], relative, absolute)]
    if isinstance(value, bool):
        return not value
    return value * (1 + relative) + 3 * absolute


@pytest.mark.parametrize("example", shipped_examples(), ids=lambda one: one.id)
def test_no_result_is_written_down(example: Example) -> None:
    """Each number that goes in, made 17 or 55 % smaller, moves a result or is refused by name."""
    before = [check.ours for check in run_examples([example]).outcomes[0].checks]
    for name, raw in document(example.id)["examples"][0]["inputs"].items():
        others = [_smaller(raw["value"], factor) for factor in (0.83, 0.45)]
        if others[0] == raw["value"] or (example.id, name) in TOLD_ONLY:
            continue
        assert any(_moves(example.id, name, value, before) for value in others), name


def _moves(example: str, name: str, value: Any, before: list[Any]) -> bool:
    (outcome,) = run(put(example, **{name: value})).outcomes
    return bool(outcome.errors) or [check.ours for check in outcome.checks] != before


def _smaller(value: Any, factor: float) -> Any:
    if isinstance(value, list):
        return [_smaller(each, factor) for each in value]
    if isinstance(value, bool | str):
        return value
    if isinstance(value, int) and value > 1:
        return min(value - 1, round(value * factor))
    return value * factor


def test_ids_and_titles_mean_nothing() -> None:
    """The same examples under other names and in the other order give the same."""
    renamed = copy.deepcopy(SHIPPED)
    for one in renamed["examples"]:
        one["id"] = f"X-{one['id'][::-1]}"
        one["title"] = ""
        if "as" in one["inputs"]:
            one["inputs"]["as"]["value"] = f"X-{one['inputs']['as']['value'][::-1]}"
    renamed["examples"].reverse()
    assert run_examples(read_examples(renamed)).summary() == "38 passed, 0 failed"


# --- the same formulas with other numbers, against sums made here ---


def test_another_flat_load() -> None:
    """400 kW at PUE 1.1, 0.20 USD/kWh, 9 USD/kW: 770,880 + 47,520."""
    found = ours(put("WE20", it_load=(0.4, "MW"), pue=1.1, energy_rate=0.20, demand_rate=9.0))
    assert found["energy"] == pytest.approx(440 * 8760 * 0.20)
    assert found["demand"] == pytest.approx(440 * 9 * 12)
    assert found["blended"] == pytest.approx((440 * 8760 * 0.20 + 440 * 9 * 12) / (440 * 8760))


def test_a_spike_in_july_and_a_shorter_summer() -> None:
    """The spike's own month at the summer rate, eleven at the ratchet, four months of summer."""
    changed = put("WE18", spike_month=7, summer_months=4, winter_months=8, ratchet=0.5)
    expected = 100 * 11.5 + 50 * (3 * 11.5 + 8 * 10.5)
    assert ours(changed)["demand_cost_year"] == pytest.approx(expected)


def test_another_class_and_bonus() -> None:
    """Seven-year class: 14.29 % in the first year; half of it as bonus."""
    changed = put("WE26", **{"class": "7-year, half-year convention"})
    results = changed["examples"][0]["expected"]
    results["bonus_50_year1_shield"] = results.pop("bonus_100_year1_shield")
    found = ours(changed)
    assert len(found["deductions"]) == 8
    assert found["bonus_50_year1_shield"] == pytest.approx(
        0.21 * 250_000 * (0.5 + 0.5 * 0.1429), rel=1e-4
    )


def test_a_third_case_and_another_device() -> None:
    """Prefixes are names of the example, not of the code."""
    changed = put("WE37", case3_price=(10_000, "USD/card"), case3_power=(0.5, "kW/card"))
    changed["examples"][0]["expected"]["case3_net"] = {
        **{"value": 0, "unit": "MUSD"},
        "tolerance": {"abs": 1},
    }
    per_w = 10 + 5 * 8.76 * 1.5 * 0.1
    net = 8000 * (10_000 * 0.2 - 500 * 0.4 * per_w)
    assert ours(changed)["case3_net"] == pytest.approx(net / 1e6)
    rates = put("WE16", b200_neocloud=(2.34, "USD/GPU/h"), b200_power=(2.17, "kW/GPU"))
    for name, unit in (("b200_neocloud", "USD/Mtok"), ("b200_tok_s_per_mw", "tok/s/MW")):
        rates["examples"][0]["expected"][name] = {
            **{"value": 1, "unit": unit},
            "tolerance": {"rel": 1},
        }
    found = ours(rates)
    assert found["b200_neocloud"] == pytest.approx(2.34 / 3.6)
    assert found["b200_tok_s_per_mw"] == pytest.approx(1000 / 2.17e-3)


def test_share_of_life_of_the_facility() -> None:
    """With the life given the facility is charged by its share: 19.8 at 15 years (F25)."""
    found = ours(put("WE37", facility_life=(15, "yr")))
    assert found["threshold_price_per_watt"] == pytest.approx(19.8, abs=0.05)


def test_results_in_other_units() -> None:
    """MWh for kWh, thousands of USD: the factor is exact, the result the same."""
    changed = put("WE20", energy_rate=(80.0, "USD/MWh"))
    changed["examples"][0]["expected"]["energy"] = {
        **{"value": 911.04, "unit": "kUSD/yr"},
        "tolerance": {"rel": 1e-6},
    }
    assert run(changed).summary() == "1 passed, 0 failed"


def test_the_period_may_stand_in_the_name() -> None:
    """Hours of a year as h, a demand rate per kW, a bill in USD: as examples vary."""
    changed = put("WE20", hours=(8760, "h"), demand_rate=(15.0, "USD/kW"))
    changed["examples"][0]["expected"]["bill"]["unit"] = "USD"
    assert run(changed).summary() == "1 passed, 0 failed"
    rates = put("WE23", escalation=(2.6, "%/yr"), discount=(0.081, "fraction"))
    assert run(rates).summary() == "1 passed, 0 failed"


def test_another_example_may_be_built_on_a_shipped_one() -> None:
    """`as` takes the inputs of the named one, and its own go first."""
    base = {one.id: one for one in shipped_examples()}
    found = ours(put("WE10", people=100_000))
    month = ours(document("WE09"))
    dearer = (88 / 72) * (month["power_cooling_infra"] + month["other_infra"])
    rest = month["servers"] + month["network"] + month["power"]
    assert found["total"] == pytest.approx(rest + dearer + 100_000)
    assert "as" not in base["WE10"].inputs


# --- what cannot be used is named ---


def test_an_unknown_formula_is_named() -> None:
    """Neither passed nor failed."""
    changed = document("WE20")
    changed["examples"][0]["formula"] = "F99.9"
    report = run(changed)
    assert report.summary() == "0 passed, 0 failed; 1 not dispatched: WE20"
    assert report.outcomes[0].not_dispatched == ("energy", "demand", "bill", "blended")


def test_an_unknown_result_is_named() -> None:
    """The others of the example are still computed."""
    changed = document("WE20")
    changed["examples"][0]["expected"]["colour"] = {
        **{"value": 1, "unit": "USD"},
        "tolerance": {"rel": 1},
    }
    report = run(changed)
    assert report.not_dispatched == ["WE20"]
    assert report.passed == 0
    assert len(report.outcomes[0].checks) == 4


BAD = [
    ("WE01", "cloud_rate", 71_773.6, "USD/month", "is in USD/month; give it in USD/h"),
    ("WE01", "cloud_rate", 71_773.6, "USD/h", "71773.6 USD/h is above 10000"),
    ("WE20", "demand_rate", 15.0, "USD/kW/h", "is in USD/kW/h; give it in USD/kW/month"),
    ("WE20", "energy_rate", 8.0, "USD/kWh", "8 USD/kWh is above 5; enter 5 or less; is it per"),
    ("WE20", "pue", 0.7, "ratio", "0.7 is below 1; enter 1 or more"),
    ("WE20", "it_load", "much", "kW", "'much' is no number"),
    ("WE20", "it_load", True, "kW", "True is no number"),
    ("WE20", "it_load", -5.0, "kW", "-5 is below 0; enter 0 or more"),
    ("WE20", "hours", 8760, "L", "is in L; give it in h/yr"),
    ("WE07", "interest", 0.01, "1/month", "is in 1/month; give it in 1/yr"),
    ("WE07", "dc_life", 0, "yr", "0 is not above 0"),
    ("WE16", "h100_hyperscaler", 10.4, "USD/node/h", "is in USD/node/h; give it in USD/GPU/h"),
    ("WE22", "inflation", -1.0, "1/yr", "-1.0 is not above -1"),
    ("WE23", "years", 10**12, "yr", "is above 1000; enter 1000 or less"),
    ("WE50", "mean_time_between_interruptions", 1e-300, "h", "write checkpoints faster"),
    ("WE27", "us_east_to_us_east", 500, "GB at 1.2.3", "inputs are priced under that name"),
    ("WE24", "npv_rate", -1.0, "1/yr", "-1 is not above -1"),
    ("WE26", "class", "soon", "mode", "'soon' is no class"),
    ("WE27", "tiers", [[10240, 0.09], [0, 0.08], ["rest", 0.05]], "[GB, USD/GB]", "tiers[1]"),
    ("WE27", "tiers", [[10240, 0.09]], "[GB, USD/GB]", "beyond the last tier at 10240 GB"),
    ("WE01", "horizon", 4, "yr", "4 yr against 5 in cloud_5yr; make the two the same"),
    ("WE12", "high_tps", 300.0, "tok/s", "high_best_tps: is missing"),
    ("WE18", "summer_months", 5, "count", "5 and 6 winter months are not 12"),
    ("WE36", "cards", [["L4", 72]], "[name, W]", "has no l40s"),
    ("WE46", "density", [10, 60], "kW/rack", "60 kW a rack is outside the study's 10 to 40"),
    ("WE50", "checkpoint", 3.5, "h", "write checkpoints faster"),
    ("WE56", "actual_density", 50, "kW/rack", "2500 kW in racks of a hall of 1000 kW"),
]


@pytest.mark.parametrize(("example", "name", "value", "unit", "said"), BAD)
def test_bad_input_is_named(example: str, name: str, value: Any, unit: str, said: str) -> None:
    """Field, value and mend; never a wrong total."""
    report = run(put(example, **{name: (value, unit)}))
    assert any(said in str(error) for error in report.errors), report.errors
    assert all(error.field.startswith(f"examples[{example}].") for error in report.errors)
    assert report.summary().endswith(f"1 unusable: {example}")
    assert report.passed == 0


def test_a_missing_input_is_named() -> None:
    """And the results that do without it are computed."""
    changed = document("WE01")
    del changed["examples"][0]["inputs"]["onprem_opex_rate"]
    report = run(changed)
    assert "examples[WE01].inputs.onprem_opex_rate: is missing" in str(report.errors[0])
    assert [check.name for check in report.outcomes[0].checks] == ["cloud_year", "cloud_5yr"]


def test_a_result_asked_in_another_unit_is_named() -> None:
    """A yearly sum cannot be held against a price per hour."""
    changed = document("WE20")
    changed["examples"][0]["expected"]["energy"]["unit"] = "USD/h"
    (error,) = run(changed).errors
    assert str(error) == "examples[WE20].expected.energy: is in USD/yr; give it in USD/h"


def _broken(**change: Any) -> dict[str, Any]:
    changed = document("WE38")
    entry = changed["examples"][0]
    for key, value in change.items():
        if value is None:
            entry.pop(key)
        else:
            entry[key] = value
    return changed


UNREADABLE = [
    ({}, "examples: is not a list"),
    ({"examples": []}, "examples: is not a list"),
    ({"examples": [3]}, "examples[0]: 3 is not a mapping"),
    (_broken(formula=None), "examples[0].formula: '' is no text"),
    (_broken(id=7), "examples[0].id: 7 is no text"),
    (_broken(inputs=None), "examples[WE38].inputs: None is no mapping"),
    (_broken(inputs={"rate": 5}), "examples[WE38].inputs.rate: 5 has no value"),
    (_broken(inputs={"rate": {"value": 5}}), "examples[WE38].inputs.rate.unit: None is no unit"),
    (
        _broken(inputs={"rate": {"value": float("inf"), "unit": "req/s"}}),
        "examples[WE38].inputs.rate: inf is not a finite number",
    ),
    (
        _broken(expected={"extra_in_flight": {"value": 5, "unit": "req"}}),
        "examples[WE38].expected.extra_in_flight.tolerance: None is none",
    ),
    (
        _broken(expected={"a": {"value": 5, "unit": "x", "tolerance": {"rel": -1}}}),
        "examples[WE38].expected.a.tolerance.rel: -1 is no tolerance",
    ),
    (
        _broken(inputs={"as": {"value": "WE38", "unit": "ref"}}),
        "examples[WE38].inputs.as: 'WE38' leads back to itself",
    ),
    (
        _broken(inputs={"as": {"value": ["WE09"], "unit": "ref"}}),
        "examples[WE38].inputs.as: ['WE09'] is no id",
    ),
    (
        _broken(inputs={"as": {"value": "WE99", "unit": "ref"}}),
        "examples[WE38].inputs.as: there is no example 'WE99'",
    ),
    ({"examples": document("WE38")["examples"] * 2}, "examples[1].id: 'WE38' is there twice"),
]


@pytest.mark.parametrize(("changed", "said"), UNREADABLE, ids=[said for _, said in UNREADABLE])
def test_unreadable_documents_are_refused(changed: dict[str, Any], said: str) -> None:
    """By place, value and mend."""
    with pytest.raises((InputError, InputErrors)) as caught:
        read_examples(changed, shipped_examples())
    assert said in str(caught.value)


def test_every_rule_is_used_or_could_be() -> None:
    """No two rules of one sheet have the same pattern: the second would never run."""
    for sheet in SHEETS:
        patterns = [rule.pattern for rule in sheet.rules]
        assert len(patterns) == len(set(patterns)), sheet.needs

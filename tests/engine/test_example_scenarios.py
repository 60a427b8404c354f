"""Worked examples as scenarios: what the projection gives is what was published."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import parse, resolve
from tco.examples.example import Quantity, shipped_examples
from tco.examples.example_document import result_of
from tco.examples.run import within
from tco.examples.scenarios import example_scenario
from tco.projection import project

EXAMPLES = {one.id: one for one in shipped_examples()}
CARRIED = {"WE01", "WE20", "WE26", "WE29", "WE37", "WE47", "WE54"}


def projected(found):
    """The scenario, saved and read as a person would."""
    return project(resolve(parse(json.dumps(found.document)), SeedCatalog()))


def test_which_examples_are_scenarios():
    """The others are bare formulas: their sheet says so."""
    assert {key for key, one in EXAMPLES.items() if example_scenario(one)} == CARRIED


@pytest.mark.parametrize("key", sorted(CARRIED))
def test_the_projection_gives_the_published_figures(key):
    """Every figure that the scenario shows lies within the tolerance of its example."""
    example = EXAMPLES[key]
    found = example_scenario(example)
    projection = projected(found)
    assert found.results
    assert all(option.complete for option in projection.options)
    for name, parts in found.results.items():
        expected = example.expected[name]
        ours = result_of(parts, projection)
        assert within(expected, ours), (name, expected.value, ours)


@pytest.mark.parametrize("key", sorted(CARRIED))
def test_source_and_words_come_along(key):
    """Notes name example, formula and source; each of its figures has the source of its own."""
    example = EXAMPLES[key]
    document = example_scenario(example).document
    assert example.source in document["description"]
    assert example.formula in document["description"]
    text = json.dumps(document, ensure_ascii=False)
    assert text.count(json.dumps(f"{key}: {example.source}", ensure_ascii=False)) >= 1


def test_another_example_of_the_shape_opens_too():
    """Twice the price and three years: the document follows the inputs, not the id."""
    first = EXAMPLES["WE01"]
    inputs = {
        **first.inputs,
        "onprem_capex": Quantity(1_000_000.0, "USD"),
        "horizon": Quantity(3, "yr"),
    }
    found = example_scenario(replace(first, id="OWN", inputs=inputs))
    projection = projected(found)
    assert projection.options[0].ledger.months == 36
    own = result_of(found.results["onprem_3yr"], projection)
    assert own == pytest.approx(1_000_000 + 0.87 * 8760 * 3)

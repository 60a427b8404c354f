"""One worked example: its inputs, formula, figures, and the scenario that it is, if it is one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING

from hardware_catalog.seed.to_engine import SeedCatalog
from planner.reconcile.page import Card, reconcile_page
from planner.scenarios.exchange import write_document
from planner.scenarios.services import scenario_create
from tco.document import resolve
from tco.examples.example import Example, Value, shipped_examples
from tco.examples.example_document import result_of
from tco.examples.run import within
from tco.examples.scenarios import example_scenario
from tco.examples.wording import name_text, value_text
from tco.projection import project

if TYPE_CHECKING:
    from accounts.models import Organisation, User
    from planner.models import Scenario


@dataclass(frozen=True, slots=True)
class InputRow:
    """One input as published."""

    name: str
    values: Sequence[str]
    unit: str


@dataclass(frozen=True, slots=True)
class ScenarioRow:
    """One published figure beside what the projection of the scenario gives."""

    name: str
    unit: str
    published: str
    projected: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Sheet:
    """Everything about one example."""

    card: Card
    inputs: Sequence[InputRow]
    scenario_rows: Sequence[ScenarioRow]
    scenario_text: str  # empty: the formula is none that a scenario carries
    left: Sequence[str]  # published figures that the scenario does not show


def example_named(example_id: str) -> Example | None:
    """The shipped example of that id."""
    return next((one for one in shipped_examples() if one.id == example_id), None)


@lru_cache(maxsize=64)
def sheet_of(example_id: str) -> Sheet | None:
    """The sheet of a shipped example; None where there is none of that id.

    Projected with the shipped catalog, so that everybody sees the same.
    """
    example = example_named(example_id)
    cards = [card for topic in reconcile_page().topics for card in topic.cards]
    card = next((card for card in cards if card.id == example_id), None)
    if example is None or card is None:
        return None
    inputs = [
        InputRow(name_text(name), _texts(given.value), given.unit)
        for name, given in example.inputs.items()
    ]
    found = example_scenario(example)
    if found is None:
        return Sheet(card, inputs, (), "", ())
    projection = project(resolve(found.document, SeedCatalog()))
    rows = []
    for name, expected in example.expected.items():
        if name not in found.results:
            continue
        ours = result_of(found.results[name], projection)
        rows.append(
            ScenarioRow(
                name_text(name),
                expected.unit,
                value_text(expected.value),
                value_text(ours),
                within(expected, ours),
            )
        )
    left = [name_text(name) for name in example.expected if name not in found.results]
    return Sheet(card, inputs, rows, write_document(found.document, "yaml"), left)


def open_as_scenario(*, example: Example, organisation: Organisation, by: User) -> Scenario | None:
    """Store the example as a scenario of the organisation; None where it is none."""
    found = example_scenario(example)
    if found is None:
        return None
    message = f"Opened from the worked example {example.id}"
    return scenario_create(
        organisation=organisation, document=found.document, by=by, message=message
    )


def _texts(value: Value) -> list[str]:
    return [value_text(each) for each in (value if isinstance(value, list) else [value])]

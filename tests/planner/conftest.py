"""What the tests of the planner share: documents and a stored scenario."""

from __future__ import annotations

import copy
from pathlib import Path

import pytest

from tco.document import parse

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"


def example(name):
    """The document of a shipped example."""
    return parse((EXAMPLES / f"{name}.yaml").read_text(encoding="utf-8"))


@pytest.fixture
def chat_document():
    """The chat example, to be changed at will."""
    return copy.deepcopy(example("chat"))


@pytest.fixture
def chat(seed_catalog, demo_organisation, ada, chat_document):
    """The chat example, stored by Ada."""
    from planner.scenarios.services import scenario_create

    return scenario_create(organisation=demo_organisation, document=chat_document, by=ada)


"""Inputs offered to a goal seek: each can be sought (F20.4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.decide.listing import numbers_in
from tco.decide.place import find_place
from tco.document import parse, resolve

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.yaml"))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_path_offered_is_found(path):
    """Of each example, with a label; prices and rates are among them."""
    document = parse(path.read_text(encoding="utf-8"))
    inputs = resolve(document, SeedCatalog())
    listed = numbers_in(document)
    assert len(listed) == len({place for place, _ in listed}) > 15
    for place, label in listed:
        assert label
        assert find_place(document, place, inputs).path
    assert any("fraction" in place for place, _ in listed)


def test_a_document_of_any_shape_offers_what_it_has():
    """Text where a list stands, members without keys: nothing raised."""
    given = {"sites": "none", "options": [3, {"fleets": [{"count": 4}]}]}
    assert numbers_in(given) == [("options[1].fleets[0].count", "Servers [server]")]

"""Ranges as people write them: `5 to 9`, a mapping with a spread, measured repeats (U18)."""

from __future__ import annotations

import pytest

from tco.document.validate import validate
from tco.document.values import figure
from tco.fields import section

ENERGY = section("site")["energy_usd_per_kwh"]


def errors(value):
    """Field and text of what is wrong with an electricity price."""
    document = {"schema": "tco-scenario/1", "name": "x", "sites": [{"energy_usd_per_kwh": value}]}
    found = validate(document)
    return [str(e) for e in found if "energy_usd_per_kwh" in e.field]


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("0.06 to 0.12", 0.06, 0.12),
        ("0.06 to 0.12 USD/kWh", 0.06, 0.12),
        ("60 USD/MWh to 0.12 USD/kWh", 0.06, 0.12),
        ("6e-2 to 1.2e-1", 0.06, 0.12),
    ],
)
def test_a_range_has_its_middle_and_its_ends(text, low, high):
    """With or without a unit; one unit at the end is of both."""
    found = figure(text, ENERGY)
    assert (found.low, found.high) == pytest.approx((low, high))
    assert found.value == pytest.approx((low + high) / 2)
    assert errors(text) == []


def test_a_mapping_may_say_how_it_spreads():
    """Shape and samples reach the figure."""
    found = figure({"value": 0.1, "samples": [0.09, 0.1, 0.13], "shape": "empirical"}, ENERGY)
    assert (found.shape, found.samples) == ("empirical", (0.09, 0.1, 0.13))


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("0.12 to 0.06", "runs backwards"),
        ("0.06 to 12 kg", "kg"),
        ("0.06 to many", "to many"),
        ({"value": 0.1, "shape": "bell"}, "bell"),
        ({"value": 0.1, "samples": [0.1]}, "1 samples"),
        ({"value": 0.1, "samples": ["x", 0.1]}, "samples[0]"),
    ],
)
def test_what_cannot_be_a_range_is_named(value, words):
    """The field, the value and the mend."""
    assert any(words in text for text in errors(value)), errors(value)

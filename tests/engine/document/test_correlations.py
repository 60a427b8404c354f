"""Correlations of a document: read, and what cannot be (F21.2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import parse, resolve
from tco.document.validate import validate

CHAT = Path(__file__).resolve().parents[3] / "examples" / "chat.yaml"


def document(*pairs):
    """The chat example with correlations."""
    given = [{"first": a, "second": b, "rank_correlation": r} for a, b, r in pairs]
    return {**parse(CHAT.read_text(encoding="utf-8")), "correlations": given}


def test_they_reach_the_engine():
    """Names and rank as written."""
    found = resolve(document(("a", "b", -0.5)), SeedCatalog())
    (one,) = found.correlations
    assert (one.first, one.second, one.rank_correlation) == ("a", "b", -0.5)


@pytest.mark.parametrize(
    ("pairs", "says"),
    [
        ([("a", "b", 1.5)], "correlations[0].rank_correlation: 1.5 is above 1"),
        ([("a", "a", 0.5)], "correlations[0].second: 'a' is correlated with itself"),
        ([("a", "b", 0.5), ("b", "a", 0.5)], "the same two inputs stand in correlations[0]"),
        ([("a", "b", "high")], "correlations[0].rank_correlation"),
    ],
)
def test_what_cannot_be_is_named(pairs, says):
    """Out of range, one input twice, a pair twice, no number."""
    assert any(says in str(error) for error in validate(document(*pairs)))

"""Document to text: reading back is a no-op; the hash is of the content."""

from __future__ import annotations

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.document import document_hash, dump_json, dump_yaml, parse
from tests.engine.document.small_catalog import scenario

TEXT = st.text(
    st.characters(
        exclude_categories=("Cs", "Cc"),
        include_characters="\n\t",
        exclude_characters="\ufffe\uffff",
    ),
    max_size=30,
)
WORDS = [
    "no",
    "NO",
    "yes",
    "on",
    "1e3",
    "1_000",
    "0x1f",
    "010",
    "12:30",
    "2026-12-01",
    "null",
    "~",
    "true",
    "-",
    "#",
    ".5",
    "+.inf",
    "NaN",
    "=",
    "<<",
    "!x",
    "*x",
    "&x",
]
TRAPS = st.sampled_from([*WORDS, "", " ", "- a", "a: b", "a #b"])
SCALARS = st.one_of(
    TEXT,
    TRAPS,
    st.booleans(),
    st.integers(-(10**15), 10**15),
    st.floats(-1e15, 1e15),
    st.none(),
)
VALUES = st.recursive(
    SCALARS,
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.one_of(TEXT, TRAPS), inner, max_size=4)
    ),
    max_leaves=12,
)
DOCUMENTS = st.dictionaries(st.one_of(TEXT, TRAPS), VALUES, min_size=1, max_size=4)


def same(one, other):
    """Equal in value and in type: 1 is not true and not 1.0."""
    return repr(one) == repr(other)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(DOCUMENTS)
def test_yaml_round_trip_is_a_no_op(document):
    """What reads as a number, a date or Norway comes back as the text it was."""
    assert same(parse(dump_yaml(document)), document)


@settings(max_examples=100, deadline=None, derandomize=True)
@given(DOCUMENTS)
def test_json_round_trip_is_a_no_op(document):
    """The same by JSON."""
    assert same(parse(dump_json(document)), document)


def test_a_scenario_keeps_its_order():
    """People find their fields where they wrote them."""
    document = scenario()
    assert same(parse(dump_yaml(document)), document)
    assert list(parse(dump_yaml(document))) == list(document)


def test_other_readers_of_yaml_understand_the_text():
    """A YAML 1.1 reader sees the same words, Norway and dates included."""
    document = {"country": "NO", "begins": "2026-12-01", "mode": "730", "tokens": 1e6, "on": True}
    assert yaml.safe_load(dump_yaml(document)) == document


def test_repeated_values_are_written_out():
    """The reader refuses aliases, so the writer writes none."""
    shape = [0.5, 1.0]
    assert "*" not in dump_yaml({"a": shape, "b": shape})


def test_the_hash_is_of_the_content():
    """Order of keys and 60 or 60.0 are the same content; a changed value is another."""
    document = scenario()
    turned = {key: document[key] for key in reversed(document)}
    assert document_hash(turned) == document_hash(document)
    assert document_hash({"a": 60}) == document_hash({"a": 60.0})
    assert document_hash({"a": 60}) != document_hash({"a": "60"})
    assert document_hash({"a": [1, 2]}) != document_hash({"a": [2, 1]})
    assert document_hash({"a": True}) != document_hash({"a": 1})
    assert len(document_hash(document)) == 64


def test_the_hash_is_known():
    """SHA-256 of {"a":1}, computed elsewhere: the canonical form does not drift."""
    expected = "015abd7f5cc57a2dd94b7590f04ad8084273905ee33ec5cebeae62276a97f862"
    assert document_hash({"a": 1.0}) == expected

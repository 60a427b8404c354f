"""Text to document: what is read, and what is refused."""

from __future__ import annotations

import json

import pytest

from tco.document import parse
from tco.document.parse import MAX_CHARACTERS, MAX_DEPTH
from tco.errors import InputErrors


def refused(text):
    """The first error of a text that must be refused."""
    with pytest.raises(InputErrors) as caught:
        parse(text)
    return caught.value.errors[0]


def test_scalars_are_read_as_yaml_1_2_has_them():
    """Norway stays Norway, a date stays text, 1e6 is a number, a quoted number is text."""
    document = parse(
        "country: NO\nbegins: 2026-12-01\ntokens: 1e6\nmode: '730'\nneg: -3\nyes_no: true\n"
        "octal: 010\nclock: 12:30\nblank:\ntilde: ~\nhalf: .5\n"
    )
    assert document == {
        "country": "NO",
        "begins": "2026-12-01",
        "tokens": 1e6,
        "mode": "730",
        "neg": -3,
        "yes_no": True,
        "octal": 10,
        "clock": "12:30",
        "blank": None,
        "tilde": None,
        "half": 0.5,
    }


def test_json_and_yaml_give_the_same_document():
    """JSON text is read too, with its escapes, and equals the same YAML."""
    text = json.dumps({"name": "50 \u20ac / \U0001f600", "sites": [{"pue": 1.3}, {}]})
    assert parse(text) == parse("name: 50 € / 😀\nsites: [{pue: 1.3}, {}]")
    assert parse('{"a": "b\\/c"}') == {"a": "b/c"}


def test_yaml_in_braces_is_read():
    """A YAML flow mapping starts like JSON and is none."""
    assert parse("{name: x, list: [1, 2]}") == {"name": "x", "list": [1, 2]}


@pytest.mark.parametrize(
    ("text", "field", "says"),
    [
        ("sites:\n- pue: .nan", "sites[0].pue", "not a finite number"),
        ("sites:\n- pue: -.inf", "sites[0].pue", "not a finite number"),
        ("sites:\n- pue: NaN", "sites[0].pue", "not a finite number"),
        ('{"sites": [{"pue": Infinity}]}', "sites[0].pue", "not a finite number"),
        ("a:\n  b: 1e308", "a.b", "1e+308 is beyond any use"),
        ('{"a": {"b": 1e308}}', "a.b", "1e+308 is beyond any use"),
        ("a: 1e999", "a", "not a finite number"),
        ("a: 9" + "0" * 30, "a", "beyond any use"),
        ("a: " + "9" * 5000, "a", "not a finite number"),
        ('{"a": ' + "9" * 5000 + "}", "a", "not a finite number"),
    ],
)
def test_numbers_nobody_means_are_refused_with_their_field(text, field, says):
    """NaN, infinity and 1e308 never get past the door."""
    error = refused(text)
    assert error.field == field
    assert says in error.message
    assert error.mend


def test_all_such_numbers_are_named_at_once():
    """Two bad numbers give two errors."""
    with pytest.raises(InputErrors) as caught:
        parse("a: .nan\nb: [1, .inf]")
    assert [error.field for error in caught.value.errors] == ["a", "b[1]"]


@pytest.mark.parametrize("text", ["key: a\nname: x\nkey: b", '{"key": "a", "key": "b"}'])
def test_duplicate_keys_are_refused(text):
    """The second value would silently win."""
    error = refused(text)
    assert error.field == "key"
    assert "stands twice" in error.message


def test_the_line_of_a_duplicate_is_told():
    """A long file is searched by line."""
    assert "line 3" in refused("key: a\nname: x\nkey: b").message


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a: &x [1]\nb: *x", "anchor or alias 'x'"),
        ("a: *x", "anchor or alias 'x'"),
        ("a: !!python/object/apply:os.system [ls]", "tag"),
        ("a: !!float 1", "tag"),
        ("---\na: 1\n---\nb: 2", "second document"),
        ("? [a]\n: 1", "not a plain word"),
        ("a: [1", "not YAML"),
        ("a: b: c", "line 1, column 5"),
        ("- a\n- b", "not a mapping"),
        ("just words", "not a mapping"),
        ("", "empty"),
        ("# only a comment", "empty"),
        ("a: \x01", "not YAML"),
    ],
)
def test_what_is_not_a_plain_document_is_refused(text, says):
    """Aliases, tags, several documents and broken syntax: an error, never a traceback."""
    assert says in refused(text).message


def test_a_billion_laughs_cost_nothing():
    """The alias that would grow is refused at the first anchor."""
    bomb = "a: &a [x, x]\n" + "".join(
        f"{new}: &{new} [*{old}, *{old}]\n" for old, new in zip("abcdefgh", "bcdefghi", strict=True)
    )
    assert "line 1" in refused(bomb).message


@pytest.mark.parametrize("text", ["[" * 5000, '{"a":' * 5000 + "1" + "}" * 5000, "- " * 5000])
def test_depth_is_limited(text):
    """Five thousand levels are refused, whatever the syntax, without a RecursionError."""
    assert f"more than {MAX_DEPTH} levels" in refused(text).message


@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_the_last_level_allowed_is_read(pair):
    """The top mapping and 19 lists or mappings are read, one more is not, in both syntaxes."""
    opening = {"[]": "[", "{}": '{"a": '}[pair]
    inner = MAX_DEPTH - 2
    for top, end in (("a: ", ""), ('{"a": ', "}")):
        assert parse(top + opening * inner + pair + pair[1] * inner + end)
        deeper = inner + 1
        too_deep = refused(top + opening * deeper + pair + pair[1] * deeper + end)
        assert f"more than {MAX_DEPTH} levels" in too_deep.message


def test_size_is_limited():
    """A text over the limit is not even read."""
    assert "characters are more than" in refused("a: " + "x" * MAX_CHARACTERS).message


@pytest.mark.parametrize("text", ['{"a": "\\u0000"}', '{"a": "\\ud800"}', '{"a": "\\u001b[2J"}'])
def test_unreadable_characters_are_refused(text):
    """NUL, half a character and terminal commands are no text."""
    assert refused(text).field == "a"

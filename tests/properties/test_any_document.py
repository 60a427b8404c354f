"""Whatever comes in, the answer is a document or errors: nothing else is raised."""

from __future__ import annotations

import copy

from hypothesis import example, given, settings
from hypothesis import strategies as st

from tco.document import parse, resolve, validate
from tco.document.parse import path_to
from tco.errors import InputErrors
from tco.fields import sections
from tests.engine.document.small_catalog import SmallCatalog
from tests.engine.document.test_dump import VALUES
from tests.engine.document.test_validate import service
from tests.oracles.test_schema_against_validation import _paths, _rich, _with

PIECES = st.sampled_from(
    [*"a: \n[]{},\"'#|>?%@\t\\é\x00", "- ", "&x", "*x", "!t", "1e9", ".nan", "---", "...", "<<"]
)
NAMES = sorted({name for fields in sections().values() for name in fields})


def outcome(function, *arguments):
    """What comes back, and the errors; any other exception ends the test."""
    try:
        return function(*arguments), ()
    except InputErrors as errors:
        return None, errors.errors


@settings(max_examples=300, deadline=None, derandomize=True)
@given(st.lists(PIECES, max_size=40).map("".join))
@example("\ufeffa: 1")
@example("%YAML 9.9\n---\na: 1")
@example("a: |\n  text\n b")
def test_any_text_is_read_or_refused(text):
    """Pieces of YAML and JSON in any order."""
    document, errors = outcome(parse, text)
    assert isinstance(document, dict) or errors
    assert all(error.field and error.message for error in errors)


def _full():
    document = _rich()
    document["workloads"].append({"key": "ranker", "requests_per_minute": 60, "service": service()})
    document["options"][0]["fleets"].append(
        {"key": "r", "workload": "ranker", "server": "box", "site": "hall", "count": 1}
    )
    document["catalog"]["servers"] = [{"key": "box", "device": "mi300u", "device_count": 8}]
    return document


def test_the_base_of_the_next_test_resolves():
    """Otherwise every change to it would be refused for the wrong reason."""
    assert resolve(_full(), SmallCatalog()).workloads[1].kind == "measured_service"


PATHS = [path for path in _paths(_full()) if path]


@settings(max_examples=400, deadline=None, derandomize=True)
@given(st.data())
def test_any_damage_gives_errors_or_inputs(data):
    """Up to three values of a good document are replaced, removed or added."""
    document = copy.deepcopy(_full())
    for path in data.draw(st.lists(st.sampled_from(PATHS), min_size=1, max_size=3)):
        value = data.draw(st.one_of(VALUES, st.sampled_from(NAMES)))
        try:
            document = _with(document, path, value)
        except (KeyError, IndexError, TypeError):  # an earlier change took this place away
            continue
    inputs, errors = outcome(resolve, document, SmallCatalog())
    assert (inputs is None) == bool(errors)
    assert all(error.message for error in errors)
    assert {error.field for error in validate(document)} <= {error.field for error in errors}


def test_removing_any_line_never_ends_in_a_traceback():
    """Each key of the document is left out once."""
    for path in PATHS:
        document = copy.deepcopy(_full())
        node = document
        for step in path[:-1]:
            node = node[step]
        del node[path[-1]]
        inputs, errors = outcome(resolve, document, SmallCatalog())
        assert (inputs is None) == bool(errors)


def test_paths_are_readable():
    """A key of any length does not flood the terminal."""
    assert path_to("sites[0]", "x" * 500) == "sites[0]." + "x" * 57 + "..."

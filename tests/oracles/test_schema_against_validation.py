"""The published JSON Schema: valid, complete, and of one mind with the checks at the door."""

from __future__ import annotations

import copy
import itertools
import json
from pathlib import Path

import jsonschema
import pytest

from tco.document import validate
from tco.document.schema import json_schema, schema_text
from tco.fields import sections
from tests.engine.document.small_catalog import scenario

ROOT = Path(__file__).resolve().parents[2]
CHECKER = jsonschema.Draft202012Validator(
    json_schema(), format_checker=jsonschema.FormatChecker(["date"])
)


def test_the_published_file_is_the_schema_of_the_code():
    """`tco schema` writes docs/reference/scenario.schema.json; a change of a field must show."""
    published = ROOT / "docs" / "reference" / "scenario.schema.json"
    assert published.read_text(encoding="utf-8") == schema_text()


def test_the_schema_is_valid_draft_2020_12():
    """It names its dialect and its version and passes the dialect's own schema."""
    schema = json_schema()
    assert schema["$schema"] == "https://json-schema.org/draft/2020-12/schema"
    assert schema["properties"]["schema"]["enum"] == ["tco-scenario/1"]
    jsonschema.Draft202012Validator.check_schema(schema)


def _objects(node):
    if isinstance(node, dict):
        if node.get("type") == "object":
            yield node
        for value in node.values():
            yield from _objects(value)
    elif isinstance(node, list):
        for value in node:
            yield from _objects(value)


def test_unknown_keys_are_refused_everywhere():
    """Every object of the schema is closed."""
    objects = list(_objects(json_schema()))
    assert len(objects) > 25
    assert all(found["additionalProperties"] is False for found in objects)


def test_every_field_of_the_dictionary_is_in_the_schema():
    """Section by section, name by name."""
    schema = json_schema()
    for name, fields in sections().items():
        if name == "figure":
            continue
        node = schema if name == "scenario" else schema["$defs"][name]
        assert list(node["properties"]) == list(fields)


def _paths(node, path=()):
    yield path
    if isinstance(node, dict):
        for key, value in node.items():
            yield from _paths(value, (*path, key))
    elif isinstance(node, list):
        for index, value in enumerate(node):
            yield from _paths(value, (*path, index))


def _with(document, path, value):
    changed = copy.deepcopy(document)
    node = changed
    for step in path[:-1]:
        node = node[step]
    node[path[-1]] = value
    return changed


def _rich():
    document = scenario()
    document["finance"] |= {
        "hours_mode": 720,
        "tax": {"rate_fraction": 0.21, "depreciation": "macrs_5"},
        "electricity_escalation_fraction": "2.5 %/year",
    }
    document["sites"][0] |= {
        "energy_usd_per_kwh": {"value": 0.08, "low": 0.06, "high": "0.1 USD/kWh", "source": "x"},
        "demand_included": False,
        "colocation": {"usd_per_kw_month": 184.06},
    }
    document["workloads"][0] |= {
        "daily_shape": [0.5] * 24,
        "requires": ["attestation"],
        "residency": ["US"],
    }
    document["options"][0]["fleets"][0] |= {
        "count": 3,
        "purchase": {"server_usd": 300000, "life_months": 48},
    }
    document["catalog"] = {
        "devices": [
            {
                "key": "mi300u",
                "peak_tflops": {"bf16": 1500},
                "release_date": "2027-03-01",
                "cap_points": [{"cap_w": 500, "throughput_fraction": 0.9}],
            }
        ]
    }
    return document


WRONG = (None, True, -7, 1.5, 1e12, "", "nonsense", "5 parsec", "2026-13-40", [], {}, ["x"])


def test_a_rich_document_is_good_for_both():
    """The base of the comparison below has no error."""
    assert list(CHECKER.iter_errors(_rich())) == []
    assert validate(_rich()) == ()


@pytest.mark.parametrize("wrong", WRONG, ids=repr)
def test_what_the_schema_refuses_the_door_refuses(wrong):
    """Each value of a rich document is replaced by a wrong one: no schema error goes unnoticed.

    jsonschema is the oracle; the checks at the door may refuse more (units, rules between fields).
    """
    document = _rich()
    compared = 0
    for path in itertools.islice(_paths(document), 1, None):
        changed = _with(document, path, wrong)
        if not CHECKER.is_valid(changed):
            compared += 1
            assert validate(changed), f"{path} = {wrong!r} went through"
    assert compared > 20


def test_what_the_door_accepts_the_schema_accepts():
    """A value the checks accept is valid for any other reader of the schema too."""
    document = _rich()
    for path in itertools.islice(_paths(document), 1, None):
        for right in ("US-VA", 0.5, 1, 30, "40 kW", "5 %", "730", 720, True, "2026-01-01"):
            changed = _with(document, path, right)
            if not validate(changed):
                errors = list(CHECKER.iter_errors(changed))
                assert errors == [], f"{path} = {right!r}: {errors[0].message}"


def test_the_schema_is_plain_json():
    """It survives a round trip and ends with a newline."""
    assert json.loads(schema_text()) == json_schema()
    assert schema_text().endswith("}\n")

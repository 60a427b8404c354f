"""Differences of documents and scenario files."""

from __future__ import annotations

import copy
import json

import pytest

from planner.scenarios.differences import document_differences
from planner.scenarios.exchange import in_order, read_document, write_document
from planner.scenarios.form_rows import change_rows
from planner.scenarios.paths import field_at, path_label, split_path, value_at
from tco.errors import InputError
from tests.planner.conftest import EXAMPLE_NAMES, example


@pytest.mark.parametrize("name", EXAMPLE_NAMES)
@pytest.mark.parametrize("form", ["yaml", "json"])
def test_export_and_import_is_a_no_op(name, form):
    """What the store keeps without order comes back equal, and in the order people read."""
    document = example(name)
    stored = json.loads(json.dumps(document, sort_keys=True))
    again = read_document(write_document(stored, form))
    assert again == document
    assert list(again)[:2] == ["schema", "name"]
    assert document_differences(document, again) == ()


def test_differences_name_the_field_in_words(chat_document):
    """A change, an addition and a removal, each with label, old and new value."""
    changed = copy.deepcopy(chat_document)
    changed["sites"][0]["pue"] = {"value": 1.2, "status": "measured", "source": "meter"}
    changed["sites"][0]["hall_kw"] = 400
    del changed["workloads"][0]["residency"]
    found = {c.path: c for c in document_differences(chat_document, changed)}
    assert set(found) == {"sites[0].pue", "sites[0].hall_kw", "workloads[0].residency"}
    assert found["sites[0].pue"].label == "Colocation in Ashburn › PUE"
    assert found["sites[0].pue"].new == "1.2 (measured: meter)"
    assert (found["sites[0].hall_kw"].old, found["sites[0].hall_kw"].new) == ("", "400 kW")
    assert (found["workloads[0].residency"].old, found["workloads[0].residency"].new) == ("US", "")


def test_a_changed_order_is_no_change(chat_document):
    """Options are matched by their key."""
    turned = copy.deepcopy(chat_document)
    turned["options"].reverse()
    assert document_differences(chat_document, turned) == ()


def test_a_removed_option_is_one_change_with_its_name(chat_document):
    """What goes as a whole is named as a whole."""
    fewer = copy.deepcopy(chat_document)
    gone = fewer["options"].pop(0)
    (change,) = document_differences(chat_document, fewer)
    assert change.label == gone["name"]
    assert change.old
    assert change.new == ""


def test_paths_lead_to_values_and_fields(chat_document):
    """A finding's path finds the value, the dictionary's field and the words."""
    path = "options[0].fleets[0].purchase.network_usd_per_server"
    assert split_path(path) == ("options", 0, "fleets", 0, "purchase", "network_usd_per_server")
    assert value_at(chat_document, path)["value"] == 25000
    assert field_at(path).unit == "USD/server"
    assert path_label(chat_document, path).endswith("› Purchase › Network")
    assert value_at(chat_document, "options[99].fleets") is None
    assert field_at("sites[0].nothing") is None


def test_keys_stand_in_the_order_of_the_dictionary():
    """Unknown keys come last, so that they are seen."""
    assert list(in_order({"zzz": 1, "options": [], "schema": "s", "name": "n"})) == [
        "schema",
        "name",
        "options",
        "zzz",
    ]


def test_rows_are_added_copied_and_removed(chat_document):
    """New rows get keys of their own; the given document stays as it was."""
    before = copy.deepcopy(chat_document)
    more = change_rows(chat_document, "duplicate:options[0]")
    keys = [option["key"] for option in more["options"]]
    assert len(keys) == len(set(keys)) == len(before["options"]) + 1
    fleets = [fleet["key"] for option in more["options"] for fleet in option["fleets"]]
    assert len(fleets) == len(set(fleets))
    assert more["options"][1]["name"].endswith(", copy")
    assert len(change_rows(more, "remove:options[1]")["options"]) == len(before["options"])
    added = change_rows(chat_document, "add:workloads[0].targets")
    assert len(added["workloads"][0]["targets"]) == len(before["workloads"][0]["targets"]) + 1
    assert chat_document == before


@pytest.mark.parametrize(
    "action", ["", "add:", "add:nothing", "remove:sites[9]", "burn:sites[0]", "remove:sites"]
)
def test_row_actions_that_name_nothing_are_refused(chat_document, action):
    """A forged button changes nothing."""
    with pytest.raises(InputError):
        change_rows(chat_document, action)

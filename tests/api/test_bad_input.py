"""The API's door: what cannot be used is named with its field and mend, and nothing is stored."""

from __future__ import annotations

import copy
import json

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.knocks import NEW_ENTRY
from tests.api.refusals import changed, refused, row_counts, send
from tests.api.world import chat_document, run_document

SCENARIOS = "/api/v1/scenarios/"
CATALOG = "/api/v1/catalog/"
RUNS = "/api/v1/benchmark-runs/"
LARGEST_BODY = 5_000_000


FLEET = ("options", 0, "fleets", 0)


@pytest.mark.parametrize(
    ("path", "value", "field"),
    [
        (("sites", 0, "slot_w"), "-5 kW", "sites[0].slot_w"),
        ((*FLEET, "device"), "h100_sxm", "options[0].fleets[0].device"),
        ((*FLEET, "server"), "deep-thought", "options[0].fleets[0].server"),
        ((*FLEET, "count"), 0, "options[0].fleets[0].count"),
        (("sites", 0, "slot_w"), 1e308, "sites[0].slot_w"),
        (("finance", "horizon_months"), -1, "finance.horizon_months"),
        (("finance", "curency"), "USD", "finance.curency"),
        (("workloads", 0, "model"), "no/such-model", "workloads[0].model"),
        (("sites", 0, "region"), "MARS", "sites[0].region"),
        (("workloads", 0, "residency"), "US", "workloads[0].residency"),
        (("name",), "a\x00b", "name"),
        (("",), 1, "document"),
    ],
)
def test_each_slip_is_named_with_its_mend(world, nothing_stored, path, value, field):
    """422 with the path of the field, for a new scenario and for a new revision alike."""
    client = world.client("architect")
    body = {"document": changed(path, value)}
    assert field in refused(send(client, SCENARIOS, body), 422)
    url = f"{SCENARIOS}{world.mine.scenario.pk}/"
    assert field in refused(send(client, url, body, "PUT", **{"If-Match": "*"}), 422)


@pytest.mark.parametrize("literal", ["NaN", "Infinity", "-Infinity", "1e999"])
@pytest.mark.parametrize("url", [SCENARIOS, CATALOG])
def test_numbers_that_are_none_are_named(world, nothing_stored, literal, url):
    """400 with the field: JSON has no NaN, and 1e999 is none of our numbers."""
    body = {"document": chat_document()} if url == SCENARIOS else copy.deepcopy(NEW_ENTRY)
    if url == SCENARIOS:
        field = "document.sites[0].slot_w"
        body["document"]["sites"][0]["slot_w"] = "HERE"
    else:
        field = "figures.tdp_w.value"
        body["figures"]["tdp_w"]["value"] = "HERE"
    text = json.dumps(body).replace('"HERE"', literal)
    assert field in refused(send(world.client("architect"), url, text), 400)


DOCUMENT = json.dumps({"document": chat_document()})
BODIES = {
    "not JSON": ("{no", 400, "body"),
    "empty": ("", 400, "document"),
    "a list": ("[]", 400, "body"),
    "a number": ("5", 400, "body"),
    "null": ("null", 400, "body"),
    "YAML": ("document:\n  schema: tco-scenario/1\n", 400, "body"),
    "not UTF-8": (b"\xff\xfe\x00", 400, "body"),
    "cut off": (DOCUMENT[:-20], 400, "body"),
    "twice the same name": (DOCUMENT[:-1] + ', "document": {}}', 400, "document"),
    "twice inside": (
        DOCUMENT.replace('"currency": "USD"', '"currency": "USD", "currency": "USD"'),
        400,
        "currency",
    ),
    "deep": ('{"document":' + "[" * 100_000 + "]" * 100_000 + "}", 400, "body"),
    "rather deep": ('{"document": {"name":' + "[" * 300 + "]" * 300 + "}}", 400, "body"),
    "5,000 digits": (DOCUMENT.replace('"slot_w": 1000', f'"slot_w": {"9" * 5000}'), 400, "body"),
    "half a pair in a name": ('{"document": {"a\\ud800": 1}}', 400, "document"),
    "half a pair in a text": ('{"document": {"name": "a\\ud800"}}', 400, "document.name"),
    "a name nobody reads": (DOCUMENT[:-1] + ', "mesage": "x"}', 400, "mesage"),
    "no mapping": ('{"document": [1, 2]}', 400, "document"),
    "5 MB": (json.dumps({"document": {"name": "a" * LARGEST_BODY}}), 413, "body"),
}


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("actor", ["architect", "write"])
def test_bodies_that_are_no_document(world, nothing_stored, actor, name):
    """By session and by token: 4xx with the field and the mend."""
    body, status, field = BODIES[name]
    assert field in refused(send(world.client(actor), SCENARIOS, body), status)


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "text/yaml"])
@pytest.mark.parametrize("url", [SCENARIOS, CATALOG])
def test_another_content_type_is_refused(world, nothing_stored, url, kind):
    """415 names the header; only JSON is read."""
    response = send(world.client("write"), url, DOCUMENT, content_type=kind)
    assert "Content-Type" in refused(response, 415)


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"nmae": "x"}, "nmae"),
        ({"figures": {"tdp_w": {"value": True}}}, "figures.tdp_w.value"),
        ({"figures": {"tdp_w": {"value": -1}}}, "figures.tdp_w"),
        ({"figures": {"tdp_w": {"value": 1, "unit": "kW"}}}, "figures.tdp_w.unit"),
        ({"figures": {"tdp_kw": {"value": 1}}}, "figures.tdp_kw"),
        ({"figures": {"tdp_w": {"value": 1, "status": "measured"}}}, "figures.tdp_w.status"),
        ({"figures": []}, "figures"),
        ({"prices": {}}, "prices"),
        ({"prices": [{"series": "price_usd", "mid": 1e308}]}, "prices[0].mid"),
        ({"kind": "toaster"}, "kind"),
        ({"key": "no spaces please"}, "key"),
        ({"name": None}, "name"),
        ({"attributes": {"device_kind": "toaster"}}, "attributes.device_kind"),
        ({"release_date": "soon"}, "release_date"),
    ],
)
def test_each_slip_of_an_own_entry_is_named(world, nothing_stored, change, field):
    """The catalog's door: the field, what is wrong and the mend."""
    body = copy.deepcopy(NEW_ENTRY) | change
    assert field in refused(send(world.client("write"), CATALOG, body))


def leaves(value, path=()):
    """Path of every member of a document, branches included."""
    if path:
        yield path
    if isinstance(value, dict):
        for key, item in value.items():
            yield from leaves(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from leaves(item, (*path, index))


JUNK = st.one_of(
    st.sampled_from(
        [None, True, False, 0, -1, 1e308, -1e308, 2**70, "", " ", "NaN", "-5 kW", "1e999", "=1+1"]
    ),
    st.sampled_from(
        [[], {}, [[]], [None], {"": None}, {"value": None}, {"value": -1}, "\x00", "ü" * 5000]
    ),
    st.integers(),
    st.floats(allow_nan=False, allow_infinity=False),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=20),
    st.lists(st.integers(), max_size=3),
    st.dictionaries(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), st.none()),
)
BODIES_BY_URL = {
    SCENARIOS: {"document": chat_document()},
    CATALOG: NEW_ENTRY,
    RUNS: run_document("Junk CPU 1"),
}
PATHS = {url: list(leaves(body)) for url, body in BODIES_BY_URL.items()}


@pytest.mark.parametrize("url", [SCENARIOS, CATALOG, RUNS])
def test_any_member_turned_into_junk_is_taken_or_named(world, url):
    """One member at a time: accepted as a whole, or refused with every table as it was."""
    client = world.client("write")

    @settings(
        max_examples=80,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        database=None,
    )
    @given(path=st.sampled_from(PATHS[url]), junk=JUNK)
    def check(path, junk):
        body = changed(path, junk, copy.deepcopy(BODIES_BY_URL[url]))
        before = row_counts()
        with transaction.atomic():
            response = send(client, url, body)
            after = row_counts()
            if response.status_code == 201 and url == SCENARIOS:  # what is taken can be projected
                run = client.post(f"{SCENARIOS}{response.json()['id']}/projection/")
                assert run.status_code == 201, (path, junk, run.content[:300])
            transaction.set_rollback(True)
        if response.status_code == 201:
            assert after != before
            return
        assert after == before
        if url == RUNS:
            assert response.status_code in {400, 422}, (path, junk, response.content[:300])
            assert response["Content-Type"] == "application/problem+json"
            return
        refused(response)

    check()

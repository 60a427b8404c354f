"""The catalog in the API."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext

from hardware_catalog.models import CatalogEntry

pytestmark = pytest.mark.django_db
URL = "/api/v1/catalog/"
NEW = {
    "kind": "device",
    "name": "MI300U",
    "vendor": "AMD",
    "attributes": {"device_kind": "gpu"},
    "figures": {"memory_gb": {"value": 256}, "tdp_w": {"value": 1000}},
    "prices": [{"series": "price_usd", "mid": 18000, "price_date": "2026-11"}],
    "message": "for a study",
}


def post(client, data, url=URL):
    return client.post(url, data, content_type="application/json")


def patch(client, pk, data):
    return client.patch(f"{URL}{pk}/", data, content_type="application/json")


def test_a_list_carries_the_pedigree(ada_client, shelf):
    """Each figure with value, unit, status, verified, source, date and evidence."""
    answer = ada_client.get(URL, {"kind": "device", "search": "h100"}).json()
    assert answer["count"] == 1
    entry = answer["results"][0]
    figures = {figure["name"]: figure for figure in entry["figures"]}
    memory = figures["memory_gb"]
    assert (memory["value"], memory["unit"], memory["status"]) == (80, "GB", "published")
    assert memory["verified"] is True
    assert memory["source"]
    assert memory["as_of"] == "2026-08-22"
    assert memory["evidence"] == "secondary"
    price = entry["prices"][0]
    assert (price["low"], price["mid"], price["high"]) == (25000, 30000, 40000)
    assert entry["shared"] is True


@pytest.mark.parametrize(
    ("query", "count"),
    [
        ({}, 13),
        ({"kind": "server"}, 2),
        ({"vendor": "NVIDIA"}, 3),
        ({"key": "t4"}, 1),
        ({"kind": "device", "has_price": "yes"}, 2),
        ({"kind": "device", "own": "own"}, 0),
    ],
)
def test_filters(ada_client, shelf, query, count):
    """Kind, vendor, key, price, owner."""
    assert ada_client.get(URL, query).json()["count"] == count


def test_an_unknown_kind_is_named(ada_client):
    """400 with the field."""
    answer = ada_client.get(URL, {"kind": "teapot"})
    assert answer.status_code == 400
    assert "kind" in answer.json()["errors"][0]["pointer"]


def test_a_list_asks_as_much_for_60_rows_as_for_10(ada_client, seed_catalog):
    """The number of queries does not grow with the rows."""
    found = []
    for size in (10, 60):
        with CaptureQueriesContext(connection) as caught:
            answer = ada_client.get(URL, {"kind": "device", "page_size": size}).json()
        assert len(answer["results"]) == size
        found.append(len(caught))
    assert found[0] == found[1]


def test_create_show_change_history(ada_client, demo_organisation):
    """The whole life of an own entry."""
    created = post(ada_client, NEW)
    assert created.status_code == 201, created.content
    entry = created.json()
    assert (entry["key"], entry["shared"]) == ("amd-mi300u", False)
    assert {figure["status"] for figure in entry["figures"]} == {"assumed"}
    changed = patch(
        ada_client,
        entry["id"],
        {
            "figures": {
                "tdp_w": {"value": 900, "status": "published", "source": "sheet"},
                "memory_gb": None,
            }
        },
    )
    assert changed.status_code == 200, changed.content
    figures = {figure["name"]: figure for figure in changed.json()["figures"]}
    assert set(figures) == {"tdp_w"}
    assert (figures["tdp_w"]["value"], figures["tdp_w"]["status"]) == (900, "published")
    assert ada_client.get(f"{URL}{entry['id']}/").json()["figures"] == changed.json()["figures"]
    changes = ada_client.get(f"{URL}{entry['id']}/history/").json()["results"]
    assert [change["message"] for change in changes] == ["Changed", "for a study"]
    assert changes[0]["before"]["figures"]["tdp_w"]["value"] == 1000
    assert changes[0]["by"] == "ada@example.org"


def test_changing_a_shared_entry_answers_with_the_copy(ada_client, shelf, demo_organisation):
    """Another id, the same key; the shared one stays."""
    shared = shelf["h100-sxm"]
    answer = patch(ada_client, shared.pk, {"figures": {"tdp_w": {"value": 650}}}).json()
    assert answer["id"] != shared.pk
    assert (answer["key"], answer["shared"]) == ("h100-sxm", False)
    assert CatalogEntry.objects.get(pk=shared.pk).figures.get(name="tdp_w").value == 700


@pytest.mark.parametrize(
    ("change", "field", "word"),
    [
        ({"figures": {"tdp_w": {"value": -1}}}, "figures.tdp_w", "below 0"),
        ({"figures": {"tdp_w": {"value": 1e308}}}, "figures.tdp_w", "above"),
        ({"figures": {"warp": {"value": 1}}}, "figures.warp", "no such figure"),
        (
            {"figures": {"tdp_w": {"value": 1, "status": "measured", "source": "desk"}}},
            "figures.tdp_w.status",
            "measured",
        ),
        ({"prices": [{"series": "price_usd"}]}, "prices[0].mid", "no price"),
        ({"attributes": {"device_kind": "quantum"}}, "attributes.device_kind", "quantum"),
    ],
)
def test_what_cannot_be_used_is_a_422_with_field_and_mend(ada_client, change, field, word):
    """A problem document; nothing stored."""
    answer = post(ada_client, NEW | change)
    assert answer.status_code == 422
    assert answer["Content-Type"] == "application/problem+json"
    errors = {error["field"]: error for error in answer.json()["errors"]}
    assert word in errors[field]["message"]
    assert errors[field]["mend"]
    assert not CatalogEntry.objects.exists()


@pytest.mark.parametrize(
    "change",
    [
        {"name": ""},
        {"kind": "teapot"},
        {"figures": [1]},
        {"figures": {"tdp_w": {}}},
        {"figures": {"tdp_w": {"value": "NaN"}}},
    ],
)
def test_wrong_shapes_are_a_400(ada_client, change):
    """Of the body itself."""
    answer = post(ada_client, NEW | change)
    assert answer.status_code == 400
    assert answer.json()["errors"]
    assert not CatalogEntry.objects.exists()


def test_json_takes_no_nan(ada_client):
    """NaN is not JSON."""
    body = '{"kind": "device", "name": "x", "figures": {"tdp_w": {"value": NaN}}}'
    assert post(ada_client, body).status_code == 400


def test_kinds_that_cannot_be_changed(ada_client, shelf):
    """Models are shared only."""
    model = shelf["meta-llama/Llama-3.1-70B"]
    answer = patch(ada_client, model.pk, {"name": "mine"})
    assert answer.status_code == 422
    assert not CatalogEntry.objects.exclude(organisation=None).exists()


def test_foreign_entries_are_404(ada_client, eve_client):
    """Reading, changing, history."""
    pk = post(ada_client, NEW).json()["id"]
    assert eve_client.get(f"{URL}{pk}/").status_code == 404
    assert eve_client.get(f"{URL}{pk}/history/").status_code == 404
    assert patch(eve_client, pk, {"name": "stolen"}).status_code == 404
    assert eve_client.get(URL).json()["count"] == 0
    assert CatalogEntry.objects.get(pk=pk).name == "MI300U"


def test_tokens_do_what_their_scope_says(ada, demo_organisation, client):
    """Upload tokens do not read; read tokens do not write; write tokens sign the history."""
    from accounts.services import token_create

    def headers(scope):
        _, text = token_create(
            organisation=demo_organisation, label=f"node {scope}", scope=scope, by=ada
        )
        return {"authorization": f"Bearer {text}"}

    assert client.get(URL).status_code == 401
    assert client.get(URL, headers=headers("upload")).status_code == 403
    read, write = headers("read"), headers("write")
    assert client.get(URL, headers=read).status_code == 200
    sent = {"data": NEW, "content_type": "application/json"}
    assert client.post(URL, headers=read, **sent).status_code == 403
    created = client.post(URL, headers=write, **sent)
    assert created.status_code == 201
    entry = CatalogEntry.objects.get(pk=created.json()["id"])
    assert entry.changes.get().by == "Token node write"


def test_finance_reads_only(fin, shelf):
    """The role decides as on the pages."""
    reader = Client()
    reader.force_login(fin)
    assert reader.get(URL).status_code == 200
    assert post(reader, NEW).status_code == 403

"""Scenarios and projections through the API."""

from __future__ import annotations

import copy
import json

import pytest

from planner.models import Scenario

URL = "/api/v1/scenarios/"


def create(client, document, **more):
    """POST a document."""
    return client.post(URL, {"document": document, **more}, content_type="application/json")


def put(client, pk, document, etag=None):
    """PUT a document with If-Match."""
    headers = {"If-Match": etag} if etag else {}
    return client.put(
        f"{URL}{pk}/", {"document": document}, content_type="application/json", headers=headers
    )


def test_a_document_goes_through_its_whole_life(seed_catalog, ada_client, chat_document):
    """Create, read, change, list revisions, project, duplicate, archive."""
    made = create(ada_client, chat_document, message="first")
    assert made.status_code == 201
    body = made.json()
    pk, etag = body["id"], made["ETag"]
    assert body["revision"]["document"] == chat_document
    assert ada_client.get(f"{URL}{pk}/")["ETag"] == etag

    changed = copy.deepcopy(chat_document)
    changed["finance"]["horizon_months"] = 48
    saved = put(ada_client, pk, changed, etag)
    assert saved.status_code == 200
    assert saved.json()["revision"]["number"] == 2
    assert saved["ETag"] != etag
    same = put(ada_client, pk, changed, saved["ETag"])
    assert same.json()["revision"]["number"] == 2

    revisions = ada_client.get(f"{URL}{pk}/revisions/").json()
    assert [row["number"] for row in revisions["results"]] == [2, 1]
    first = ada_client.get(f"{URL}{pk}/revisions/1/").json()
    assert first["document"] == chat_document
    assert first["message"] == "first"

    run = ada_client.post(f"{URL}{pk}/projection/")
    again = ada_client.post(f"{URL}{pk}/projection/")
    assert (run.status_code, again.status_code) == (201, 200)
    result = run.json()["result"]
    assert result["schema"] == "tco-projection/1"
    assert set(result) >= {"kpis", "ledger", "latency", "power", "racks", "findings", "provenance"}
    stored = ada_client.get(f"/api/v1/projections/{run.json()['id']}/").json()
    assert stored["result"] == result
    listed = ada_client.get("/api/v1/projections/").json()["results"]
    assert [row["id"] for row in listed] == [run.json()["id"]]
    assert "result" not in listed[0]

    twin = ada_client.post(f"{URL}{pk}/duplicate/").json()
    assert twin["copy_of"] == pk
    assert twin["revision"]["document"]["finance"]["horizon_months"] == 48

    assert ada_client.delete(f"{URL}{pk}/").status_code == 204
    names = [row["id"] for row in ada_client.get(URL).json()["results"]]
    assert names == [twin["id"]]
    assert [row["id"] for row in ada_client.get(f"{URL}?archived=true").json()["results"]] == [pk]


def test_errors_are_problem_documents_with_every_field(seed_catalog, ada_client, chat_document):
    """422 names each field with its mend; nothing is stored."""
    chat_document["options"][0]["fleets"][0]["server"] = "nope"
    chat_document["finance"]["horizon_months"] = -1
    response = create(ada_client, chat_document)
    assert response.status_code == 422
    assert response["Content-Type"] == "application/problem+json"
    fields = {error["field"]: error for error in response.json()["errors"]}
    assert set(fields) == {"options[0].fleets[0].server", "finance.horizon_months"}
    assert all(error["message"] for error in fields.values())
    assert Scenario.objects.count() == 0


@pytest.mark.parametrize("document", [None, [], "text", 5, {}, {"schema": "tco-scenario/9"}])
def test_what_is_no_document_is_refused(seed_catalog, ada_client, document):
    """400 for the wrong kind, 422 for a wrong document; never a fault of the server."""
    response = create(ada_client, document)
    assert response.status_code in {400, 422}
    assert response["Content-Type"] == "application/problem+json"
    assert response.json()["errors"]
    assert Scenario.objects.count() == 0


def test_nan_in_the_body_is_refused(seed_catalog, ada_client, chat_document):
    """NaN and 1e999 are no JSON numbers of ours."""
    text = json.dumps({"document": chat_document}).replace(
        '"horizon_months": 60', '"horizon_months": NaN'
    )
    response = ada_client.post(URL, text, content_type="application/json")
    assert response.status_code in {400, 422}
    assert Scenario.objects.count() == 0


def test_an_update_needs_the_right_etag(chat, ada_client, chat_document):
    """428 without If-Match, 412 with a stale or foreign one and what was saved in between."""
    chat_document["finance"]["horizon_months"] = 48
    assert put(ada_client, chat.pk, chat_document).status_code == 428
    old = ada_client.get(f"{URL}{chat.pk}/")["ETag"]
    assert put(ada_client, chat.pk, chat_document, old).status_code == 200
    chat_document["finance"]["horizon_months"] = 36
    stale = put(ada_client, chat.pk, chat_document, old)
    assert stale.status_code == 412
    body = stale.json()
    assert (body["code"], body["base_revision"], body["current_revision"]) == (
        "stale_revision",
        1,
        2,
    )
    assert body["errors"] == [
        {"field": "finance.horizon_months", "message": "was '60 month', is now '48 month'"}
    ]
    assert put(ada_client, chat.pk, chat_document, '"r1-0000000000000000"').status_code == 412
    assert put(ada_client, chat.pk, chat_document, "nonsense").status_code == 412
    assert chat.revisions.count() == 2


def test_scopes_and_roles(chat, fin, client, demo_organisation, ada):
    """Finance reads; a read token reads; an upload token does neither."""
    client.force_login(fin)
    assert client.get(f"{URL}{chat.pk}/").status_code == 200
    assert client.post(f"{URL}{chat.pk}/duplicate/").status_code == 403
    from django.test import Client

    from accounts.authentication import secret_hash
    from accounts.models import ApiToken

    for scope, read, write in (("read", 200, 403), ("upload", 403, 403), ("write", 200, 201)):
        ApiToken.objects.create(
            organisation=demo_organisation,
            created_by=ada,
            label=scope,
            key_id=f"key{scope}",
            secret_hash=secret_hash("s3cret"),
            scope=scope,
        )
        bearer = {"Authorization": f"Bearer tco_key{scope}_s3cret"}
        caller = Client()
        assert caller.get(f"{URL}{chat.pk}/", headers=bearer).status_code == read
        answer = caller.post(f"{URL}{chat.pk}/duplicate/", headers=bearer)
        assert answer.status_code == write, scope


def test_the_schema_of_the_document_is_published(chat, ada_client, chat_document):
    """The schema names its version and accepts the example."""
    import jsonschema_rs

    schema = ada_client.get("/api/v1/scenario-schema/").json()
    jsonschema_rs.validator_for(schema).validate(chat_document)
    assert not jsonschema_rs.validator_for(schema).is_valid({**chat_document, "typo": 1})


def test_the_list_is_paged_and_searched(chat, ada_client):
    """Pages have a count; the search looks at names."""
    assert ada_client.get(f"{URL}?search=chat").json()["count"] == 1
    assert ada_client.get(f"{URL}?search=zebra").json()["count"] == 0
    assert ada_client.get(f"{URL}?page_size=1").json()["count"] == 1


def test_a_scenario_whose_device_left_the_catalog_is_a_problem(chat, ada_client):
    """Projecting it answers 422 with the field."""
    from hardware_catalog.models import CatalogEntry

    entry = CatalogEntry.objects.get(kind="server", key="supermicro-sys-821ge-tnhr")
    entry.archived = True
    entry.save()
    response = ada_client.post(f"{URL}{chat.pk}/projection/")
    assert response.status_code == 422
    assert response.json()["errors"][0]["field"] == "options[0].fleets[0].server"

"""Importing and exporting scenario files in the browser."""

from __future__ import annotations

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile

from planner.models import Scenario
from tests.planner.conftest import EXAMPLE_NAMES, EXAMPLES, example
from tests.planner.posted import posted_form


@pytest.mark.parametrize("name", EXAMPLE_NAMES)
def test_a_file_goes_in_and_comes_out_the_same(seed_catalog, ada_client, name):
    """Upload, export as YAML, paste the export: no new revision (U14)."""
    upload = SimpleUploadedFile(f"{name}.yaml", (EXAMPLES / f"{name}.yaml").read_bytes())
    response = ada_client.post("/scenarios/import/", {"file": upload})
    scenario = Scenario.objects.get()
    assert response.url == f"/scenarios/{scenario.pk}/"
    assert scenario.revisions.get().document == example(name)
    for form in ("yaml", "json"):
        exported = ada_client.get(f"/scenarios/{scenario.pk}/export.{form}")
        assert "attachment" in exported["Content-Disposition"]
        text = exported.content.decode()
        ada_client.post(f"/scenarios/{scenario.pk}/file/", {"text": text, "base_number": 1})
        assert scenario.revisions.count() == 1
    assert ada_client.get(f"/scenarios/{scenario.pk}/export.exe").status_code == 404


def test_every_error_of_a_file_is_shown_at_once(seed_catalog, ada_client):
    """Unknown key, bad number and unknown device: three entries, nothing stored."""
    text = (EXAMPLES / "chat.yaml").read_text(encoding="utf-8")
    text = text.replace("horizon_months: 60", "horizon_months: sixty\n  horizont: 5")
    text = text.replace("supermicro-sys-821ge-tnhr", "supermicro-sys-821")
    response = ada_client.post("/scenarios/import/", {"text": text})
    html = response.content.decode()
    assert response.status_code == 422
    for word in ("horizont", "horizon_months", "options[0].fleets[0].server"):
        assert word in html, word
    assert "sixty" in html
    assert Scenario.objects.count() == 0


@pytest.mark.parametrize(
    "content", [b"", b"\xff\xfe\x00", b"[1, 2]", b"a: &x 1\nb: *x\n", b"{", b"- x\n: :"]
)
def test_files_that_are_no_scenario_are_refused(seed_catalog, ada_client, content):
    """Empty, binary, a list, aliases, broken syntax: 422 with one clear line."""
    upload = SimpleUploadedFile("x.yaml", content)
    response = ada_client.post("/scenarios/import/", {"file": upload})
    assert response.status_code == 422
    assert "Nothing was stored" in response.content.decode()
    assert Scenario.objects.count() == 0


def test_the_text_view_saves_and_refuses_a_stale_text(chat, ada_client):
    """The same checks and the same lock as in the builder."""
    page = ada_client.get(f"/scenarios/{chat.pk}/file/").content.decode()
    assert "tco-scenario/1" in page
    text = ada_client.get(f"/scenarios/{chat.pk}/export.yaml").content.decode()
    changed = text.replace("horizon_months: 60", "horizon_months: 48")
    data = {"text": changed, "base_number": 1, "message": "shorter"}
    assert ada_client.post(f"/scenarios/{chat.pk}/file/", data).status_code == 302
    assert chat.revisions.first().message == "shorter"
    stale = ada_client.post(
        f"/scenarios/{chat.pk}/file/",
        {"text": text.replace("horizon_months: 60", "horizon_months: 36"), "base_number": 1},
    )
    assert stale.status_code == 409
    assert "Somebody saved in between" in stale.content.decode()
    assert "horizon_months: 36" in stale.content.decode()
    wrong = ada_client.post(
        f"/scenarios/{chat.pk}/file/", {"text": changed + "\nnonsense: 1\n", "base_number": 2}
    )
    assert wrong.status_code == 422
    assert chat.revisions.count() == 2


def test_history_shows_what_each_revision_changed(chat, ada_client):
    """The page names the field with its old and new value, and can restore."""
    form = posted_form(ada_client.get(f"/scenarios/{chat.pk}/edit/").content.decode())
    form["finance.horizon_months"] = ["36"]
    form["message"] = ["contract ends"]
    ada_client.post(f"/scenarios/{chat.pk}/edit/", form)
    html = ada_client.get(f"/scenarios/{chat.pk}/history/").content.decode()
    for text in ("Finance › Horizon", "60 month", "36 month", "contract ends", "Restore"):
        assert text in html, text
    ada_client.post(f"/scenarios/{chat.pk}/revisions/1/restore/", {"base_number": 2})
    first, third = chat.revisions.get(number=1), chat.revisions.get(number=3)
    assert third.document == first.document


def test_the_list_searches_copies_and_archives(chat, ada_client):
    """Search by name, duplicate and archive with a button each."""
    assert "Chat" in ada_client.get("/scenarios/?q=chat").content.decode()
    assert "Nothing found" in ada_client.get("/scenarios/?q=zebra").content.decode()
    ada_client.post(f"/scenarios/{chat.pk}/duplicate/")
    assert "Copy of Chat" in ada_client.get("/scenarios/").content.decode()
    ada_client.post(f"/scenarios/{chat.pk}/archive/")
    chat.refresh_from_db()
    assert chat.archived
    assert chat.name in ada_client.get("/scenarios/?archived=1").content.decode()

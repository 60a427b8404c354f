"""The builder: what is shown and posted again changes nothing; what is typed is never lost."""

from __future__ import annotations

import json

import pytest

from planner.models import Projection, Scenario, ScenarioRevision
from planner.scenarios.builder import builder_context, slot_for, slots
from planner.scenarios.form_document import PRESETS
from planner.scenarios.form_layout import LAYOUT, field_of
from planner.scenarios.services import scenario_create
from tests.planner.conftest import EXAMPLE_NAMES, example
from tests.planner.posted import posted_form


def edit(client, scenario):
    """The builder's form of a scenario as a browser would post it."""
    response = client.get(f"/scenarios/{scenario.pk}/edit/")
    assert response.status_code == 200
    return posted_form(response.content.decode())


@pytest.mark.parametrize("name", EXAMPLE_NAMES)
def test_posting_the_form_unchanged_changes_nothing(
    seed_catalog, demo_organisation, ada, ada_client, name
):
    """Form to document is loss-free for every example: no revision is added."""
    scenario = scenario_create(organisation=demo_organisation, document=example(name), by=ada)
    form = edit(ada_client, scenario)
    assert json.loads(form["document"][0]) == example(name)
    response = ada_client.post(f"/scenarios/{scenario.pk}/edit/", form, follow=True)
    assert "Nothing was changed" in response.content.decode()
    assert scenario.revisions.count() == 1


def test_the_form_shows_every_field_of_the_layout(chat, ada_client, chat_document):
    """Each field of the layout is on the page once, labelled from the dictionary."""
    html = ada_client.get(f"/scenarios/{chat.pk}/edit/").content.decode()
    form = posted_form(html)
    for prefix, section in (
        ("", "scenario"),
        ("finance.", "finance"),
        ("sites[0].", "site"),
        ("workloads[0].", "workload"),
        ("options[0].fleets[0].", "fleet"),
    ):
        for group in LAYOUT[section]:
            for name in group.names:
                field = field_of(section, name)
                path = f"{prefix}{name}"
                shown = f"{path}.shown" if field.kind == "choices" else path
                assert len(form[shown]) == 1, path
    assert html.count('data-slot="sites[0].pue"') == 1


def test_keys_are_shown_as_names(chat, ada_client):
    """A server stands there by name; its name is what the form takes."""
    form = edit(ada_client, chat)
    assert form["options[0].fleets[0].server"] == ["Supermicro SYS-821GE-TNHR"]
    assert form["sites[0].region"] == ["Virginia, US"]
    form["options[0].fleets[0].server"] = ["NVIDIA DGX H100"]
    form["options[0].fleets[0].device"] = [""]
    response = ada_client.post(f"/scenarios/{chat.pk}/edit/", form)
    assert response.status_code == 302
    fleet = chat.revisions.first().document["options"][0]["fleets"][0]
    assert fleet["server"] == "nvidia-dgx-h100"
    assert "device" not in fleet


def test_terms_of_payment_two_levels_down(chat, ada_client):
    """Financing inside a purchase is read, written, and gone once it is emptied."""
    path = "options[0].fleets[0].purchase.financing"
    form = edit(ada_client, chat)
    form[f"{path}.kind"], form[f"{path}.term_months"] = ["loan"], ["36"]
    form[f"{path}.rate_fraction_per_year"] = ["0.075"]
    assert ada_client.post(f"/scenarios/{chat.pk}/edit/", form).status_code == 302
    purchase = chat.revisions.first().document["options"][0]["fleets"][0]["purchase"]
    assert purchase["financing"]["kind"] == "loan"
    assert purchase["financing"]["term_months"] == 36
    form = edit(ada_client, chat)
    assert form[f"{path}.kind"] == ["loan"]
    assert form[f"{path}.rate_fraction_per_year"] == ["0.075"]
    for name in ("kind", "term_months", "rate_fraction_per_year"):
        form[f"{path}.{name}"] = [""]
    assert ada_client.post(f"/scenarios/{chat.pk}/edit/", form).status_code == 302
    purchase = chat.revisions.first().document["options"][0]["fleets"][0]["purchase"]
    assert "financing" not in purchase


def test_a_new_number_loses_its_old_source(chat, ada_client):
    """An edited figure is assumed and says where it comes from, unless a source is given."""
    form = edit(ada_client, chat)
    form["sites[0].pue"] = ["1.25"]
    form["sites[0].energy_usd_per_kwh"] = ["0.09"]
    form["sites[0].energy_usd_per_kwh.source"] = ["our contract"]
    form["sites[0].energy_usd_per_kwh.status"] = ["published"]
    form["sites[0].slot_w"] = ["1.2 kW"]
    assert ada_client.post(f"/scenarios/{chat.pk}/edit/", form).status_code == 302
    site = chat.revisions.first().document["sites"][0]
    assert site["pue"] == {
        "value": 1.25,
        "status": "assumed",
        "source": "entered in the builder",
    }
    assert site["energy_usd_per_kwh"]["source"] == "our contract"
    assert site["energy_usd_per_kwh"]["status"] == "published"
    assert site["slot_w"] == "1.2 kW"


def edit_document(client, scenario, form):
    """The document of a posted form, read off the page a row button gives back."""
    response = client.post(
        f"/scenarios/{scenario.pk}/edit/", {**form, "do": "add:workloads[0].targets"}
    )
    return posted_form(response.content.decode())["document"][0]


def test_what_is_wrong_comes_back_with_its_text_and_nothing_is_stored(chat, ada_client):
    """422: each error beside its field, the wrong text still in it."""
    form = edit(ada_client, chat)
    form["sites[0].pue"] = ["cold"]
    form["workloads[0].requests_per_minute"] = ["-5"]
    form["options[0].fleets[0].server"] = ["Deep Thought"]
    response = ada_client.post(f"/scenarios/{chat.pk}/edit/", form)
    html = response.content.decode()
    assert response.status_code == 422
    again = posted_form(html)
    assert again["sites[0].pue"] == ["cold"]
    assert again["workloads[0].requests_per_minute"] == ["-5"]
    assert again["options[0].fleets[0].server"] == ["Deep Thought"]
    for path in ("sites[0].pue", "workloads[0].requests_per_minute", "options[0].fleets[0].server"):
        after = html.split(f'data-slot="{path}">')[1].split("</p>")[0]
        assert after.strip(), path
    assert "Not saved" in html
    assert chat.revisions.count() == 1


def test_a_row_button_keeps_what_was_typed(chat, ada_client):
    """Adding a site keeps a name and a number that cannot be read yet."""
    form = edit(ada_client, chat)
    form["name"] = ["Half typed"]
    form["sites[0].pue"] = ["1.2x"]
    response = ada_client.post(f"/scenarios/{chat.pk}/edit/", {**form, "do": "add:sites"})
    again = posted_form(response.content.decode())
    assert response.status_code == 200
    assert again["name"] == ["Half typed"]
    assert again["sites[0].pue"] == ["1.2x"]
    assert "sites[1].pue" in again
    assert "rows-changed" in response.headers["HX-Trigger-After-Settle"]
    assert chat.revisions.count() == 1


def test_parts_without_a_field_are_kept_and_said(seed_catalog, demo_organisation, ada, ada_client):
    """The local catalog of an example survives an edit, and the page names it."""
    scenario = scenario_create(
        organisation=demo_organisation, document=example("this_machine"), by=ada
    )
    html = ada_client.get(f"/scenarios/{scenario.pk}/edit/").content.decode()
    assert "Kept from the file" in html
    form = posted_form(html)
    form["name"] = ["Renamed"]
    assert ada_client.post(f"/scenarios/{scenario.pk}/edit/", form).status_code == 302
    saved = scenario.revisions.first().document
    assert saved == {**example("this_machine"), "name": "Renamed"}


@pytest.mark.parametrize("key", sorted(PRESETS))
def test_a_picked_shape_fills_the_day(chat, ada_client, key):
    """A preset writes 24 shares; the page then names the preset."""
    form = edit(ada_client, chat)
    form["workloads[0].daily_shape.preset"] = [key]
    document = json.loads(edit_document(ada_client, chat, form))
    shape = document["workloads"][0]["daily_shape"]
    assert len(shape) == 24
    assert shape == list(PRESETS[key][1])
    assert max(shape) == 1


def test_a_stale_save_shows_both_and_keeps_the_text(chat, ada_client, eve_client):
    """409: what was saved in between, and everything typed; saving again goes on top."""
    form = edit(ada_client, chat)
    other = {**form, "sites[0].pue": ["1.1"]}
    assert ada_client.post(f"/scenarios/{chat.pk}/edit/", other).status_code == 302
    form["sites[0].pue"] = ["1.4"]
    response = ada_client.post(f"/scenarios/{chat.pk}/edit/", form)
    html = response.content.decode()
    assert response.status_code == 409
    assert "Somebody saved in between" in html
    again = posted_form(html)
    assert again["sites[0].pue"] == ["1.4"]
    assert again["base_number"] == ["2"]
    assert ada_client.post(f"/scenarios/{chat.pk}/edit/", again).status_code == 302
    assert chat.revisions.count() == 3


def test_the_preview_projects_and_stores_nothing(chat, ada_client):
    """A verdict and findings with their places; not one row more."""
    form = edit(ada_client, chat)
    form["name"] = ["Never stored"]
    form["workloads[0].requests_per_minute"] = ["24000"]
    response = ada_client.post("/scenarios/preview/", form)
    html = response.content.decode()
    assert response.status_code == 200
    assert "costs" in html
    assert 'id="preview-findings"' in html
    assert (Scenario.objects.count(), ScenarioRevision.objects.count()) == (1, 1)
    assert Projection.objects.count() == 0


def test_the_preview_answers_half_typed_forms(chat, ada_client):
    """Errors stand in for the projection, with the place they belong to."""
    form = edit(ada_client, chat)
    form["sites[0].pue"] = ["1."]
    form["finance.horizon_months"] = ["sixty"]
    response = ada_client.post("/scenarios/preview/", form)
    placed = json.loads(
        response.content.decode().split('type="application/json">')[1].split("</script>")[0]
    )
    assert response.status_code == 200
    assert [item["slot"] for item in placed] == ["finance.horizon_months"]


def test_a_model_that_does_not_fit_is_a_finding_in_the_preview(chat, ada_client):
    """Infeasible is no error: the preview says what binds, at the fleet."""
    form = edit(ada_client, chat)
    form["workloads[0].weight_dtype"] = ["fp32"]
    form["options[0].fleets[0].tensor_parallel"] = ["1"]
    html = ada_client.post("/scenarios/preview/", form).content.decode()
    assert "does not hold" in html
    assert "missing" in html


def test_findings_go_to_the_nearest_place(chat_document):
    """A path without a field of its own goes to the row it is in."""
    known = slots(chat_document)
    assert slot_for("options[0].fleets[0].server", known) == "options[0].fleets[0].server"
    assert slot_for("workloads[0].service.points[3]", known) == "workloads[0]"
    assert slot_for("options", known) == ""


def test_an_error_without_a_field_is_listed_on_top(seed_catalog, demo_organisation):
    """Nothing that is wrong is ever hidden."""
    from tco.errors import InputError, InputErrors

    document = example("this_machine")
    errors = InputErrors((InputError("catalog.devices[0].memory_gb", "too small", "enter more"),))
    context = builder_context(document, demo_organisation, errors)
    assert context["error_count"] == 1
    assert [message for _, message in context["other_errors"]] == ["Too small: enter more."]


def test_a_new_scenario_starts_filled_in_and_saves(seed_catalog, ada, ada_client):
    """The builder opens with a shortlist; saving it makes revision 1."""
    response = ada_client.get("/scenarios/new/")
    form = posted_form(response.content.decode())
    assert len(json.loads(form["document"][0])["options"]) >= 2
    saved = ada_client.post("/scenarios/new/", form)
    scenario = Scenario.objects.get()
    assert saved.status_code == 302
    assert saved.url == f"/scenarios/{scenario.pk}/"
    assert (scenario.revision_number, scenario.created_by) == (1, ada)


def test_a_form_without_its_document_is_refused(chat, ada_client):
    """A tampered form stores nothing and says what to do."""
    form = edit(ada_client, chat)
    form["document"] = ["not json"]
    response = ada_client.post(f"/scenarios/{chat.pk}/edit/", form)
    assert response.status_code == 422
    assert "reload the page" in response.content.decode()
    assert chat.revisions.count() == 1


def test_finance_reads_and_may_not_change(chat, fin, client):
    """Finance sees the pages; the builder and every change are refused."""
    client.force_login(fin)
    assert client.get(f"/scenarios/{chat.pk}/").status_code == 200
    assert client.get(f"/scenarios/{chat.pk}/file/").status_code == 200
    for method, url in (
        ("get", f"/scenarios/{chat.pk}/edit/"),
        ("post", f"/scenarios/{chat.pk}/edit/"),
        ("post", f"/scenarios/{chat.pk}/file/"),
        ("post", f"/scenarios/{chat.pk}/duplicate/"),
        ("post", f"/scenarios/{chat.pk}/archive/"),
        ("post", "/scenarios/preview/"),
        ("get", "/scenarios/new/"),
        ("post", "/scenarios/import/"),
    ):
        assert getattr(client, method)(url).status_code == 403, url

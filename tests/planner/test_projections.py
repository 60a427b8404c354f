"""Projections: stored once for each input, recalculated when a newer measurement changes it."""

from __future__ import annotations

import json
import math

import pytest

from planner.models import Projection
from planner.projections.news import projection_news
from planner.projections.selectors import adopted_projection
from planner.projections.services import (
    projection_get_or_run,
    projection_recalculate,
    projection_run,
)
from planner.projections.tasks import projection_run_task
from planner.scenarios.selectors import revision_get
from planner.scenarios.to_engine import scenario_inputs
from tco.projection import project


def test_the_stored_result_is_what_the_engine_says(chat):
    """Nothing is added or rounded on the way into the database and out again."""
    projection = projection_get_or_run(revision=revision_get(scenario=chat))
    inputs = scenario_inputs(document=chat.revisions.get().document, organisation=chat.organisation)
    assert projection.input_hash == inputs.content_hash
    stored = Projection.objects.get().result
    fresh = json.loads(json.dumps(project(inputs).to_dict()))
    assert stored == fresh


def test_the_command_line_says_the_same(chat, capsys):
    """`tco project --json` and the stored result agree on every figure of the example."""
    from cli.main import main
    from tests.planner.conftest import EXAMPLES

    projection = projection_get_or_run(revision=revision_get(scenario=chat))
    assert main(["project", str(EXAMPLES / "chat.yaml"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    for option in printed["options"]:
        ours = projection.result["kpis"][option["key"]]
        for key, kpi in printed["kpis"][option["key"]].items():
            assert ours[key]["value"] == kpi["value"], (option["key"], key)


def test_the_same_inputs_are_computed_once(chat):
    """A second request finds the stored row."""
    revision = revision_get(scenario=chat)
    first = projection_get_or_run(revision=revision)
    assert projection_get_or_run(revision=revision) == first
    assert projection_run(revision=revision) == first
    assert projection_recalculate(revision=revision) == first
    assert Projection.objects.count() == 1


def test_a_newer_measurement_is_offered_and_taken_over_on_request(chat, ada_client, measure):
    """The shown figure stays until someone recalculates; old and new stand side by side."""
    url = f"/scenarios/{chat.pk}/"
    before = ada_client.get(url).content.decode()
    assert "Newer measurement" not in before
    measure("h100-sxm", 2500.0)
    page = ada_client.get(url).content.decode()
    assert "Newer measurement: recalculate" in page
    assert "2,500" in page
    shown = adopted_projection(revision=revision_get(scenario=chat))
    assert shown == Projection.objects.earliest("created_at")
    assert ada_client.post(f"/scenarios/{chat.pk}/recalculate/").status_code == 302
    after = ada_client.get(url).content.decode()
    assert "Newer measurement" not in after
    newest = adopted_projection(revision=revision_get(scenario=chat))
    assert newest != shown
    old, new = shown.result["kpis"]["h100"], newest.result["kpis"]["h100"]
    assert new["tpot_ms"]["value"] != old["tpot_ms"]["value"]
    assert Projection.objects.count() == 2


def test_the_news_name_the_changed_figure(chat, measure):
    """The measured bandwidth is listed with its new value, unit, status and source."""
    revision = revision_get(scenario=chat)
    old = projection_get_or_run(revision=revision)
    measure("h100-sxm", 2500.0)
    news = projection_news(old.result, projection_run(revision=revision).result)
    (change,) = [c for c in news.figures if c.new_value == 2500.0]
    assert (change.old_value, change.unit, change.new_status) == (None, "GB/s", "measured")
    assert "benchmark run" in change.new_source
    assert any(kpi.label.startswith("Time per output token") for kpi in news.kpis)
    assert projection_news(old.result, old.result) is None


def test_a_figure_that_comes_back_gives_the_old_projection_back(chat, measure):
    """The input hash decides, not the clock: no third row appears."""
    revision = revision_get(scenario=chat)
    first = projection_get_or_run(revision=revision)
    figure = measure("h100-sxm", 2500.0)
    projection_recalculate(revision=revision)
    figure.delete()
    assert projection_recalculate(revision=revision) == first
    assert adopted_projection(revision=revision) == first
    assert Projection.objects.count() == 2


def test_a_new_figure_wakes_the_projections_once(chat, measure, django_capture_on_commit_callbacks):
    """After the commit a worker has the new projection ready; nobody's page has changed."""
    revision = revision_get(scenario=chat)
    shown = projection_get_or_run(revision=revision)
    with django_capture_on_commit_callbacks(execute=True) as callbacks:
        measure("h100-sxm", 2500.0)
        measure("h100-sxm", 20.0, metric="gemm", dtype="bf16", unit="TFLOP/s")
    assert len(callbacks) == 1
    waiting = Projection.objects.get(adopted_at__isnull=True)
    assert waiting.revision == revision
    assert waiting.input_hash != shown.input_hash
    assert adopted_projection(revision=revision) == shown


def test_the_task_may_run_twice_and_on_what_is_gone(chat):
    """A repeated message changes nothing; a missing revision is no error."""
    revision = revision_get(scenario=chat)
    first = projection_run_task(revision.pk)
    assert projection_run_task(revision.pk) == first
    assert projection_run_task(10**12) is None
    assert Projection.objects.count() == 1


def test_a_scenario_whose_device_left_the_catalog_says_so(chat, ada_client):
    """The stored projection stays on the page, with the error beside it."""
    from hardware_catalog.models import CatalogEntry

    ada_client.get(f"/scenarios/{chat.pk}/")
    entry = CatalogEntry.objects.get(kind="server", key="supermicro-sys-821ge-tnhr")
    entry.archived = True
    entry.save()
    page = ada_client.get(f"/scenarios/{chat.pk}/").content.decode()
    assert "cannot be projected with the figures of today" in page
    assert 'id="verdict"' in page


def _terms(kpi):
    return {term["name"]: term["value"] for term in kpi["terms"]}


def test_the_total_can_be_computed_again_from_its_terms(chat):
    """TCO is the sum of the present values listed as its terms, to the last digit shown (U4)."""
    result = projection_get_or_run(revision=revision_get(scenario=chat)).result
    for option in result["options"]:
        kpi = result["kpis"][option["key"]]["tco_usd"]
        parts = [term["value"] for term in kpi["terms"] if term["unit"] == "USD"]
        assert len(parts) >= 1
        assert math.fsum(parts) == pytest.approx(kpi["value"], rel=1e-12)


def test_each_present_value_follows_from_the_ledger(chat):
    """The PV of a line is sum start/(1+r)^m + end/(1+r)^(m+1), as the formula says (F0.1)."""
    result = projection_get_or_run(revision=revision_get(scenario=chat)).result
    ledger = result["ledger"]["h100"]
    rate = (1 + 0.10) ** (1 / 12) - 1
    total = 0.0
    for line in ledger["lines"]:
        for month in range(60):
            total += line["start_usd"][month] / (1 + rate) ** month
            total += line["end_usd"][month] / (1 + rate) ** (month + 1)
    assert total == pytest.approx(result["kpis"]["h100"]["tco_usd"]["value"], rel=1e-9)


def test_the_unit_cost_can_be_computed_again_from_its_terms(chat):
    """USD/Mtok is the PV of the cost over the PV of the tokens, both listed (F19.1)."""
    result = projection_get_or_run(revision=revision_get(scenario=chat)).result
    for option in result["options"]:
        for key in ("usd_per_mtok_output", "usd_per_mtok_total", "usd_per_1000_requests"):
            kpi = result["kpis"][option["key"]][key]
            terms = [term["value"] for term in kpi["terms"]]
            assert terms[0] / terms[1] == pytest.approx(kpi["value"], rel=1e-12), key


def test_explain_shows_formula_terms_units_and_sources(chat, ada_client):
    """The panel has what is needed to compute the figure again, as a part and as a page."""
    projection = projection_get_or_run(revision=revision_get(scenario=chat))
    kpi = projection.result["kpis"]["h100"]["usd_per_mtok_output"]
    url = f"/projections/{projection.pk}/explain/h100/usd_per_mtok_output/"
    page = ada_client.get(url).content.decode()
    part = ada_client.get(url, headers={"HX-Request": "true"}).content.decode()
    assert "<html" in page
    assert "<html" not in part
    for text in (page, part):
        assert "PV of the cost (fully loaded, own)" in text
        assert "Llama" not in text or kpi["formula"]
        for term in kpi["terms"]:
            assert term["unit"] in text
    assert ada_client.get(url.replace("usd_per_mtok_output", "nothing")).status_code == 404


def test_the_page_holds_every_part(chat, ada_client):
    """Verdict, cards with units, charts with table twins, racks, ledger and provenance."""
    page = ada_client.get(f"/scenarios/{chat.pk}/").content.decode()
    for text in (
        'id="verdict"',
        "Total cost, present value",
        "USD/Mtok",
        "chart-cost",
        "chart-breakdown",
        "chart-load-0",
        "chart-power",
        "The same as a table",
        "Front view of one full rack",
        "Ledger by year",
        "Conventions and defaults",
        "Fingerprint of the inputs",
        "workbook.xlsx",
    ):
        assert text in page, text
    figures = page.count("<figure")
    assert figures == page.count('type="application/json"') == page.count("The same as a table")


def test_an_earlier_revision_keeps_its_page(chat, ada, ada_client, chat_document):
    """History stays as it was: revision 1 can be opened beside revision 2."""
    from planner.scenarios.services import scenario_revise

    chat_document["name"] = "Second"
    scenario_revise(scenario=chat, document=chat_document, base_number=1, by=ada)
    page = ada_client.get(f"/scenarios/{chat.pk}/revisions/1/").content.decode()
    assert "Revision 1" in page
    assert "go to the newest" in page
    assert ada_client.get(f"/scenarios/{chat.pk}/revisions/9/").status_code == 404

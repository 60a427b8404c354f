"""The front page answers strangers; home shows what matters first."""

from __future__ import annotations

import json

import pytest

from planner.models import Projection, Scenario
from planner.scenarios.estimate import EstimateQuery
from planner.scenarios.estimate_answer import answer
from tco.errors import InputErrors
from tests.planner.posted import posted_form

DAY = "2026-12-01"


def main_part(response):
    """The page without its frame, which carries a token that differs each time."""
    return response.content.decode().split("<main")[1].split("</main>")[0]


def test_a_stranger_gets_an_answer_at_once(seed_catalog, client):
    """Without signing in and without input: verdict, cards, shortlist, what was left out."""
    response = client.get("/")
    html = response.content.decode()
    assert response.status_code == 200
    for text in (
        "Shortlist",
        "left out, and why",
        "USD/month",
        "costs least",
        "Open as a scenario",
    ):
        assert text in html, text
    assert (Scenario.objects.count(), Projection.objects.count()) == (0, 0)


def test_the_address_is_the_question(seed_catalog, client):
    """The same address gives the same page; another load gives another answer."""
    small = "/?model=meta-llama/Llama-3.1-8B&requests_per_minute=60&region=US-VA"
    assert main_part(client.get(small)) == main_part(client.get(small))
    large = main_part(client.get(small.replace("=60&", "=60000&")))
    assert "Llama-3.1-8B" in large
    shortlist = large.split('id="shortlist"')[1]
    assert shortlist != main_part(client.get(small)).split('id="shortlist"')[1]


def test_every_choice_holds_the_target(seed_catalog):
    """What is on the shortlist meets the latency target, has a price and is sorted honestly."""
    result = answer(EstimateQuery(ttft_ms=800.0), valuation_date=DAY)
    assert len(result.choices) >= 4
    assert {choice.owned for choice in result.choices} == {True, False}
    for choice in result.choices:
        assert choice.usd_per_month > 0
        shown = choice.cards["ttft_ms"].exact.split()[0].replace(",", "")
        assert float(shown) <= 800.0
    best = [choice for choice in result.choices if choice.best]
    assert len(best) == 1
    assert best[0].usd_per_month == min(choice.usd_per_month for choice in result.choices)


def test_an_impossible_target_says_so(seed_catalog, client):
    """One millisecond: nothing holds it, and each candidate has its reason."""
    result = answer(EstimateQuery(ttft_ms=1.0), valuation_date=DAY)
    assert result.choices == ()
    assert "Nothing in the catalog" in result.verdict
    assert all(item.reason for item in result.excluded)
    html = client.get("/?ttft_ms=1").content.decode()
    assert "Nothing in the catalog serves this load" in html


def test_a_model_too_large_is_left_out_with_its_size(seed_catalog):
    """70 G parameters of two bytes do not fit one 80-GB device, and the reason says so."""
    result = answer(EstimateQuery(), valuation_date=DAY)
    reasons = [item.reason for item in result.excluded]
    assert any("the weights take 141 GB" in reason for reason in reasons)


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("requests_per_minute=-1", "requests_per_minute"),
        ("requests_per_minute=nan", "requests_per_minute"),
        ("input_tokens=1e308", "input_tokens"),
        ("output_tokens=many", "output_tokens"),
        ("ttft_ms=0", "ttft_ms"),
        ("model=no-such-model", "model"),
        ("region=Atlantis", "region"),
        ("model=openai/whisper-large-v3", "model"),
        ("model=google-bert/bert-large-uncased", "model"),
    ],
)
def test_a_bad_question_names_the_field(seed_catalog, client, query, field):
    """422 with the error at the input and the typed text still in it."""
    response = client.get(f"/?{query}")
    html = response.content.decode()
    assert response.status_code == 422
    error = html.split(f'id="{field if "tokens" not in field else "tokens"}-error">')[1]
    assert error.split("</p>")[0].strip()
    assert query.split("=")[1] in html


def test_an_unknown_model_is_an_error_of_the_query(seed_catalog):
    """The field is the query's, not one of the document behind it."""
    with pytest.raises(InputErrors) as caught:
        answer(EstimateQuery(model="x", region="y"), valuation_date=DAY)
    assert [error.field for error in caught.value.errors] == ["model", "region"]


def test_no_organisation_shows_on_the_front_page(
    seed_catalog, client, demo_organisation, chat, measure
):
    """Own devices and measurements of a tenant change nothing for a stranger."""
    from hardware_catalog.models import CatalogEntry

    before = main_part(client.get("/"))
    measure("mi325x", 1.0)
    server = CatalogEntry.objects.get(kind="server", key="nvidia-dgx-h100")
    server.pk = None
    server.organisation, server.key, server.name = demo_organisation, "secret", "Secret canary"
    server.save()
    after = main_part(client.get("/"))
    assert "Secret canary" not in after
    assert before == after


def test_the_front_page_can_be_switched_off(seed_catalog, client, ada_client, settings):
    """Strangers are sent to sign in; members still get their answer."""
    from django.test import Client

    settings.PUBLIC_ESTIMATE = False
    response = Client().get("/")
    assert response.status_code == 302
    assert "sign" in response.url or "login" in response.url
    assert ada_client.get("/").status_code == 200


def test_an_answer_opens_as_a_scenario_after_signing_in(seed_catalog, ada, client):
    """The link asks to sign in, then the builder has the five inputs in it; saving stores."""
    html = client.get("/?requests_per_minute=1234&input_tokens=777").content.decode()
    link = html.split('href="/scenarios/new/?')[1].split('"')[0].replace("&amp;", "&")
    asked = client.get(f"/scenarios/new/?{link}")
    assert asked.status_code == 302
    assert "next=" in asked.url
    client.force_login(ada)
    form = posted_form(client.get(f"/scenarios/new/?{link}").content.decode())
    work = json.loads(form["document"][0])["workloads"][0]
    assert (work["requests_per_minute"], work["input_tokens"]) == (1234, 777)
    assert client.post("/scenarios/new/", form).status_code == 302
    assert Scenario.objects.get().organisation.name == "Demo Ltd"


def test_home_tells_a_newcomer_what_to_do_first(db, ada_client):
    """An empty organisation has an empty state and the three first steps."""
    html = ada_client.get("/home/").content.decode()
    for text in ("What to do first", "Plan something", "Measure a machine", "No scenario yet"):
        assert text in html, text


def test_home_shows_verdicts_and_newer_figures(chat, ada_client, measure):
    """The verdict stands with the scenario; a newer measurement is named on top."""
    ada_client.get(f"/scenarios/{chat.pk}/")
    html = ada_client.get("/home/").content.decode()
    assert "costs" in html
    assert "newer figures" not in html
    measure("h100-sxm", 2500.0)
    html = ada_client.get("/home/").content.decode()
    assert "newer figures" in html
    assert "Newer figures" in html


def test_pages_need_few_queries(chat, ada, ada_client, django_assert_max_num_queries):
    """The number of queries does not grow with the number of scenarios."""
    from planner.projections.services import projection_get_or_run
    from planner.scenarios.selectors import revision_get
    from planner.scenarios.services import scenario_duplicate

    for _ in range(5):
        copy = scenario_duplicate(scenario=chat, by=ada)
        projection_get_or_run(revision=revision_get(scenario=copy))
    for url in ("/home/", "/scenarios/", f"/scenarios/{chat.pk}/edit/"):
        ada_client.get(url)
    with django_assert_max_num_queries(24):
        ada_client.get("/home/")
    with django_assert_max_num_queries(10):
        ada_client.get("/scenarios/")
    ada_client.get(f"/scenarios/{chat.pk}/")
    with django_assert_max_num_queries(30):
        ada_client.get(f"/scenarios/{chat.pk}/")
    form = posted_form(ada_client.get(f"/scenarios/{chat.pk}/edit/").content.decode())
    with django_assert_max_num_queries(16):
        ada_client.post("/scenarios/preview/", form)

"""The page of worked examples: all figures of all examples, and what differs is said."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from planner.reconcile.page import page_of
from tco.examples.example import shipped_examples
from tco.examples.run import run_examples


def test_every_example_stands_on_the_page(client):
    """Title, formula, source and figures of each, once; no sign-in, no database."""
    page = client.get("/reconcile/")
    text = page.content.decode()
    assert page.status_code == 200
    assert "38 of 38" in text
    assert text.count(">agrees<") == text.count("<article") == 38
    for one in shipped_examples():
        assert text.count(f'id="{one.id}"') == 1
    assert "Published" in text
    assert "88,241,057" in text


def test_figures_difference_and_tolerance():
    """Published 11.9, ours 11.88367: 0.137 % less, within 0.2 %."""
    page = page_of(run_examples(shipped_examples()))
    cards = {card.id: card for topic in page.topics for card in topic.cards}
    row = cards["WE01"].rows[1]
    assert (row.published, row.ours) == (["11.9"], ["11.88367"])
    assert (row.difference, row.tolerance, row.unit) == ("-0.137 %", "0.2 %", "month")
    share = next(row for row in cards["WE09"].rows if row.name == "Share servers")
    assert (share.difference, share.tolerance) == ("-0.00412", "±0.006")
    assert page.figures == sum(len(card.rows) for card in cards.values())


def test_a_figure_that_is_too_far_is_marked(client, monkeypatch):
    """In words and not by colour alone; the count says one fewer."""
    first, *rest = shipped_examples()
    name, expected = next(iter(first.expected.items()))
    wrong = {**first.expected, name: replace(expected, value=expected.value * 1.1)}
    page = page_of(run_examples([replace(first, expected=wrong), *rest]))
    monkeypatch.setattr("planner.reconcile.views.reconcile_page", lambda: page)
    text = client.get("/reconcile/").content.decode()
    assert "37 of 38" in text
    assert text.count("</svg>differs<") == 1
    assert text.count("</svg>too far<") == 1
    assert "37 passed, 1 failed: WE01" in text


@pytest.mark.parametrize("method", ["post", "put", "delete"])
def test_it_is_only_read(client, method):
    """Nothing to write there."""
    assert getattr(client, method)("/reconcile/").status_code == 405


def test_the_footer_leads_there(client):
    """From any page, beside the accuracy page."""
    footer = client.get("/reconcile/").content.decode().split("<footer")[1]
    assert re.search(r'href="/measurements/accuracy/".*href="/reconcile/"', footer, re.DOTALL)


def test_a_sheet_shows_inputs_formula_and_figures(client):
    """A bare formula: nothing but these, and it is said that no scenario carries it."""
    text = client.get("/reconcile/WE24/").content.decode()
    assert "Payment rate" in text
    assert "F12.3" in text
    assert "3,065.22" in text
    assert "bare formula" in text
    assert "Open as a scenario" not in text
    assert client.get("/reconcile/WE99/").status_code == 404


def test_an_example_that_is_a_scenario_shows_its_projection(client):
    """Without an account: the figures of the scenario and its file, no button."""
    text = client.get("/reconcile/WE01/").content.decode()
    assert "As a scenario" in text
    assert text.count("871,912") >= 3  # published, ours, in the scenario
    assert "schema: tco-scenario/1" in text
    assert "Open as a scenario" not in text


def test_opened_it_is_a_scenario_with_inputs_and_source(ada_client, seed_catalog):
    """Finance's example of buying against renting: stored, projected, its source in the notes."""
    from planner.models import Scenario
    from planner.projections.services import projection_get_or_run
    from planner.scenarios.selectors import revision_get
    from planner.scenarios.to_engine import catalog_of

    assert "Open as a scenario" in ada_client.get("/reconcile/WE01/").content.decode()
    answer = ada_client.post("/reconcile/WE01/scenario/")
    scenario = Scenario.objects.get()
    assert answer.status_code == 302
    assert answer["Location"] == f"/scenarios/{scenario.pk}/"
    revision = revision_get(scenario=scenario)
    (example,) = [one for one in shipped_examples() if one.id == "WE01"]
    assert example.source in scenario.description
    figure = revision.document["options"][0]["fleets"][0]["purchase"]["server_usd"]
    assert figure["value"] == 833_806
    assert figure["source"].startswith("WE01: ")
    catalog = catalog_of(scenario.organisation)
    result = projection_get_or_run(revision=revision, catalog=catalog).result
    totals = [result["kpis"][key]["undiscounted_usd"]["value"] for key in ("own", "rent")]
    assert totals == pytest.approx([871_912, 4_306_416])
    page = ada_client.get(answer["Location"]).content.decode()
    assert "871,900" in page or "871,912" in page


def test_a_bare_formula_opens_nothing(ada_client, seed_catalog):
    """Back to its sheet, with the reason; nothing is stored."""
    from planner.models import Scenario

    answer = ada_client.post("/reconcile/WE24/scenario/")
    assert answer["Location"] == "/reconcile/WE24/"
    assert not Scenario.objects.exists()
    assert ada_client.post("/reconcile/WE99/scenario/").status_code == 404

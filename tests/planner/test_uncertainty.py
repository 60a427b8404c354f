"""Uncertainty page and API: what the engine says, for those who may see it (F21)."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_create
from planner.uncertainty.asking import assessment_run
from planner.uncertainty.services import assessment_in
from tests.planner.conftest import EXAMPLES, example


def page_of(client, scenario):
    """Status and text of the page."""
    answer = client.get(reverse("planner:scenario_uncertainty", args=[scenario.pk]))
    return answer.status_code, answer.content.decode()


def test_page_api_and_command_line_agree(chat, ada_client, capsys):
    """The same draws, to the last digit."""
    from cli.main import main

    found = assessment_in(assessment_run(revision=revision_get(scenario=chat)))
    answer = ada_client.get(reverse("api_scenario_uncertainty", args=[chat.pk]))
    assert answer.status_code == 200
    assert answer.json()["options"] == json.loads(json.dumps(found.to_dict()))["options"]
    assert main(["uncertainty", str(EXAMPLES / "chat.yaml"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert [one.p50_usd for one in found.options] == [one["p50_usd"] for one in printed["options"]]
    status, text = page_of(ada_client, chat)
    assert status == 200
    for duel in found.duels:
        assert duel.sentence in text
    assert "What moves the cost most" in text


def test_the_seed_and_the_draws_are_the_callers(chat, ada_client):
    """Another seed gives other percentiles, the same one the same."""
    url = reverse("api_scenario_uncertainty", args=[chat.pk])
    one, two, three = (
        ada_client.get(url, {"draws": 500, "seed": seed}).json() for seed in (1, 2, 1)
    )
    assert one == three
    assert one["draws"] == 500
    assert one["options"][0]["p50_usd"] != two["options"][0]["p50_usd"]


@pytest.mark.parametrize("asked", [{"draws": 5}, {"draws": "many"}, {"seed": -1}])
def test_what_cannot_be_drawn_is_a_problem_document(chat, ada_client, asked):
    """The field is named."""
    answer = ada_client.get(reverse("api_scenario_uncertainty", args=[chat.pk]), asked)
    assert answer.status_code == 400
    assert next(iter(asked)) in answer.content.decode()


def test_a_scenario_without_ranges_says_how_to_give_one(
    seed_catalog, demo_organisation, ada_client
):
    """An empty state with the mend, no drawing."""
    made = scenario_create(organisation=demo_organisation, document=example("train_serve"))
    status, text = page_of(ada_client, made)
    assert status == 200
    assert "5 to 9" in text


def test_a_range_that_cannot_be_drawn_is_an_error_on_the_page(
    demo_organisation, seed_catalog, ada_client, chat_document
):
    """A lognormal range from 0 names the input; nothing is shown as a figure."""
    chat_document["sites"][0]["pue"] = {"value": 1.3, "low": 1.0, "high": 1.5, "shape": "empirical"}
    made = scenario_create(organisation=demo_organisation, document=chat_document)
    status, text = page_of(ada_client, made)
    assert status == 200
    assert "cannot be drawn" in text
    assert "samples" in text

"""Goal seek as a page and by API: the command line's answer, errors, progress."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from planner.models import BackgroundRun
from tests.planner.conftest import EXAMPLES

PRICE = "options[mi300x].fleets[mi300x].purchase.server_usd"
ASKED = {"vary": PRICE, "target": "equal:p5", "option": "mi300x"}


def test_page_api_and_command_line_agree(chat, ada_client, capsys):
    """One service: the same value to the last digit."""
    from cli.main import main

    answer = ada_client.get(reverse("api_scenario_goal_seek", args=[chat.pk]), ASKED)
    assert answer.status_code == 200, answer.content
    command = ["goal-seek", str(EXAMPLES / "chat.yaml"), "--vary", PRICE, "--json"]
    assert main([*command, "--target", "equal:p5", "--option", "mi300x"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert answer.json()["answers"] == printed["answers"]
    page = ada_client.get(reverse("planner:goal_seek", args=[chat.pk]), ASKED)
    assert printed["sentence"] in page.content.decode()


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"vary": "sites[0].pu"}, "did you mean"),
        ({"target": "equal:p6"}, "no option has the key"),
        ({"low": "9", "high": "5"}, "is no range"),
    ],
)
def test_what_cannot_be_sought_is_on_the_page_and_a_problem(chat, ada_client, change, says):
    """The message with its mend; the API answers 422."""
    asked = {**ASKED, **change}
    page = ada_client.get(reverse("planner:goal_seek", args=[chat.pk]), asked)
    assert page.status_code == 200
    assert says in page.content.decode().lower()
    answer = ada_client.get(reverse("api_scenario_goal_seek", args=[chat.pk]), asked)
    assert answer.status_code == 422
    assert says in answer.content.decode().lower()


def test_long_seeks_wait_and_can_be_cancelled(chat, ada_client, settings):
    """Queued in place of an answer; cancelled by the button, started again by the other."""
    settings.RUN_INLINE_S = 0.0
    url = reverse("planner:goal_seek", args=[chat.pk])
    assert "Waiting for a worker" in ada_client.get(url, ASKED).content.decode()
    answer = ada_client.post(reverse("planner:goal_seek_cancel", args=[chat.pk]), ASKED)
    assert answer.status_code == 302
    assert BackgroundRun.objects.get().state == "cancelled"
    assert "Seek again" in ada_client.get(answer.url).content.decode()
    ada_client.post(reverse("planner:goal_seek_again", args=[chat.pk]), ASKED)
    assert BackgroundRun.objects.get().state == "queued"


def test_nothing_asked_says_what_to_ask(chat, ada_client):
    """The empty state."""
    page = ada_client.get(reverse("planner:goal_seek", args=[chat.pk]))
    assert "Which value would it take?" in page.content.decode()

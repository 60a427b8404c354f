"""How firm a choice is, as a page and by API: the command line's answer, progress, empty states."""

from __future__ import annotations

import json

from django.urls import reverse

from planner.models import BackgroundRun
from planner.scenarios.services import scenario_create
from tests.planner.conftest import EXAMPLES, example


def test_page_api_and_command_line_agree(chat, ada_client, capsys):
    """One service: the same turn, the same worth."""
    from cli.main import main

    answer = ada_client.get(reverse("api_scenario_firmness", args=[chat.pk]))
    assert answer.status_code == 200, answer.content
    assert main(["firmness", str(EXAMPLES / "chat.yaml"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert answer.json() == printed
    page = ada_client.get(reverse("planner:scenario_firmness", args=[chat.pk])).content.decode()
    assert printed["sentence"] in page
    assert "tco-agent run --profile standard --upload http://testserver" in page
    assert "on a machine with gaudi3 or h100-sxm or mi300x" in page


def test_long_work_waits_and_can_be_cancelled(chat, ada_client, settings):
    """Queued in place of an answer, cancelled, started again."""
    settings.RUN_INLINE_S = 0.0
    url = reverse("planner:scenario_firmness", args=[chat.pk])
    assert "Waiting for a worker" in ada_client.get(url).content.decode()
    ada_client.post(reverse("planner:firmness_cancel", args=[chat.pk]))
    assert BackgroundRun.objects.get().state == "cancelled"
    assert "Look again" in ada_client.get(url).content.decode()
    ada_client.post(reverse("planner:firmness_again", args=[chat.pk]))
    assert BackgroundRun.objects.get().state == "queued"


def test_a_scenario_without_ranges_says_what_to_write(seed_catalog, demo_organisation, ada_client):
    """The empty state."""
    plain = scenario_create(organisation=demo_organisation, document=example("cheap_card"))
    page = ada_client.get(reverse("planner:scenario_firmness", args=[plain.pk])).content.decode()
    assert "No input of this scenario has a range" in page

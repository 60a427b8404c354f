"""Pages and API of the optimiser: the command line's answer, trade-offs, why not, opening."""

from __future__ import annotations

import json

import pytest
from django.urls import reverse

from planner.models import BackgroundRun, Scenario
from planner.runs.services import Stopped
from planner.runs.watching import watched

ASKED = {"objective": "usd", "seconds": "30"}


@pytest.fixture(autouse=True)
def _patience(settings):
    """Answers in the request, however busy the machine is."""
    settings.RUN_INLINE_S = 60.0


def test_page_api_and_command_line_agree(chat, ada_client, capsys):
    """One service: the same mix, the same bound."""
    from cli.main import main
    from tests.planner.conftest import EXAMPLES

    answer = ada_client.get(reverse("api_scenario_optimise", args=[chat.pk]), ASKED)
    assert answer.status_code == 200, answer.content
    assert main(["optimise", str(EXAMPLES / "chat.yaml"), "--json"]) == 0
    printed = json.loads(capsys.readouterr().out)
    for key in ("mix", "totals", "bound", "gap", "projected_usd", "left_out", "runner_up"):
        assert answer.json()[key] == printed[key], key
    page = ada_client.get(reverse("planner:scenario_optimise", args=[chat.pk]), ASKED)
    words = page.content.decode()
    count, name = printed["mix"][0]["count"], printed["mix"][0]["name"]
    assert f"{count} × {name}" in words
    assert "no mix of these fleets takes less" in words
    assert "Without Own 8xMI300X" in words


def test_the_mix_opens_as_a_scenario_with_its_origin(chat, ada_client):
    """The new scenario projects to the figure on the page."""
    ada_client.get(reverse("planner:scenario_optimise", args=[chat.pk]), ASKED)
    run = BackgroundRun.objects.get(kind="mix")
    url = reverse("planner:scenario_mix_open", args=[chat.pk])
    answer = ada_client.post(url, {"run": run.pk, "point": "mix"})
    made = Scenario.objects.latest("pk")
    assert answer.url == reverse("planner:scenario_detail", args=[made.pk])
    assert made.copy_of == chat
    page = ada_client.get(answer.url)
    assert page.status_code == 200
    assert made.name.endswith(": Best mix")
    rival = ada_client.post(url, {"run": run.pk, "point": "rival-1"})
    assert rival.status_code == 302
    assert Scenario.objects.latest("pk").name.endswith("Without mi300x")
    for wrong in ("rival-9", "7", "", "mix-0"):
        assert ada_client.post(url, {"run": run.pk, "point": wrong}).status_code == 404
    assert ada_client.post(url, {"run": "x", "point": "mix"}).status_code == 404


def test_trade_offs_are_asked_for_and_can_be_narrowed(chat, ada_client):
    """Unasked nothing is solved; a ceiling hides what is above it; each mix opens."""
    url = reverse("planner:scenario_front", args=[chat.pk])
    assert "Look for trade-offs" in ada_client.get(url).content.decode()
    assert not BackgroundRun.objects.exists()
    page = ada_client.get(url, ASKED).content.decode()
    run = BackgroundRun.objects.get(kind="mix_front")
    points = run.result["points"]
    assert f"{len(points)} of {len(points)} mixes" in page
    most = points[0]["values"]["usd"] * 1.0001
    narrowed = ada_client.get(url, {**ASKED, "most_usd": str(most)}).content.decode()
    assert f"1 of {len(points)} mixes" in narrowed
    none = ada_client.get(url, {**ASKED, "most_usd": "1"}).content.decode()
    assert "No mix is within all of these" in none
    answer = ada_client.post(
        reverse("planner:scenario_mix_open", args=[chat.pk]),
        {"run": run.pk, "point": str(len(points) - 1)},
    )
    assert answer.status_code == 302
    api = ada_client.get(reverse("api_scenario_trade_offs", args=[chat.pk]), ASKED)
    assert api.json()["points"] == points


def test_why_not_says_what_it_costs_more_and_an_unknown_option_is_named(chat, ada_client):
    """A sentence, the steps by class of cost, the machines."""
    url = reverse("planner:scenario_why_not", args=[chat.pk])
    assert "What speaks against an option?" in ada_client.get(url).content.decode()
    page = ada_client.get(url, {**ASKED, "option": "gaudi3"}).content.decode()
    assert "Own 8xGaudi 3 alone takes" in page
    assert "What it is paid for" in page
    wrong = ada_client.get(url, {**ASKED, "option": "tpu"}).content.decode()
    assert "is none of the options" in wrong
    api = reverse("api_scenario_why_not", args=[chat.pk])
    assert ada_client.get(api, {**ASKED, "option": "tpu"}).status_code == 422
    assert ada_client.get(api, ASKED).status_code == 400


def test_what_does_not_fit_says_the_way_out(chat, ada_client):
    """The smallest change that makes it fit stands on the page."""
    document = chat.revisions.get().document
    document["options"] = [one for one in document["options"] if one["key"] == "mi300x"]
    document["optimise"] = {"site_limits": [{"site": "ashburn", "servers": 3}]}
    from planner.scenarios.services import scenario_revise

    scenario_revise(scenario=chat, document=document, base_number=1)
    page = ada_client.get(reverse("planner:scenario_optimise", args=[chat.pk])).content.decode()
    assert "Nothing fits all limits at once" in page
    assert "free places at" in page
    assert "from 3 to" in page


def test_long_searches_wait_can_be_cancelled_and_start_again(chat, ada_client, settings):
    """Queued in place of an answer; the API says how far, cancels, and knows no other."""
    settings.RUN_INLINE_S = 0.0
    url = reverse("planner:scenario_optimise", args=[chat.pk])
    assert "Waiting for a worker" in ada_client.get(url, ASKED).content.decode()
    answer = ada_client.post(reverse("planner:scenario_optimise_cancel", args=[chat.pk]), ASKED)
    assert answer.status_code == 302
    assert BackgroundRun.objects.get().state == "cancelled"
    assert "Look again" in ada_client.get(answer.url).content.decode()
    ada_client.post(reverse("planner:scenario_optimise_again", args=[chat.pk]), ASKED)
    assert BackgroundRun.objects.get().state == "queued"
    api = reverse("api_scenario_optimise", args=[chat.pk])
    assert ada_client.get(api, ASKED).status_code == 202
    assert ada_client.delete(f"{api}?objective=usd&seconds=30").json()["state"] == "cancelled"
    assert ada_client.delete(f"{api}?objective=carbon_kg&seconds=30").status_code == 204


def test_a_watched_search_stops_when_it_is_told_to():
    """The event is set, the thread has ended, and the reason comes through."""
    ended = []

    def work(cancel, seen):
        seen.note = "looking"
        cancel.wait(20)
        ended.append(cancel.is_set())

    heard = []

    def report(done, total, share, note=""):
        heard.append(note)
        raise Stopped

    with pytest.raises(Stopped):
        watched(work, report, most_s=20)
    assert ended == [True]
    assert heard == ["looking"]

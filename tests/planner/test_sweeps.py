"""Sweeps by page and API: shards, fairness, cancel, going on, a point as a scenario."""

from __future__ import annotations

import io
import json

import numpy as np
import pandas as pd
import pytest
from django.urls import reverse

from accounts.models import Organisation
from planner.models import Scenario, Sweep, SweepShard
from planner.scenarios.selectors import revision_get
from planner.scenarios.services import scenario_create
from planner.sweeps import services
from planner.sweeps.selectors import cost_of, how_far
from planner.sweeps.services import sweep_ask, sweep_cancel, sweep_work
from tco.errors import InputErrors

PUE = "sites[0].pue=1.1:1.5:5"
ENERGY = "sites[0].energy_usd_per_kwh=0.05:0.2:8"
AXES = [PUE, ENERGY]


@pytest.fixture
def sharded(monkeypatch, settings):
    """Shards of three points that no request prices itself, and a broker that nobody reads."""
    monkeypatch.setattr(services, "SHARD", 3)
    monkeypatch.setattr(services, "INLINE", 0)
    monkeypatch.setattr("planner.sweeps.tasks.sweep_shard_task.apply_async", lambda **more: None)
    settings.CELERY_BROKER_URL = "redis://nobody"


def ask(scenario, *texts):
    """A sweep of a scenario's newest revision."""
    return sweep_ask(revision=revision_get(scenario=scenario), texts=texts or AXES)


def test_page_api_and_command_line_agree(chat, ada_client, capsys, tmp_path):
    """One engine: the same shares, the same points in the file."""
    from cli.main import main
    from tests.planner.conftest import EXAMPLES

    answer = ada_client.post(
        reverse("api_sweeps", args=[chat.pk]), {"axes": AXES}, content_type="application/json"
    )
    assert answer.status_code == 200, answer.content
    found = answer.json()
    args = ["sweep", str(EXAMPLES / "chat.yaml"), "--axis", PUE, "--axis", ENERGY]
    out = tmp_path / "points.csv"
    assert main([*args, "--json", "--out", str(out)]) == 0
    printed = json.loads(capsys.readouterr().out)
    assert found["summary"]["cheapest_fraction"] == printed["cheapest_fraction"]
    assert found["summary"]["best"]["tco_usd"] == printed["best"]["tco_usd"]
    url = reverse("planner:sweep", args=[chat.pk, found["id"]])
    page = ada_client.get(url).content.decode()
    assert "is the cheapest" in page
    file = ada_client.get(reverse("planner:sweep_file", args=[chat.pk, found["id"], "csv"]))
    assert file.content == out.read_bytes()
    parquet = ada_client.get(reverse("planner:sweep_file", args=[chat.pk, found["id"], "parquet"]))
    assert len(pd.read_parquet(io.BytesIO(parquet.content))) == 40


def test_one_two_or_five_workers_give_identical_results(chat, sharded):
    """Whoever takes which shard: the same bits as in one go."""
    sweep = ask(chat)
    assert sweep.state == "running"
    assert sweep.shards.count() == 14
    wanted = services.grid(sweep.revision, services_axes(sweep)).cost(0, sweep.points)
    while sweep_work():
        pass
    sweep.refresh_from_db()
    assert sweep.state == "done"
    assert np.array_equal(cost_of(sweep, wanted.shape[1]), wanted)
    assert how_far(sweep).done == 40


def services_axes(sweep):
    """The axes of a stored sweep."""
    from planner.sweeps.grids import axes_of

    return axes_of(sweep.axes)


def test_a_shard_of_a_silent_worker_is_taken_again_and_stored_once(chat, sharded, monkeypatch):
    """The late worker's answer changes nothing; nothing is lost."""
    sweep = ask(chat)
    lost, attempt = services._take(None)
    assert attempt == 1
    while sweep_work():
        pass
    sweep.refresh_from_db()
    assert sweep.state == "running"  # one shard is with a worker that is gone
    monkeypatch.setattr(services, "SILENT_S", -1.0)
    assert sweep_work()
    sweep.refresh_from_db()
    assert sweep.state == "done"
    shard = SweepShard.objects.get(pk=lost.pk)
    assert shard.attempt == 2
    late = SweepShard.objects.filter(pk=lost.pk, attempt=attempt, done_at=None)
    assert late.update(cost=b"") == 0
    assert not np.isnan(cost_of(sweep, 4)).any()


def test_fifty_sweeps_of_one_organisation_do_not_starve_another(chat, sharded, other_organisation):
    """The other one's first shard is next but one at most."""
    for number in range(50):
        ask(chat, f"sites[0].pue=1.{number + 10}:1.9:4")
    document = revision_get(scenario=chat).document
    theirs = scenario_create(organisation=other_organisation, document=document)
    for _ in range(3):
        assert sweep_work()
    late = ask(theirs)
    total = late.shards.count()
    worked = 0
    while Sweep.objects.get(pk=late.pk).state != "done":
        assert sweep_work()
        worked += 1
    assert worked <= 2 * total + 1
    assert Organisation.objects.count() >= 2


def test_cancel_stops_the_next_shard_and_going_on_keeps_what_is_priced(chat, sharded, ada_client):
    """Done shards stay; the rest waits for the button."""
    sweep = ask(chat)
    for _ in range(4):
        sweep_work()
    stop = reverse("planner:sweep_cancel", args=[chat.pk, sweep.pk])
    assert ada_client.post(stop).status_code == 302
    assert not sweep_work()
    page = reverse("planner:sweep", args=[chat.pk, sweep.pk])
    assert "Cancelled after 12 of 40 points" in ada_client.get(page).content.decode()
    ada_client.post(reverse("planner:sweep_again", args=[chat.pk, sweep.pk]))
    sweep.refresh_from_db()
    assert sweep.state == "running"
    assert how_far(sweep).done == 12
    while sweep_work():
        pass
    sweep.refresh_from_db()
    assert sweep.state == "done"
    assert sweep_cancel(sweep=sweep).state == "done"


def test_the_page_says_how_far_it_is(chat, sharded, ada_client):
    """Count, time left; asked by itself it gets the lines alone."""
    sweep = ask(chat)
    for _ in range(7):
        sweep_work()
    url = reverse("planner:sweep", args=[chat.pk, sweep.pk])
    page = ada_client.get(url).content.decode()
    assert "21 of 40 points" in page
    assert "Cancel" in page
    lines = ada_client.get(url, headers={"HX-Request": "true"})
    assert lines.status_code == 200
    assert "<html" not in lines.content.decode()
    while sweep_work():
        pass
    assert ada_client.get(url, headers={"HX-Request": "true"}).status_code == 286


def test_a_point_opens_as_a_scenario(chat, ada_client):
    """With its values; a point that is none is not found."""
    sweep = ask(chat)
    url = reverse("planner:sweep_open", args=[chat.pk, sweep.pk])
    answer = ada_client.post(url, {"point": "39"})
    made = Scenario.objects.latest("pk")
    assert answer.url == reverse("planner:scenario_detail", args=[made.pk])
    site = revision_get(scenario=made).document["sites"][0]
    assert site["pue"]["value"] == 1.5
    assert site["energy_usd_per_kwh"]["value"] == 0.2
    for wrong in ("40", "-1", "x", ""):
        assert ada_client.post(url, {"point": wrong}).status_code == 404


def test_what_cannot_be_swept_is_named_before_anything_is_queued(chat, ada_client):
    """All errors at once, what was typed stays; nothing is stored."""
    form = {"path-1": "sites[0].pu", "values-1": "1:2:3", "path-2": "sites[0].pue",
            "values-2": "0.1:2:3"}  # fmt: skip
    page = ada_client.post(reverse("planner:sweeps", args=[chat.pk]), form)
    assert page.status_code == 422
    words = page.content.decode()
    assert "Nothing was queued" in words
    assert 'value="sites[0].pu"' in words
    assert "outside the limits" in words
    assert not Sweep.objects.exists()
    big = {"axes": ["sites[0].pue=1:2:9000", "sites[0].energy_usd_per_kwh=0.01:1:9000"]}
    answer = ada_client.post(
        reverse("api_sweeps", args=[chat.pk]), big, content_type="application/json"
    )
    assert answer.status_code == 422
    assert "81,000,000 points are more than 5,000,000" in answer.content.decode()
    with pytest.raises(InputErrors):
        ask(chat, "sites[0].pue=nan,1.2")

"""A real worker draws, tells how far it is, is cancelled, dies: the page always knows."""

from __future__ import annotations

import os
import signal
import time

import pytest
from django.urls import reverse

from planner.models import BackgroundRun

DRAWS = 200_000


@pytest.fixture
def asked(transactional_db, demo_organisation, ada, client, settings):
    """A function that opens the page of a scenario as Ada does; the run it leaves."""
    from django.core.management import call_command

    from planner.scenarios.services import scenario_create
    from tests.planner.conftest import example

    settings.RUN_INLINE_S = 1.0
    call_command("load_seed_catalog", verbosity=0)
    scenario = scenario_create(organisation=demo_organisation, document=example("chat"), by=ada)
    client.force_login(ada)
    url = reverse("planner:scenario_uncertainty", args=[scenario.pk])

    def get(draws=DRAWS):
        answer = client.get(url, {"draws": draws})
        assert answer.status_code == 200
        return BackgroundRun.objects.get(), answer.content.decode()

    get.cancel = lambda: client.post(f"{url}cancel/", {"draws": DRAWS})
    get.again = lambda: client.post(f"{url}again/", {"draws": DRAWS})
    return get


def state():
    """What the row says now."""
    return BackgroundRun.objects.get()


def test_progress_cancel_and_a_second_start(asked, start_worker, wait_until):
    """The count rises; a cancellation frees the worker within two seconds; the next one ends."""
    start_worker()
    run, text = asked()
    assert run.going
    assert "Waiting for a worker" in text or "draws" in text
    wait_until(lambda: state().done_count > 0, "no progress")
    first = state().done_count
    wait_until(lambda: state().done_count > first, "the count stands still")
    assert 0 < state().share_fraction < 1
    assert state().remaining_s > 0
    asked.cancel()
    cancelled = state()
    assert cancelled.state == "cancelled"
    time.sleep(2.0)
    assert state().done_count == cancelled.done_count  # its worker has stopped
    assert state().result is None
    small, _ = asked(draws=DRAWS)
    assert small.state == "cancelled"  # looking at it does not start it
    asked.again()
    wait_until(lambda: state().state == "running", "the worker was not free")
    wait_until(lambda: state().state == "done", "the second attempt did not end", 240)
    assert state().attempt == 2
    assert state().result["draws"] == DRAWS


def test_a_killed_worker_leaves_a_row_that_can_be_started_again(
    asked, start_worker, wait_until, monkeypatch
):
    """Killed in its work: the row runs on and falls silent; another worker then does it."""
    worker = start_worker()
    asked()
    wait_until(lambda: state().done_count > 0, "no progress")
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait(10)
    assert state().state == "running"
    monkeypatch.setattr("planner.models.run.SILENT_S", 0.5)
    time.sleep(0.8)
    _, text = asked()
    assert "No worker has reported" in text
    asked.again()
    start_worker()
    wait_until(lambda: state().state == "done", "nobody took it up", 240)
    assert state().attempt == 2

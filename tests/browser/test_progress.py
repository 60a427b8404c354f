"""Progress of a long run in a real browser: it moves without a reload and survives one."""

from __future__ import annotations

import datetime as dt

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.core.management import call_command
from django.utils import timezone
from playwright.sync_api import expect

from tests.browser.test_every_page import RULES
from tests.planner.conftest import example


@pytest.fixture
def waiting(live_server, signed_in, demo_organisation, ada, settings, monkeypatch):
    """A scenario whose drawing waits for a worker that never comes, on its page."""
    from planner.runs import services
    from planner.scenarios.services import scenario_create

    monkeypatch.setattr(services, "_wake", lambda task, pk, attempt: None)
    settings.RUN_INLINE_S = 0.0
    call_command("load_seed_catalog", verbosity=0)
    scenario = scenario_create(organisation=demo_organisation, document=example("chat"), by=ada)
    signed_in.goto(f"{live_server.url}/scenarios/{scenario.pk}/uncertainty/")
    return signed_in


def at(done, share):
    """As a worker reports it, after ten seconds."""
    from planner.models import BackgroundRun

    now = timezone.now()
    BackgroundRun.objects.update(
        state="running", done_count=done, total_count=10_000, share_fraction=share,
        started_at=now - dt.timedelta(seconds=10), seen_at=now,
    )  # fmt: skip


def test_progress_moves_without_a_reload_and_survives_one(waiting, settings):
    """Count, bar and time left follow the row; the answer comes by itself; nothing asks after."""
    from planner.models import BackgroundRun
    from planner.uncertainty.tasks import uncertainty_run_task

    page = waiting
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    page.evaluate("window.stayed = true")
    page.get_by_role("button", name="Cancel").focus()
    at(2500, 0.25)
    expect(page.get_by_text("2,500 of 10,000 draws")).to_be_visible()
    expect(page.get_by_text("30 s left")).to_be_visible()
    assert page.evaluate("document.querySelector('.run progress').value") == 25
    assert page.evaluate("document.activeElement.textContent") == "Cancel"
    assert page.evaluate("window.stayed")
    assert Axe().run(page, options=RULES).response["violations"] == []
    page.reload()
    expect(page.get_by_text("2,500 of 10,000 draws")).to_be_visible()
    page.evaluate("window.stayed = true")
    run = BackgroundRun.objects.get()
    assert uncertainty_run_task.run(run.pk, run.attempt) == "done"
    expect(page.locator("#verdict")).to_be_visible()
    expect(page.locator("#chart-spread, figure[data-figure=chart-spread] .main-svg").first
           ).to_be_attached()  # fmt: skip
    assert page.evaluate("window.stayed")
    asked = []
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(1500)
    assert asked == []
    assert not page.console_errors


def test_cancel_ends_it_within_two_seconds(waiting):
    """The button, then the state with the way to start again; a new start waits again."""
    page = waiting
    at(4000, 0.4)
    expect(page.get_by_text("4,000 of 10,000 draws")).to_be_visible()
    page.get_by_role("button", name="Cancel").click()
    expect(page.get_by_text("Cancelled after 4,000 of 10,000 draws")).to_be_visible(timeout=2000)
    page.get_by_role("button", name="Draw again").click()
    expect(page.get_by_text("Waiting for a worker")).to_be_visible()
    assert not page.console_errors

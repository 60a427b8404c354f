"""Long work: at once while short, else queued, told, cancelled, failed, started again."""

from __future__ import annotations

import datetime as dt

import pytest
from django.urls import reverse
from django.utils import timezone

from planner.models import BackgroundRun
from planner.runs import services
from planner.runs.services import run_cancel, run_key, run_work
from planner.scenarios.selectors import revision_get
from planner.uncertainty.asking import assessment_known, assessment_run
from planner.uncertainty.services import assessment_in
from tco.errors import InputError
from tests.planner.conftest import example


@pytest.fixture
def queue(monkeypatch, settings):
    """Messages are kept, not sent; nothing fits into a request."""
    sent = []
    monkeypatch.setattr(services, "_wake", lambda task, pk, attempt: sent.append((pk, attempt)))
    settings.RUN_INLINE_S = 0.0
    return sent


@pytest.fixture
def waiting(chat, queue, django_capture_on_commit_callbacks):
    """A run that waits for a worker."""
    with django_capture_on_commit_callbacks(execute=True):
        run = assessment_run(revision=revision_get(scenario=chat))
    assert queue == [(run.pk, 1)]
    return run


def page_of(client, scenario, **more):
    """The page as text, or the part of it that the page asks for."""
    url = reverse("planner:scenario_uncertainty", args=[scenario.pk])
    return client.get(url, **more)


def test_short_work_is_done_in_the_request(chat):
    """A hundred draws are there at once, and stored; the second asking finds them."""
    revision = revision_get(scenario=chat)
    run = assessment_run(revision=revision, draws=100)
    assert run.state == "done"
    assert assessment_in(run).draws == 100
    assert assessment_run(revision=revision, draws=100).pk == run.pk
    assert assessment_known(revision=revision, draws=200) is None


def test_a_stored_assessment_reads_back_whole(chat):
    """All that page and workbook show of it is as the engine gave it."""
    from planner.scenarios.to_engine import revision_inputs
    from tco.uncertainty.assess import assess

    revision = revision_get(scenario=chat)
    back = assessment_in(assessment_run(revision=revision, draws=300))
    fresh = assess(revision_inputs(revision), draws=300)
    for name in ("options", "duels", "swings", "switches", "not_carried", "left_out"):
        assert getattr(back, name) == getattr(fresh, name), name
    assert [one.label for one in back.drivers] == [one.label for one in fresh.drivers]


def test_long_work_waits_and_the_page_says_how_far_it_is(chat, waiting, ada_client):
    """Queued, then a count and the time left; the page asks again by itself."""
    text = page_of(ada_client, chat).content.decode()
    assert "Waiting for a worker" in text
    assert 'hx-trigger="every 1s"' in text
    now = timezone.now()
    BackgroundRun.objects.filter(pk=waiting.pk).update(
        state="running", done_count=4000, total_count=10_000, share_fraction=0.4,
        started_at=now - dt.timedelta(seconds=20), seen_at=now,
    )  # fmt: skip
    part = page_of(ada_client, chat, headers={"hx-request": "true"})
    assert part.status_code == 200
    assert "4,000 of 10,000 draws" in part.content.decode()
    assert "30 s left" in part.content.decode()  # 20 s for 40 %
    assert "<html" not in part.content.decode()
    answer = ada_client.get(reverse("api_scenario_uncertainty", args=[chat.pk]))
    assert answer.status_code == 202
    assert answer.json()["done"] == 4000
    assert answer.json()["remaining_s"] == pytest.approx(30.0, rel=0.01)


def test_the_end_stops_the_asking(chat, waiting, ada_client):
    """Status 286 and the whole body, aimed at the body of the page."""
    from planner.uncertainty.tasks import uncertainty_run_task

    assert uncertainty_run_task.run(waiting.pk, 1) == "done"
    part = page_of(ada_client, chat, headers={"hx-request": "true"})
    assert part.status_code == 286
    assert part["HX-Retarget"] == "#run-body"
    assert "What moves the cost most" in part.content.decode()
    waiting.refresh_from_db()
    assert waiting.done_count > 0 or waiting.share_fraction == 1.0


def test_a_cancelled_run_is_left_by_its_worker(chat, waiting, ada_client):
    """The worker finds out at its next report, and writes nothing."""
    reports = []

    def compute(run, report):
        report(1, 10, 0.1)
        ada_client.post(reverse("planner:scenario_uncertainty_cancel", args=[chat.pk]))
        services_clock(report)
        reports.append("went on")
        return {}

    def services_clock(report):
        # past the pause between two reports
        import time

        time.sleep(services.REPORT_S + 0.05)
        report(2, 10, 0.2)

    assert run_work(waiting.pk, 1, compute) == "stopped"
    assert reports == []
    waiting.refresh_from_db()
    assert waiting.state == "cancelled"
    text = page_of(ada_client, chat).content.decode()
    assert "Cancelled after 1 of 10 draws" in text
    assert "Draw again" in text
    assert 'hx-trigger="every' not in text


def test_again_is_a_new_attempt_and_the_old_worker_cannot_write(
    chat, waiting, queue, ada_client, django_capture_on_commit_callbacks
):
    """Attempt 2 is queued; what attempt 1 brings is dropped."""
    run_cancel(run=waiting)
    with django_capture_on_commit_callbacks(execute=True):
        ada_client.post(reverse("planner:scenario_uncertainty_again", args=[chat.pk]))
    assert queue[-1] == (waiting.pk, 2)
    assert run_work(waiting.pk, 1, lambda run, report: {"late": True}) == "gone"
    waiting.refresh_from_db()
    assert (waiting.state, waiting.attempt, waiting.result) == ("queued", 2, None)


def test_a_failure_is_told_with_its_field_and_mend(chat, waiting, ada_client):
    """What only shows while drawing is a failed run, not a page that turns for ever."""

    def compute(run, report):
        raise InputError("correlations", "these cannot hold at once", "leave one out")

    assert run_work(waiting.pk, 1, compute) == "failed"
    text = page_of(ada_client, chat).content.decode()
    assert "these cannot hold at once" in text
    assert "Leave one out." in text
    assert "Draw again" in text


def test_a_fault_of_the_program_is_not_shown(chat, waiting, ada_client, caplog):
    """The log has the traceback, the page a sentence."""

    def compute(run, report):
        raise ZeroDivisionError("secret detail")

    assert run_work(waiting.pk, 1, compute) == "failed"
    assert "secret detail" in caplog.text
    assert "secret detail" not in page_of(ada_client, chat).content.decode()


def test_silence_is_told_and_can_be_ended(chat, waiting, queue, ada_client,
                                          django_capture_on_commit_callbacks):  # fmt: skip
    """A worker that died leaves a running row: after a minute the page offers another start."""
    old = timezone.now() - dt.timedelta(minutes=2)
    BackgroundRun.objects.filter(pk=waiting.pk).update(state="running", seen_at=old)
    assert "No worker has reported" in page_of(ada_client, chat).content.decode()
    with django_capture_on_commit_callbacks(execute=True):
        ada_client.post(reverse("planner:scenario_uncertainty_again", args=[chat.pk]))
    assert queue[-1] == (waiting.pk, 2)


def test_a_working_run_is_not_started_twice(chat, waiting, queue):
    """Asking again while it waits changes nothing."""
    run = assessment_run(revision=revision_get(scenario=chat), again=True)
    assert (run.pk, run.attempt, len(queue)) == (waiting.pk, 1, 1)


def test_the_api_cancels_and_starts_again(chat, waiting, queue, ada_client):
    """DELETE ends it, POST queues it anew; nothing to cancel is 204."""
    url = reverse("api_scenario_uncertainty", args=[chat.pk])
    assert ada_client.delete(url).json()["state"] == "cancelled"
    assert ada_client.get(url).json()["state"] == "cancelled"
    assert ada_client.post(url).json()["state"] == "queued"
    assert ada_client.delete(f"{url}?draws=777").status_code == 204


def test_a_changed_input_is_another_question(chat):
    """The key hangs on inputs, kind and arguments."""
    keys = {
        run_key(input_hash=a, kind=b, question={"draws": c})
        for a in ("x", "y")
        for b in ("uncertainty", "goal_seek")
        for c in (1, 2)
    }
    assert len(keys) == 8


def test_correlations_of_the_document_are_drawn(
    demo_organisation, seed_catalog, ada_client, chat_document
):
    """Two inputs that go together move the chance; one without a range is an error on the page."""
    from planner.scenarios.services import scenario_create

    plain = scenario_create(organisation=demo_organisation, document=chat_document)
    labels = [
        one.label for one in assessment_in(
            assessment_run(revision=revision_get(scenario=plain), draws=1000)
        ).drivers
    ]  # fmt: skip
    pair = {"first": labels[0], "second": labels[1], "rank_correlation": 0.9}
    tied = scenario_create(
        organisation=demo_organisation, document={**chat_document, "correlations": [pair]}
    )
    runs = [
        assessment_in(assessment_run(revision=revision_get(scenario=one), draws=1000))
        for one in (plain, tied)
    ]
    assert runs[0].options != runs[1].options
    broken = {**pair, "second": "ashburn: energy price"}
    wrong = scenario_create(
        organisation=demo_organisation, document={**chat_document, "correlations": [broken]}
    )
    text = page_of(ada_client, wrong).content.decode()
    assert "has no range, or is no input" in text


def test_eve_sees_no_run_of_ada(chat, waiting, eve_client):
    """Neither how far it is, nor may she end it."""
    assert page_of(eve_client, chat).status_code == 404
    for name in ("cancel", "again"):
        url = reverse(f"planner:scenario_uncertainty_{name}", args=[chat.pk])
        assert eve_client.post(url).status_code == 404
    waiting.refresh_from_db()
    assert waiting.state == "queued"


def test_no_range_needs_no_run(seed_catalog, demo_organisation, ada_client):
    """The empty state is an answer at once."""
    from planner.scenarios.services import scenario_create

    made = scenario_create(organisation=demo_organisation, document=example("train_serve"))
    assert "5 to 9" in page_of(ada_client, made).content.decode()

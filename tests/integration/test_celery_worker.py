"""An upload wakes a real worker, which writes the figures; a lost message loses nothing."""

from __future__ import annotations

import os
import signal

import pytest
from django.core.management import call_command
from django.test import Client

from tests.data.clean_bench_run import clean_document

RUN = "01937c2e-8a7b-7cc1-9f7e-{:012x}"


@pytest.fixture
def upload(transactional_db, demo_organisation):
    """A function that uploads a clean run through the API with an upload token."""
    from accounts.services import token_create

    _, secret = token_create(organisation=demo_organisation, label="test", scope="upload", by=None)

    def send(number=1, **rates):
        document = clean_document(run_id=RUN.format(number), seq=number, **rates)
        return Client().post(
            "/api/v1/benchmark-runs/",
            document,
            content_type="application/json",
            headers={
                "authorization": f"Bearer {secret}",
                "idempotency-key": document["run_id"],
            },
        )

    return send


def _figures():
    from hardware_catalog.models.throughput import ThroughputFigure

    return ThroughputFigure.objects.filter(current=True)


def test_a_worker_turns_an_upload_into_figures(upload, start_worker, wait_until):
    """201, then the figures appear without anybody asking for them."""
    start_worker()
    answer = upload(1)
    assert answer.status_code == 201, answer.content
    assert answer.json()["verdict"] == "trusted"
    wait_until(lambda: _figures().filter(metric="gemm").exists(), "no figure from the worker")


def test_a_killed_worker_and_a_lost_message_lose_nothing(upload, broker, start_worker, wait_until):
    """The mark in the database is the truth: the sweep does what a dead worker left."""
    import redis

    worker = start_worker()
    os.killpg(worker.pid, signal.SIGKILL)
    worker.wait(10)
    assert upload(1).status_code == 201
    redis.Redis.from_url(broker).flushall()
    assert not _figures().exists()
    call_command("refresh_pending")
    assert _figures().filter(metric="gemm").exists()
    before = _figures().count()
    call_command("refresh_pending")
    assert _figures().count() == before


def test_uploads_are_accepted_while_the_broker_is_down(upload, broker, monkeypatch):
    """2xx means stored, whatever the queue does."""
    from config import local_services
    from config.celery import app

    app.conf.update(broker_url=f"redis://127.0.0.1:{local_services.free_port()}/0")
    app._after_fork()
    answer = upload(1)
    assert answer.status_code == 201, answer.content
    call_command("refresh_pending")
    assert _figures().exists()

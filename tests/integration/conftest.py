"""A real Redis and a real Celery worker on the test database."""

from __future__ import annotations

import os
import subprocess
import sys
import time

import pytest
from django.conf import settings
from django.db import connection

from config import local_services
from config.celery import app


@pytest.fixture
def broker(tmp_path, monkeypatch):
    """Redis on a free loopback port; tasks are sent, not run in place."""
    port = local_services.free_port()
    process = local_services.start_redis(port, tmp_path / "redis")
    url = f"redis://127.0.0.1:{port}/0"
    before = (app.conf.broker_url, app.conf.task_always_eager)
    app.conf.update(broker_url=url, task_always_eager=False)
    app._after_fork()  # forget the connections of an earlier broker
    monkeypatch.setattr(settings, "CELERY_BROKER_URL", url)
    monkeypatch.setattr(settings, "CELERY_TASK_ALWAYS_EAGER", False)
    yield url
    app._after_fork()
    app.conf.update(broker_url=before[0], task_always_eager=before[1])
    process.terminate()
    process.wait(10)


@pytest.fixture
def start_worker(broker, transactional_db, tmp_path):
    """A function that starts a worker process on the test database."""
    started = []

    def start():
        database = connection.settings_dict
        url = f"postgresql://{database['USER']}@/{database['NAME']}?host={database['HOST']}"
        with (tmp_path / f"worker-{len(started)}.log").open("wb") as log:
            process = subprocess.Popen(
                [
                    *(sys.executable, "-m", "celery", "-A", "config", "worker"),
                    *(
                        "-l",
                        "warning",
                        "--concurrency",
                        "1",
                        "--without-gossip",
                        "--without-mingle",
                    ),
                ],
                env={
                    **os.environ,
                    "DATABASE_URL": url,
                    "CELERY_BROKER_URL": broker,
                    "DJANGO_SETTINGS_MODULE": "config.settings.local",
                },
                stdout=log,
                stderr=log,
                start_new_session=True,
            )
        started.append(process)
        return process

    yield start
    for process in started:
        process.terminate()
    for process in started:
        try:
            process.wait(15)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


@pytest.fixture
def wait_until():
    """A function that waits for a condition and fails with its name."""

    def wait(condition, what, seconds=60.0):
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if condition():
                return
            time.sleep(0.2)
        pytest.fail(f"after {seconds:g} s: {what}")

    return wait

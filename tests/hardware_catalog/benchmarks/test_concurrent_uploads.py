"""Uploads at the same moment: one row for one id, one entry for one new device, one figure."""

from __future__ import annotations

import json
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import connection
from django.test import Client

from accounts.models import Organisation
from accounts.services import token_create
from hardware_catalog.benchmarks.throughput import throughput_refresh
from hardware_catalog.models import BenchmarkRun, CatalogEntry, RunDevice, ThroughputFigure
from tests.hardware_catalog.benchmarks.conftest import sealed, with_new_id

RUNS = "/api/v1/benchmark-runs/"
AT_ONCE = 8

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def token():
    """An upload token, committed so that every thread sees it."""
    organisation = Organisation.objects.create(name="Race Ltd")
    return token_create(organisation=organisation, label="agent", by=None)[1]


def _post_all(token, bodies):
    def post(body):
        try:
            return Client().post(
                RUNS, body, content_type="application/json", HTTP_AUTHORIZATION=f"Bearer {token}"
            )
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        return list(pool.map(post, bodies))


def test_simultaneous_replays_make_one_row(token, document):
    """Of 24 copies one is new and 23 are replays; the figures count the run once."""
    answers = _post_all(token, [json.dumps(document)] * 24)
    assert Counter(answer.status_code for answer in answers) == {201: 1, 200: 23}
    assert {answer.json()["run_id"] for answer in answers} == {document["run_id"]}
    assert BenchmarkRun.objects.count() == 1
    figures = ThroughputFigure.objects.filter(current=True)
    assert {tuple(figure.runs) for figure in figures} == {(document["run_id"],)}
    assert not RunDevice.objects.filter(needs_refresh=True).exists()


def test_simultaneous_rivals_leave_one_winner(token, document):
    """Different content under one id: one is stored, every other is told of the conflict."""
    bodies = []
    for seq in range(1, 13):
        document["seq"] = seq
        bodies.append(json.dumps(sealed(document)))
    answers = _post_all(token, bodies)
    assert Counter(answer.status_code for answer in answers) == {201: 1, 409: 11}
    won = next(i for i, answer in enumerate(answers) if answer.status_code == 201)
    assert BenchmarkRun.objects.get().seq == won + 1


def test_first_runs_of_a_new_device_share_one_entry(token, document):
    """Twelve runs of a device nobody knows: one pending entry, figures over all twelve."""
    answers = _post_all(token, [json.dumps(with_new_id(document)) for _ in range(12)])
    assert {answer.status_code for answer in answers} == {201}
    entry = CatalogEntry.objects.get()
    assert entry.pending
    figure = ThroughputFigure.objects.get(metric="membw", current=True)
    assert len(figure.runs) == 12
    assert not RunDevice.objects.filter(needs_refresh=True).exists()


def test_refreshes_at_once_make_each_figure_once(token, document):
    """Two workers woken for the same device do not make two current figures."""
    _post_all(token, [json.dumps(document)])
    ThroughputFigure.objects.all().delete()
    RunDevice.objects.update(needs_refresh=True)
    entry_id = CatalogEntry.objects.get().pk

    def refresh(_):
        try:
            return throughput_refresh(entry_id=entry_id)
        finally:
            connection.close()

    with ThreadPoolExecutor(AT_ONCE) as pool:
        made = list(pool.map(refresh, range(AT_ONCE)))
    assert sorted(made)[:-1] == [0] * (AT_ONCE - 1)
    assert ThroughputFigure.objects.count() == max(made) == 11

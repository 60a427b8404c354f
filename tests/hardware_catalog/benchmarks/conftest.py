"""Uploads of the tests."""

from __future__ import annotations

import copy
import json
import uuid

import pytest
from django.test import Client

from accounts.services import token_create
from hardware_catalog.benchmarks.contract import content_sha256
from tests.data.clean_bench_run import clean_document

RUNS = "/api/v1/benchmark-runs/"


def sealed(document):
    """The document with the digest that fits it."""
    document["integrity"] = {"content_sha256": content_sha256(document), "alg": "none"}
    return document


def with_new_id(document):
    """The same measurement under an id of its own."""
    number = f"{uuid.uuid4().int:032x}"
    document["run_id"] = (
        f"{number[:8]}-{number[8:12]}-7{number[13:16]}-8{number[17:20]}-{number[20:]}"
    )
    return sealed(document)


@pytest.fixture
def document():
    """A clean run, to be spoilt by the test."""
    return copy.deepcopy(clean_document())


@pytest.fixture
def upload_token(demo_organisation):
    """A token that may upload and nothing else."""
    return token_create(organisation=demo_organisation, label="agent", by=None)[1]


@pytest.fixture
def other_token(other_organisation):
    """An upload token of another organisation."""
    return token_create(organisation=other_organisation, label="theirs", by=None)[1]


@pytest.fixture
def upload(upload_token, django_capture_on_commit_callbacks):
    """Send a document or bytes, and let the refresh that follows happen."""

    def send(body, token=upload_token, content_type="application/json", **headers):
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        with django_capture_on_commit_callbacks(execute=True):
            return Client().post(
                RUNS,
                data,
                content_type=content_type,
                HTTP_AUTHORIZATION=f"Bearer {token}",
                **headers,
            )

    return send

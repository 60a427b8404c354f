"""The world that the tests of the door share: built once a module, each test undone."""

from __future__ import annotations

import pytest
from django.db import transaction

from tests.api.refusals import row_counts
from tests.api.world import build_world


@pytest.fixture(scope="module")
def built_world(django_db_setup, django_db_blocker):
    """Two organisations with one of everything, in a transaction that is rolled back."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield build_world()
        transaction.set_rollback(True)


@pytest.fixture
def world(built_world, db):
    """The world; `db` undoes what a test does to it."""
    return built_world


@pytest.fixture(autouse=True)
def _quiet(caplog):
    """A refusal is logged by Django; hundreds of them would bury a fault."""
    caplog.set_level("CRITICAL", logger="django.request")


@pytest.fixture
def nothing_stored(world):
    """After the test every table has as many rows as before."""
    before = row_counts()
    yield
    assert row_counts() == before

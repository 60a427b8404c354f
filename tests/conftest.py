"""The cast of the tests, and what every test may rely on."""

from __future__ import annotations

import pytest


@pytest.fixture
def demo_organisation(db):
    """An organisation with nothing in it."""
    from accounts.models import Organisation

    return Organisation.objects.create(name="Demo Ltd")


@pytest.fixture
def other_organisation(db):
    """Another tenant: nothing of it may ever be seen."""
    from accounts.models import Organisation

    return Organisation.objects.create(name="Other Ltd")


def _member(email, organisation, role):
    from accounts.models import Membership, User

    user = User.objects.create_user(email, "correct horse battery staple")
    Membership.objects.create(user=user, organisation=organisation, role=role)
    return user


@pytest.fixture
def ada(demo_organisation):
    """Ada, an architect."""
    return _member("ada@example.org", demo_organisation, "architect")


@pytest.fixture
def fin(demo_organisation):
    """Fin, of finance: reads and exports."""
    return _member("fin@example.org", demo_organisation, "finance")


@pytest.fixture
def eve(other_organisation):
    """Eve, an architect of another organisation."""
    return _member("eve@example.org", other_organisation, "architect")


@pytest.fixture
def ada_client(client, ada):
    """A browser session of Ada's, without a browser."""
    client.force_login(ada)
    return client


@pytest.fixture
def eve_client(eve):
    """A browser session of Eve's, without a browser."""
    from django.test import Client

    client = Client()
    client.force_login(eve)
    return client


@pytest.fixture
def seed_catalog(db):
    """The shared catalog in the database."""
    from django.core.management import call_command

    call_command("load_seed_catalog", verbosity=0)

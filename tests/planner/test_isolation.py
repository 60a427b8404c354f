"""Another organisation's scenarios do not exist, on no page and under no address of the API."""

from __future__ import annotations

import pytest

from planner.models import Projection, Scenario
from planner.projections.services import projection_get_or_run
from planner.scenarios.selectors import revision_get

PAGES = [
    ("get", "/scenarios/{s}/"),
    ("get", "/scenarios/{s}/edit/"),
    ("post", "/scenarios/{s}/edit/"),
    ("get", "/scenarios/{s}/file/"),
    ("post", "/scenarios/{s}/file/"),
    ("get", "/scenarios/{s}/export.yaml"),
    ("get", "/scenarios/{s}/history/"),
    ("post", "/scenarios/{s}/duplicate/"),
    ("post", "/scenarios/{s}/archive/"),
    ("post", "/scenarios/{s}/recalculate/"),
    ("get", "/scenarios/{s}/revisions/1/"),
    ("post", "/scenarios/{s}/revisions/1/restore/"),
    ("get", "/projections/{p}/explain/h100/tco_usd/"),
    ("get", "/compare/?a={s}"),
    ("get", "/api/v1/scenarios/{s}/"),
    ("put", "/api/v1/scenarios/{s}/"),
    ("delete", "/api/v1/scenarios/{s}/"),
    ("post", "/api/v1/scenarios/{s}/duplicate/"),
    ("get", "/api/v1/scenarios/{s}/revisions/"),
    ("get", "/api/v1/scenarios/{s}/revisions/1/"),
    ("post", "/api/v1/scenarios/{s}/projection/"),
    ("get", "/api/v1/projections/{p}/"),
]


@pytest.fixture
def projected(chat):
    """The chat scenario with its projection."""
    return projection_get_or_run(revision=revision_get(scenario=chat))


@pytest.mark.parametrize(("method", "address"), PAGES)
def test_a_foreign_id_is_not_found(projected, chat, eve_client, method, address):
    """404 for every page and address, and nothing has changed."""
    url = address.format(s=chat.pk, p=projected.pk)
    response = getattr(eve_client, method)(url, {}, content_type="application/json")
    assert response.status_code == 404, url
    assert chat.name not in response.content.decode()
    chat.refresh_from_db()
    assert not chat.archived
    assert (Scenario.objects.count(), Projection.objects.count()) == (1, 1)


@pytest.mark.parametrize("url", ["/home/", "/scenarios/", "/compare/", "/api/v1/scenarios/"])
def test_lists_show_nothing_foreign(projected, chat, eve_client, url):
    """No name of another organisation's scenario stands in any list."""
    response = eve_client.get(url)
    assert response.status_code == 200
    assert chat.name not in response.content.decode()


@pytest.mark.parametrize(("method", "address"), PAGES)
def test_a_stranger_is_asked_to_sign_in(projected, chat, client, method, address):
    """Pages lead to the sign-in, the API answers 401; nothing is shown."""
    url = address.format(s=chat.pk, p=projected.pk)
    response = getattr(client, method)(url, {}, content_type="application/json")
    if url.startswith("/api/"):
        assert response.status_code == 401
    else:
        assert response.status_code in {302, 403}
    assert chat.name not in response.content.decode()


def test_eves_preview_cannot_name_a_foreign_device(
    seed_catalog, demo_organisation, chat_document, eve_client, other_organisation
):
    """An own device of one tenant is unknown to the other."""
    from hardware_catalog.models import CatalogEntry
    from planner.scenarios.services import scenario_create
    from tco.errors import InputErrors

    server = CatalogEntry.objects.get(kind="server", key="supermicro-sys-821ge-tnhr")
    server.pk, server.organisation, server.key = None, demo_organisation, "own-server"
    server.save()
    chat_document["options"][0]["fleets"][0]["server"] = "own-server"
    with pytest.raises(InputErrors) as caught:
        scenario_create(organisation=other_organisation, document=chat_document)
    assert caught.value.errors[0].field == "options[0].fleets[0].server"

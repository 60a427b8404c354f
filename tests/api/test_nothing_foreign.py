"""No byte that one organisation gets holds a text of another."""

from __future__ import annotations

import dataclasses
import io
import zipfile

import pytest
from django.db import transaction

from tests.api.canary import CANARY, PART, canary_world, owned_models
from tests.api.knocks import all_routes, body_of, knock
from tests.api.permission_table import rows

WORD = CANARY.encode()
SEARCHES = [
    "/?model=" + PART,
    "/scenarios/?q=" + PART,
    "/scenarios/?archived=1",
    "/scenarios/?archived=1&q=" + PART,
    "/compare/",
    "/catalog/device/?search=" + PART,
    "/catalog/device/?own=own",
    "/catalog/device/?archived=yes",
    "/catalog/device/?status=estimated",
    "/catalog/device/?has_price=yes",
    "/catalog/device/?vendor=NVIDIA",
    "/catalog/device/list.csv?search=" + PART,
    "/catalog/device/list.csv?search=h100",
    "/measurements/?verdict=trusted",
    "/measurements/?verdict=untrusted",
    "/measurements/?device=" + PART,
    "/api/v1/catalog/?page_size=1000",
    "/api/v1/catalog/?page_size=1000&kind=device",
    "/api/v1/catalog/?search=" + PART,
    "/api/v1/catalog/?own=own",
    "/api/v1/catalog/?status=estimated&page_size=1000",
    "/api/v1/catalog/?key=h100-sxm",
    "/api/v1/scenarios/?page_size=1000",
    "/api/v1/scenarios/?archived=true",
    "/api/v1/scenarios/?search=" + PART,
    "/api/v1/projections/?page_size=1000",
    "/api/v1/benchmark-runs/?page_size=1000",
    "/api/v1/benchmark-runs/?profile=quick",
    "/api/v1/throughput-figures/?page_size=1000",
    "/api/v1/throughput-figures/?current=false&page_size=1000",
]
CALLERS = ("stranger", "architect")
ROWS = [(method, route) for method, route, _ in rows()]


@pytest.fixture(scope="module")
def built_world(django_db_setup, django_db_blocker):
    """The world of these tests: the other organisation has the word in everything."""
    with django_db_blocker.unblock(), transaction.atomic():
        yield canary_world()
        transaction.set_rollback(True)


def swapped(world):
    """The same callers in front of the other organisation's objects."""
    return dataclasses.replace(world, mine=world.theirs, theirs=world.mine)


def all_bytes(response):
    """Body, headers and, for a workbook, every member of it."""
    body = body_of(response)
    headers = repr(sorted(response.items())).encode()
    if body[:2] == b"PK" and "spreadsheet" in response["Content-Type"]:
        with zipfile.ZipFile(io.BytesIO(body)) as book:
            body = b"\n".join(book.read(name) for name in book.namelist())
    return headers + body


def undone(method, route, actor, world):
    """The bytes of an answer whose traces are taken back."""
    with transaction.atomic():
        found = all_bytes(knock(method, route, actor, world))
        transaction.set_rollback(True)
    return found


def test_the_word_is_in_everything_the_other_organisation_owns(world):
    """Each model has rows of the other organisation, and its owner sees the word everywhere."""
    from tests.api.canary import OWNER

    for model in owned_models():
        label = model._meta.label
        if label == "accounts.SignInLink":
            continue  # holds a hash and times only
        owned = {OWNER[label]: world.theirs.organisation.pk}
        assert model.objects.filter(**owned).exists(), label
    unseen = {
        route
        for method, route in ROWS
        if method == "GET"
        and "@shared" not in route
        and WORD not in undone(method, route, "other", swapped(world))
    }
    assert unseen == {
        "healthz",
        "schema",
        "swagger",
        "planner:front",
        "hardware_catalog:agent_zipapp",
        "hardware_catalog:agent_checksum",
        "accounts:sign_in",
        "accounts:sign_in_link",
        "api_scenario_schema",
        "hardware_catalog:entry_new",  # an empty form
        "hardware_catalog:model_import",  # an empty form
        "hardware_catalog:accuracy",  # published figures, the same for all
        "planner:reconcile",  # the worked examples, the same for all
        "planner:reconcile_example",  # one of them
        "planner:quotes",  # an empty form
        "planner:scenario_import",  # an empty form
        "api_catalog",  # the first 50 are shared; all of it is in SEARCHES
        "api_projections",  # ids, hashes and times
        "planner:scenario_hall_file",  # a scenario without a hall
        "api_scenario_inventory",
        "planner:sweep_file",  # numbers
        "api_scenario_trade_offs",  # an option that has nothing to weigh: keys of fleets only
        "api_scenario_why_not",  # asked without an option
        "api_scenario_goal_seek",  # asked without an input to vary: says what is missing
    }
    client = world.client("other")
    blind = {url for url in SEARCHES if WORD not in all_bytes(client.get(url))}
    assert blind == {SEARCHES[0], "/api/v1/projections/?page_size=1000"}


@pytest.mark.parametrize("caller", CALLERS)
def test_own_addresses_answer_without_the_word(world, caller):
    """Every row of the permission table, reads and writes."""
    leaks = [row for row in ROWS if WORD in undone(*row, caller, world)]
    assert leaks == []


@pytest.mark.parametrize("caller", ["architect", "write"])  # by session and by token
def test_foreign_addresses_answer_without_the_word(world, caller):
    """Every row again, in front of the other organisation's objects."""
    foreign = swapped(world)
    leaks = []
    for method, route in ROWS:
        with transaction.atomic():
            response = knock(method, route, caller, foreign)
            found = all_bytes(response)
            transaction.set_rollback(True)
        # a redirect to the sign-in repeats the address that was asked for
        if response.status_code == 302 and response["Location"].startswith("/accounts/sign-in/"):
            found = body_of(response)
        if WORD in found and "<" in all_routes()[route.partition("@")[0]]:
            leaks.append((method, route))
    assert leaks == []


@pytest.mark.parametrize("url", SEARCHES)
def test_lists_searches_filters_and_exports_hold_nothing_foreign(world, url):
    """As a member and as a token that reads."""
    for caller in ("architect", "read"):
        response = world.client(caller).get(url)
        assert response.status_code < 500
        assert WORD not in all_bytes(response), caller


def test_an_entry_of_one_organisation_changes_no_figure_of_another(world):
    """The other's H100 of 256 GB stands in place of the shared one for them alone."""
    url = "/api/v1/catalog/?key=h100-sxm"
    own = world.client("architect").get(url).json()["results"]
    assert [row["shared"] for row in own] == [True]
    memory = {figure["name"]: figure["value"] for figure in own[0]["figures"]}["memory_gb"]
    assert memory == 80
    project = f"/api/v1/scenarios/{world.mine.scenario.pk}/projection/"
    again = world.client("architect").post(project)
    assert again.status_code == 200  # the same inputs as before: nothing new to project
    assert again.json()["result"] == world.mine.projection.result

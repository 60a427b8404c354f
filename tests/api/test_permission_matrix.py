"""Who may do what: every route and method of the URL conf as every kind of caller."""

from __future__ import annotations

import pytest
from django.db import transaction

from tests.api.knocks import all_routes, knock
from tests.api.permission_table import rows
from tests.api.world import ACTORS

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
ROWS = rows()
BY_ROUTE: dict[str, set[str]] = {}
for _method, _route, _ in ROWS:
    BY_ROUTE.setdefault(_route.partition("@")[0], set()).add(_method)
SIGN_IN = "/accounts/sign-in/"


def undone(method, route, actor, world, **more):
    """The answer of a request whose traces are taken back."""
    with transaction.atomic():
        response = knock(method, route, actor, world, **more)
        transaction.set_rollback(True)
    return response


def shown(response):
    """The answer in the words of the table."""
    if response.status_code == 302 and response["Location"].startswith(f"{SIGN_IN}?next="):
        return "in"
    return str(response.status_code)


def test_every_route_has_its_rows():
    """A route that the table does not know fails, and so does a row without a route."""
    assert set(BY_ROUTE) == set(all_routes())
    keys = [(method, route) for method, route, _ in ROWS]
    assert len(keys) == len(set(keys))


@pytest.mark.parametrize(
    ("method", "route", "expected"), ROWS, ids=[f"{method} {route}" for method, route, _ in ROWS]
)
def test_each_caller_gets_the_answer_of_the_table(world, method, route, expected):
    """All ten callers, one row."""
    found = {actor: shown(undone(method, route, actor, world)) for actor in ACTORS}
    assert found == expected


@pytest.mark.parametrize("route", sorted(BY_ROUTE))
def test_a_method_without_a_row_is_not_allowed(world, route):
    """405 for the architect: what the table leaves out does not exist."""
    for method in METHODS:
        if method not in BY_ROUTE[route]:
            response = undone(method, route, "architect", world)
            assert response.status_code == 405, (method, route, response.status_code)


def test_the_table_keeps_the_rules():
    """Reads, writes and foreign objects follow one rule each, so that a row cannot be bent."""
    for method, route, answers in ROWS:
        name, _, subject = route.partition("@")
        path = all_routes()[name]
        if answers["stranger"] not in {"401", "in"}:
            assert name.startswith(("accounts:sign", "hardware_catalog:agent")) or name in {
                "healthz",
                "schema",
                "swagger",
                "planner:front",
                "planner:reconcile",
                "planner:reconcile_example",
                "hardware_catalog:accuracy",
            }
            continue
        api = path.startswith("/api/")
        assert answers["stranger"] == ("401" if api else "in")
        assert answers["finance"] == answers["viewer"]
        reads = method == "GET" and answers["finance"] == answers["architect"]
        stores_nothing = route == "planner:quotes"
        assert reads or stores_nothing or answers["finance"] == "403", route
        if api:
            assert answers["revoked"] == answers["expired"] == "403"
            assert answers["write"] == answers["architect"]
            assert answers["read"] == (answers["architect"] if method == "GET" else "403")
            assert (answers["upload"] == "403") != (
                (method, name) == ("POST", "api_benchmark_runs")
            )
        else:
            assert {answers[token] for token in ACTORS[5:]} == {"in"}
        foreign = not any(part in path for part in (":kind>", ":example>"))  # the same for all
        if subject == "picked" or ("<" in path and subject != "shared" and foreign):
            assert answers["other"] == "404", route


@pytest.mark.parametrize("route", sorted(r for r in BY_ROUTE if r.startswith("api_")))
def test_what_the_api_says_of_itself_needs_a_sign_in_too(world, route):
    """OPTIONS: 401 for a stranger, nothing of the object for another organisation."""
    assert undone("OPTIONS", route, "stranger", world).status_code == 401
    answer = undone("OPTIONS", route, "other", world)
    assert answer.status_code in {200, 404}
    assert world.mine.scenario.name not in answer.content.decode()
    assert world.mine.entry.name not in answer.content.decode()


@pytest.mark.parametrize(
    ("method", "route"),
    [
        (method, route)
        for method, route, _ in ROWS
        if method != "GET" and not route.startswith("accounts:sign_in")
    ],
)
def test_a_session_writes_only_with_the_csrf_token(world, method, route):
    """403 without it: another site cannot use the session of an architect."""
    response = undone(method, route, "architect", world, enforce_csrf_checks=True)
    assert response.status_code == 403


def test_the_problem_of_a_refusal_names_no_object(world):
    """401, 403 and 404 of the API are problem documents that say nothing of what is there."""
    for method, route, answers in ROWS:
        first = {answer: actor for actor, answer in reversed(answers.items())}
        for answer, actor in first.items():
            if answer not in {"401", "403", "404"} or route not in BY_ROUTE:
                continue
            if not all_routes()[route].startswith("/api/"):
                continue
            response = undone(method, route, actor, world)
            assert response["Content-Type"] == "application/problem+json"
            problem = response.json()
            assert problem["status"] == int(answer)
            assert set(problem) == {"status", "code", "title"}
            assert world.mine.scenario.name not in response.content.decode()
            if answer == "401":
                assert response["WWW-Authenticate"].startswith("Bearer")

"""Sending what cannot be used, and reading the refusal."""

from __future__ import annotations

import json

from django.apps import apps
from django.db import connection

from tests.api.world import chat_document


def row_counts():
    """Rows of every table of the product."""
    models = [
        model
        for app in ("accounts", "hardware_catalog", "planner")
        for model in apps.get_app_config(app).get_models()
    ]
    parts = [f"(select count(*) from {model._meta.db_table})" for model in models]
    with connection.cursor() as cursor:
        cursor.execute("select " + ", ".join(parts))
        return dict(zip((model._meta.label for model in models), cursor.fetchone(), strict=True))


def send(client, url, body, method="POST", content_type="application/json", **headers):
    """Send a body: text and bytes as they are, anything else as JSON."""
    if not isinstance(body, (str, bytes)):
        body = json.dumps(body)
    return client.generic(method, url, body, content_type=content_type, headers=headers)


def refused(response, *statuses):
    """The errors of a refusal: a problem document, each error with field, message and mend."""
    assert response.status_code in (statuses or (400, 422)), response.content[:500]
    assert response["Content-Type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == response.status_code
    assert problem["code"]
    assert problem["title"]
    assert problem["errors"]
    for error in problem["errors"]:
        assert error["field"], error
        assert error["message"], error
        assert error["mend"], error
    return {error["field"]: error for error in problem["errors"]}


def changed(path, value, document=None):
    """The chat document with another value at a path; a path of one more key adds it."""
    document = document or chat_document()
    place = document
    for part in path[:-1]:
        place = place[part]
    place[path[-1]] = value
    return document

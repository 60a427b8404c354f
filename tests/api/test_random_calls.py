"""Random calls of the shape that the description allows: no operation ever fails with 5xx."""

from __future__ import annotations

import json
from urllib.parse import quote, urlencode

import pytest
from django.db import transaction
from drf_spectacular.generators import SchemaGenerator
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.api.refusals import row_counts
from tests.api.world import chat_document, run_document

DESCRIPTION = json.loads(json.dumps(SchemaGenerator().get_schema(public=True), default=str))
OPERATIONS = {
    operation["operationId"]: (method, path, operation)
    for path, item in DESCRIPTION["paths"].items()
    for method, operation in item.items()
    if method in {"get", "post", "put", "patch", "delete"}
}
TEXT = st.one_of(
    st.sampled_from(
        ["", "h100", "h100-sxm", "device", "\x00", "%", "'", "gpu ", "2026-11", "\u202e"]
    ),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
)
WHOLE = st.one_of(st.integers(-2, 60), st.sampled_from([0, 1, 2**31, 2**63, 10**30, -(10**30)]))
# Names and values that a description of the shape cannot say, so that some calls go deep.
KNOWN = {
    "document": st.one_of(
        st.just(chat_document()), st.dictionaries(TEXT, st.one_of(TEXT, WHOLE), max_size=3)
    ),
    "figures": st.dictionaries(
        st.sampled_from(["memory_gb", "tdp_w", "idle_w", "nothing"]),
        st.one_of(
            st.none(),
            st.fixed_dictionaries(
                {"value": st.floats(allow_nan=False, allow_infinity=False)},
                optional={"low": st.floats(0, 1e6), "status": TEXT, "source": TEXT, "as_of": TEXT},
            ),
        ),
        max_size=3,
    ),
    "series": st.sampled_from(["price_usd", "nothing"]),
}


def values(schema):
    """Values of the shape of a schema."""
    if "$ref" in schema:
        name = schema["$ref"].rpartition("/")[2]
        return values(DESCRIPTION["components"]["schemas"][name])
    for word in ("allOf", "oneOf", "anyOf"):
        if word in schema:
            return st.one_of(*(values(part) for part in schema[word]))
    if "enum" in schema:
        return st.sampled_from(schema["enum"])
    kind = schema.get("type")
    if kind == "object":
        names = schema.get("properties", {})
        if not names:
            inner = schema.get("additionalProperties")
            inner = values(inner) if isinstance(inner, dict) and inner else TEXT
            return st.dictionaries(TEXT, inner, max_size=3)
        members = {name: KNOWN.get(name, values(part)) for name, part in names.items()}
        needed = set(schema.get("required", ()))
        return st.fixed_dictionaries(
            {name: part for name, part in members.items() if name in needed},
            optional={name: part for name, part in members.items() if name not in needed},
        )
    if kind == "array":
        return st.lists(values(schema["items"]), max_size=3)
    if kind == "integer":
        return WHOLE
    if kind == "number":
        return st.floats(allow_nan=False, allow_infinity=False)
    if kind == "boolean":
        return st.booleans()
    return st.uuids().map(str) if schema.get("format") == "uuid" else TEXT


def ids(world, path):
    """Ids for the address: those that exist, in both organisations, and any others."""
    known = [world.mine.scenario.pk, world.theirs.scenario.pk, world.mine.projection.pk]
    if "catalog" in path:
        known = [world.mine.entry.pk, world.theirs.entry.pk, world.shared.pk]
    return st.one_of(st.sampled_from(known), st.integers(0, 2**70))


def calls(world, path, operation):
    """Calls of an operation: (address, headers, body)."""
    places = {"path": {}, "query": {}, "header": {}}
    for one in operation.get("parameters", ()):
        if one["in"] == "path" and one["schema"].get("format") == "uuid":
            part = st.one_of(st.sampled_from([world.mine.run_id, world.theirs.run_id]), st.uuids())
        elif one["in"] == "path" and one["name"] != "number":
            part = ids(world, path)
        elif one["in"] == "path":
            part = st.integers(0, 2**70)
        elif one["name"] == "If-Match":
            part = st.sampled_from(["*", "", '"r1-0123456789abcdef"', "W/*", '"r999999999-"', "x"])
        elif one["in"] == "header":
            part = st.sampled_from(["", "gzip", "x", "sha-256=:AAAA:", "identity"])
        else:
            part = values(one["schema"])
        places[one["in"]][one["name"]] = part
    body = st.none()
    if "requestBody" in operation:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        body = values(schema)
        if "benchmark-runs" in path:
            body = st.one_of(body, st.builds(run_document, st.sampled_from(["A 1", "Ada CPU 1"])))
    return st.tuples(
        st.fixed_dictionaries(places["path"]),
        st.fixed_dictionaries({}, optional=places["query"]),
        st.fixed_dictionaries({}, optional=places["header"]),
        body,
    )


@pytest.mark.parametrize("operation_id", sorted(OPERATIONS))
def test_no_call_of_the_described_shape_fails(world, operation_id):
    """An answer that the description lists, and no row more or less after a refusal."""
    method, path, operation = OPERATIONS[operation_id]
    client = world.client("write")

    @settings(
        max_examples=30 if "requestBody" in operation else 15,
        deadline=None,
        suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
        database=None,
    )
    @given(call=calls(world, path, operation))
    def check(call):
        places, query, headers, body = call
        url = path
        for name, value in places.items():
            url = url.replace(f"{{{name}}}", quote(str(value), safe=""))
        with transaction.atomic():
            before = row_counts()
            response = client.generic(
                method.upper(),
                f"{url}?{urlencode(query)}" if query else url,
                "" if body is None else json.dumps(body),
                content_type="application/json",
                headers=headers,
            )
            if response.status_code >= 400:
                assert row_counts() == before
            transaction.set_rollback(True)
        assert response.status_code < 500, response.content[:300]
        assert str(response.status_code) in operation["responses"], response.content[:300]

    check()

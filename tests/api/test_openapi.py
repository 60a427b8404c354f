"""The API's description: valid, complete, as written in docs/, and true."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import yaml
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.renderers import OpenApiYamlRenderer
from openapi_schema_validator import OAS30Validator
from openapi_spec_validator import OpenAPIV30SpecValidator
from referencing import Registry, Resource
from referencing.jsonschema import DRAFT4

from tests.api.knocks import all_routes, knock
from tests.api.permission_table import rows

SNAPSHOT = Path(__file__).resolve().parents[2] / "docs" / "reference" / "openapi.yaml"
METHODS = {"get", "post", "put", "patch", "delete"}
API_ROWS = [row for row in rows() if row[1].startswith("api_")]


@pytest.fixture(scope="module")
def document():
    """The description as it is served, read back from its text."""
    return yaml.safe_load(rendered())


def rendered():
    """The text of the description."""
    return OpenApiYamlRenderer().render(SchemaGenerator().get_schema(public=True)).decode()


def operations(document):
    """(method, path, operation) of the whole description."""
    return [
        (method, path, operation)
        for path, item in document["paths"].items()
        for method, operation in item.items()
        if method in METHODS
    ]


def path_of(route):
    """The path of a route as the description writes it: {pk} is the id."""
    path = re.sub(r"<(?:\w+:)?(\w+)>", r"{\1}", all_routes()[route.partition("@")[0]])
    return path.replace("{pk}", "{id}")


def operation_of(document, method, route):
    """The description of a row of the permission table."""
    paths = document["paths"]
    path = path_of(route)
    return paths.get(path, paths.get(path.replace("{id}", "{pk}")))[method.lower()]


def test_the_description_is_valid_openapi(document):
    """No error of openapi-spec-validator."""
    assert list(OpenAPIV30SpecValidator(document).iter_errors()) == []


def test_the_description_covers_the_api(document):
    """Each method of the permission table is an operation, and there are no others."""
    described = {
        (method.upper(), path.replace("{pk}", "{id}")) for method, path, _ in operations(document)
    }
    assert described == {(method, path_of(route)) for method, route, _ in API_ROWS}
    ids = [operation["operationId"] for _, _, operation in operations(document)]
    assert len(ids) == len(set(ids))


def test_each_operation_says_what_it_does_and_what_it_answers(document):
    """A sentence, one answer of 2xx with a schema, and every refusal as a problem document."""
    for method, path, operation in operations(document):
        at = f"{method} {path}"
        assert operation.get("summary") or operation.get("description"), at
        answers = operation["responses"]
        good = {status for status in answers if status.startswith("2")}
        assert good, at
        for status in good - {"204"}:
            assert answers[status]["content"]["application/json"]["schema"], at
        refused = set(answers) - good
        assert {"401", "403"} <= refused, at
        assert ("404" in refused) >= ("{" in path), at
        assert ({"400", "413", "415"} <= refused) >= ("requestBody" in operation), at
        for status in refused:
            assert list(answers[status]["content"]) == ["application/problem+json"], (at, status)
            assert answers[status]["description"].startswith("Problem document"), (at, status)


def test_each_answer_of_the_permission_table_is_described(document):
    """Whatever a caller can get there stands in the description."""
    for method, route, answers in API_ROWS:
        described = set(operation_of(document, method, route)["responses"])
        assert set(answers.values()) <= described, (method, route)


def test_the_page_in_the_docs_is_the_description():
    """docs/reference/openapi.yaml is what the code says; `make docs` writes it."""
    assert SNAPSHOT.read_text(encoding="utf-8") == rendered()


def faults(document, schema, body):
    """What of a body does not fit its schema."""
    resource = Resource(contents=document, specification=DRAFT4)
    registry = Registry().with_resource("urn:api", resource)
    text = yaml.safe_dump(schema).replace("'#/components", "'urn:api#/components")
    validator = OAS30Validator(yaml.safe_load(text), registry=registry)
    return [f"{list(error.path)}: {error.message[:200]}" for error in validator.iter_errors(body)]


@pytest.mark.parametrize(
    ("method", "route"), [(m, r) for m, r, _ in API_ROWS], ids=[f"{m} {r}" for m, r, _ in API_ROWS]
)
def test_answers_are_what_the_description_says(world, document, method, route):
    """The body of the architect's answer, and of a stranger's refusal, fit their schemas."""
    operation = operation_of(document, method, route)
    for actor in ("architect", "stranger"):
        response = knock(method, route, actor, world)
        described = operation["responses"][str(response.status_code)]
        if response.status_code == 204:
            assert response.content == b""
            continue
        ((media, content),) = described["content"].items()
        assert response["Content-Type"] == media
        assert faults(document, content["schema"], response.json()) == []


def test_the_comparison_of_bodies_bites(document):
    """A body without what is required, or of the wrong type, is found."""
    schema = {"$ref": "#/components/schemas/Problem"}
    assert faults(document, schema, {"status": 404, "code": "x", "title": "y"}) == []
    assert len(faults(document, schema, {"status": "404", "code": "x"})) == 2

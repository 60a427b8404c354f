"""What every operation of the API's description says of refusals: problem documents (RFC 9457)."""

from __future__ import annotations

from typing import Any

from config.problem import PROBLEM_TYPE

METHODS = {"get", "post", "put", "patch", "delete"}
PROBLEM: dict[str, Any] = {
    "type": "object",
    "description": "A problem document. Answers may carry more members, each named where it is.",
    "properties": {
        "status": {"type": "integer", "description": "The HTTP status."},
        "code": {"type": "string", "description": "Stable, for programs."},
        "title": {"type": "string", "description": "One sentence, for people."},
        "errors": {
            "type": "array",
            "description": "Each field that cannot be used, with what is wrong and the mend.",
            "items": {
                "type": "object",
                "properties": {
                    "field": {"type": "string", "description": "Path in the scenario or entry."},
                    "pointer": {"type": "string", "description": "JSON pointer into the body."},
                    "code": {"type": "string"},
                    "message": {"type": "string"},
                    "mend": {"type": "string"},
                },
                "required": ["message"],
            },
        },
    },
    "required": ["status", "code", "title"],
}
NO_TOKEN = "Problem document: no sign-in and no usable token."
FORBIDDEN = "Problem document: the role or the scope does not allow it, or the token is revoked."
MALFORMED = "Problem document: no JSON, or members of the wrong type."
QUERY = "Problem document: a filter has a value that is not among its choices."
TOO_LARGE = "Problem document: the body is too large."
NOT_JSON = "Problem document: the body is not application/json."
MISSING = "Problem document: no such object here."
NO_PAGE = "Problem document: there is no such page of the list."


def _refusals(operation: dict[str, Any]) -> dict[str, str]:
    """Return the refusals that follow from the shape of an operation, by status."""
    found = {"401": NO_TOKEN, "403": FORBIDDEN}
    places = {(one["in"], one["name"]) for one in operation.get("parameters", ())}
    if "requestBody" in operation:
        found |= {"400": MALFORMED, "413": TOO_LARGE, "415": NOT_JSON}
    elif any(place == "query" for place, _ in places):
        found["400"] = QUERY
    if any(place == "path" for place, _ in places):
        found["404"] = MISSING
    elif ("query", "page") in places:
        found["404"] = NO_PAGE
    return found


def problem_answers(result: dict[str, Any], **context: Any) -> dict[str, Any]:
    """Give every operation its refusals, all with the one schema: a hook of drf-spectacular."""
    result.setdefault("components", {}).setdefault("schemas", {})["Problem"] = PROBLEM
    content = {PROBLEM_TYPE: {"schema": {"$ref": "#/components/schemas/Problem"}}}
    for path in result["paths"].values():
        for method, operation in path.items():
            if method not in METHODS:
                continue
            answers = operation["responses"]
            for status, text in _refusals(operation).items():
                answers.setdefault(status, {"description": text})
            for status, answer in answers.items():
                if status.startswith("4"):
                    answer["content"] = content
            operation["responses"] = dict(sorted(answers.items()))
    return result

"""One error shape for the whole API: RFC 9457 problem documents."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.conf import settings
from django.core.exceptions import PermissionDenied, RequestDataTooBig, ValidationError
from django.http import Http404, JsonResponse
from rest_framework import exceptions
from rest_framework.response import Response
from rest_framework.views import exception_handler

from tco.errors import InputError, InputErrors

PROBLEM_TYPE = "application/problem+json"
MEND = "send a value of the kind that the description at /api/v1/docs/ names"
MENDS = {
    "required": "send it",
    "null": "send a value",
    "blank": "send a text that is not empty",
    "empty": "send at least one",
    "max_length": "send a shorter text",
    "invalid_choice": "choose one of those that the description at /api/v1/docs/ lists",
    "null_characters_not_allowed": "type the text again",
    "surrogate_characters_not_allowed": "type the text again",
    "unknown": "leave it out, or mend its name",
}


class Problem(exceptions.APIException):
    """An error with a stable code and, where it helps, a list of field errors."""

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        errors: list[dict[str, str]] | None = None,
        **more: Any,
    ) -> None:
        self.status_code = status
        self.code = code
        self.errors = errors or []
        self.more = more
        super().__init__(detail, code)


def too_large() -> Problem:
    """Return the answer to a body beyond DATA_UPLOAD_MAX_MEMORY_SIZE."""
    most = f"{settings.DATA_UPLOAD_MAX_MEMORY_SIZE:,} bytes"
    error = {"field": "body", "message": f"longer than {most}", "mend": "send a smaller one"}
    return Problem(413, "too_large", f"The body is longer than {most}.", [error])


def _field_errors(detail: Any, path: str = "") -> list[dict[str, str]]:
    """Flatten DRF's nested errors into a list of {pointer, field, message, mend}."""
    if isinstance(detail, Mapping):
        return [
            error
            for key, value in detail.items()
            for error in _field_errors(value, f"{path}/{key}")
        ]
    if isinstance(detail, (list, tuple)):
        errors: list[dict[str, str]] = []
        for index, value in enumerate(detail):
            nested = isinstance(value, (Mapping, list, tuple))
            errors += _field_errors(value, f"{path}/{index}" if nested else path)
        return errors
    code = getattr(detail, "code", None)
    return [
        {
            "pointer": path or "/",
            "field": _field(path),
            "message": str(detail),
            "mend": MENDS.get(str(code), MEND),
        }
    ]


def _field(path: str) -> str:
    """Return a pointer as the path that errors of documents use: /prices/0/low is prices[0].low."""
    field = ""
    for part in path.split("/")[1:]:
        if part in {"non_field_errors", "__all__"}:
            continue
        field += f"[{part}]" if part.isdecimal() else f".{part}" if field else part
    return field or "body"


def input_errors(error: InputError | InputErrors) -> list[dict[str, str]]:
    """Errors of the engine's door as problem entries."""
    found = error.errors if isinstance(error, InputErrors) else (error,)
    return [{"field": e.field or "document", "message": e.message, "mend": e.mend} for e in found]


def problem_handler(exc: Exception, context: dict[str, Any]) -> Response | None:
    """Turn every expected exception into a problem document."""
    if isinstance(exc, (InputError, InputErrors)):
        exc = Problem(422, "invalid_input", "The input cannot be used.", input_errors(exc))
    elif isinstance(exc, ValidationError):
        exc = exceptions.ValidationError(
            exc.message_dict if hasattr(exc, "error_dict") else exc.messages
        )
    elif isinstance(exc, RequestDataTooBig):
        exc = too_large()
    elif isinstance(exc, exceptions.UnsupportedMediaType):
        kind = {"field": "Content-Type", "message": str(exc.detail), "mend": "send JSON"}
        exc = Problem(415, "unsupported_media_type", str(exc.detail), [kind])
    elif isinstance(exc, Http404):
        exc = exceptions.NotFound("There is no such object here.")
    elif isinstance(exc, PermissionDenied):
        exc = exceptions.PermissionDenied()
    response = exception_handler(exc, context)
    if response is None:
        return None
    body: dict[str, Any] = {"status": response.status_code}
    if isinstance(exc, Problem):
        body |= {"code": exc.code, "title": str(exc.detail), "errors": exc.errors, **exc.more}
    elif isinstance(exc, exceptions.ValidationError):
        body |= {
            "code": "invalid",
            "title": "Some fields cannot be used.",
            "errors": _field_errors(exc.detail),
        }
    elif isinstance(exc, exceptions.APIException):
        codes = exc.get_codes()
        body |= {"code": codes if isinstance(codes, str) else "error", "title": str(exc.detail)}
        # Rooms below this one raise exceptions of their own with the same attributes.
        if errors := getattr(exc, "errors", None):
            body["errors"] = errors
        body |= getattr(exc, "more", {})
    response.data = body
    response.content_type = PROBLEM_TYPE
    return response


def problem_response(status: int, code: str, title: str) -> JsonResponse:
    """Return a problem document from outside DRF (404 and 500 under /api/)."""
    return JsonResponse(
        {"status": status, "code": code, "title": title},
        status=status,
        content_type=PROBLEM_TYPE,
    )

"""The API's door for JSON: bounded, without duplicate names, NaN or text that nobody can store."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import IO, Any

from django.conf import settings
from rest_framework.parsers import JSONParser

from config.problem import Problem, too_large
from tco.document.parse import path_to

MAX_DEPTH = 64


def _malformed(message: str, mend: str, field: str = "body") -> Problem:
    error = {"field": field, "message": message, "mend": mend}
    return Problem(400, "malformed_json", "The body cannot be read as JSON.", [error])


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        shown = twice.encode("utf-8", "replace").decode()[:60]
        raise _malformed(f"{shown} is there twice in one object", "keep one of the two", shown)
    return found


def _half_a_pair(text: str) -> bool:
    return any("\ud800" <= letter <= "\udfff" for letter in text)


def _check(body: Any) -> None:
    """Refuse what JSON can write and no store, page or terminal takes; iterative, so bounded."""
    level: list[tuple[str, Any]] = [("", body)]
    depth = 0
    while level:
        depth += 1
        if depth > MAX_DEPTH:
            raise _malformed(f"nested deeper than {MAX_DEPTH} levels", "send fewer levels")
        below: list[tuple[str, Any]] = []
        for path, value in level:
            if isinstance(value, dict):
                if any(_half_a_pair(name) for name in value):
                    raise _malformed(
                        "a name holds half a surrogate pair", "type it again", path or "body"
                    )
                below.extend((path_to(path, name), item) for name, item in value.items())
            elif isinstance(value, list):
                below.extend((path_to(path, index), item) for index, item in enumerate(value))
            elif isinstance(value, str) and _half_a_pair(value):
                raise _malformed(
                    "the text holds half a surrogate pair", "type it again", path or "body"
                )
            elif isinstance(value, float) and not math.isfinite(value):
                raise _malformed(
                    f"{value} is not a finite number", "enter a number", path or "body"
                )
        level = below


class StrictJSONParser(JSONParser):
    """JSON of at most DATA_UPLOAD_MAX_MEMORY_SIZE bytes; what is ambiguous is refused.

    Raises
    ------
    config.problem.Problem
        413 for a longer body; 400 with field and mend for text that is not UTF-8 or not JSON, a
        name that is twice in one object, numbers that are not finite or have thousands of digits,
        halves of surrogate pairs and more than 64 levels.
    """

    def parse(
        self,
        stream: IO[Any],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Read a body."""
        most: int = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
        data = stream.read(most + 1)
        if len(data) > most:
            raise too_large()
        try:
            body = json.loads(data.decode("utf-8-sig"), object_pairs_hook=_unique)
        except UnicodeDecodeError:
            raise _malformed("the body is not UTF-8", "send UTF-8") from None
        except json.JSONDecodeError as error:
            place = f"line {error.lineno}, column {error.colno}"
            raise _malformed(f"{error.msg} at {place}", "mend the JSON there") from None
        except RecursionError:
            raise _malformed(
                f"nested deeper than {MAX_DEPTH} levels", "send fewer levels"
            ) from None
        except ValueError:
            raise _malformed("a number has thousands of digits", "enter a shorter one") from None
        _check(body)
        return body

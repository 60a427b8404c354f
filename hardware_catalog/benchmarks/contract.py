"""The door for `bench-run` documents: strict JSON, JSON Schema, references, digest.

Nothing unchecked gets past `read_document`. The schema is `schema/bench_run.v1.json`, the same
bytes as the agent's copy.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import math
from datetime import datetime
from functools import cache
from pathlib import Path
from typing import Any

import jsonschema_rs

from hardware_catalog.benchmarks.errors import UploadRefused

Document = dict[str, Any]

SCHEMA_PATH = Path(__file__).resolve().parent / "schema" / "bench_run.v1.json"
SUPPORTED_MAJORS = (1,)
DEPTH_MAX = 8
INTEGER_DIGITS_MAX = 18
ERRORS_MAX = 20


@cache
def _validator() -> Any:
    schema = json.loads(SCHEMA_PATH.read_text(encoding="utf-8"))
    return jsonschema_rs.Draft202012Validator(schema)


def read_document(data: bytes) -> Document:
    """Return the document that `data` holds, checked.

    Raises
    ------
    UploadRefused
        400 `malformed_json`; 422 `schema_unsupported` (with `supported`), `invalid_document` (with
        pointers), `content_digest_mismatch`.
    """
    document = _parse(data)
    _check_text_and_depth(document)
    _check_version(document)
    _check_schema(document)
    _check_meaning(document)
    _check_content_digest(document)
    return document


def content_sha256(document: Document) -> str:
    """Return SHA-256 (hex) of the canonical JSON without `integrity` and `time.sent_at`.

    Canonical means sorted keys, no spaces, text unescaped; `time.sent_at` is rewritten at each
    attempt, so that it cannot be part of the content.

    >>> content_sha256({"b": 1, "a": 2, "integrity": {}}) == content_sha256({"a": 2, "b": 1})
    True
    """
    content = {name: value for name, value in document.items() if name != "integrity"}
    moment = content.get("time")
    if isinstance(moment, dict):
        content["time"] = {name: value for name, value in moment.items() if name != "sent_at"}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def _malformed(detail: str) -> UploadRefused:
    return UploadRefused(400, "malformed_json", detail)


def _invalid(errors: list[dict[str, str]]) -> UploadRefused:
    count = "One member" if len(errors) == 1 else f"{len(errors)} members"
    return UploadRefused(
        422, "invalid_document", f"{count} of the document cannot be used.", errors
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        names = [name for name, _ in pairs]
        twice = next(name for name in names if names.count(name) > 1)
        raise _malformed(f"The member {twice[:60]!r} appears twice in one object.")
    return members


def _no_constant(name: str) -> float:
    raise _malformed(f"{name} is not a JSON number.")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise _malformed(f"The number {text[:30]} is out of range.")
    return number


def _integer(text: str) -> int:
    if len(text.lstrip("-")) > INTEGER_DIGITS_MAX:
        raise _malformed(f"A whole number has more than {INTEGER_DIGITS_MAX} digits.")
    return int(text)


def _parse(data: bytes) -> Document:
    try:
        value = json.loads(
            data.decode("utf-8"),
            object_pairs_hook=_unique,
            parse_constant=_no_constant,
            parse_float=_finite,
            parse_int=_integer,
        )
    except UnicodeDecodeError:
        raise _malformed("The body is not UTF-8.") from None
    except RecursionError:
        raise _malformed("The document is nested too deep.") from None
    except json.JSONDecodeError as error:
        raise _malformed(
            f"The body is not JSON: {error.msg} at line {error.lineno}, column {error.colno}."
        ) from None
    if not isinstance(value, dict):
        raise _malformed("The body is not a JSON object.")
    return value


def _check_text_and_depth(document: Document) -> None:
    """Refuse nesting beyond the limit and text that cannot be stored or written as UTF-8."""
    level: list[tuple[str, Any]] = [("", document)]
    depth = 0
    while level:
        depth += 1
        if depth > DEPTH_MAX:
            raise _malformed(f"The document is nested deeper than {DEPTH_MAX} levels.")
        below: list[tuple[str, Any]] = []
        for pointer, value in level:
            if isinstance(value, dict):
                children = [(f"{pointer}/{_escape(name)}", item) for name, item in value.items()]
                for name in value:
                    _check_text(pointer, name)
            else:
                children = [(f"{pointer}/{index}", item) for index, item in enumerate(value)]
            for child, item in children:
                if isinstance(item, str):
                    _check_text(child, item)
                elif isinstance(item, (dict, list)):
                    below.append((child, item))
        level = below


def _check_text(pointer: str, text: str) -> None:
    if "\x00" in text or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise _invalid(
            [
                {
                    "pointer": pointer or "/",
                    "code": "text",
                    "message": "The text has a null or half a surrogate pair.",
                }
            ]
        )


def _escape(name: str) -> str:
    """Escape a member name for a JSON pointer (RFC 6901)."""
    safe = name.encode("utf-8", "replace").decode()
    return safe.replace("~", "~0").replace("/", "~1")


def _check_version(document: Document) -> None:
    version = document.get("schema_version")
    if document.get("schema") != "bench-run" or not isinstance(version, str):
        return  # the schema names the fault
    major = version.split(".")[0]
    if major.isascii() and major.isdigit() and int(major[:9]) not in SUPPORTED_MAJORS:
        supported = [f"{number}.x" for number in SUPPORTED_MAJORS]
        raise UploadRefused(
            422,
            "schema_unsupported",
            f"Version {version[:20]} of bench-run is not understood here.",
            [
                {
                    "pointer": "/schema_version",
                    "code": "schema_unsupported",
                    "message": f"Supported: {', '.join(supported)}.",
                }
            ],
            supported=supported,
        )


def _check_schema(document: Document) -> None:
    errors: list[dict[str, str]] = []
    for error in _validator().iter_errors(document):
        pointer = "".join(f"/{_escape(str(part))}" for part in error.instance_path)
        keyword = str(error.schema_path[-1]) if error.schema_path else "schema"
        errors.append(
            {"pointer": pointer or "/", "code": keyword, "message": str(error.message)[:300]}
        )
        if len(errors) == ERRORS_MAX:
            break
    if errors:
        raise _invalid(errors)


def moment(text: str) -> datetime:
    """Return the UTC time that `text` writes; ValueError for a date that never was.

    >>> moment("2026-11-30T19:40:00.123456789Z").microsecond
    123456
    """
    whole, _, rest = text.rstrip("Z").partition(".")
    return datetime.fromisoformat(f"{whole}.{(rest + '000000')[:6]}+00:00")


def _check_meaning(document: Document) -> None:
    """Times exist; each device has its own key, and each result names one of them."""
    errors: list[dict[str, str]] = []
    for name in ("started_at", "finished_at", "sent_at"):
        text = document["time"].get(name)
        try:
            if text is not None:
                moment(text)
        except ValueError:
            errors.append(
                {
                    "pointer": f"/time/{name}",
                    "code": "date",
                    "message": f"{text} is not a time that exists.",
                }
            )
    keys: set[str] = set()
    for index, device in enumerate(document["devices"]):
        if device["key"] in keys:
            errors.append(
                {
                    "pointer": f"/devices/{index}/key",
                    "code": "duplicate",
                    "message": f"The key {device['key']} is taken by an earlier device.",
                }
            )
        keys.add(device["key"])
    for index, result in enumerate(document["results"]):
        if result["device"] not in keys:
            errors.append(
                {
                    "pointer": f"/results/{index}/device",
                    "code": "unknown_device",
                    "message": f"There is no device {result['device']} in the document.",
                }
            )
    if errors:
        raise _invalid(errors[:ERRORS_MAX])


def _check_content_digest(document: Document) -> None:
    stated = str(document["integrity"]["content_sha256"])
    if not hmac.compare_digest(stated, content_sha256(document)):
        raise UploadRefused(
            422,
            "content_digest_mismatch",
            "The document does not have the digest it states.",
            [
                {
                    "pointer": "/integrity/content_sha256",
                    "code": "content_digest_mismatch",
                    "message": "It differs from the digest of the content received.",
                }
            ],
        )

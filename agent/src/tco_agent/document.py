"""The `bench-run` 1.0 document: canonical form, digest, run id and assembly.

The rule of the digest, so that a server can recompute it: take the document without the member
`integrity` and without `time.sent_at` (rewritten at each attempt), write it as canonical JSON, and
take SHA-256 of its UTF-8 bytes.
"""

from __future__ import annotations

import hashlib
import json
import secrets
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from typing import Any

from tco_agent import __version__

SCHEMA_NAME = "bench-run"
SCHEMA_VERSION = "1.0"

Document = dict[str, Any]


def canonical_json(value: object) -> str:
    """Canonical JSON: sorted keys, no spaces, text unescaped, floats as Python's repr.

    NaN and infinities raise ValueError, because JSON has no such numbers.

    >>> canonical_json({"b": 1.50, "a": ["µ", None]})
    '{"a":["µ",null],"b":1.5}'
    """
    return json.dumps(
        value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False
    )


def content_sha256(document: Mapping[str, Any]) -> str:
    """SHA-256 (hex) of the document without `integrity` and without `time.sent_at`.

    The same value whenever the measured content is the same, however often it is sent:

    >>> a = content_sha256({"time": {"sent_at": "x"}, "integrity": {}, "seq": 1})
    >>> a == content_sha256({"time": {}, "seq": 1})
    True
    """
    content = {name: value for name, value in document.items() if name != "integrity"}
    moment = content.get("time")
    if isinstance(moment, Mapping):
        content["time"] = {name: value for name, value in moment.items() if name != "sent_at"}
    return hashlib.sha256(canonical_json(content).encode("utf-8")).hexdigest()


def uuid7(*, unix_ms: int | None = None) -> str:
    """A version 7 UUID (RFC 9562): 48 bits of time in ms, then 74 random bits."""
    ms = time.time_ns() // 1_000_000 if unix_ms is None else unix_ms
    random_bits = secrets.randbits(74)
    number = (ms & ((1 << 48) - 1)) << 80
    number |= 0x7 << 76
    number |= (random_bits >> 62) << 64
    number |= 0b10 << 62
    number |= random_bits & ((1 << 62) - 1)
    text = f"{number:032x}"
    return f"{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}"


def utc_text(unix_ns: int) -> str:
    """UTC time in the form of the schema, to the millisecond.

    >>> utc_text(1_796_067_600_123_456_789)
    '2026-11-30T19:40:00.123Z'
    """
    seconds, rest_ns = divmod(unix_ns, 1_000_000_000)
    moment = datetime.fromtimestamp(seconds, tz=timezone.utc)
    return f"{moment:%Y-%m-%dT%H:%M:%S}.{rest_ns // 1_000_000:03d}Z"


def build_document(
    *,
    run_id: str,
    seq: int,
    prev_sha256: str | None,
    profile: str,
    moment: Mapping[str, Any],
    environment: Mapping[str, Any],
    host: Mapping[str, Any],
    results: list[dict[str, Any]],
    energy: list[dict[str, Any]],
    spool: Mapping[str, int],
) -> Document:
    """Put the parts of a run together and seal them with the digest.

    `environment` has the members node, devices, env, fingerprint; `moment` the member `time`.
    """
    document: Document = {
        "schema": SCHEMA_NAME,
        "schema_version": SCHEMA_VERSION,
        "run_id": run_id,
        "seq": seq,
        "prev_sha256": prev_sha256,
        "profile": profile,
        "agent": {"name": "tco-agent", "version": __version__},
        "time": dict(moment),
        "node": environment["node"],
        "devices": environment["devices"],
        "env": environment["env"],
        "fingerprint": environment["fingerprint"],
        "host": dict(host),
        "results": results,
        "energy": energy,
        "spool": dict(spool),
    }
    document["integrity"] = {"content_sha256": content_sha256(document), "alg": "none"}
    return document


def with_sent_at(document: Mapping[str, Any], unix_ns: int | None = None) -> Document:
    """A copy with `time.sent_at` set to now; the digest stays valid."""
    sent_ns = time.time_ns() if unix_ns is None else unix_ns
    return {**document, "time": {**document["time"], "sent_at": utc_text(sent_ns)}}


def to_bytes(document: Mapping[str, Any]) -> bytes:
    """The bytes that go over the wire: the canonical JSON in UTF-8."""
    return canonical_json(document).encode("utf-8")


def from_bytes(data: bytes) -> Document:
    """Read a document back; ValueError when it isn't one, has NaN or repeats a key."""
    value = json.loads(
        data.decode("utf-8"),
        object_pairs_hook=_unique_members,
        parse_constant=_no_constant,
    )
    if not isinstance(value, dict) or value.get("schema") != SCHEMA_NAME:
        raise ValueError("not a bench-run document")
    return value


def _unique_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("a JSON object repeats a member")
    return members


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a JSON number")

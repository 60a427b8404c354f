"""The document: schema, digest, run id."""

from __future__ import annotations

import copy
import hashlib
import json
import re
from collections.abc import Callable
from typing import Any

import pytest

from tco_agent.document import (
    build_document,
    content_sha256,
    from_bytes,
    to_bytes,
    utc_text,
    uuid7,
    with_sent_at,
)

Errors = Callable[[object], list[str]]


@pytest.fixture
def document(measured: dict[str, Any]) -> dict[str, Any]:
    """A whole document out of a measurement."""
    return build_document(
        run_id=uuid7(), seq=1, prev_sha256=None, spool={"queued": 0, "dropped_runs": 0}, **measured
    )


def test_a_measurement_makes_a_valid_document(
    document: dict[str, Any], schema_errors: Errors
) -> None:
    """What the agent builds is what the schema asks for, before and after the sending time."""
    assert schema_errors(document) == []
    assert schema_errors(with_sent_at(document)) == []


@pytest.mark.parametrize(
    "spoil",
    [
        lambda d: d.pop("fingerprint"),
        lambda d: d.update(run_id="01937c2e-8a7b-4cc1-9f7e-4f1f0b1c2d3e"),
        lambda d: d.update(seq=0),
        lambda d: d.update(profile="fast"),
        lambda d: d["results"][0].update(status="good"),
        lambda d: d["results"][0]["params"].update(colour="red"),
        lambda d: d["results"][0].update(samples_ns=[], blocks=[]),
        lambda d: d["results"][0].update(samples_total=0),
        lambda d: d["results"][0].update(status="failed", reason=""),
        lambda d: d["results"][0].update(rate={"value": 1.0, "unit": "GFLOP/s"}),
        lambda d: d["host"].update(run_delay_share=1.5),
        lambda d: d["energy"].append({"phase": "run", "seconds": 1.0, "source": "x", "joules": 0}),
        lambda d: d["env"].update(vars={"lower": "1"}),
        lambda d: d["node"].update(id="my-host"),
    ],
)
def test_the_schema_refuses_what_is_wrong(
    document: dict[str, Any], schema_errors: Errors, spoil: Callable[[dict[str, Any]], object]
) -> None:
    """One wrong member is enough; 0 J is not a measurement, and params are a closed list."""
    spoil(document)
    assert schema_errors(document) != []


def test_the_schema_lets_unknown_members_pass(
    document: dict[str, Any], schema_errors: Errors
) -> None:
    """A newer minor version may add members."""
    document["later"] = {"x": 1}
    document["results"][0]["later"] = 1
    assert schema_errors(document) == []


def test_digest_follows_the_documented_rule() -> None:
    """SHA-256 of sorted compact JSON without `integrity` and `time.sent_at`, written by hand."""
    document = {
        "b": 1.5,
        "a": "µ",
        "time": {"sent_at": "2026-11-30T00:00:00Z", "duration_ns": 3},
        "integrity": {"alg": "none"},
    }
    text = '{"a":"µ","b":1.5,"time":{"duration_ns":3}}'
    assert content_sha256(document) == hashlib.sha256(text.encode("utf-8")).hexdigest()


def test_digest_survives_sending_and_sees_every_change(document: dict[str, Any]) -> None:
    """A new sending time and a trip through the wire keep it; one nanosecond more does not."""
    sealed = document["integrity"]["content_sha256"]
    assert content_sha256(with_sent_at(document)) == sealed
    assert content_sha256(from_bytes(to_bytes(document))) == sealed
    changed = copy.deepcopy(document)
    changed["results"][0]["samples_ns"][0] += 1
    assert content_sha256(changed) != sealed


def test_sending_time_leaves_the_document_itself_alone(document: dict[str, Any]) -> None:
    """The copy is new; the kept document has no sending time."""
    with_sent_at(document)
    assert "sent_at" not in document["time"]


def test_run_ids_are_uuid_seven_and_sort_by_time() -> None:
    """Version 7, variant 10, the first 48 bits the milliseconds, never the same twice."""
    first, second = uuid7(unix_ms=0x0192_0000_0001), uuid7(unix_ms=0x0192_0000_0002)
    pattern = r"[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}"
    assert re.fullmatch(pattern, first)
    assert first.startswith("01920000-0001-7")
    assert first < second
    assert len({uuid7(unix_ms=1) for _ in range(200)}) == 200


def test_nan_and_repeated_members_are_refused() -> None:
    """JSON has no NaN; a repeated member could hide another value."""
    with pytest.raises(ValueError, match="Out of range"):
        to_bytes({"x": float("nan")})
    with pytest.raises(ValueError, match="NaN"):
        from_bytes(b'{"schema":"bench-run","x":NaN}')
    with pytest.raises(ValueError, match="repeats"):
        from_bytes(b'{"schema":"bench-run","seq":1,"seq":2}')
    with pytest.raises(ValueError, match="not a bench-run"):
        from_bytes(json.dumps({"schema": "other"}).encode())


def test_utc_keeps_the_milliseconds_below_a_tenth() -> None:
    """7 ms are .007 and not .7."""
    assert utc_text(7_000_000) == "1970-01-01T00:00:00.007Z"

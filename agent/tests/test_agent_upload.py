"""What the agent does with each answer of a server."""

from __future__ import annotations

import base64
import hashlib
import socket
from email.utils import formatdate
from pathlib import Path
from typing import Any

import pytest
from agent_fakes import RunServer

from tco_agent.document import build_document, content_sha256, from_bytes, uuid7
from tco_agent.drain import BYTES_PER_S, drain
from tco_agent.errors import AgentError, ExitCode
from tco_agent.spool import Spool
from tco_agent.upload import Uploader, endpoint, sends_token_in_clear

TOKEN = "bma_7_" + "k" * 43


class Pauses:
    """A clock that moves only by the pauses asked for."""

    def __init__(self) -> None:
        self.now_s = 0.0
        self.asked: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.asked.append(seconds)
        self.now_s += seconds

    def clock(self) -> float:
        return self.now_s


def uploader(url: str, pauses: Pauses, patience_s: float = 60.0) -> Uploader:
    """An uploader that pauses as long as it may, without waiting."""
    return Uploader(
        endpoint(url),
        TOKEN,
        patience_s=patience_s,
        sleep=pauses.sleep,
        clock_s=pauses.clock,
        chance=lambda low, high: high,
    )


def a_run(measured: dict[str, Any], seq: int = 1) -> dict[str, Any]:
    """A whole document."""
    return build_document(
        run_id=uuid7(),
        seq=seq,
        prev_sha256=None,
        spool={"queued": 0, "dropped_runs": 0},
        **measured,
    )


def test_the_request_says_what_it_carries(server: RunServer, measured: dict[str, Any]) -> None:
    """Path, token, run id as idempotency key, digest of the very bytes, and a sealed document."""
    document = a_run(measured)
    outcome = uploader(server.url, Pauses()).upload(document)
    assert (outcome.kind, outcome.exit_code) == ("done", ExitCode.OK)
    assert "trusted" in outcome.text
    assert "/measurements/1/" in outcome.text
    [request] = server.received
    assert request.path == "/api/v1/benchmark-runs/"
    assert request.headers["Authorization"] == f"Bearer {TOKEN}"
    assert request.headers["Idempotency-Key"] == document["run_id"]
    assert request.headers["Content-Type"] == "application/json"
    digest = base64.b64encode(hashlib.sha256(request.body).digest()).decode()
    assert request.headers["Content-Digest"] == f"sha-256=:{digest}:"
    sent = from_bytes(request.body)
    assert sent["time"]["sent_at"]
    assert content_sha256(sent) == document["integrity"]["content_sha256"]


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503])
def test_what_may_pass_is_tried_again(
    server: RunServer, measured: dict[str, Any], status: int
) -> None:
    """Two refusals and then an answer: done, after pauses of at most 2 s and 4 s."""
    server.answers = [(status, {}, b""), (status, {}, b""), (200, {}, b'{"verdict":"degraded"}')]
    pauses = Pauses()
    outcome = uploader(server.url, pauses).upload(a_run(measured))
    assert outcome.kind == "done"
    assert pauses.asked == [2.0, 4.0]
    assert len({r.headers["Idempotency-Key"] for r in server.received}) == 1


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_honoured(server: RunServer, measured: dict[str, Any], form: str) -> None:
    """In both forms of the header: no attempt comes before it."""
    import time

    value = "17" if form == "seconds" else formatdate(time.time() + 17, usegmt=True)
    server.answers = [(429, {"Retry-After": value}, b""), (201, {}, b"{}")]
    pauses = Pauses()
    assert uploader(server.url, pauses).upload(a_run(measured)).kind == "done"
    assert pauses.asked == [pytest.approx(17, abs=2)]


def test_patience_ends_and_the_run_is_kept(server: RunServer, measured: dict[str, Any]) -> None:
    """Pauses of 2, 4, 8 and 16 s fit into 40 s, the next would not: kept, exit code 5."""
    server.answers = [(503, {}, b"")]
    pauses = Pauses()
    outcome = uploader(server.url, pauses, patience_s=40.0).upload(a_run(measured))
    assert (outcome.kind, outcome.exit_code) == ("kept", ExitCode.NOT_UPLOADED)
    assert pauses.asked == [2.0, 4.0, 8.0, 16.0]


def test_a_long_retry_after_ends_it_at_once(server: RunServer, measured: dict[str, Any]) -> None:
    """An hour is more than the patience: it doesn't sit through it."""
    server.answers = [(503, {"Retry-After": "3600"}, b"")]
    pauses = Pauses()
    assert uploader(server.url, pauses).upload(a_run(measured)).kind == "kept"
    assert pauses.asked == []


def test_a_server_that_is_away_keeps_the_run(measured: dict[str, Any]) -> None:
    """Nothing listens: kept, with the reason."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    outcome = uploader(url, Pauses(), patience_s=0.0).upload(a_run(measured))
    assert (outcome.kind, outcome.exit_code) == ("kept", ExitCode.NOT_UPLOADED)
    assert "refused" in outcome.text


@pytest.mark.parametrize(
    ("status", "body", "kind", "code"),
    [
        (400, b'{"title":"bad digest"}', "rejected", ExitCode.REJECTED),
        (409, b"", "rejected", ExitCode.REJECTED),
        (413, b"", "rejected", ExitCode.REJECTED),
        (415, b"", "rejected", ExitCode.REJECTED),
        (422, b'{"errors":[{"pointer":"/seq","code":"min"}]}', "rejected", ExitCode.REJECTED),
        (422, b'{"code":"schema_unsupported"}', "kept", ExitCode.NOT_UPLOADED),
        (401, b"", "kept", ExitCode.TOKEN),
        (403, b"", "kept", ExitCode.TOKEN),
        (404, b"<html>", "kept", ExitCode.NOT_UPLOADED),
    ],
)
def test_a_final_answer_is_not_tried_again(
    server: RunServer,
    measured: dict[str, Any],
    status: int,
    body: bytes,
    kind: str,
    code: ExitCode,
) -> None:
    """One request only; refused documents and refused tokens are told apart."""
    server.answers = [(status, {}, body)]
    outcome = uploader(server.url, Pauses()).upload(a_run(measured))
    assert (outcome.kind, outcome.exit_code) == (kind, code)
    assert len(server.received) == 1


def test_a_redirect_does_not_carry_the_token_away(
    server: RunServer, measured: dict[str, Any]
) -> None:
    """The second server is never asked."""
    other = RunServer()
    try:
        server.answers = [(302, {"Location": other.url + "/api/v1/benchmark-runs/"}, b"")]
        outcome = uploader(server.url, Pauses()).upload(a_run(measured))
        assert outcome.kind == "kept"
        assert other.received == []
    finally:
        other.close()


def test_the_servers_words_cannot_steer_a_terminal(
    server: RunServer, measured: dict[str, Any]
) -> None:
    """Control characters are dropped."""
    server.answers = [(422, {}, b'{"title":"no\\u001b[2J\\nway"}')]
    outcome = uploader(server.url, Pauses()).upload(a_run(measured))
    assert "no[2Jway" in outcome.text
    assert outcome.text.isprintable()


def test_waiting_runs_go_in_order_and_a_refused_one_blocks_none(
    tmp_path: Path, server: RunServer, measured: dict[str, Any]
) -> None:
    """Three wait, the second is refused: it goes to rejected/, the third is still sent."""
    spool = Spool(tmp_path)
    for seq in (3, 1, 2):
        spool.add(a_run(measured, seq))
    sizes = {entry.seq: entry.path.stat().st_size for entry in spool.entries()}
    server.answers = [(201, {}, b"{}"), (422, {}, b'{"title":"no"}'), (201, {}, b"{}")]
    pauses = Pauses()
    notes: list[str] = []
    result = drain(spool, uploader(server.url, pauses), notes.append, pauses.sleep)
    assert [from_bytes(request.body)["seq"] for request in server.received] == [1, 2, 3]
    assert (result.done, result.rejected, result.left) == (2, 1, 0)
    assert result.exit_code == ExitCode.REJECTED
    assert len(list((tmp_path / "rejected").glob("*.json.gz"))) == 1
    assert pauses.asked == [sizes[1] / BYTES_PER_S, sizes[2] / BYTES_PER_S]


def test_a_refused_token_stops_and_keeps_all(
    tmp_path: Path, server: RunServer, measured: dict[str, Any]
) -> None:
    """After one 403 nothing more is sent and nothing is lost."""
    spool = Spool(tmp_path)
    for seq in (1, 2):
        spool.add(a_run(measured, seq))
    server.answers = [(403, {}, b"")]
    result = drain(spool, uploader(server.url, Pauses()), lambda text: None)
    assert (len(server.received), result.left) == (1, 2)
    assert result.exit_code == ExitCode.TOKEN


@pytest.mark.parametrize(
    "url", ["ftp://x", "planner.example", "http://", "http://u:p@x/", "http://x?t=1"]
)
def test_an_address_that_cannot_be_one_is_refused(url: str) -> None:
    """Before anything is measured."""
    with pytest.raises(AgentError) as caught:
        endpoint(url)
    assert caught.value.exit_code == ExitCode.USAGE


def test_plain_http_to_another_machine_is_noticed() -> None:
    """Loopback and https are fine."""
    assert sends_token_in_clear("http://planner.example")
    assert not sends_token_in_clear("https://planner.example")
    assert not sends_token_in_clear("http://127.0.0.1:8000")

"""Send runs to the server: idempotent, one at a time, with retries that end."""

from __future__ import annotations

import base64
import contextlib
import email.utils
import hashlib
import http.client
import json
import random
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from tco_agent import __version__
from tco_agent.document import to_bytes, with_sent_at
from tco_agent.errors import AgentError, ExitCode

PATH = "/api/v1/benchmark-runs/"
RETRY_STATUS = frozenset({408, 425, 429})
REJECT_STATUS = frozenset({400, 409, 413, 415, 422})
TOKEN_STATUS = frozenset({401, 403})
FIRST_PAUSE_S = 2.0
LONGEST_PAUSE_S = 900.0
REQUEST_TIMEOUT_S = 30.0
MOST_ANSWER_BYTES = 1 << 16


@dataclass(frozen=True)
class Answer:
    """What came back for one request; status 0 when nothing did."""

    status: int
    body: bytes
    retry_after: str | None = None
    error: str | None = None

    def members(self) -> dict[str, Any]:
        """The JSON object of the body, or an empty one."""
        try:
            value = json.loads(self.body)
        except ValueError:
            return {}
        return value if isinstance(value, dict) else {}


@dataclass(frozen=True)
class Outcome:
    """What became of a run: done, rejected, or kept for later with the reason."""

    kind: str
    text: str
    answer: Answer
    exit_code: ExitCode


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    """A redirect is an answer, never followed: it would carry the token to another host."""

    def redirect_request(self, *args: Any, **kwargs: Any) -> None:
        return None


def endpoint(url: str) -> str:
    """The address runs are posted to; AgentError when the URL isn't http or https."""
    parts = urllib.parse.urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise AgentError(f"not an http or https address: {url}", ExitCode.USAGE)
    if parts.username or parts.password or parts.query or parts.fragment:
        text = "give the site's address without a user, a password, a query or a fragment"
        raise AgentError(text, ExitCode.USAGE)
    return url.rstrip("/") + PATH


def sends_token_in_clear(url: str) -> bool:
    """True for plain http to another machine."""
    parts = urllib.parse.urlsplit(url)
    return parts.scheme == "http" and parts.hostname not in ("localhost", "127.0.0.1", "::1")


def send(address: str, token: str, document: Mapping[str, Any]) -> Answer:
    """One attempt. `time.sent_at` is set anew; the run id makes a repeat harmless."""
    body = to_bytes(with_sent_at(document))
    digest = base64.b64encode(hashlib.sha256(body).digest()).decode("ascii")
    request = urllib.request.Request(
        address,
        data=body,
        method="POST",
        headers={
            "Authorization": f"Bearer {token}",
            "Content-Type": "application/json",
            "Content-Digest": f"sha-256=:{digest}:",
            "Idempotency-Key": str(document["run_id"]),
            "User-Agent": f"tco-agent/{__version__}",
            "Accept": "application/json, application/problem+json",
        },
    )
    opener = urllib.request.build_opener(_NoRedirect())
    try:
        with opener.open(request, timeout=REQUEST_TIMEOUT_S) as response:
            return Answer(response.status, response.read(MOST_ANSWER_BYTES))
    except urllib.error.HTTPError as error:
        with error:
            try:
                text = error.read(MOST_ANSWER_BYTES)
            except (OSError, http.client.HTTPException):
                text = b""
            return Answer(error.code, text, retry_after=error.headers.get("Retry-After"))
    except (OSError, http.client.HTTPException) as error:
        reason = getattr(error, "reason", error)
        return Answer(0, b"", error=f"{type(error).__name__}: {reason}")


def retry_after_s(value: str | None, now_s: float) -> float | None:
    """Seconds the server asks to wait, from either form of the header; None without one.

    >>> retry_after_s("7", 0.0), retry_after_s("Thu, 01 Jan 1970 00:01:00 GMT", 0.0)
    (7.0, 60.0)
    """
    if value is None:
        return None
    if value.strip().isdigit():
        return float(value)
    with contextlib.suppress(ValueError, TypeError):
        return max(0.0, email.utils.parsedate_to_datetime(value).timestamp() - now_s)
    return None


@dataclass
class Uploader:
    """Sends runs within `patience_s` in all; the clock, the pauses and the chance can be given."""

    address: str
    token: str
    patience_s: float = 60.0
    sleep: Callable[[float], None] = time.sleep
    clock_s: Callable[[], float] = time.monotonic
    chance: Callable[[float, float], float] = random.uniform
    note: Callable[[str], None] = lambda text: None

    def upload(self, document: Mapping[str, Any]) -> Outcome:
        """Send until the server decides, or the patience ends; then the run is to be kept."""
        end = self.clock_s() + self.patience_s
        attempt = 0
        while True:
            answer = send(self.address, self.token, document)
            outcome = decide(answer)
            if outcome is not None:
                return outcome
            pause = self._pause_s(answer, attempt)
            attempt += 1
            why = answer.error or f"HTTP {answer.status}"
            if self.clock_s() + pause > end:
                text = f"the server did not take it ({why}, {attempt} attempts)"
                return Outcome("kept", text, answer, ExitCode.NOT_UPLOADED)
            self.note(f"{why}: next attempt in {pause:.1f} s")
            self.sleep(pause)

    def _pause_s(self, answer: Answer, attempt: int) -> float:
        """Exponential with full jitter, never before the time the server asks for."""
        most = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2.0 ** min(attempt, 20))
        pause = self.chance(0.0, most)
        wanted = retry_after_s(answer.retry_after, time.time())
        return pause if wanted is None else max(pause, wanted)


def decide(answer: Answer) -> Outcome | None:
    """What an answer means; None when it's worth another attempt."""
    status = answer.status
    if 200 <= status < 300:
        return Outcome("done", _accepted_text(answer), answer, ExitCode.OK)
    if status == 0 or status in RETRY_STATUS or status >= 500:
        return None
    problem = _problem_text(answer)
    if status in TOKEN_STATUS:
        text = f"the server refused the token (HTTP {status}{problem})"
        return Outcome("kept", text, answer, ExitCode.TOKEN)
    if status == 422 and "schema_unsupported" in _codes(answer):
        text = f"the server needs another version of the agent{problem}"
        return Outcome("kept", text, answer, ExitCode.NOT_UPLOADED)
    if status in REJECT_STATUS:
        text = f"the server refused the run (HTTP {status}{problem})"
        return Outcome("rejected", text, answer, ExitCode.REJECTED)
    text = f"this is not the address of a server that takes runs (HTTP {status}{problem})"
    return Outcome("kept", text, answer, ExitCode.NOT_UPLOADED)


def _accepted_text(answer: Answer) -> str:
    members = answer.members()
    again = "already known" if answer.status == 200 else "stored"
    verdict = printable(_verdict(members.get("verdict")), 200)
    place = printable(members.get("url"), 300)
    return f"{again}; verdict: {verdict or 'none yet'}; {place}".rstrip("; ")


def _verdict(value: object) -> object:
    """The word itself, also where the server sends an object around it."""
    if isinstance(value, dict):
        return value.get("verdict") or value.get("code") or json.dumps(value)
    return value


def _problem_text(answer: Answer) -> str:
    members = answer.members()
    parts = [printable(members.get(name), 300) for name in ("title", "detail")]
    errors = members.get("errors")
    if isinstance(errors, list):
        for error in errors[:3]:
            if isinstance(error, dict):
                words = [printable(error.get(n), 100) for n in ("pointer", "code", "detail")]
                parts.append(" ".join(word for word in words if word))
    text = "; ".join(part for part in parts if part)
    return f": {text}" if text else ""


def _codes(answer: Answer) -> set[str]:
    members = answer.members()
    codes = {str(members.get("code")), str(members.get("type", "")).rsplit("/", 1)[-1]}
    errors = members.get("errors")
    if isinstance(errors, list):
        codes |= {str(error.get("code")) for error in errors if isinstance(error, dict)}
    return codes


def printable(value: object, most: int) -> str:
    """Text from the server without control characters, so that it cannot steer a terminal."""
    if value is None:
        return ""
    return "".join(c for c in str(value) if c.isprintable())[:most]

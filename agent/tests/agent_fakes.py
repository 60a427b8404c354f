"""A clock only tests move, a child that takes a known time, and a server that keeps what it got."""

from __future__ import annotations

import http.server
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tco_agent.conduct import Case


class FakeClock:
    """Nanoseconds that pass only when a test says so."""

    def __init__(self) -> None:
        self.now_ns = 1_000_000_000

    def __call__(self) -> int:
        return self.now_ns

    def advance(self, ns: float) -> None:
        self.now_ns += round(ns)


@dataclass
class FakeWorker:
    """A child whose cases take a known time; `on_ask` may raise what a real one can raise."""

    clock: FakeClock
    typical_ns: int = 1_000_000
    spread: float = 0.001
    on_ask: Callable[[dict[str, Any]], None] | None = None
    asked: list[dict[str, Any]] = field(default_factory=list)
    killed: bool = False

    def ask(self, request: dict[str, Any], limit_ns: int) -> dict[str, Any]:
        self.asked.append({**request, "limit_ns_given": limit_ns})
        if self.on_ask is not None:
            self.on_ask(request)
        if request["do"] == "prepare":
            self.clock.advance(100_000_000)
            return {
                "status": "ok",
                "reason": None,
                "work": {"flop": 2_000_000},
                "amount": 2_000_000,
                "unit": "FLOP/s",
                "timer": {"kind": "perf_counter", "resolution_ns": 50, "inner": 1},
                "warmup": {"calls": 9, "ns": 100_000_000, "first_call_ns": 1, "steady": True},
                "check": {"ok": True, "rel_fro": 0.0, "inputs_sha256": "a" * 64},
                "typical_ns": self.typical_ns,
                "converged_at": 0.02,
            }
        start = self.clock()
        taken = []
        for number in range(request["samples"]):
            sample = round(self.typical_ns * (1 + self.spread * (number % 3 - 1)))
            taken.append(sample)
            self.clock.advance(sample)
        return {
            "status": "ok",
            "samples_ns": taken,
            "start_ns": start,
            "run_ns": 990,
            "wait_ns": 10,
            "nivcsw": 1,
        }

    def kill(self) -> None:
        self.killed = True


def gemm_case(key: int, family: str = "gemm.v1", threads: int = 1) -> Case:
    """A case as the plan has it."""
    params = {"m": 8, "n": 64, "k": 64, "dtype": "fp32", "threads": threads}
    return Case(key, family, "d0", params)


@dataclass
class Received:
    """One request the server saw."""

    path: str
    headers: dict[str, str]
    body: bytes


class RunServer:
    """A local server that answers from a list, the last answer again and again."""

    def __init__(self) -> None:
        self.received: list[Received] = []
        self.answers: list[tuple[int, dict[str, str], bytes]] = [
            (201, {}, b'{"run_id":"x","url":"/measurements/1/","verdict":"trusted"}')
        ]
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.received.append(Received(self.path, dict(self.headers), body))
                place = min(len(outer.received), len(outer.answers)) - 1
                status, headers, answer = outer.answers[place]
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            do_GET = do_POST

            def log_message(self, *args: object) -> None:
                """Say nothing."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

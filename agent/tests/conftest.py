"""Fixtures of the agent's tests; the agent alone has to be installed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from agent_fakes import FakeClock, FakeWorker, RunServer, gemm_case

from tco_agent.conduct import Conductor, result_row
from tco_agent.profiles import PROFILES


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture(scope="session")
def schema_errors() -> Callable[[object], list[str]]:
    """The violations of the schema in a document, as text."""
    text = (files("tco_agent") / "schema" / "bench_run.v1.json").read_text(encoding="utf-8")
    validator = jsonschema.Draft202012Validator(json.loads(text))
    return lambda document: [
        f"{error.json_path}: {error.message}" for error in validator.iter_errors(document)
    ]


@pytest.fixture
def measured(clock: FakeClock) -> dict[str, Any]:
    """What a measurement hands to the document, made by the real conductor over fake children."""
    cases = [gemm_case(0), gemm_case(1)]
    begin = clock()
    conductor = Conductor(
        PROFILES["canary"],
        lambda family, device: FakeWorker(clock),
        lambda text, share, left: None,
        clock,
        sleep=lambda seconds: None,
    )
    conductor.run(cases, begin)
    return {
        "profile": "canary",
        "moment": {
            "started_at": "2026-11-30T19:40:00.123Z",
            "finished_at": "2026-11-30T19:40:09.123Z",
            "duration_ns": 9_000_000_000,
        },
        "environment": {
            "node": {"id": "n-7f3a0000aaaa1111", "label": None, "virt": None, "cgroup": {}},
            "devices": [{"key": "d0", "kind": "cpu", "vendor": "Test", "model": "CPU"}],
            "env": {"os": "linux", "python": "3.11.7", "torch": "2.13.0+cpu"},
            "fingerprint": "0" * 64,
        },
        "host": {"run_delay_share": 0.01},
        "results": [result_row(case, begin) for case in cases],
        "energy": [],
    }


@pytest.fixture
def server() -> Iterator[RunServer]:
    running = RunServer()
    yield running
    running.close()

"""Real child processes: one import of torch, then a fork for each family."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tco_agent.workers import TorchHost, Worker, WorkerEnded, WorkerTimeout

SECOND_NS = 1_000_000_000


@pytest.fixture(scope="module")
def host() -> Iterator[TorchHost]:
    running = TorchHost()
    running.wait_until_ready()
    yield running
    running.close()


def start(host: TorchHost, family: str, memory_bytes: int = 2 << 30) -> Worker:
    """A child for a family on the CPU."""
    device = {
        "key": "d0",
        "kind": "cpu",
        "threads": [1],
        "llc_bytes": 1 << 20,
        "free_bytes": 64 << 30,
    }
    return host.start({"family": family, "device": device, "memory_bytes": memory_bytes})


def prepare(key: int, **params: Any) -> dict[str, Any]:
    """A request to get a case ready."""
    limits = {"call_ns": SECOND_NS, "warmup_ns": SECOND_NS // 10}
    return {"do": "prepare", "key": key, "params": {"threads": 1, **params}, **limits}


COPY = {"op": "copy", "cache": "warm", "dtype": "fp32"}


def test_a_child_measures_a_real_case(host: TorchHost) -> None:
    """Warm-up, then a block of samples that carry the time of one call and the waiting."""
    worker = start(host, "membw.v1")
    ready = worker.ask(prepare(1, size_bytes=1 << 20, **COPY), 60 * SECOND_NS)
    assert ready["status"] == "ok"
    assert ready["check"]["ok"]
    block = worker.ask(
        {"do": "block", "key": 1, "samples": 5, "limit_ns": SECOND_NS}, 60 * SECOND_NS
    )
    assert len(block["samples_ns"]) >= 1
    assert min(block["samples_ns"]) > 1000  # 2 MiB in a microsecond would be 2 TB/s
    assert block["run_ns"] > 0
    worker.kill()


def test_a_killed_child_is_told_by_its_signal(host: TorchHost) -> None:
    """The parent learns how it ended, and another child still starts."""
    worker = start(host, "launch.v1")
    os.kill(worker.pid, signal.SIGKILL)
    with pytest.raises(WorkerEnded, match="SIGKILL"):
        worker.ask(prepare(1, mode="enqueue_sync"), 30 * SECOND_NS)
    again = start(host, "launch.v1")
    assert again.ask(prepare(1, mode="enqueue_sync"), 60 * SECOND_NS)["status"] == "ok"
    again.kill()


def test_a_child_that_breaks_ends_with_an_exit_code(host: TorchHost) -> None:
    """A block of a case that was never prepared is a bug: the child ends, the parent says how."""
    worker = start(host, "launch.v1")
    with pytest.raises(WorkerEnded, match="exit code 70"):
        worker.ask({"do": "block", "key": 9, "samples": 1, "limit_ns": 1}, 30 * SECOND_NS)


def test_a_silent_child_is_killed_in_time(host: TorchHost) -> None:
    """Stopped children do not answer: after the limit they are gone."""
    worker = start(host, "launch.v1")
    os.kill(worker.pid, signal.SIGSTOP)
    begin = time.monotonic()
    with pytest.raises(WorkerTimeout):
        worker.ask(prepare(1, mode="enqueue_sync"), SECOND_NS // 5)
    assert time.monotonic() - begin < 10
    assert not Path(f"/proc/{worker.pid}").exists()


def test_the_memory_cap_makes_a_row_and_not_a_crash(host: TorchHost) -> None:
    """Three arrays of 512 MiB do not fit into a cap of 256 MiB; the child lives on."""
    worker = start(host, "membw.v1", memory_bytes=256 << 20)
    answer = worker.ask(prepare(1, size_bytes=512 << 20, **COPY), 60 * SECOND_NS)
    assert answer["status"] == "failed"
    assert "memory" in answer["reason"]
    small = worker.ask(prepare(2, size_bytes=1 << 20, **COPY), 60 * SECOND_NS)
    assert small["status"] == "ok"
    worker.kill()


def test_no_child_outlives_the_host() -> None:
    """When the parent's end closes, the clean process ends its children and itself."""
    own = TorchHost()
    own.wait_until_ready()
    assert own.import_ns > 0
    assert own.torch_version
    worker = start(own, "launch.v1")
    own.close()
    assert not Path(f"/proc/{worker.pid}").exists()
    worker.kill()

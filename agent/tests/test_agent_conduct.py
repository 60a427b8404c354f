"""The order of the blocks, the budget, and what a crash does."""

from __future__ import annotations

from typing import Any

import pytest
from agent_fakes import FakeClock, FakeWorker, gemm_case

from tco_agent.conduct import SETTLE_S, Case, Conductor, result_row
from tco_agent.profiles import PROFILES
from tco_agent.workers import WorkerEnded, WorkerTimeout

CANARY = PROFILES["canary"]


def conduct(
    clock: FakeClock, cases: list[Case], workers: list[FakeWorker], sleeps: list[float]
) -> list[dict[str, Any]]:
    """Run the cases over the given children, in the order they are started; the rows."""
    begin = clock()
    supply = iter(workers)
    conductor = Conductor(
        CANARY,
        lambda family, device: next(supply),
        lambda text, share, left: None,
        clock,
        sleep=sleeps.append,
    )
    conductor.run(cases, begin)
    conductor.close()
    return [result_row(case, begin) for case in cases]


def blocks_asked(worker: FakeWorker) -> list[int]:
    """The keys of the cases in the order of their blocks."""
    return [request["key"] for request in worker.asked if request["do"] == "block"]


def test_blocks_of_the_cases_take_turns(clock: FakeClock) -> None:
    """A B C A B C: no case is measured twice before each of the others was."""
    worker = FakeWorker(clock)
    rows = conduct(clock, [gemm_case(i) for i in range(3)], [worker], [])
    assert blocks_asked(worker) == [0, 1, 2] * CANARY.blocks
    assert [len(row["blocks"]) for row in rows] == [CANARY.blocks] * 3
    assert {row["status"] for row in rows} == {"ok"}


def test_a_rate_is_work_over_the_median(clock: FakeClock) -> None:
    """2 MFLOP in 1 ms are 2 GFLOP/s."""
    row = conduct(clock, [gemm_case(0)], [FakeWorker(clock)], [])[0]
    assert row["rate"] == {"value": pytest.approx(2e9), "unit": "FLOP/s"}
    assert row["host"]["run_delay_share"] == pytest.approx(0.01)


def test_further_blocks_go_to_the_wide_interval_only(clock: FakeClock) -> None:
    """A case that has not converged is measured on, up to the profile's most; a good one is not."""
    worker = FakeWorker(clock)
    shifts = iter(range(1000))

    def drift(request: dict[str, Any]) -> None:
        shift = next(shifts) if request["key"] == 1 else 0
        worker.typical_ns = 1_000_000 + 100_000 * (shift % 4)

    worker.on_ask = drift
    rows = conduct(clock, [gemm_case(0), gemm_case(1)], [worker], [])
    assert len(rows[0]["blocks"]) == CANARY.blocks
    assert len(rows[1]["blocks"]) == CANARY.most_blocks
    assert rows[1]["summary"]["converged"] is False


def test_a_crash_is_a_row_and_the_suite_goes_on(clock: FakeClock) -> None:
    """The case that ended its process fails with the way it ended; the others get a new process."""
    first, second = FakeWorker(clock), FakeWorker(clock)

    def crash(request: dict[str, Any]) -> None:
        if request["key"] == 1:
            raise WorkerEnded("signal 11 (SIGSEGV)")

    first.on_ask = crash
    rows = conduct(clock, [gemm_case(i) for i in range(3)], [first, second], [])
    assert [row["status"] for row in rows] == ["ok", "failed", "ok"]
    assert rows[1]["reason"] == "crash during warm-up: signal 11 (SIGSEGV)"
    assert {block["process"] for block in rows[0]["blocks"]} == {1}


def test_blocks_before_a_crash_are_kept(clock: FakeClock) -> None:
    """A crash in the third block leaves the first two with their samples, and no rate."""
    worker, spare = FakeWorker(clock), FakeWorker(clock)

    def crash(request: dict[str, Any]) -> None:
        if request["do"] == "block" and len(blocks_asked(worker)) == 3:
            raise WorkerEnded("exit code 1")

    worker.on_ask = crash
    row = conduct(clock, [gemm_case(0)], [worker, spare], [])[0]
    assert row["status"] == "failed"
    assert len(row["blocks"]) == 2
    assert "rate" not in row


def test_a_child_that_hangs_is_a_timeout(clock: FakeClock) -> None:
    """No answer in time is a row of its own, and the next case still runs."""
    first, second = FakeWorker(clock), FakeWorker(clock)

    def hang(request: dict[str, Any]) -> None:
        if request["key"] == 0:
            clock.advance(3e9)
            raise WorkerTimeout("no answer within 3.0 s")

    first.on_ask = hang
    rows = conduct(clock, [gemm_case(0), gemm_case(1)], [first, second], [])
    assert (rows[0]["status"], rows[1]["status"]) == ("timeout", "ok")
    assert rows[0]["reason"] == "no answer within 3.0 s during warm-up"


def test_a_family_that_keeps_crashing_is_given_up(clock: FakeClock) -> None:
    """After the first process and two more, the remaining cases fail without another start."""

    def crash(request: dict[str, Any]) -> None:
        raise WorkerEnded("signal 9 (SIGKILL)")

    workers = [FakeWorker(clock, on_ask=crash) for _ in range(3)]
    rows = conduct(clock, [gemm_case(i) for i in range(5)], workers, [])
    assert {row["status"] for row in rows} == {"failed"}
    assert "ended too often" in rows[4]["reason"]


def test_the_budget_is_never_passed(clock: FakeClock) -> None:
    """With forty cases the canary ends within its ten seconds, and says what it left out."""
    begin = clock()
    rows = conduct(clock, [gemm_case(i) for i in range(80)], [FakeWorker(clock)], [])
    assert clock() - begin <= CANARY.budget_ns
    assert rows[0]["status"] == "ok"
    assert rows[-1]["status"] == "skipped"
    assert rows[-1]["reason"] == "budget: no time left to warm it up"


def test_every_request_carries_a_limit_within_the_budget(clock: FakeClock) -> None:
    """The watchdog's limit of each request ends before the budget does."""
    begin = clock()
    worker = FakeWorker(clock)
    ends: list[int] = []
    ask = worker.ask

    def watched(request: dict[str, Any], limit_ns: int) -> dict[str, Any]:
        ends.append(clock() + limit_ns - begin)
        return ask(request, limit_ns)

    worker.ask = watched  # type: ignore[method-assign]
    conduct(clock, [gemm_case(0), gemm_case(1)], [worker], [])
    assert max(ends) <= CANARY.budget_ns


def test_spinning_threads_settle_before_another_case(clock: FakeClock) -> None:
    """After a case with two threads comes a pause before one with fewer; after one thread none."""
    sleeps: list[float] = []
    conduct(clock, [gemm_case(0, threads=2), gemm_case(1)], [FakeWorker(clock)], sleeps)
    assert sleeps == [SETTLE_S] * CANARY.blocks
    sleeps = []
    conduct(clock, [gemm_case(0), gemm_case(1)], [FakeWorker(clock)], sleeps)
    assert sleeps == []


def test_all_children_are_ended_at_the_close(clock: FakeClock) -> None:
    """No child outlives the conductor."""
    workers = [FakeWorker(clock), FakeWorker(clock)]
    conduct(clock, [gemm_case(0), gemm_case(1, family="membw.v1")], workers, [])
    assert all(worker.killed for worker in workers)

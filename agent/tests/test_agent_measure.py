"""One case inside the child: probing, skipping, checking, measuring."""

from __future__ import annotations

from typing import Any

import pytest

from tco_agent.bench.base import Check, DeviceView, Kernel, Params, Unsupported, Work
from tco_agent.contention import Delay
from tco_agent.measure import CaseRunner, Limits

NS = 1_000_000_000
LIMITS = Limits(call_ns=NS // 2, warmup_ns=NS // 2)


class FakeBackend:
    """Calls take the time they put on the clock."""

    torch_device = "cpu"
    timer_kind = "perf_counter"
    resolution_ns = 50
    sample_target_ns = 1_000_000
    converged_at = 0.02

    def __init__(self, clock: Any) -> None:
        self.clock = clock
        self.threads: list[int | None] = []

    def synchronise(self) -> None:
        """Nothing is queued."""

    def use_threads(self, threads: int | None) -> None:
        self.threads.append(threads)

    def time_device_ns(self, call: Any, inner: int) -> int:
        start = self.clock()
        for _ in range(inner):
            call()
        return self.clock() - start

    def time_host_ns(self, call: Any, inner: int, *, wait: bool) -> int:
        return self.time_device_ns(call, inner)


class FakeFamily:
    """Work in proportion to `size`, plus an overhead on each call."""

    id = "fake.v1"

    def __init__(self, clock: Any, ns_per_size: float, overhead_ns: float = 0.0) -> None:
        self.clock, self.ns_per_size, self.overhead_ns = clock, ns_per_size, overhead_ns
        self.called: list[int] = []
        self.right = True
        self.error: Exception | None = None

    def cases(self, profile: str, device: DeviceView) -> list[Params]:
        return []

    def probes(self, params: Params) -> list[Params]:
        return [{"size": size} for size in (1, 8, 64) if size < params["size"]]

    def cost(self, params: Params) -> float:
        return float(params["size"])

    def bytes_needed(self, params: Params, device: DeviceView) -> int:
        return int(params["size"])

    def build(self, torch: Any, backend: Any, params: Params, device: DeviceView) -> Kernel:
        if self.error is not None:
            raise self.error
        size = params["size"]

        def call() -> None:
            self.called.append(size)
            self.clock.advance(self.overhead_ns + self.ns_per_size * size)

        return Kernel(call, lambda: Check(self.right, 0.0), Work(size, "FLOP/s"), "b" * 64)


def runner(clock: Any, family: FakeFamily, free_bytes: int = 10**9) -> CaseRunner:
    """A case runner over the fakes, whose threads waited a tenth of their time."""
    view = DeviceView("d0", "cpu", (1, 2), 1 << 20, free_bytes)
    delays = iter(Delay(900 * i, 100 * i, i) for i in range(1000))
    return CaseRunner(
        family, FakeBackend(clock), None, view, clock_ns=clock, delay=lambda: next(delays)
    )


def test_a_slow_size_is_skipped_with_the_predicted_time(clock: Any) -> None:
    """7.8 ms for one unit predicts 7.8 s for a thousand: never called, and the reason says it."""
    begin = clock()
    family = FakeFamily(clock, ns_per_size=7_800_000)
    answer = runner(clock, family).prepare(1, {"size": 1000}, LIMITS)
    assert answer == {"status": "skipped", "reason": "too_slow: probe predicts 7.8 s per call"}
    assert 1000 not in family.called
    assert clock() - begin < NS / 2


def test_overhead_of_a_small_probe_does_not_skip_a_fast_size(clock: Any) -> None:
    """10 ms of overhead would predict 10 s; the next size shows that a call takes 11 ms."""
    family = FakeFamily(clock, ns_per_size=1000, overhead_ns=10_000_000)
    answer = runner(clock, family).prepare(1, {"size": 1000}, LIMITS)
    assert answer["status"] == "ok"
    assert answer["typical_ns"] == pytest.approx(11_000_000)


def test_a_call_slower_than_predicted_is_skipped_after_two(clock: Any) -> None:
    """Where the probe was wrong, two calls are the price, not a warm-up."""
    family = FakeFamily(clock, ns_per_size=1000)
    family.probes = lambda params: []  # type: ignore[method-assign]
    answer = runner(clock, family).prepare(1, {"size": 3_000_000}, LIMITS)
    assert answer["reason"] == "too_slow: one call took 3 s"
    assert len(family.called) == 2


def test_a_wrong_output_gives_no_time(clock: Any) -> None:
    """A kernel whose output fails its check is a failure, however fast."""
    family = FakeFamily(clock, ns_per_size=1000)
    family.right = False
    answer = runner(clock, family).prepare(1, {"size": 10}, LIMITS)
    assert answer["status"] == "failed"
    assert answer["reason"].startswith("result_wrong")
    assert "timer" not in answer


@pytest.mark.parametrize(
    ("error", "status", "word"),
    [
        (Unsupported("no fp8 here"), "unsupported", "no fp8 here"),
        (RuntimeError('"mm" not implemented for Half\nmore'), "unsupported", "not implemented"),
        (RuntimeError("can't allocate memory: you tried 9"), "failed", "out of memory"),
        (MemoryError(), "failed", "memory cap"),
        (ValueError("odd"), "failed", "ValueError: odd"),
    ],
)
def test_an_error_becomes_a_row(clock: Any, error: Exception, status: str, word: str) -> None:
    """What torch raises for one case is that case's status and reason, on one line."""
    family = FakeFamily(clock, ns_per_size=1000)
    family.error = error
    answer = runner(clock, family).prepare(1, {"size": 10}, LIMITS)
    assert answer["status"] == status
    assert word in answer["reason"]
    assert "\n" not in answer["reason"]


def test_a_case_without_headroom_is_skipped(clock: Any) -> None:
    """Needing 10 bytes of 14 free is too much: half as much again must be free."""
    family = FakeFamily(clock, ns_per_size=1000)
    answer = runner(clock, family, free_bytes=14).prepare(1, {"size": 10}, LIMITS)
    assert answer["status"] == "skipped"
    assert answer["reason"].startswith("too_big")
    assert family.called == []


def test_a_block_gives_the_time_of_one_call(clock: Any) -> None:
    """Calls of 10 us make samples of 100 calls; the block holds times per call and its delay."""
    family = FakeFamily(clock, ns_per_size=1000)
    cases = runner(clock, family)
    prepared = cases.prepare(1, {"size": 10}, LIMITS)
    assert prepared["timer"]["inner"] == 100
    answer = cases.block(1, 4, limit_ns=NS)
    assert answer["samples_ns"] == [10_000] * 4
    assert (answer["run_ns"], answer["wait_ns"], answer["nivcsw"]) == (900, 100, 1)


def test_a_block_ends_at_its_limit_with_at_least_one_sample(clock: Any) -> None:
    """A limit of 2.5 ms ends after the third sample of 1 ms; a limit of 0 after the first."""
    family = FakeFamily(clock, ns_per_size=1000)
    cases = runner(clock, family)
    cases.prepare(1, {"size": 1000}, LIMITS)
    assert len(cases.block(1, 20, limit_ns=2_500_000)["samples_ns"]) == 3
    assert len(cases.block(1, 20, limit_ns=0)["samples_ns"]) == 1

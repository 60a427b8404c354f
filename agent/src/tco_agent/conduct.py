"""Run a plan of cases in interleaved blocks within the budget; a crash never ends the suite."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from tco_agent.contention import delay_share
from tco_agent.interval import summarise, thin
from tco_agent.profiles import Profile
from tco_agent.workers import WorkerEnded, WorkerTimeout

LEAST_ROOM_NS = 20_000_000
MOST_SAMPLES_PER_BLOCK = 20
GRACE_NS = 500_000_000
# The workers of a parallel operation spin for up to 16 ms after it (measured with libgomp), and
# would take a CPU from the case that comes next.
SETTLE_S = 0.02
MOST_RESTARTS = 2
MOST_REASON = 200


class Asks(Protocol):
    """A child that answers requests."""

    def ask(self, request: dict[str, Any], limit_ns: int) -> dict[str, Any]:
        """One answer, or WorkerEnded or WorkerTimeout."""

    def kill(self) -> None:
        """End it at once."""


@dataclass
class Case:
    """One row of the plan and what is known of it so far."""

    key: int
    family: str
    device: str
    params: dict[str, Any]
    state: dict[str, Any] = field(default_factory=dict)
    blocks: list[dict[str, Any]] = field(default_factory=list)

    @property
    def ready(self) -> bool:
        """Prepared and still measurable."""
        return self.state.get("status") == "ok"

    def label(self) -> str:
        """Short text for the progress line."""
        shown = ("op", "phase", "mode", "dtype", "m", "cache", "threads")
        words = [f"{name}={self.params[name]}" for name in shown if name in self.params]
        return " ".join([self.family, self.device, *words])


StartWorker = Callable[[str, str], Asks]
Report = Callable[[str, float, float], None]


class Conductor:
    """Prepares every case, then measures block by block: A B C A B C."""

    def __init__(
        self,
        profile: Profile,
        start_worker: StartWorker,
        report: Report,
        clock_ns: Callable[[], int] = time.perf_counter_ns,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._profile = profile
        self._start_worker = start_worker
        self._report = report
        self._clock_ns = clock_ns
        self._sleep = sleep
        self._last: Case | None = None
        self._workers: dict[tuple[str, str], Asks] = {}
        self._starts: dict[tuple[str, str], int] = {}
        self._begin_ns = clock_ns()
        self._share = 0.0

    def run(self, cases: Sequence[Case], begin_ns: int) -> None:
        """Measure the cases in place. `begin_ns` is when the budget began to count."""
        self._begin_ns = begin_ns
        prepare_end = begin_ns + int(self._profile.budget_ns * self._profile.prepare_share)
        soft_end = begin_ns + self._profile.soft_budget_ns
        for number, case in enumerate(cases):
            if self._clock_ns() >= prepare_end:
                case.state = {"status": "skipped", "reason": "budget: no time left to warm it up"}
                continue
            self._tell(f"warm-up {case.label()}", number / len(cases) * self._profile.prepare_share)
            self._prepare(case, soft_end)
        for turn in range(self._profile.most_blocks):
            todo = [case for case in cases if case.ready and self._wants_block(case, turn)]
            if not todo or not self._round(todo, turn, soft_end):
                break

    def close(self) -> None:
        """End every child."""
        for worker in self._workers.values():
            worker.kill()
        self._workers.clear()

    def _wants_block(self, case: Case, turn: int) -> bool:
        if turn < self._profile.blocks:
            return True
        samples = [block["samples_ns"] for block in case.blocks]
        return bool(samples) and not summarise(samples, case.state["converged_at"])["converged"]

    def _round(self, todo: list[Case], turn: int, soft_end: int) -> bool:
        """One block of each case; False when the time is over."""
        measured = False
        for number, case in enumerate(todo):
            left_ns = soft_end - self._clock_ns()
            turns_left = max(1, self._profile.blocks - turn)
            share_ns = left_ns // (turns_left * len(todo) - number)
            sample_ns = case.state["typical_ns"] * case.state["timer"]["inner"]
            if left_ns < max(LEAST_ROOM_NS, 2 * sample_ns):
                continue
            measured = True
            samples = max(1, min(MOST_SAMPLES_PER_BLOCK, int(share_ns / sample_ns)))
            self._tell(f"block {turn + 1} {case.label()}", self._spent_share())
            if not self._lives(case):
                # Another case ended the process that had this one ready: earlier blocks count on.
                self._prepare(case, soft_end)
            if case.ready:
                self._block(case, samples, max(LEAST_ROOM_NS, share_ns))
        return measured

    def _prepare(self, case: Case, soft_end: int) -> None:
        request = {
            "do": "prepare",
            "key": case.key,
            "params": case.params,
            "call_ns": self._profile.call_ns,
            "warmup_ns": self._profile.warmup_ns,
        }
        limit_ns = min(soft_end - self._clock_ns(), self._profile.budget_ns // 3)
        case.state = self._ask(case, request, limit_ns, "warm-up")

    def _block(self, case: Case, samples: int, limit_ns: int) -> None:
        self._settle(case)
        request = {"do": "block", "key": case.key, "samples": samples, "limit_ns": limit_ns}
        hard_left = self._begin_ns + self._profile.budget_ns - GRACE_NS - self._clock_ns()
        answer = self._ask(case, request, max(GRACE_NS // 10, hard_left), "block")
        if answer["status"] == "ok":
            case.blocks.append(answer)
        else:
            case.state = {**case.state, **answer}

    def _settle(self, case: Case) -> None:
        """Let the threads of the case before this one go to sleep."""
        before, self._last = self._last, case
        if before is None or before.params.get("threads", 0) <= 1:
            return
        fewer = before.params["threads"] > case.params.get("threads", 0)
        if fewer or _place(before) != _place(case):
            self._sleep(SETTLE_S)

    def _ask(self, case: Case, request: dict[str, Any], limit_ns: int, what: str) -> dict[str, Any]:
        try:
            worker = self._worker(case)
            answer = worker.ask(request, limit_ns)
        except WorkerTimeout as error:
            self._workers.pop(_place(case), None)
            return {"status": "timeout", "reason": f"{error} during {what}"[:MOST_REASON]}
        except WorkerEnded as error:
            self._workers.pop(_place(case), None)
            return {"status": "failed", "reason": f"crash during {what}: {error}"[:MOST_REASON]}
        return {**answer, "process": self._starts[_place(case)]}

    def _lives(self, case: Case) -> bool:
        place = _place(case)
        return place in self._workers and case.state["process"] == self._starts[place]

    def _worker(self, case: Case) -> Asks:
        place = _place(case)
        if place not in self._workers:
            if self._starts.get(place, 0) > MOST_RESTARTS:
                raise WorkerEnded("this family ended too often")
            self._starts[place] = self._starts.get(place, 0) + 1
            self._workers[place] = self._start_worker(*place)
        return self._workers[place]

    def _spent_share(self) -> float:
        return (self._clock_ns() - self._begin_ns) / self._profile.soft_budget_ns

    def _tell(self, text: str, share: float) -> None:
        left_ns = self._begin_ns + self._profile.soft_budget_ns - self._clock_ns()
        self._share = min(1.0, max(self._share, share, self._spent_share()))
        self._report(text, self._share, max(0.0, left_ns / 1e9))


def _place(case: Case) -> tuple[str, str]:
    return case.family, case.device


def result_row(case: Case, begin_ns: int) -> dict[str, Any]:
    """The row of the document for a case. Blocks measured before a failure are kept."""
    row: dict[str, Any] = {"id": case.family, "device": case.device, "params": case.params}
    state = case.state
    for name in ("work", "timer", "warmup", "check"):
        if name in state:
            row[name] = state[name]
    row["telemetry"] = None
    row["status"] = state.get("status", "skipped")
    row["reason"] = state.get("reason")
    if case.blocks:
        _add_measurement(row, case, begin_ns)
    elif row["status"] == "ok":
        row["status"], row["reason"] = "skipped", "budget: no time left to measure it"
    return row


def _add_measurement(row: dict[str, Any], case: Case, begin_ns: int) -> None:
    by_block = [block["samples_ns"] for block in case.blocks]
    samples, rule = thin([sample for block in by_block for sample in block])
    summary = summarise(by_block, case.state["converged_at"])
    row["blocks"] = [
        {
            "n": len(block["samples_ns"]),
            "median_ns": summarise([block["samples_ns"]], 1.0)["median_ns"],
            "start_offset_ns": max(0, block["start_ns"] - begin_ns),
            "process": block["process"] - 1,
        }
        for block in case.blocks
    ]
    row["samples_ns"] = samples
    row["samples_total"] = sum(len(block) for block in by_block)
    row["thinned"] = rule
    row["summary"] = summary
    row["host"] = {
        "run_delay_share": delay_share(
            sum(block.get("run_ns", 0) for block in case.blocks),
            sum(block.get("wait_ns", 0) for block in case.blocks),
        ),
        "nivcsw": sum(block.get("nivcsw", 0) for block in case.blocks),
    }
    if row["status"] == "ok":
        seconds = max(1, summary["median_ns"]) / 1e9
        row["rate"] = {"value": case.state["amount"] / seconds, "unit": case.state["unit"]}
        row["values"] = [
            {"name": "per_call", "value": summary["median_ns"] / 1e3, "unit": "us"},
        ]

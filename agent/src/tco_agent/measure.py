"""One family's cases inside its child process: prepare a case, then measure it block by block.

The raw samples go to the parent after every block, so a later crash loses none of them.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tco_agent.bench.base import DeviceView, Family, Kernel, Params, Unsupported
from tco_agent.contention import Delay, read_delay
from tco_agent.device.base import Backend
from tco_agent.timing import inner_calls, warm_up

PROBE_CALLS = 30
LATER_PROBE_CALLS = 3
PROBE_NS = 50_000_000
SAME_PREDICTION = 0.8
FREE_MEMORY_FACTOR = 1.5
MOST_REASON = 200


@dataclass(frozen=True)
class Limits:
    """Bounds of one case [ns]: a single call, and the warm-up."""

    call_ns: int
    warmup_ns: int


@dataclass
class _Ready:
    kernel: Kernel
    params: Params
    inner: int


def seconds_text(ns: float) -> str:
    """A duration for people, with two significant digits.

    >>> seconds_text(7_800_000_000), seconds_text(12_345_678)
    ('7.8 s', '12 ms')
    """
    return f"{ns / 1e9:.2g} s" if ns >= 1e9 else f"{ns / 1e6:.2g} ms"


class CaseRunner:
    """Prepares and measures the cases of one family on one device."""

    def __init__(
        self,
        family: Family,
        backend: Backend,
        torch: Any,
        device: DeviceView,
        *,
        clock_ns: Callable[[], int] = time.perf_counter_ns,
        delay: Callable[[], Delay | None] = read_delay,
    ) -> None:
        self._family = family
        self._backend = backend
        self._torch = torch
        self._device = device
        self._clock_ns = clock_ns
        self._delay = delay
        self._ready: dict[int, _Ready] = {}

    def prepare(self, key: int, params: Params, limits: Limits) -> dict[str, Any]:
        """Probe, build, check, warm up and fix the inner calls; the members known so far.

        A case that cannot be measured comes back with its status and reason; nothing is raised.
        """
        try:
            return self._prepare(key, params, limits)
        except Unsupported as error:
            return {"status": "unsupported", "reason": str(error)[:MOST_REASON]}
        except MemoryError:
            return {"status": "failed", "reason": "out of memory: the memory cap was reached"}
        except (NotImplementedError, RuntimeError, TypeError, ValueError) as error:
            return _failure(error)

    def _prepare(self, key: int, params: Params, limits: Limits) -> dict[str, Any]:
        needed = self._family.bytes_needed(params, self._device)
        if self._device.free_bytes < needed * FREE_MEMORY_FACTOR:
            mib = round(needed / 2**20)
            return {"status": "skipped", "reason": f"too_big: needs {mib} MiB with headroom"}
        predicted = self._predict_ns(params, limits.call_ns)
        if predicted is not None and predicted > limits.call_ns:
            reason = f"too_slow: probe predicts {seconds_text(predicted)} per call"
            return {"status": "skipped", "reason": reason}
        kernel = self._build(params)
        first_ns = self._once(kernel)
        second_ns = self._once(kernel)
        if min(first_ns, second_ns) > 2 * limits.call_ns:
            reason = f"too_slow: one call took {seconds_text(min(first_ns, second_ns))}"
            return {"status": "skipped", "reason": reason}
        check = kernel.check()
        self._backend.use_threads(params.get("threads"))
        if not check.ok:
            return {
                "status": "failed",
                "reason": f"result_wrong: relative error {check.rel_fro}"[:MOST_REASON],
                "check": check.as_member(kernel.inputs_sha256),
            }
        target = self._backend.sample_target_ns
        resolution = self._backend.resolution_ns
        inner = inner_calls(min(first_ns, second_ns), resolution, target)
        warm = warm_up(lambda count: self._time(kernel, count), inner, limits.warmup_ns)
        inner = inner_calls(warm.typical_ns, resolution, target)
        self._ready[key] = _Ready(kernel, params, inner)
        return {
            "status": "ok",
            "reason": None,
            "work": kernel.work.as_member(),
            "amount": kernel.work.amount,
            "unit": kernel.work.unit,
            "timer": {
                "kind": self._backend.timer_kind if kernel.timing == "device" else "perf_counter",
                "resolution_ns": resolution,
                "inner": inner,
            },
            "warmup": {
                "calls": warm.calls,
                "ns": warm.ns,
                "first_call_ns": first_ns,
                "steady": warm.steady,
            },
            "check": check.as_member(kernel.inputs_sha256),
            "typical_ns": warm.typical_ns,
            "converged_at": self._backend.converged_at,
        }

    def _predict_ns(self, params: Params, call_ns: int) -> float | None:
        """Time of one call, scaled from the smallest size of the same kind; None without sizes.

        A small size costs mostly overhead, so where it predicts too much the next size is tried,
        as long as that one cannot take long either, and until two sizes predict the same.
        """
        predicted: float | None = None
        tries = PROBE_CALLS
        for smaller in self._family.probes(params):
            probe_ns = self._least_ns(self._build(smaller), tries)
            before = predicted
            predicted = probe_ns * self._family.cost(params) / self._family.cost(smaller)
            if predicted <= call_ns or probe_ns > call_ns / 2:
                break
            if before is not None and predicted > SAME_PREDICTION * before:
                break
            tries = LATER_PROBE_CALLS
        return predicted

    def _least_ns(self, kernel: Kernel, tries: int) -> int:
        """The shortest of some calls: the first sets libraries up, a busy host stretches any."""
        least_ns = self._once(kernel)
        end = self._clock_ns() + PROBE_NS
        for _ in range(tries - 1):
            if self._clock_ns() >= end:
                break
            least_ns = min(least_ns, self._once(kernel))
        return least_ns

    def _build(self, params: Params) -> Kernel:
        """Set up with one thread, which a busy host disturbs least, then set the case's threads."""
        self._backend.use_threads(1)
        kernel = self._family.build(self._torch, self._backend, params, self._device)
        self._backend.use_threads(params.get("threads"))
        return kernel

    def _once(self, kernel: Kernel) -> int:
        """Host time of a single call, waited for [ns]."""
        start = self._clock_ns()
        kernel.call()
        self._backend.synchronise()
        return self._clock_ns() - start

    def _time(self, kernel: Kernel, inner: int) -> int:
        if kernel.timing == "device":
            return self._backend.time_device_ns(kernel.call, inner)
        wait = kernel.timing == "host"
        return self._backend.time_host_ns(kernel.call, inner, wait=wait)

    def block(self, key: int, samples: int, limit_ns: int) -> dict[str, Any]:
        """Up to `samples` samples of a prepared case within `limit_ns`, at least one.

        One untimed call comes first, because another case ran in between.
        """
        ready = self._ready[key]
        self._backend.use_threads(ready.params.get("threads"))
        try:
            self._once(ready.kernel)
            start = self._clock_ns()
            before = self._delay()
            taken: list[int] = []
            while len(taken) < samples:
                taken.append(round(self._time(ready.kernel, ready.inner) / ready.inner))
                if self._clock_ns() - start >= limit_ns:
                    break
            after = self._delay()
        except (MemoryError, RuntimeError) as error:
            return _failure(error)
        answer: dict[str, Any] = {"status": "ok", "samples_ns": taken, "start_ns": start}
        if before is not None and after is not None:
            answer["run_ns"] = max(0, after.run_ns - before.run_ns)
            answer["wait_ns"] = max(0, after.wait_ns - before.wait_ns)
            answer["nivcsw"] = after.forced_switches - before.forced_switches
        return answer


def _failure(error: Exception) -> dict[str, Any]:
    line = (str(error).splitlines() or [""])[0]
    if "not implemented" in line or isinstance(error, NotImplementedError):
        return {"status": "unsupported", "reason": f"{line}"[:MOST_REASON] or "not implemented"}
    if "memory" in line.lower():
        line = f"out of memory: {line}"
    return {"status": "failed", "reason": f"{type(error).__name__}: {line}"[:MOST_REASON]}

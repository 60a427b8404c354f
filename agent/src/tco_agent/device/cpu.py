"""The CPU: calls are synchronous and the clock is the host's."""

from __future__ import annotations

import time
from typing import Any

from tco_agent.device.base import Call, measured_resolution_ns


class CpuBackend:
    """Times operations with perf_counter_ns, at a set number of threads."""

    torch_device = "cpu"
    timer_kind = "perf_counter"
    sample_target_ns = 1_000_000
    converged_at = 0.02

    def __init__(self, torch: Any) -> None:
        self._torch = torch
        self.resolution_ns = measured_resolution_ns(time.perf_counter_ns)

    def synchronise(self) -> None:
        """Nothing to wait for."""

    def use_threads(self, threads: int | None) -> None:
        """Threads of one operation; set only on a change, because a change restarts the pool."""
        if threads is not None and threads != self._torch.get_num_threads():
            self._torch.set_num_threads(threads)

    def time_device_ns(self, call: Call, inner: int) -> int:
        """The same as the host's time."""
        return self.time_host_ns(call, inner, wait=False)

    def time_host_ns(self, call: Call, inner: int, *, wait: bool) -> int:
        """Time of `inner` calls [ns]; `wait` changes nothing here."""
        repeat = range(inner)
        start = time.perf_counter_ns()
        for _ in repeat:
            call()
        return time.perf_counter_ns() - start

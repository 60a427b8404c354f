"""CUDA and ROCm through torch.cuda: event pairs on one stream."""

from __future__ import annotations

import time
from typing import Any

from tco_agent.device.base import Call

EVENT_RESOLUTION_NS = 500
QUEUE_AHEAD_NS = 1_000_000
ASSUMED_CLOCK_HZ = 1_500_000_000


class CudaBackend:
    """One GPU. The device is kept busy first, so that launches hide behind queued work."""

    resolution_ns = EVENT_RESOLUTION_NS
    sample_target_ns = 1_000_000
    converged_at = 0.01

    def __init__(self, torch: Any, index: int) -> None:
        self._torch = torch
        self.torch_device = f"cuda:{index}"
        self.timer_kind = "hip_event" if torch.version.hip else "cuda_event"
        torch.cuda.set_device(index)
        self._start = torch.cuda.Event(enable_timing=True)
        self._stop = torch.cuda.Event(enable_timing=True)
        self._ahead = torch.empty(64 * 2**20, dtype=torch.int8, device=self.torch_device)

    def synchronise(self) -> None:
        """Wait for the device."""
        self._torch.cuda.synchronize()

    def use_threads(self, threads: int | None) -> None:
        """A GPU operation has no thread count of its own."""

    def _queue_ahead(self) -> None:
        spin = getattr(self._torch.cuda, "_sleep", None)
        if spin is not None:
            spin(QUEUE_AHEAD_NS * ASSUMED_CLOCK_HZ // 1_000_000_000)
        else:
            for _ in range(8):
                self._ahead.fill_(1)

    def time_device_ns(self, call: Call, inner: int) -> int:
        """Event time of `inner` calls [ns]."""
        self._queue_ahead()
        self._start.record()
        for _ in range(inner):
            call()
        self._stop.record()
        self._stop.synchronize()
        return round(float(self._start.elapsed_time(self._stop)) * 1e6)

    def time_host_ns(self, call: Call, inner: int, *, wait: bool) -> int:
        """Host time of `inner` calls [ns], with or without the wait for the device."""
        self._torch.cuda.synchronize()
        start = time.perf_counter_ns()
        for _ in range(inner):
            call()
        if wait:
            self._torch.cuda.synchronize()
        elapsed = time.perf_counter_ns() - start
        self._torch.cuda.synchronize()
        return elapsed


def gpu_rows(torch: Any) -> list[dict[str, Any]]:
    """What torch.cuda says of each GPU; an empty list without one."""
    if not torch.cuda.is_available():
        return []
    rows: list[dict[str, Any]] = []
    for index in range(torch.cuda.device_count()):
        properties = torch.cuda.get_device_properties(index)
        capability = torch.cuda.get_device_capability(index)
        free_bytes, _ = torch.cuda.mem_get_info(index)
        arch = getattr(properties, "gcnArchName", None) if torch.version.hip else None
        rows.append(
            {
                "index": index,
                "hip": bool(torch.version.hip),
                "name": str(properties.name),
                "arch": str(arch) if arch else f"sm_{capability[0]}{capability[1]}",
                "mem_bytes": int(properties.total_memory),
                "free_bytes": int(free_bytes),
                "llc_bytes": int(getattr(properties, "L2_cache_size", 0)) or None,
                "uuid": str(getattr(properties, "uuid", "")),
                "compute_units": int(properties.multi_processor_count),
            }
        )
    return rows

"""What a backend must offer to the measurement."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

Call = Callable[[], object]


class Backend(Protocol):
    """One device as torch sees it."""

    torch_device: str
    timer_kind: str
    resolution_ns: int
    sample_target_ns: int
    converged_at: float

    def synchronise(self) -> None:
        """Wait until the device has finished all that was queued."""

    def use_threads(self, threads: int | None) -> None:
        """Set the number of threads of one operation (no effect on a GPU)."""

    def time_device_ns(self, call: Call, inner: int) -> int:
        """Time of `inner` calls on the device's own clock [ns]."""

    def time_host_ns(self, call: Call, inner: int, *, wait: bool) -> int:
        """Time of `inner` calls on the host's clock [ns]; `wait` includes the final wait."""


def measured_resolution_ns(clock_ns: Callable[[], int], tries: int = 200) -> int:
    """Smallest step seen between two different readings of a clock [ns]."""
    smallest = 1_000_000_000
    for _ in range(tries):
        first = clock_ns()
        second = clock_ns()
        while second == first:
            second = clock_ns()
        smallest = min(smallest, second - first)
    return smallest


def torch_dtype(torch: Any, name: str) -> Any:
    """The torch type behind the short name of the document."""
    names = {
        "fp64": "float64",
        "fp32": "float32",
        "tf32": "float32",
        "bf16": "bfloat16",
        "fp16": "float16",
        "fp8": "float8_e4m3fn",
    }
    return getattr(torch, names[name])

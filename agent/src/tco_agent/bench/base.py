"""What a benchmark family must offer; families know nothing of timing or budgets."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from tco_agent.device.base import Backend

Params = dict[str, Any]
Timing = Literal["device", "host", "host_enqueue"]


class Unsupported(Exception):
    """This device or torch build cannot do it; the text becomes the reason in the result."""


@dataclass(frozen=True)
class DeviceView:
    """What a family may know of the device when it lists its cases."""

    key: str
    kind: str
    threads: tuple[int, ...]
    llc_bytes: int
    free_bytes: int


@dataclass(frozen=True)
class Work:
    """What one call does: operations, bytes moved, and the amount its rate counts."""

    amount: int
    unit: str
    flop: int = 0
    bytes: int = 0

    def as_member(self) -> dict[str, int]:
        """The `work` member of a result; a zero is left out because it means "not counted"."""
        return {k: v for k, v in (("flop", self.flop), ("bytes", self.bytes)) if v}


@dataclass(frozen=True)
class Check:
    """Whether the kernel's output is right (rule G12)."""

    ok: bool
    rel_fro: float | None = None

    def as_member(self, inputs_sha256: str) -> dict[str, Any]:
        """The `check` member of a result."""
        return {"ok": self.ok, "rel_fro": self.rel_fro, "inputs_sha256": inputs_sha256}


@dataclass(frozen=True)
class Kernel:
    """A case ready to be called again and again, its buffers allocated and filled."""

    call: Callable[[], object]
    check: Callable[[], Check]
    """May leave the backend at one thread: the reference needs no more."""
    work: Work
    inputs_sha256: str
    timing: Timing = "device"
    values: list[tuple[str, float, str]] = field(default_factory=list)


class Family(Protocol):
    """A benchmark with its method version in the id."""

    id: str

    def cases(self, profile: str, device: DeviceView) -> list[Params]:
        """The parameters to measure in a profile, most wanted first."""

    def probes(self, params: Params) -> list[Params]:
        """Smaller sizes of the same kind, smallest first, to predict the time; empty: no sizes."""

    def cost(self, params: Params) -> float:
        """Work of one call, to scale a probe's time to this size."""

    def bytes_needed(self, params: Params, device: DeviceView) -> int:
        """Memory the case allocates [bytes]."""

    def build(self, torch: Any, backend: Backend, params: Params, device: DeviceView) -> Kernel:
        """Allocate, fill and return the kernel; Unsupported when the device cannot."""


def relative_error(torch: Any, got: Any, reference: Any) -> float:
    """Frobenius norm of the difference over the norm of the reference, in fp64."""
    wanted = reference.double()
    difference = (got.double() - wanted).norm().item()
    size = wanted.norm().item()
    return float(difference / size) if size else float(difference)


# Largest relative error a right result can have: the rounding of the output dominates.
TOLERANCE = {"fp64": 1e-12, "fp32": 1e-5, "tf32": 5e-3, "bf16": 2e-2, "fp16": 5e-3, "fp8": 2e-2}
BYTES_PER_ELEMENT = {"fp64": 8, "fp32": 4, "tf32": 4, "bf16": 2, "fp16": 2, "fp8": 1}

"""launch.v1: what one call costs when it does next to nothing.

enqueue: the host hands work over and goes on (GPU only; on a CPU the call is the work).
enqueue_sync: each call is waited for.
"""

from __future__ import annotations

from typing import Any

from tco_agent.bench.base import Check, DeviceView, Kernel, Params, Work
from tco_agent.device.base import Backend
from tco_agent.hash_inputs import WIDE_BITS, hash_normal_tensor, sha256_of_int8

ELEMENTS = 4


class LaunchLatency:
    """`x.add_(1)` on four elements."""

    id = "launch.v1"

    def cases(self, profile: str, device: DeviceView) -> list[Params]:
        """One thread: the operation is far below the size that is split."""
        modes = ("enqueue_sync",) if device.kind == "cpu" else ("enqueue", "enqueue_sync")
        return [
            {
                "mode": mode,
                **({"threads": 1} if device.kind == "cpu" else {}),
                "state": "short",
                "compile": "eager",
            }
            for mode in modes
        ]

    def probes(self, params: Params) -> list[Params]:
        """There is only one size."""
        return []

    def cost(self, params: Params) -> float:
        """One call."""
        return 1.0

    def bytes_needed(self, params: Params, device: DeviceView) -> int:
        """A few bytes."""
        return 4 * ELEMENTS

    def build(self, torch: Any, backend: Backend, params: Params, device: DeviceView) -> Kernel:
        """A counter in memory that each call raises by one."""
        pattern = hash_normal_tensor(torch, ELEMENTS, seed=4, device=backend.torch_device)
        x = pattern.to(torch.float32) / (1 << WIDE_BITS)
        wait = params["mode"] == "enqueue_sync"

        def call() -> None:
            x.add_(1.0)
            if wait:
                backend.synchronise()

        def check() -> Check:
            x.copy_(pattern.to(torch.float32) / (1 << WIDE_BITS))
            call()
            backend.synchronise()
            wanted = pattern.double() / (1 << WIDE_BITS) + 1.0
            return Check(ok=bool(torch.equal(x.double(), wanted)), rel_fro=0.0)

        return Kernel(
            call=call,
            check=check,
            work=Work(amount=1, unit="calls/s"),
            inputs_sha256=sha256_of_int8(pattern),
            timing="host" if wait else "host_enqueue",
        )

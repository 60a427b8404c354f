"""membw.v1: read, copy and triad, from memory (cold) and from the cache (warm).

Bytes count as in STREAM: one read, one write per element, no write-allocate.
"""

from __future__ import annotations

from typing import Any

from tco_agent.bench.base import Check, DeviceView, Kernel, Params, Work
from tco_agent.device.base import Backend
from tco_agent.hash_inputs import WIDE_BITS, hash_normal_tensor, sha256_of_int8

TILE = 1 << 20
PROBE_BYTES = (1 << 18, 1 << 22, 1 << 25)
WARM_BYTES = 1 << 20
COLD_LLC_MULTIPLE = 4
LEAST_COLD_BYTES = {"cpu": 64 * 2**20, "gpu": 1 << 30}
MOST_SHARE_OF_MEMORY = 16
ARRAYS = {"read": 1, "copy": 2, "triad": 3}
SCALAR = 3.0
READ_TOLERANCE = 1e-5


class MemoryBandwidth:
    """sum(a); b = a; c = a + 3 b, on fp32."""

    id = "membw.v1"

    def __init__(self) -> None:
        self._arrays: dict[tuple[str, int], tuple[list[Any], str]] = {}

    def cases(self, profile: str, device: DeviceView) -> list[Params]:
        """Cold operations first; the warm ones only in the longer profiles."""
        wanted = max(
            LEAST_COLD_BYTES["cpu" if device.kind == "cpu" else "gpu"],
            COLD_LLC_MULTIPLE * device.llc_bytes,
        )
        size = min(wanted, device.free_bytes // MOST_SHARE_OF_MEMORY)
        size -= size % (TILE * 4)
        if size < COLD_LLC_MULTIPLE * device.llc_bytes:
            return self._rows(("read", "triad"), max(size, TILE * 4), "partial", device)
        cold_ops = ("triad",) if profile == "canary" else ("triad", "read", "copy")
        rows = self._rows(cold_ops, size, "cold", device)
        if profile != "canary":
            rows += self._rows(("triad", "read", "copy"), WARM_BYTES, "warm", device)
        return rows

    @staticmethod
    def _rows(
        operations: tuple[str, ...], size_bytes: int, cache: str, device: DeviceView
    ) -> list[Params]:
        return [
            {
                "op": operation,
                "size_bytes": size_bytes,
                "dtype": "fp32",
                **({"threads": threads} if device.kind == "cpu" else {}),
                "cache": cache,
                "state": "short",
            }
            for operation in operations
            for threads in device.threads
        ]

    def probes(self, params: Params) -> list[Params]:
        """The same operation on smaller arrays."""
        sizes = [size for size in PROBE_BYTES if size < params["size_bytes"]]
        return [{**params, "size_bytes": size, "cache": "warm"} for size in sizes]

    def cost(self, params: Params) -> float:
        """Bytes moved."""
        return float(ARRAYS[params["op"]] * params["size_bytes"])

    def bytes_needed(self, params: Params, device: DeviceView) -> int:
        """Three arrays, shared by the operations of one size."""
        return int(3 * params["size_bytes"])

    def build(self, torch: Any, backend: Backend, params: Params, device: DeviceView) -> Kernel:
        """Three filled arrays and the operation on them."""
        (a, b, c), sha256 = self._arrays_for(torch, backend, params["size_bytes"], device)
        operation = params["op"]
        moved = ARRAYS[operation] * params["size_bytes"]
        total = torch.empty((), dtype=torch.float32, device=backend.torch_device)

        def call() -> None:
            if operation == "read":
                torch.sum(a, dim=0, out=total)
            elif operation == "copy":
                c.copy_(a)
            else:
                torch.add(a, b, alpha=SCALAR, out=c)

        def check() -> Check:
            call()
            if operation == "copy":
                return Check(ok=bool(torch.equal(c, a)), rel_fro=0.0)
            if operation == "triad":
                # Both terms are multiples of 1/64 below 8, so the sum is exact in fp32.
                head = slice(0, min(TILE, a.numel()))
                wanted = a[head].double() + SCALAR * b[head].double()
                same = bool(torch.equal(c[head].double(), wanted))
                tail = bool(torch.equal(c[-TILE:], a[-TILE:] + SCALAR * b[-TILE:]))
                return Check(ok=same and tail, rel_fro=0.0 if same and tail else None)
            tile = a[: min(TILE, a.numel())].double()
            repeats = a.numel() / tile.numel()
            error = abs(total.item() - tile.sum().item() * repeats)
            error /= tile.abs().sum().item() * repeats
            return Check(ok=error <= READ_TOLERANCE, rel_fro=error)

        return Kernel(
            call=call,
            check=check,
            work=Work(amount=moved, unit="B/s", bytes=moved),
            inputs_sha256=sha256,
        )

    def _arrays_for(
        self, torch: Any, backend: Backend, size_bytes: int, device: DeviceView
    ) -> tuple[list[Any], str]:
        key = (backend.torch_device, size_bytes)
        if key not in self._arrays:
            count = size_bytes // 4
            tile = min(TILE, count)
            pattern = hash_normal_tensor(torch, tile, seed=3, device=backend.torch_device)
            values = pattern.to(torch.float32) / (1 << WIDE_BITS)
            # All threads touch the pages first, so that they spread over the memory of all sockets.
            backend.use_threads(max(device.threads))
            arrays = []
            for _ in range(3):
                array = torch.empty(count, dtype=torch.float32, device=backend.torch_device)
                array.view(-1, tile).copy_(values)
                arrays.append(array)
            backend.use_threads(1)
            self._arrays[key] = (arrays, sha256_of_int8(pattern))
        return self._arrays[key]

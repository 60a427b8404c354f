"""gemm.v1: a matrix product per dtype over the number of rows M, with weights out of cache.

Few rows are the decode step (bound by reading the weights), many rows the prefill. The weights
rotate over buffers of at least twice the last-level cache, so that they come from memory as they do
in a model.
"""

from __future__ import annotations

import itertools
from typing import Any

from tco_agent.bench.base import (
    BYTES_PER_ELEMENT,
    TOLERANCE,
    Check,
    DeviceView,
    Kernel,
    Params,
    Unsupported,
    Work,
    relative_error,
)
from tco_agent.device.base import Backend, torch_dtype
from tco_agent.hash_inputs import (
    NARROW_BITS,
    WIDE_BITS,
    combined_sha256,
    hash_normal_tensor,
    sha256_of_int8,
)

PROBE_SIDES = (64, 128, 256, 512)
MOST_WEIGHT_BUFFERS = 32
ROWS_CHECKED = 4

CPU_SIDE, GPU_SIDE = 1024, 4096
Plan = tuple[tuple[str, tuple[int, ...]], ...]
# (dtype, rows): most wanted first, because a budget may end before the list does
CPU_QUICK: Plan = (
    ("fp32", (512, 1, 128, 32, 8, 1024)),
    ("fp64", (512,)),
    ("bf16", (128, 1)),
    ("fp16", (128, 1)),
)
GPU_QUICK: Plan = (
    ("bf16", (2048, 1, 128, 32, 8, 512, 8192)),
    ("fp16", (2048, 1)),
    ("fp8", (2048, 1)),
    ("tf32", (2048,)),
    ("fp32", (2048,)),
    ("fp64", (512,)),
)
CANARY: dict[str, Plan] = {"cpu": (("fp32", (256,)),), "gpu": (("bf16", (2048,)),)}


class Gemm:
    """C[M,N] = A[M,K] · B[N,K]ᵀ into a preallocated C."""

    id = "gemm.v1"

    def __init__(self) -> None:
        self._weights: dict[tuple[Any, ...], tuple[list[Any], str]] = {}

    def cases(self, profile: str, device: DeviceView) -> list[Params]:
        """Rows and dtypes of the profile, each at every thread count of the device."""
        on_cpu = device.kind == "cpu"
        plan = CANARY["cpu" if on_cpu else "gpu"]
        if profile != "canary":
            plan = CPU_QUICK if on_cpu else GPU_QUICK
        side = CPU_SIDE if on_cpu else GPU_SIDE
        return [
            {
                "m": m,
                "n": side,
                "k": side,
                "dtype": dtype,
                **({"threads": threads} if on_cpu else {}),
                "cache": "cold",
                "state": "short",
                "compile": "eager",
            }
            for dtype, rows in plan
            for m in rows
            for threads in device.threads
        ]

    def probes(self, params: Params) -> list[Params]:
        """Cubes of the same dtype and threads with less work than the case."""
        cubes = [{**params, "m": s, "n": s, "k": s, "cache": "warm"} for s in PROBE_SIDES]
        return [cube for cube in cubes if self.cost(cube) < self.cost(params)]

    def cost(self, params: Params) -> float:
        """2MNK; few rows cost at least the reading of the weights, worth about 16 rows."""
        return float(2 * max(params["m"], 16) * params["n"] * params["k"])

    def bytes_needed(self, params: Params, device: DeviceView) -> int:
        """Weights in all their buffers, input and output."""
        size = BYTES_PER_ELEMENT[params["dtype"]]
        weights = params["n"] * params["k"] * size * _weight_buffers(params, device)
        return int(weights + params["m"] * (params["k"] + params["n"]) * max(size, 2))

    def build(self, torch: Any, backend: Backend, params: Params, device: DeviceView) -> Kernel:
        """Fill A and the rotating B, and return the product as a call."""
        m, n, k, name = params["m"], params["n"], params["k"], params["dtype"]
        dtype = torch_dtype(torch, name)
        bits = NARROW_BITS if name == "fp8" else WIDE_BITS
        weights, weights_sha256 = self._weights_for(torch, backend, params, dtype, bits, device)
        pattern = hash_normal_tensor(torch, m * k, seed=1, device=backend.torch_device, bits=bits)
        a = (pattern.to(torch.float32) / (1 << bits)).to(dtype).reshape(m, k)
        multiply, out = _product(torch, a, name, n)
        rotation = itertools.cycle(weights)
        # One process serves fp32 and tf32 on a GPU, so the switch is set at each call.
        switch = torch.backends.cuda.matmul if backend.torch_device != "cpu" else None

        def call() -> None:
            if switch is not None:
                switch.allow_tf32 = name == "tf32"
            multiply(next(rotation))

        def check() -> Check:
            if switch is not None:
                switch.allow_tf32 = name == "tf32"
            multiply(weights[0])
            backend.use_threads(1)
            rows = sorted({*range(min(ROWS_CHECKED, m)), *range(max(0, m - ROWS_CHECKED), m)})
            reference = a[rows].double() @ weights[0].double().t()
            error = relative_error(torch, out[rows], reference)
            return Check(ok=error <= TOLERANCE[name], rel_fro=error)

        size = BYTES_PER_ELEMENT[name]
        work = Work(
            amount=2 * m * n * k,
            unit="FLOP/s",
            flop=2 * m * n * k,
            bytes=(m * k + k * n) * size + m * n * out.element_size(),
        )
        inputs_sha256 = combined_sha256([sha256_of_int8(pattern), weights_sha256])
        return Kernel(call=call, check=check, work=work, inputs_sha256=inputs_sha256)

    def _weights_for(
        self,
        torch: Any,
        backend: Backend,
        params: Params,
        dtype: Any,
        bits: int,
        device: DeviceView,
    ) -> tuple[list[Any], str]:
        n, k, buffers = params["n"], params["k"], _weight_buffers(params, device)
        key = (backend.torch_device, params["dtype"], n, k, buffers)
        if key not in self._weights:
            pattern = hash_normal_tensor(
                torch, n * k, seed=2, device=backend.torch_device, bits=bits
            )
            first = (pattern.to(torch.float32) / (1 << bits)).to(dtype).reshape(n, k)
            # All threads touch the pages first, so that they spread over the memory of all sockets.
            backend.use_threads(max(device.threads))
            copies = [first.clone() for _ in range(buffers)]
            backend.use_threads(1)
            self._weights[key] = (copies, sha256_of_int8(pattern))
        return self._weights[key]


def _weight_buffers(params: Params, device: DeviceView) -> int:
    """How many copies of the weights reach twice the last-level cache."""
    if params["cache"] != "cold":
        return 1
    one = params["n"] * params["k"] * BYTES_PER_ELEMENT[params["dtype"]]
    return int(max(2, min(MOST_WEIGHT_BUFFERS, -(-2 * device.llc_bytes // one))))


def _product(torch: Any, a: Any, name: str, n: int) -> tuple[Any, Any]:
    """The call for one weight buffer, and the output it writes."""
    if name != "fp8":
        out = torch.empty(a.shape[0], n, dtype=a.dtype, device=a.device)
        return (lambda b: torch.mm(a, b.t(), out=out)), out
    if not hasattr(torch, "_scaled_mm"):
        raise Unsupported("this torch has no scaled fp8 product")
    out = torch.empty(a.shape[0], n, dtype=torch.bfloat16, device=a.device)
    one = torch.ones((), device=a.device)

    def scaled(b: Any) -> None:
        torch._scaled_mm(a, b.t(), scale_a=one, scale_b=one, out_dtype=torch.bfloat16, out=out)

    try:
        scaled(torch.zeros(n, a.shape[1], dtype=a.dtype, device=a.device))
    except (RuntimeError, ValueError) as error:
        raise Unsupported(f"fp8 product: {str(error).splitlines()[0]}"[:180]) from error
    return scaled, out

"""Constants of the performance model, each with its unit, status, source and date (P3, P18).

They stand in where nothing has been measured. Efficiencies sit on physical bases and are at most
1, so no estimate beats its floor (P0.1, P0.4).
"""

from __future__ import annotations

from tco.inputs import Figure, Status, assumed

_MATMUL = (
    "share of the dense peak reached by the best large matrix product, ml-engineering "
    "accelerator chapter, 14 devices 0.51 to 0.97"
)
_HOST = "public simulators of serving engines, host cost of one engine version"

MATMUL_16BIT_FRACTION = Figure(
    0.70,
    "fraction",
    Status.ESTIMATED,
    f"{_MATMUL}; median 0.79, less norms, quantising and uneven shapes",
    "2026-08-22",
    low=0.51,
    high=0.97,
)
MATMUL_8BIT_FRACTION = Figure(
    0.60,
    "fraction",
    Status.ESTIMATED,
    f"{_MATMUL}, at 16 bits; 8-bit and smaller products reach a smaller share",
    "2026-08-22",
    low=0.40,
    high=0.75,
)
MATMUL_CPU_FRACTION = Figure(
    0.50,
    "fraction",
    Status.ESTIMATED,
    "clock falls under matrix load; derived CPU peaks are upper bounds",
    "2026-11-30",
    low=0.25,
    high=0.80,
)
BANDWIDTH_FRACTION = Figure(
    0.80,
    "fraction",
    Status.ESTIMATED,
    "stream-like kernels reach 0.75 to 0.92 of the printed memory bandwidth",
    "2026-08-22",
    low=0.60,
    high=0.92,
)
LINK_FRACTION = Figure(
    0.80,
    "fraction",
    Status.ESTIMATED,
    "large all-reduces reach 0.7 to 0.9 of the printed link rate",
    "2026-08-22",
    low=0.60,
    high=0.90,
)
ALL_REDUCE_LATENCY_US = Figure(
    8.0,
    "us",
    Status.ESTIMATED,
    "one small all-reduce among 8 devices of one scale-up domain",
    "2026-11-30",
    low=4.0,
    high=20.0,
)
HOST_STEP_MS = Figure(0.1, "ms", Status.ESTIMATED, f"{_HOST}, per iteration", "2026-11-30")
LAYER_OVERHEAD_US = Figure(
    30.0, "us", Status.ESTIMATED, f"{_HOST}, per layer and iteration", "2026-11-30"
)
KERNELS_PER_LAYER = Figure(
    10.0, "kernels", Status.ESTIMATED, "norms, four products, rotary, attention, activation, adds"
)
HOST_REQUEST_MS = Figure(15.0, "ms", Status.ESTIMATED, f"{_HOST}, per request", "2026-11-30")

USABLE_MEMORY_FRACTION = Figure(
    0.9,
    "fraction",
    Status.PUBLISHED,
    "default memory share of a common open serving engine",
    verified=False,
)
KV_BLOCK_TOKENS = Figure(
    16.0, "tokens", Status.PUBLISHED, "default block of a common open serving engine"
)
MAX_BATCHED_TOKENS = Figure(
    8192.0,
    "tokens",
    Status.PUBLISHED,
    "default of a common open serving engine on large devices",
    verified=False,
)
MAX_SEQUENCES = Figure(
    256.0,
    "sequences",
    Status.PUBLISHED,
    "default of a common open serving engine",
    verified=False,
)

MODEL_FLOPS_FRACTION = Figure(
    0.40,
    "fraction",
    Status.PUBLISHED,
    "Llama 3 paper: 38 to 43 % of the 16-bit peak on 8,192 and 16,384 H100",
    "2024-07",
    low=0.38,
    high=0.43,
    verified=False,
)
TRAINING_STATE_BYTES = Figure(
    16.0,
    "bytes/parameter",
    Status.PUBLISHED,
    "ZeRO paper: 16-bit weights and gradients, 32-bit weights and two Adam moments",
    "2019-10",
    verified=False,
)
TRAINING_MEMORY_FRACTION = assumed(
    0.35, "fraction", "share of the memory bandwidth in use while training"
)
SERVICE_TAIL_FRACTION = Figure(
    0.99,
    "fraction",
    Status.ESTIMATED,
    "design choice: c* bounds this percentile of the number in the system",
)

LINK_GB_S_FALLBACK = assumed(
    32.0, "GB/s", "no scale-up link printed: PCIe 4.0 x16, one direction, in practice"
)

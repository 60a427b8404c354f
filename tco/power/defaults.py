"""What stands in for figures the catalog lacks, each with its source."""

from __future__ import annotations

from tco.inputs import Figure, Status, assumed

DEVICE_SHARE_OF_DC = Figure(
    value=0.70,
    unit="fraction",
    status=Status.ESTIMATED,
    source=(
        "8 boards of 700 W in an 8 x H100 server of 8.5 kW measured maximum (Newkirk et al.),"
        " 94 % supply efficiency"
    ),
)
HOST_IDLE_SHARE = Figure(
    value=0.69,
    unit="fraction",
    status=Status.ESTIMATED,
    source=(
        "8 x H200 server: 2.4 kW lowest logged (MLPerf Inference v4.1) less 8 boards of 75 W,"
        " over the 2.4 kW an 8 x H100 server draws beside its boards (Newkirk et al.)"
    ),
)
IDLE_SHARE_OF_BOARD = Figure(
    value=0.12,
    unit="fraction",
    status=Status.ESTIMATED,
    source=(
        "median of idle to board power of nine GPUs with nvidia-smi or rocm-smi idle listings"
        " in public repositories (0.09 to 0.22)"
    ),
    low=0.09,
    high=0.22,
)
CPU_IDLE_SHARE = assumed(0.30, "fraction", "planning value: package power at rest over its rating")
BOARD_W_UNKNOWN = assumed(700.0, "W", "planning value: a board of the 8-device servers of 2023")
CPU_W_UNKNOWN = assumed(350.0, "W", "planning value: median rating of server CPUs of 2022 to 2025")

# Active watts of an accelerator as a share of its cap, while a request is in flight:
# 0.6 + 0.4 min(1, 4.0 x compute share + 0.1 x memory share).
ACTIVE_FLOOR = Figure(
    value=0.60,
    unit="fraction",
    status=Status.MEASURED,
    source="H100 SXM, batch 8 and below: 0.60 to 0.66 of 700 W (ML.ENERGY benchmark, vLLM)",
)
COMPUTE_WEIGHT = Figure(
    value=4.0,
    unit="ratio",
    status=Status.ESTIMATED,
    source=(
        "fit to 58 rows of dense models on H100 SXM (ML.ENERGY benchmark, chat): mean error 6 %,"
        " largest 17 %"
    ),
)
MEMORY_WEIGHT = Figure(
    value=0.1,
    unit="ratio",
    status=Status.ESTIMATED,
    source="same fit as the compute weight",
)

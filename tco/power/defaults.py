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

"""What stands in for figures the catalog lacks, each with its source."""

from __future__ import annotations

from tco.defaults import default

DEVICE_SHARE_OF_DC = default("power.device_share_of_dc")
HOST_IDLE_SHARE = default("power.host_idle_share")
IDLE_SHARE_OF_BOARD = default("power.idle_share_of_board")
CPU_IDLE_SHARE = default("power.cpu_idle_share")
BOARD_W_UNKNOWN = default("power.board_w_unknown")
CPU_W_UNKNOWN = default("power.cpu_w_unknown")

"""Constants of the performance model, from the table of defaults (P3, P18).

They stand in where nothing has been measured. Efficiencies sit on physical bases and are at most
1, so no estimate beats its floor (P0.1, P0.4).
"""

from __future__ import annotations

from tco.defaults import default

MATMUL_16BIT_FRACTION = default("performance.matmul_16bit_fraction")
MATMUL_8BIT_FRACTION = default("performance.matmul_8bit_fraction")
MATMUL_CPU_FRACTION = default("performance.matmul_cpu_fraction")
BANDWIDTH_FRACTION = default("performance.bandwidth_fraction")
LINK_FRACTION = default("performance.link_fraction")
ALL_REDUCE_LATENCY_US = default("performance.all_reduce_latency_us")
HOST_STEP_MS = default("performance.host_step_ms")
LAYER_OVERHEAD_US = default("performance.layer_overhead_us")
KERNELS_PER_LAYER = default("performance.kernels_per_layer")
HOST_REQUEST_MS = default("performance.host_request_ms")

USABLE_MEMORY_FRACTION = default("performance.usable_memory_fraction")
KV_BLOCK_TOKENS = default("performance.kv_block_tokens")
MAX_BATCHED_TOKENS = default("performance.max_batched_tokens")
MAX_SEQUENCES = default("performance.max_sequences")

MODEL_FLOPS_FRACTION = default("performance.model_flops_fraction")
TRAINING_STATE_BYTES = default("performance.training_state_bytes")
TRAINING_MEMORY_FRACTION = default("performance.training_memory_fraction")
SERVICE_TAIL_FRACTION = default("performance.service_tail_fraction")

LINK_GB_S_FALLBACK = default("performance.link_gb_s_fallback")

"""The benchmark families by id."""

from __future__ import annotations

from tco_agent.bench.base import Family
from tco_agent.bench.decoder_block import DecoderBlock
from tco_agent.bench.gemm import Gemm
from tco_agent.bench.launch_latency import LaunchLatency
from tco_agent.bench.memory_bandwidth import MemoryBandwidth

FAMILIES: dict[str, Family] = {
    family.id: family for family in (Gemm(), MemoryBandwidth(), DecoderBlock(), LaunchLatency())
}

"""Slices and shares of a device (shared devices)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tco.inputs import CoLocation, Figure, Status
from tco.performance.confidential import confidential_speed
from tco.performance.machine import machine_of
from tco.performance.partition import (
    adapter_bytes,
    adapter_swap_ms,
    partition_device,
    partition_of,
    profiles,
    shared_device,
)
from tco.performance.sizing import size_fleet
from tests.engine.performance.catalog_rows import (
    CPU,
    H100,
    LLAMA_1B,
    LLAMA_8B,
    LLAMA_70B,
    fleet,
    workload,
)


def share(value: float) -> Figure:
    """An assumed fraction."""
    return Figure(value, "fraction", Status.ASSUMED, "test")


def test_seven_slices_of_an_h100_are_less_than_one():
    """1g.10gb: an eighth of memory and bandwidth, a seventh of the units less what is lost."""
    part = partition_of(H100, "1g.10gb")
    assert part is not None
    assert part.per_device == 7
    device = partition_device(H100, part)
    assert device.memory_gb.value == pytest.approx(10.0)
    assert device.memory_bandwidth_gb_s.value == pytest.approx(3350 / 8)
    assert device.peak("bf16").value == pytest.approx(989.4 / 7 * 0.85, rel=1e-4)
    assert 7 * device.peak("bf16").value < H100.peak("bf16").value
    assert 7 * device.memory_gb.value < H100.memory_gb.value
    assert device.measured is None
    assert device.key == "h100-sxm/1g.10gb"


def test_a_profile_of_another_device_is_not_there():
    """1g.18gb is the H200's; a processor has none."""
    assert partition_of(H100, "1g.18gb") is None
    assert profiles(CPU.key) == ()


def test_slices_multiply_the_devices_of_a_server():
    """Eight devices in seven slices each: 56, one copy each, and no degree spans two."""
    work = workload(LLAMA_1B, requests_per_s=50, weight_dtype="bf16", kv_dtype="bf16")
    whole = fleet(work)
    cut = replace(whole, partition=partition_of(H100, "1g.10gb"))
    assert machine_of(cut).device_count == 56
    result = size_fleet(cut, horizon_months=12)
    assert result.feasible
    assert result.tensor_parallel == 1
    assert result.memory_capacity_gb == pytest.approx(10.0)
    # one slice answers slower than the device it was cut from
    assert result.floor_ms["tpot"] > size_fleet(whole, horizon_months=12).floor_ms["tpot"]


def test_a_model_that_fits_the_device_may_not_fit_its_slice():
    """16 GB of weights do not fit 10 GB."""
    work = workload(LLAMA_8B, weight_dtype="bf16", kv_dtype="bf16")
    cut = fleet(work, tensor_parallel=1)
    cut = replace(cut, partition=partition_of(H100, "1g.10gb"))
    result = size_fleet(cut, horizon_months=12)
    assert not result.feasible
    assert result.binds.startswith("memory")


def test_a_shared_device_gives_its_share_less_the_neighbours():
    """Half the time and 10 % interference: 45 % of the rates."""
    co = CoLocation(share(0.5), share(0.4))
    device = shared_device(H100, co)
    assert device.memory_bandwidth_gb_s.value == pytest.approx(3350 * 0.45)
    assert device.memory_gb.value == pytest.approx(32.0)


def test_adapters_take_memory_and_those_left_out_take_time():
    """Rank 16 on every projection of Llama-3.1-8B: 83.9 MB, counted by hand."""
    sides = 32 * (
        2 * (4096 + 4096)  # query and output
        + 2 * (4096 + 1024)  # key and value
        + 3 * (4096 + 14336)  # gate, up, down
    )
    assert adapter_bytes(LLAMA_8B, 16) == 2 * 16 * sides == 83_886_080
    co = CoLocation(share(1.0), share(0.9), share(0.0), adapters=100, adapter_rank=16)
    held = shared_device(H100, co, LLAMA_8B).memory_gb.value
    assert held == pytest.approx(72.0 - 8.388608)
    assert adapter_swap_ms(LLAMA_8B, co) == 0.0
    few = replace(co, adapters_resident=25)
    assert adapter_swap_ms(LLAMA_8B, few, 25.0) == pytest.approx(0.75 * 83_886_080 / 25e9 * 1e3)


def test_confidential_computing_is_a_factor_not_a_yes():
    """Required on an H100: 0.94 of the speed unless the fleet was measured; off: 1."""
    plain = fleet(workload(LLAMA_70B))
    asked = replace(
        plain, workload=replace(plain.workload, required_features=("confidential_computing",))
    )
    assert confidential_speed(plain) == 1.0
    assert confidential_speed(asked) == pytest.approx(0.94)
    own = replace(asked, confidential_speed_fraction=share(0.5))
    slow, fast = (size_fleet(item, horizon_months=12) for item in (own, plain))
    assert slow.servers > fast.servers

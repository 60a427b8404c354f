"""What cannot be served says so, with the reason and the mend; nothing raises (P1.4, P8)."""

from __future__ import annotations

import dataclasses
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.inputs import Fleet, LatencyTarget, Status, plain
from tco.performance import size_fleet
from tco.performance.growth import MOST_SERVERS
from tests.engine.performance.catalog_rows import (
    CPU,
    H100,
    LLAMA_1B,
    LLAMA_70B,
    MI300X,
    QWEN_32B,
    fleet,
    published,
    workload,
)


def size(given: Fleet, **options):
    """Size a fleet over five years."""
    return size_fleet(given, **{"horizon_months": 60, **options})


def test_a_target_below_the_floor_is_refused():
    """A first token in 5 ms cannot be: infeasible, and `binds` says what a light load gives."""
    result = size(fleet(workload(targets=(LatencyTarget("ttft", 50, 5),))))
    assert not result.feasible
    assert result.servers == 0
    assert result.binds.startswith("ttft p50 5 ms")
    assert "even at a light load" in result.binds
    assert result.floor_ms["ttft"] > 5


def test_a_model_that_does_not_fit_names_the_mend():
    """70B in bf16 on one H100: GB missing, and the smallest change that helps."""
    result = size(fleet(workload(weight_dtype="bf16", kv_dtype="bf16"), devices=1))
    assert not result.feasible
    assert result.servers_by_month == (0,) * 60
    assert result.binds.startswith("memory: 7")
    assert "int4" in result.binds
    assert result.memory


def test_spreading_is_named_before_a_smaller_dtype():
    """With four devices there, spreading is the smaller change."""
    asked = fleet(workload(weight_dtype="bf16", kv_dtype="bf16"), devices=4, tensor_parallel=1)
    assert "spread it over 4 devices" in size(asked).binds


def test_a_context_that_is_too_long_is_refused():
    """Input and output beyond the model's context."""
    result = size(fleet(workload(input_tokens=131_000, output_tokens=1000)))
    assert not result.feasible
    assert result.binds.startswith("context:")


@pytest.mark.parametrize(
    ("change", "starts"),
    [
        ({"peak_tflops": ()}, "dtype:"),
        ({"memory_bandwidth_gb_s": None}, "bandwidth:"),
    ],
)
def test_missing_figures_are_named(change, starts):
    """A device without a rate or a bandwidth is not guessed."""
    result = size(fleet(device=dataclasses.replace(H100, **change)))
    assert not result.feasible
    assert result.binds.startswith(starts)


def test_unsupported_models_say_why():
    """A mixture of experts is not sized as a dense model."""
    moe = dataclasses.replace(LLAMA_70B, supported=False, why_unsupported="mixture of experts")
    result = size(fleet(workload(moe)))
    assert not result.feasible
    assert "mixture of experts" in result.binds


def test_unknown_memory_is_assumed_and_said():
    """A device of unknown capacity is sized, and the result is only as good as that."""
    unknown = dataclasses.replace(H100, memory_gb=None)
    result = size(fleet(device=unknown))
    assert result.feasible
    assert result.memory_capacity_gb is None
    assert result.status is Status.ASSUMED


@pytest.mark.parametrize(
    "targets",
    [
        (LatencyTarget("latency", 95, 10),),
        (LatencyTarget("ttft", 100, 10),),
        (LatencyTarget("ttft", 95, 0),),
    ],
)
def test_targets_that_cannot_be_judged(targets):
    """An unknown metric, the 100th percentile, a limit of zero."""
    result = size(fleet(workload(targets=targets)))
    assert not result.feasible
    assert result.binds.startswith("target")


def test_a_degree_that_does_not_divide():
    """Three devices a replica do not divide a server of eight."""
    result = size(fleet(tensor_parallel=3))
    assert not result.feasible
    assert result.binds.startswith("tensor_parallel:")


def test_no_servers_are_zeros():
    """count = 0 with demand: not feasible, zeros everywhere, no NaN."""
    result = size(fleet(count=0))
    assert not result.feasible
    assert (result.servers, result.replicas, result.device_count) == (0, 0, 0)
    assert result.at_peak is None
    assert result.curve == ()
    assert [hour.busy_fraction for hour in result.hours] == [0.0] * 24


def test_no_demand_needs_nothing():
    """Without requests no server is bought and nothing is wrong."""
    result = size(fleet(workload(requests_per_s=0.0)))
    assert result.feasible
    assert result.servers == 0
    idle = size(fleet(workload(requests_per_s=0.0), count=2))
    assert idle.feasible
    assert idle.servers == 2
    assert all(hour.busy_fraction == 0 for hour in idle.hours)


def test_a_count_too_small_is_reported():
    """Two servers for 200 requests a second: saturated, targets not met, nothing raised."""
    result = size(fleet(count=2))
    assert not result.feasible
    assert result.at_peak.saturated
    assert result.at_peak.ttft_ms == {}
    assert [target.met for target in result.targets] == [False, False]
    assert result.binds.startswith("throughput")


def test_an_absurd_demand_is_refused():
    """1e308 requests a second is a slip of the pen, not ten million servers."""
    result = size(fleet(workload(requests_per_s=1e300)))
    assert not result.feasible
    assert f"{MOST_SERVERS:,}" in result.binds
    grown = size(fleet(workload(growth=1e90)))
    assert not grown.feasible


ODD = st.sampled_from([0.0, 1e-9, 0.5, 1.0, 17.0, 1e3, 1e6, 1e15, 1e300])


@given(
    shape=st.sampled_from([LLAMA_1B, LLAMA_70B, QWEN_32B]),
    device=st.sampled_from([H100, MI300X, CPU]),
    requests_per_s=ODD,
    lengths=st.tuples(ODD, ODD),
    limit_ms=ODD,
    growth=st.sampled_from([-1.0, 0.0, 0.3, 1e300]),
    bandwidth_gb_s=st.none() | ODD,
    count=st.sampled_from([None, 0, 1, 1000]),
)
@settings(max_examples=120, deadline=None)
def test_whatever_the_figures_a_result_comes_back(
    shape, device, requests_per_s, lengths, limit_ms, growth, bandwidth_gb_s, count
):
    """Absurd figures give a result with a reason and finite numbers, never an exception."""
    if bandwidth_gb_s is not None:
        device = dataclasses.replace(
            device, memory_bandwidth_gb_s=published(bandwidth_gb_s, "GB/s")
        )
    work = workload(
        shape,
        requests_per_s=requests_per_s,
        targets=(LatencyTarget("e2e", 99, limit_ms),),
        input_tokens=lengths[0],
        output_tokens=lengths[1],
        growth=growth,
    )
    result = size(fleet(work, device=device, count=count))
    assert result.binds
    assert len(result.servers_by_month) == 60
    json.dumps(plain(result), allow_nan=False)

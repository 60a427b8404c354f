"""Short answers: a token takes one iteration, so its time is bounded (P0.1, P0.4, P6.3)."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.inputs import LatencyTarget
from tco.performance import size_fleet
from tco.performance.load_table import MAX_LOAD, MAX_SLOT_WAIT, PERCENTILES
from tco.performance.replica import ReplicaSpec, build_replica
from tco.performance.serving import evaluate
from tests.engine.performance.catalog_rows import (
    H100,
    LLAMA_8B,
    LLAMA_70B,
    MI300X,
    fleet,
    workload,
)
from tests.oracles.event_simulator import simulate

REPLICAS = {
    "70B on two MI300X": (LLAMA_70B, MI300X, 2, "fp8", "fp8"),
    "70B on four H100": (LLAMA_70B, H100, 4, "fp8", "fp8"),
}


def replica_times(name, input_tokens, output_tokens):
    """Return the step times of a replica of the table above."""
    given_spec = ReplicaSpec(*REPLICAS[name], input_tokens, output_tokens)
    return build_replica(given_spec, (given_spec.tensor_parallel,)).times


def simulated(times, rate, requests, seed=3):
    """Run the event simulator at a rate."""
    return simulate(
        times.decode_s,
        times.prefill_s,
        chunks=times.chunks,
        decode_tokens=int(times.decode_tokens),
        requests_per_s=rate,
        requests=requests,
        seed=seed,
        host_s=times.host_s,
    )


@pytest.mark.parametrize("load", [0.5, 0.6, 0.8])
@pytest.mark.parametrize("output_tokens", [2, 5, 20])
@pytest.mark.parametrize("input_tokens", [1000, 20_000])
@pytest.mark.parametrize("name", REPLICAS)
def test_short_answers_meet_the_simulator(name, input_tokens, output_tokens, load):
    """Means within 10 % (16 % at 80 % load), 95th and 99th percentiles within 20 %."""
    times = replica_times(name, input_tokens, output_tokens)
    rate = load * times.saturation_per_s
    table = evaluate(times, np.array([rate]))
    made = simulated(times, rate, 16_000)
    for metric, sample in (("ttft", made.ttft_s), ("tpot", made.tpot_s), ("e2e", made.e2e_s)):
        near = 0.10 if load < 0.8 else 0.16
        assert table.mean_s[metric][0] == pytest.approx(sample.mean(), rel=near), metric
        for percentile in (95.0, 99.0):
            expected = np.percentile(sample, percentile)
            found = table.at(metric, percentile)[0]
            assert found == pytest.approx(expected, rel=0.20), (metric, percentile)


@given(
    shape=st.sampled_from([(LLAMA_70B, H100, 4), (LLAMA_70B, MI300X, 2), (LLAMA_8B, H100, 1)]),
    input_tokens=st.sampled_from([10, 200, 1000, 8000, 20_000]),
    output_tokens=st.one_of(st.integers(1, 60), st.integers(61, 2000)),
    load=st.floats(0.001, 0.98),
)
@settings(max_examples=150, deadline=None)
def test_whole_answer_first_token_and_token_time_agree(shape, input_tokens, output_tokens, load):
    """E2E mean = TTFT mean + (n - 1) TPOT mean; no percentile of E2E is below its parts.

    A token takes at least a decode step alone and at most the longest mixed iteration.
    """
    spec = ReplicaSpec(*shape, "fp8", "fp8", input_tokens, output_tokens)
    times = build_replica(spec, (shape[2],)).times
    table = evaluate(times, np.array([load * times.saturation_per_s]))
    ttft, e2e = table.quantile_s["ttft"][0], table.quantile_s["e2e"][0]
    assert np.all(e2e >= ttft)
    assert np.all(np.diff(e2e) >= -1e-12)
    if output_tokens == 1:
        assert table.mean_s["e2e"][0] == table.mean_s["ttft"][0]
        return
    tpot, mean = table.quantile_s["tpot"][0], table.mean_s["tpot"][0]
    whole = table.mean_s["ttft"][0] + (output_tokens - 1) * mean
    assert table.mean_s["e2e"][0] == pytest.approx(whole)
    assert np.all(e2e >= (output_tokens - 1) * tpot)
    shortest, longest = times.decode_s[1], (times.prefill_s / times.chunks).max()
    for value in (mean, *tpot):
        assert shortest * (1 - 1e-9) <= value <= longest * (1 + 1e-9)


@pytest.mark.parametrize("output_tokens", [2, 5])
def test_servers_for_short_answers_hold_in_the_simulator(output_tokens):
    """A sized fleet of short answers meets its targets in the simulator, one server more at most.

    70B on MI300X, 220 requests a second with one copy lost. The one server more: no more than 90 %
    of the saturation load is planned.
    """
    asked = workload(output_tokens=output_tokens, headroom=0.1, lost=1)
    result = size_fleet(fleet(asked, device=MI300X), horizon_months=12)
    assert result.feasible
    spec = ReplicaSpec(LLAMA_70B, MI300X, result.tensor_parallel, "fp8", "fp8", 1000, output_tokens)
    times = build_replica(spec, (1, 2, 4, 8)).times
    copies = result.replicas // result.servers

    def holds(servers):
        made = simulated(times, 220.0 / (servers * copies - 1), 16_000)
        first, token = np.percentile(made.ttft_s, 95), np.percentile(made.tpot_s, 95)
        return first <= 1.0 and token <= 0.050

    assert holds(result.servers)
    assert not holds(result.servers - 2)


def test_one_output_token_has_no_time_per_token():
    """One token: TPOT is a blank, not 0; its target is left out and the result says why (P0.1)."""
    asked = workload(output_tokens=1)
    result = size_fleet(fleet(asked), horizon_months=12)
    assert result.feasible
    assert "a single output token has no time per output token" in result.binds
    assert [target.metric for target in result.targets] == ["ttft"]
    assert "tpot" not in result.floor_ms
    for point in (result.at_peak, *result.curve[:-1]):
        assert point.tpot_ms == {}
        assert point.ttft_ms == point.e2e_ms
    alone = dataclasses.replace(asked, targets=(LatencyTarget("tpot", 95, 1),))
    none = size_fleet(fleet(alone), horizon_months=12)
    assert none.targets == ()
    assert "not applicable" in none.binds


def test_points_outside_the_stated_range_are_marked():
    """Above 90 % load, or with more than 1 % waiting for a KV slot, a point is outside (P6.3)."""
    curve = size_fleet(fleet(), horizon_months=12).curve
    inside = [point.within_model_range for point in curve]
    assert inside == [point.utilisation_fraction <= 0.9 + 1e-9 for point in curve]
    # 20,000-token prompts: 20 sequences fit, and slots run out before the load does
    spec = ReplicaSpec(LLAMA_8B, H100, 1, "bf16", "bf16", 20_000, 20)
    times = build_replica(spec, (1,)).times
    limit = times.saturation_per_s
    table = evaluate(times, np.array([0.5, 0.89, 0.91]) * limit)
    marks = [
        table.point(row, replicas=1, saturation_per_s=limit, measured_range=True).within_model_range
        for row in range(3)
    ]
    slots_hold = bool(table.slot_share[1] <= MAX_SLOT_WAIT)
    assert MAX_LOAD.value == 0.9
    assert marks == [True, slots_hold, False]
    assert not slots_hold
    assert PERCENTILES == (50.0, 90.0, 95.0, 99.0)

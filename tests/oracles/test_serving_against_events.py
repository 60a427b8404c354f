"""The closed form of continuous batching against an event simulator (P6.3)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.performance.load_table import METRICS
from tco.performance.replica import ReplicaSpec, build_replica, capacity
from tco.performance.serving import StepTimes, evaluate
from tests.engine.performance.catalog_rows import H100, LLAMA_8B, LLAMA_70B, MI300X
from tests.oracles.event_simulator import simulate

CASES = {
    "chat on four": ReplicaSpec(LLAMA_70B, H100, 4, "fp8", "fp8", 1000, 250),
    "chat on two": ReplicaSpec(LLAMA_70B, MI300X, 2, "fp8", "fp8", 1000, 250),
    "small model": ReplicaSpec(LLAMA_8B, H100, 1, "bf16", "bf16", 1000, 250),
    "long prompt": ReplicaSpec(LLAMA_70B, H100, 8, "fp8", "fp8", 8000, 1000),
    "two chunks": ReplicaSpec(LLAMA_8B, MI300X, 1, "bf16", "bf16", 12000, 300),
    "long answer": ReplicaSpec(LLAMA_70B, H100, 8, "bf16", "bf16", 200, 800),
}


def times_of(name) -> StepTimes:
    """Return the step times of a case."""
    spec = CASES[name]
    return build_replica(spec, (spec.tensor_parallel,)).times


def run(times, load, *, requests, seed=3):
    """Simulate a share of the saturation load."""
    return simulate(
        times.decode_s,
        times.prefill_s,
        chunks=times.chunks,
        decode_tokens=int(times.decode_tokens),
        requests_per_s=load * times.saturation_per_s,
        requests=requests,
        seed=seed,
        host_s=times.host_s,
    )


@pytest.mark.parametrize(("load", "requests"), [(0.3, 8000), (0.6, 8000), (0.8, 16_000)])
@pytest.mark.parametrize("name", CASES)
def test_closed_form_meets_the_simulator(name, load, requests):
    """Up to 80 % load: means within 5 %, 95th and 99th percentiles within 15 %."""
    times = times_of(name)
    table = evaluate(times, np.array([load * times.saturation_per_s]))
    # few prompts, each a large share of a life: the percentiles need a longer run to settle
    made = run(times, load, requests=requests * (3 if times.chunks > 1 and load > 0.5 else 1))
    for metric, sample in (("ttft", made.ttft_s), ("tpot", made.tpot_s), ("e2e", made.e2e_s)):
        assert table.mean_s[metric][0] == pytest.approx(sample.mean(), rel=0.05), metric
        for percentile in (95.0, 99.0):
            expected = np.percentile(sample, percentile)
            found = table.at(metric, percentile)[0]
            assert found == pytest.approx(expected, rel=0.15), (metric, percentile)


@pytest.mark.parametrize("name", CASES)
def test_beyond_the_stated_range_errors_stay_bounded(name):
    """At 90 % load the means of TPOT and end to end stay within 10 %."""
    times = times_of(name)
    table = evaluate(times, np.array([0.9 * times.saturation_per_s]))
    made = run(times, 0.9, requests=12_000)
    assert table.mean_s["tpot"][0] == pytest.approx(made.tpot_s.mean(), rel=0.10)
    assert table.mean_s["e2e"][0] == pytest.approx(made.e2e_s.mean(), rel=0.10)


@pytest.mark.parametrize("name", CASES)
def test_saturation_is_where_the_simulator_diverges(name):
    """Above saturation each request waits 1/saturation - 1/rate longer than the one before it."""
    times = times_of(name)
    limit = times.saturation_per_s
    waits = run(times, 1.4, requests=3000).ttft_s
    slope = (waits[-200:].mean() - waits[:200].mean()) / (len(waits) - 200)
    assert 1 / (slope + 1 / (1.4 * limit)) == pytest.approx(limit, rel=0.05)


def test_kv_room_limits_the_load_before_requests_queue_for_it():
    """Long answers in bf16 on four devices: 137 sequences fit, and the planned load respects it.

    At that load few simulated requests wait for a slot and the mean TTFT holds; a little above it
    the wait for slots shows in the tail.
    """
    spec = ReplicaSpec(LLAMA_70B, H100, 4, "bf16", "bf16", 2000, 1000)
    planned = capacity(spec, (4,), ())
    times = build_replica(spec, (4,)).times
    assert planned.binds == f"memory: KV room for {times.slots} sequences"
    load = planned.requests_per_s / times.saturation_per_s
    assert load < 0.9
    table = evaluate(times, np.array([planned.requests_per_s]))
    assert table.slot_share[0] == pytest.approx(0.01, rel=0.05)
    made = run(times, load, requests=16_000)
    assert table.mean_s["ttft"][0] == pytest.approx(made.ttft_s.mean(), rel=0.10)
    above = run(times, 0.97, requests=16_000)
    assert np.percentile(above.ttft_s, 99) > 3 * np.percentile(made.ttft_s, 99)


def test_light_load_is_a_single_request():
    """Almost alone, a request takes its prefill, then one-sequence decode steps."""
    times = times_of("chat on four")
    table = evaluate(times, np.array([1e-4 * times.saturation_per_s]))
    alone = float(times.prefill_s[0]) + times.host_s
    assert table.mean_s["ttft"][0] == pytest.approx(alone, rel=0.01)
    assert table.mean_s["tpot"][0] == pytest.approx(float(times.decode_s[1]), rel=0.01)
    assert table.busy_fraction[0] < 0.01


def test_little_holds():
    """In flight = rate x end to end, and end to end = TTFT + the decode of the other tokens."""
    times = times_of("chat on four")
    table = evaluate(times, np.array([0.6 * times.saturation_per_s]))
    whole = table.mean_s["ttft"][0] + times.decode_tokens * table.mean_s["tpot"][0]
    assert table.mean_s["e2e"][0] == pytest.approx(whole)
    assert table.in_flight[0] == pytest.approx(0.6 * times.saturation_per_s * whole)


def test_saturation_is_said_not_shown():
    """At and above saturation the point is marked and has no latencies (P6.2)."""
    times = times_of("chat on four")
    limit = times.saturation_per_s
    table = evaluate(times, np.array([0.5 * limit, 1.2 * limit]))
    assert table.saturated.tolist() == [False, True]
    point = table.point(1, replicas=3, saturation_per_s=limit, measured_range=True)
    assert point.saturated
    assert (point.ttft_ms, point.tpot_ms, point.e2e_ms) == ({}, {}, {})
    assert point.requests_per_s == pytest.approx(3.6 * limit)
    assert point.utilisation_fraction == pytest.approx(1.2)


def test_one_token_answers_have_no_decode():
    """With one output token the end to end time is the TTFT and there is no TPOT."""
    spec = ReplicaSpec(LLAMA_8B, H100, 1, "bf16", "bf16", 500, 1)
    times = build_replica(spec, (1,)).times
    table = evaluate(times, np.array([0.5 * times.saturation_per_s]))
    assert times.saturation_per_s == pytest.approx(1 / float(times.prefill_s[0]))
    assert np.isnan(table.mean_s["tpot"][0])
    assert table.mean_s["e2e"][0] == pytest.approx(table.mean_s["ttft"][0])


@given(
    load=st.floats(0.001, 0.98),
    input_tokens=st.integers(1, 20_000),
    output_tokens=st.integers(1, 3_000),
    degree=st.sampled_from([2, 4, 8]),
    dtype=st.sampled_from(["fp8", "int4"]),
)
@settings(max_examples=60, deadline=None)
def test_every_prediction_respects_the_floors(load, input_tokens, output_tokens, degree, dtype):
    """P0.1: no mean or percentile is below the physical floor; percentiles rise; all is finite."""
    spec = ReplicaSpec(LLAMA_70B, H100, degree, dtype, "fp8", input_tokens, output_tokens)
    replica = build_replica(spec, (degree,))
    if replica.times is None:
        assert replica.reason
        return
    times, iteration = replica.times, replica.iteration
    table = evaluate(times, np.array([load * times.saturation_per_s]))
    ttft, tpot = iteration.prefill_floor_s(input_tokens), iteration.decode_floor_s(input_tokens)
    floors = {"ttft": ttft, "tpot": tpot, "e2e": ttft + (output_tokens - 1) * tpot}
    for metric in METRICS:
        if metric == "tpot" and output_tokens == 1:
            continue  # one token has no time per token
        quantiles = table.quantile_s[metric][0]
        assert np.isfinite(quantiles).all()
        assert np.all(np.diff(quantiles) >= -1e-12)
        assert quantiles.min() >= floors[metric] * (1 - 1e-9)
        assert table.mean_s[metric][0] >= floors[metric] * (1 - 1e-9)


@given(name=st.sampled_from(sorted(CASES)), load=st.floats(0.05, 0.85))
@settings(max_examples=40, deadline=None)
def test_more_load_is_never_faster(name, load):
    """Means and tails rise with the load."""
    times = times_of(name)
    rates = np.array([load, load + 0.05]) * times.saturation_per_s
    table = evaluate(times, rates)
    for metric in METRICS:
        assert table.mean_s[metric][1] >= table.mean_s[metric][0]
        assert table.at(metric, 95.0)[1] >= table.at(metric, 95.0)[0] * (1 - 1e-3)

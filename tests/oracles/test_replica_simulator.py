"""The simulator of a replica against plain iteration and against queueing laws (P6.2, P17)."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.performance.replica import ReplicaSpec, build_replica
from tco.performance.serving import evaluate
from tco.simulate.arrivals import poisson
from tco.simulate.outcomes import outcome, outruns
from tco.simulate.replica import Requests, simulate
from tco.simulate.step_table import StepTable
from tests.engine.performance.catalog_rows import H100, LLAMA_8B, LLAMA_70B
from tests.oracles.plain_replica import plain


def table(**changed) -> StepTable:
    """Return a small table: every term of an iteration counts."""
    given_ = {
        "rows_s": np.linspace(0.002, 0.018, 161),
        "kv_s": 1e-6,
        "prompt_s": 2e-7,
        "kv_tokens": 400.0,
        "max_sequences": 4,
        "max_batched_tokens": 40,
        "sequence_s": 1e-4,
        "request_s": 0.01,
        "prompt_fixed_s": 5e-4,
    }
    return StepTable(**{**given_, **changed})


rows = st.lists(
    st.tuples(
        st.floats(0, 0.3),
        st.integers(1, 120),
        st.integers(1, 60),
        st.integers(0, 60),
        st.integers(0, 2),
    ),
    min_size=1,
    max_size=14,
)


@settings(max_examples=120, deadline=None, derandomize=True)
@given(
    rows=rows,
    room=st.sampled_from([192.0, 256.0, 400.0, math.inf]),
    chunked=st.booleans(),
    serial=st.booleans(),
    concurrency=st.sampled_from([None, 1, 3]),
    think_s=st.sampled_from([0.0, 0.05]),
    classes=st.booleans(),
    copy_s=st.sampled_from([None, 0.0, 1e-4]),
    fetch_s=st.sampled_from([0.0, 0.003]),
)
def test_jumps_change_nothing(
    rows, room, chunked, serial, concurrency, think_s, classes, copy_s, fetch_s
):
    """Summed at once or one by one: the same times, waits between tokens and preemptions.

    The plain loop counts the blocks of each sequence and prompt in every iteration and stops where
    there is no room for them.
    """
    arrival = np.cumsum([gap for gap, *_ in rows]).tolist()
    requests = Requests(
        arrival,
        [prompt for _, prompt, _, _, _ in rows],
        [answer for _, _, answer, _, _ in rows],
        [min(cached, prompt - 1) for _, prompt, _, cached, _ in rows],
        [order for _, _, _, _, order in rows] if classes else (),
        [fetch_s * cached for _, _, _, cached, _ in rows] if fetch_s else (),
    )
    small = table(kv_tokens=room, max_batched_tokens=40 if chunked else 130)
    how = {"chunked": chunked, "serial": serial, "concurrency": concurrency}
    how |= {"think_s": think_s if concurrency else 0.0, "host_copy_s_per_token": copy_s}
    waits = []
    quick = simulate(small, requests, gaps=True, **how)
    ttft, e2e, turns, preempted = plain(small, requests, gaps=waits, **how)
    assert quick.iterations == turns
    assert quick.preemptions == preempted
    assert quick.ttft_s == pytest.approx(ttft, rel=1e-9)
    assert quick.e2e_s == pytest.approx(e2e, rel=1e-9)
    assert quick.most_kv_tokens <= room
    gaps = quick.gaps
    found = [
        gaps.first_s[run] + gaps.growth_s[run] * turn
        for run in range(len(gaps.turns))
        for turn in range(gaps.turns[run])
        for _ in range(gaps.sequences[run])
    ]
    assert sorted(found) == pytest.approx(sorted(waits), rel=1e-9)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(rows=rows, window=st.sampled_from([8.0, 50.0]))
def test_windows_end_the_growth_of_a_step(rows, window):
    """Windowed layers read their window and no more: jumps stop where it is full."""
    arrival = np.cumsum([gap for gap, *_ in rows]).tolist()
    requests = Requests(arrival, [p for _, p, *_ in rows], [a for _, _, a, *_ in rows])
    local = table(window_tokens=window, window_kv_s=5e-6, window_prompt_s=1e-7)
    quick = simulate(local, requests)
    _, e2e, turns, _ = plain(local, requests)
    assert quick.iterations == turns
    assert quick.e2e_s == pytest.approx(e2e, rel=1e-9)


@pytest.mark.parametrize(("rate", "expected_ms"), [(8.0, 180), (10.0, 348), (11.0, 822)])
def test_serial_prefill_is_m_d_1(rate, expected_ms):
    """Prompts of 85.9 ms, one token each: the mean TTFT of the P17 table."""
    serial = table(
        rows_s=np.full(1002, 0.0859),
        kv_s=0.0,
        prompt_s=0.0,
        sequence_s=0.0,
        request_s=0.0,
        prompt_fixed_s=0.0,
        kv_tokens=math.inf,
        max_batched_tokens=1000,
        max_sequences=1,
    )
    count = 200_000
    requests = Requests(poisson(rate, count, 5).tolist(), [1000] * count, [1] * count)
    found = float(np.mean(simulate(serial, requests, chunked=False).ttft_s)) * 1e3
    assert found == pytest.approx(expected_ms, rel=0.06)


@pytest.mark.parametrize(("servers", "load"), [(1, 0.7), (4, 0.8), (16, 0.9)])
def test_slots_alone_are_erlang_c(servers, load):
    """Answers of exponential length in iterations of constant time: M/M/c waits by Erlang C.

    A wait is the TTFT less the iteration of the prompt; it starts at an iteration's edge, half of
    one late in the mean.
    """
    step, tokens, count = 1e-4, 2000.0, 200_000
    slots = StepTable(np.full(100, step), 0.0, 0.0, math.inf, servers, 99)
    rng = np.random.default_rng(17)
    answers = np.maximum(1, np.ceil(rng.exponential(tokens, count))).astype(int).tolist()
    service_s = step * float(np.mean(answers))
    rate = load * servers / service_s
    served = simulate(slots, Requests(poisson(rate, count, 23).tolist(), [1] * count, answers))
    offered = load * servers
    head = sum(offered**k / math.factorial(k) for k in range(servers))
    tail = offered**servers / math.factorial(servers) / (1 - load)
    expected = tail / (head + tail) * service_s / (servers * (1 - load))
    found = float(np.mean(served.ttft_s)) - 1.5 * step
    assert found == pytest.approx(expected, rel=0.07)
    assert served.decoding_s / served.end_s == pytest.approx(offered, rel=0.02)


def test_a_closed_loop_of_one_is_its_own_cycle():
    """One request at a time: prefill, then each step with one token more of context."""
    requests = Requests([0.0] * 5, [30] * 5, [11] * 5)
    served = simulate(table(), requests, concurrency=1)
    one = table()
    first = float(one.seconds(30, 450, 0, 0))
    steps = sum(float(one.seconds(0, 0, 1, 31 + i)) for i in range(10))
    assert served.e2e_s == pytest.approx([first + steps + 0.01] * 5)


@pytest.mark.parametrize("load", [0.3, 0.6, 0.8])
@pytest.mark.parametrize(
    "spec",
    [
        ReplicaSpec(LLAMA_70B, H100, 8, "bf16", "bf16", 1024, 256),
        ReplicaSpec(LLAMA_8B, H100, 1, "bf16", "bf16", 1000, 250),
    ],
    ids=["70B on eight", "8B on one"],
)
def test_closed_form_meets_the_full_simulator(spec, load):
    """With prompts sharing iterations and blocks counted: means within 5 %, p99 within 15 %."""
    replica = build_replica(spec, (1, 2, 4, 8))
    rate = load * replica.times.saturation_per_s
    count = 24_000
    requests = Requests(
        poisson(rate, count, 11).tolist(),
        [int(spec.input_tokens)] * count,
        [int(spec.output_tokens)] * count,
    )
    full = replica.step_table()
    said = outcome(simulate(full, requests), full, offered_per_s=rate)
    assert said.steady
    assert not said.saturated
    form = evaluate(replica.times, np.array([rate]))
    for metric in ("ttft", "tpot", "e2e"):
        mean = said.measures[metric]["mean"].value_s
        assert form.mean_s[metric][0] == pytest.approx(mean, rel=0.06), metric
        tail = said.measures[metric]["p99"].value_s
        assert form.at(metric, 99.0)[0] == pytest.approx(tail, rel=0.15), metric


@pytest.mark.parametrize("seed", range(4))
def test_the_edge_of_stability_is_said(seed):
    """Prompts of 85.9 ms: 5 % above the edge is called saturated, 5 and 10 % below it is not.

    A capacity taken 22 % too high would put all of these loads in the wrong place
    (inference-sim 482).
    """
    serial = StepTable(np.full(1002, 0.0859), 0.0, 0.0, math.inf, 1, 1000)
    found = {}
    for load in (0.9, 0.95, 1.05, 1.22):
        arrival = poisson(load / 0.0859, 8000, seed)
        served = simulate(serial, Requests(arrival.tolist(), [1000] * 8000, [1] * 8000))
        found[load] = outruns(served)
    assert found == {0.9: False, 0.95: False, 1.05: True, 1.22: True}


def test_a_load_that_rises_within_reach_is_not_saturated():
    """From 1 to 10 a second where 20 are possible: more in the system, answers hardly longer."""
    full = table(max_sequences=64, max_batched_tokens=140, kv_tokens=1e6)
    arrival = np.sqrt(2 * np.arange(3000) / (9 / 600) + 4000) - math.sqrt(4000)
    served = simulate(full, Requests(arrival.tolist(), [60] * 3000, [40] * 3000))
    assert not outruns(served)


def test_an_overloaded_replica_is_said_to_be():
    """1.3 times the saturation load: the queue grows, and no percentile is called steady."""
    replica = build_replica(ReplicaSpec(LLAMA_8B, H100, 1, "bf16", "bf16", 1000, 250), (1,))
    rate = 1.3 * replica.times.saturation_per_s
    requests = Requests(poisson(rate, 8000, 3).tolist(), [1000] * 8000, [250] * 8000)
    full = replica.step_table()
    said = outcome(simulate(full, requests), full, offered_per_s=rate)
    assert said.saturated
    assert not said.steady


def test_less_room_for_the_cache_moves_latency():
    """54,400 tokens assumed where the server had 41,408: the edge comes sooner (P17).

    At a load near the edge the smaller pool preempts or queues more: TTFT is far higher.
    """
    replica = build_replica(ReplicaSpec(LLAMA_8B, H100, 1, "bf16", "bf16", 2000, 500), (1,))
    rate, count = 0.5 * replica.times.saturation_per_s, 3000
    requests = Requests(poisson(rate, count, 2).tolist(), [2000] * count, [500] * count)
    full = replica.step_table()
    mean = {}
    for room in (54_400.0, 41_408.0):
        small = dataclasses.replace(full, kv_tokens=room, max_sequences=256)
        served = simulate(small, requests)
        assert served.most_kv_tokens <= room
        mean[room] = float(np.mean(served.ttft_s[500:-300]))
    assert mean[41_408.0] > 1.2 * mean[54_400.0]

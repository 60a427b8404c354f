"""Pipelines: the joint law, what binds, least machines, and where pre-processing stands (P9)."""

from __future__ import annotations

import numpy as np
import pytest

from tco.simulate.dynamic_batching import poisson_arrivals, settled_batch, simulate_batches
from tco.simulate.pipeline import Node, least_units, ordered, simulate_pipeline
from tco.simulate.preprocessing import inside_servers, own_tier
from tco.simulate.stages import BatchTier, CpuTier, ReplicaTier
from tco.simulate.step_table import StepTable

FAST, SLOW = CpuTier(1, 0.010, 0.0), CpuTier(1, 0.030, 0.0)


def table(**more) -> StepTable:
    """10 ms an iteration, whatever it carries."""
    return StepTable(
        np.full(4097, 0.010),
        kv_s=0.0,
        prompt_s=0.0,
        kv_tokens=1e9,
        max_sequences=8,
        max_batched_tokens=1024,
        **more,
    )


def test_a_lone_request_takes_the_sum_of_its_stages():
    """Series add; of two branches the longer counts."""
    arrivals = np.arange(50) * 1.0
    series = simulate_pipeline([Node("a", FAST), Node("b", SLOW, ("a",))], arrivals)
    assert series.percentile_s(50) == pytest.approx(0.040)
    fork = [Node("a", FAST), Node("b", SLOW), Node("c", FAST, ("a", "b"))]
    run = simulate_pipeline(fork, arrivals)
    assert run.percentile_s(99) == pytest.approx(0.040)
    # the slow branch held the request up, the fast one did not
    assert run.slow_share("b", 90) == pytest.approx(0.75)
    assert run.slow_share("a", 90) == 0.0
    assert run.binds(99) == "b"
    assert sum(run.slow_share(key, 90) for key in "abc") == pytest.approx(1.0)


def test_an_answer_of_sixteen_tokens_takes_sixteen_iterations():
    """512 prompt tokens fit one iteration: 16 x 10 ms and the host's 5 ms."""
    tier = ReplicaTier(1, table(request_s=0.005), 512, 16)
    assert tier.finish(np.array([0.0, 10.0]), 0) - np.array([0, 10]) == pytest.approx([0.165] * 2)


def test_a_long_prompt_is_cut_into_chunks_and_places_are_kept():
    """2,500 tokens at 1,024 an iteration: three; nine requests on eight places: one waits."""
    tier = ReplicaTier(1, table(), 2500, 1)
    assert tier.finish(np.zeros(1), 0)[0] == pytest.approx(0.030)
    nine = ReplicaTier(1, table(), 16, 11).finish(np.zeros(9), 0)
    assert nine[:8] == pytest.approx([0.110] * 8)
    # a place is free after iteration 11; its prompt goes in the next, its answer ends 10 later
    assert nine[8] == pytest.approx(0.220)


def test_the_time_of_an_iteration_is_that_of_the_table():
    """The loop's scalar form and the table give the same sum, step by step."""
    full = StepTable(
        np.linspace(0, 1, 4097),
        kv_s=1e-6,
        prompt_s=1e-8,
        kv_tokens=1e9,
        max_sequences=8,
        max_batched_tokens=1024,
        sequence_s=1e-4,
        window_kv_s=2e-6,
        window_prompt_s=3e-8,
        window_tokens=100.0,
        prompt_fixed_s=0.002,
    )
    leave = ReplicaTier(1, full, 300, 3).finish(np.zeros(1), 0)[0]
    by_hand = (
        float(full.seconds(300, 300 * 150, 0, 0))
        + float(full.seconds(0, 0, 1, 300))
        + float(full.seconds(0, 0, 1, 301))
    )
    assert leave == pytest.approx(by_hand)


def test_every_replica_takes_its_turn():
    """Two replicas hold twice the places."""
    nine = ReplicaTier(2, table(), 16, 11).finish(np.zeros(9), 0)
    assert nine == pytest.approx([0.110] * 9)


def test_a_batch_waits_for_its_time_out_or_until_it_is_full():
    """Limit 2, 5 ms: the second of two fills the batch; a third waits out its time."""
    run = simulate_batches(
        np.array([0.0, 0.002, 0.100]),
        np.array([0.0, 0.010, 0.012]),
        batch_limit=2,
        timeout_s=0.005,
        warm_up_fraction=0.0,
    )
    assert run.latency_s == pytest.approx([0.014, 0.012, 0.015])
    assert run.requests_per_batch == pytest.approx(1.5)


def test_the_settled_batch_keeps_pace():
    """s(b) = 4 + b ms at 500/s: b = 500 (4 + b) / 1000 gives b = 4."""
    seconds = (4 + np.arange(33)) / 1e3
    assert settled_batch(seconds, 32, 500.0) == pytest.approx(4.0)


@pytest.mark.parametrize(
    ("nodes", "message"),
    [
        ([Node("a", FAST, ("b",))], "no stage has the key 'b'"),
        ([Node("a", FAST, ("b",)), Node("b", FAST, ("a",))], "wait for each other"),
    ],
)
def test_what_cannot_be_ordered_is_named(nodes, message):
    """An unknown stage; a circle."""
    with pytest.raises(ValueError, match=message):
        ordered(nodes)


def test_the_search_gives_what_trying_every_count_gives():
    """Two stages, up to 12 cores each: the same least sum as brute force."""
    arrivals = poisson_arrivals(100.0, 4_000, seed=1)
    nodes = [Node("a", CpuTier(1, 0.010)), Node("b", CpuTier(1, 0.030), ("a",))]
    sized = least_units(
        nodes, arrivals, percentile=95, limit_s=0.140, per_unit={"a": 1, "b": 1}, seed=2
    )
    assert sized.met

    def holds(a: int, b: int) -> bool:
        placed = [
            Node("a", CpuTier(a, 0.010)),
            Node("b", CpuTier(b, 0.030), ("a",)),
        ]
        return simulate_pipeline(placed, arrivals, seed=2).percentile_s(95) <= 0.140

    least = min(a + b for a in range(1, 13) for b in range(1, 13) if holds(a, b))
    assert holds(sized.units["a"], sized.units["b"])
    assert sum(sized.units.values()) == least
    for key in "ab":
        fewer = dict(sized.units) | {key: sized.units[key] - 1}
        assert not holds(fewer["a"], fewer["b"])


def test_a_target_below_the_lone_request_is_refused_with_the_stage():
    """40 ms alone against 35 ms: no number of machines helps; the slow stage is named."""
    arrivals = poisson_arrivals(10.0, 1_000, seed=3)
    nodes = [Node("a", FAST), Node("b", SLOW, ("a",))]
    sized = least_units(nodes, arrivals, percentile=99, limit_s=0.035, per_unit={"a": 1, "b": 1})
    assert not sized.met
    assert sized.hopeless
    assert sized.binds == "b"
    assert "40 ms with every request alone" in sized.reason


def test_stages_on_the_same_servers_are_counted_once():
    """Tokenising inside the model server: its cores come with the servers."""
    arrivals = poisson_arrivals(100.0, 2_000, seed=4)
    nodes = [Node("cut", CpuTier(1, 0.010, 0.0)), Node("b", CpuTier(1, 0.030, 0.0), ("cut",))]
    sized = least_units(
        nodes,
        arrivals,
        percentile=99,
        limit_s=0.3,
        per_unit={"cut": 2, "b": 4},
        host={"cut": "b"},
    )
    assert set(sized.units) == {"b"}
    assert sized.units["b"] == 1


def test_memory_in_flight_moves_with_the_work():
    """Decoding images: inside, each server holds raw images until the answer; split, results."""
    arrivals = poisson_arrivals(200.0, 6_000, seed=5)
    model = BatchTier(1, 0.004 + 0.001 * np.arange(17), 16)
    decode = CpuTier(1, 0.020)
    inside = inside_servers(
        arrivals, servers=4, cores_per_server=2, work=decode, model=model, raw_gb=0.006
    )
    split = own_tier(
        arrivals, servers=4, cores=8, work=decode, model=model, raw_gb=0.006, result_gb=0.0006
    )
    # as many cores, but behind one queue: shorter waits
    assert split.latency_ms["p99"] < inside.latency_ms["p99"]
    assert split.server_peak_gb < inside.server_peak_gb / 5
    assert split.tier_peak_gb > 0.0
    assert inside.tier_peak_gb == 0.0
    one = inside_servers(
        np.array([0.0, 0.0, 0.0]),
        servers=1,
        cores_per_server=8,
        work=CpuTier(1, 0.010, 0.0),
        model=BatchTier(1, np.array([0.0, 0.01, 0.01, 0.01]), 3),
        raw_gb=2.0,
    )
    assert one.server_peak_gb == pytest.approx(6.0)
    assert one.latency_ms["p50"] == pytest.approx(20.0)

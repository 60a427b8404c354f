"""Prefix caches by reuse distance, sessions of a trace, loads like public traces (P6.1)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tco.errors import InputError
from tco.simulate.cluster import deal
from tco.simulate.public_traces import public_trace, public_traces
from tco.simulate.replica import Requests, simulate
from tco.simulate.reuse import Reuse, block_pieces, conversations, reuse, session_pieces
from tco.simulate.step_table import StepTable
from tco.simulate.trace import read_trace

# 20 ms of weights and 50 us a prompt row; room for about eight sessions at their longest
TABLE = StepTable(0.02 + 5e-5 * np.arange(2200), 1e-8, 0.0, 24_000.0, 32, 2048)


def load(seed=2):
    """Return sessions of eight turns: long prompts, short questions."""
    return conversations(
        60,
        turns=8,
        sessions_per_s=0.5,
        turn_gap_s=6.0,
        question_tokens=120,
        answer_tokens=100,
        system_tokens=600,
        seed=seed,
    )


def test_a_reuse_distance_beyond_the_room_finds_nothing():
    """160 + 16 tokens, then 400 others: found whole in 1,024, not at all in 400."""
    requests = Requests([0.0, 1.0, 2.0], [160, 390, 320], [16, 10, 1])
    pieces = session_pieces(requests, ["a", None, "a"])
    assert reuse(requests, pieces, room_tokens=1024).cached == [0, 0, 176]
    assert reuse(requests, pieces, room_tokens=400).cached == [0, 0, 0]
    # 500 hold the others and 100 tokens of the session: six blocks of 16
    assert reuse(requests, pieces, room_tokens=500).cached == [0, 0, 96]


def test_what_left_the_device_is_copied_from_the_host():
    """The same in 500 tokens with a host behind: 76 of 176 come from there, at 10 us each."""
    requests = Requests([0.0, 1.0, 2.0], [160, 390, 320], [16, 10, 1])
    pieces = session_pieces(requests, ["a", None, "a"])
    found = reuse(requests, pieces, room_tokens=500, host_tokens=1000)
    assert (found.cached[2], found.fetched[2]) == (176, 76)
    without = simulate(TABLE, found.applied(requests))
    copied = simulate(TABLE, found.applied(requests, host_copy_s_per_token=1e-5))
    assert copied.ttft_s[2] - without.ttft_s[2] == pytest.approx(76e-5)
    assert copied.ttft_s[:2] == without.ttft_s[:2]


def test_one_token_is_always_computed():
    """The same prompt twice: all but the last block is found, as the answer needs a row."""
    requests = Requests([0.0, 1.0], [64, 64], [1, 1])
    pieces = block_pieces(requests, [["a", "b"], ["a", "b"]], tokens=32)
    assert reuse(requests, pieces, room_tokens=math.inf).cached == [0, 48]


def test_a_router_that_knows_prefixes_finds_more_in_the_same_room():
    """Four replicas: turns dealt round robin meet caches that never saw them, or that had to let
    go; with sessions at home first tokens come sooner (llm-d-planner 16).
    """
    requests, pieces, sessions = load()
    found, ttft = {}, {}
    for router in ("round_robin", "prefix"):
        to = deal(TABLE, requests, 4, router=router, prefixes=sessions)
        said = reuse(requests, pieces, room_tokens=TABLE.kv_tokens, replica=to)
        filled = said.applied(requests)
        found[router] = said.cached_fraction
        runs = [
            simulate(TABLE, filled.take([place for place, at in enumerate(to) if at == replica]))
            for replica in range(4)
        ]
        ttft[router] = float(np.mean(np.concatenate([run.ttft_s for run in runs])))
    assert found["prefix"] > 1.2 * found["round_robin"]
    assert ttft["prefix"] < ttft["round_robin"]


def test_replicas_have_caches_of_their_own():
    """Dealt by hand to two: the same as each alone."""
    requests, pieces, _ = load(3)
    to = [place % 2 for place in range(len(pieces))]
    both = reuse(requests, pieces, room_tokens=9000, replica=to)
    for replica in (0, 1):
        mine = [place for place, at in enumerate(to) if at == replica]
        alone = reuse(requests.take(mine), [pieces[place] for place in mine], room_tokens=9000)
        assert [both.cached[place] for place in mine] == alone.cached


def test_a_trace_says_what_its_prompts_share():
    """Sessions by name, blocks by hash; a trace with neither says what to add."""
    text = "arrival_s,input_tokens,output_tokens,session_id\n0,100,20,a\n1,50,5,\n2,200,20,a\n"
    trace = read_trace(text)
    assert trace.sessions == ("a", None, "a")
    assert reuse(trace.requests, trace.pieces(), room_tokens=1e6).cached == [0, 0, 112]
    text = 'timestamp,input_length,output_length,hash_ids\n0,1024,5,"[4, 9]"\n90,1500,5,4 9 11\n'
    trace = read_trace(text)
    assert trace.hash_ids == (("4", "9"), ("4", "9", "11"))
    assert reuse(trace.requests, trace.pieces(), room_tokens=1e6).cached == [0, 1024]
    with pytest.raises(InputError, match="session_id or hash_ids"):
        read_trace("arrival_s,input_tokens,output_tokens\n0,10,5\n").pieces()


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda r: reuse(r, [[("a", 10)]], room_tokens=-1), "room_tokens"),
        (lambda r: reuse(r, [[("a", 10)]], room_tokens=9, host_tokens=-1), "host_tokens"),
        (lambda r: reuse(r, [[("a", 10)]], room_tokens=9, block_tokens=0), "block_tokens"),
        (lambda r: reuse(r, [[("a", 9)]], room_tokens=9), "pieces[0]"),
        (lambda r: reuse(r, [], room_tokens=9), "pieces"),
        (lambda r: reuse(r, [[("a", 10)]], room_tokens=9, replica=[0, 1]), "replica"),
        (lambda r: session_pieces(r, []), "sessions"),
        (lambda r: session_pieces(r, ["a"], system_tokens=-4), "system_tokens"),
        (lambda r: block_pieces(r, []), "hash_ids"),
        (lambda r: block_pieces(r, [["a"]], tokens=0), "tokens"),
        (lambda r: Reuse([5], [5], 0.5).applied(r, host_copy_s_per_token=-1), "fetch_s"),
        (lambda r: simulate(TABLE, r, host_copy_s_per_token=-1), "host_copy_s_per_token"),
        (lambda _: public_trace("azure"), "trace"),
        (lambda _: public_trace("mooncake_synthetic").draw(0, 1), "requests"),
    ],
)
def test_bad_input_names_its_field(call, field):
    """The field and what to enter."""
    with pytest.raises(InputError) as caught:
        call(Requests([0.0], [10], [2]))
    assert caught.value.field == field
    assert caught.value.mend


@pytest.mark.parametrize(
    ("key", "per_s", "variation", "prompt", "answer"),
    [
        ("azure_llm_2023_code", 2.5667, 13.15, 2047.8, 27.9),
        ("azure_llm_2023_conv", 5.5304, 1.094, 1154.7, 211.1),
        ("mooncake_conversation", 3.4015, 3.034, 12035, 342.6),
        ("mooncake_synthetic", 3.9069, 1.011, 15325, 149.1),
    ],
)
def test_loads_like_public_traces_have_their_figures(key, per_s, variation, prompt, answer):
    """Rate, burstiness, mean lengths (published) and the tie between prompt and answer."""
    trace = public_trace(key)
    assert trace.variation == pytest.approx(variation, rel=0.01)
    drawn = trace.draw(60_000, seed=5)
    assert np.mean(drawn.input_tokens) == pytest.approx(prompt, rel=0.03)
    assert np.mean(drawn.output_tokens) == pytest.approx(answer, rel=0.04)
    ranks = np.argsort(np.argsort([drawn.input_tokens, drawn.output_tokens], axis=1), axis=1)
    tied = float(np.corrcoef(ranks[0], ranks[1])[0, 1])
    assert tied == pytest.approx(trace.rank_correlation, abs=0.02)
    gaps = np.diff(trace.draw(60_000, seed=5, requests_per_s=per_s).arrival_s)
    assert gaps.mean() == pytest.approx(1 / per_s, rel=0.15)
    assert gaps.std() / gaps.mean() == pytest.approx(variation, rel=0.1)


def test_every_public_trace_has_source_and_licence():
    """And quantiles that rise."""
    for trace in public_traces().values():
        assert trace.source
        assert trace.licence
        assert trace.as_of
        for quantiles in (trace.input_quantiles, trace.output_quantiles):
            tokens = [value for _, value in quantiles]
            assert tokens == sorted(tokens)
            assert quantiles[0][0] == 0
            assert quantiles[-1][0] == 1


def test_keeping_preempted_kv_on_the_host_pays_while_copies_are_cheap():
    """Blocks run out while decoding: a free copy ends sooner than computing again, a slow later."""
    requests = Requests([0.0] * 12, [400] * 12, [300] * 12)
    small = StepTable(TABLE.rows_s, 1e-8, 0.0, 5600.0, 32, 2048)
    again = simulate(small, requests)
    free = simulate(small, requests, host_copy_s_per_token=0.0)
    slow = simulate(small, requests, host_copy_s_per_token=1e-3)
    assert again.preemptions > 0
    assert free.preemptions > 0
    assert free.end_s < again.end_s < slow.end_s

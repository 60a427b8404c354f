"""Prefill and decode apart: hand-worked transfers, limits that must agree, mixes (P6.5)."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from tco.errors import InputError
from tco.simulate.arrivals import poisson
from tco.simulate.replica import Requests, simulate
from tco.simulate.split import Split, mixes, simulate_split
from tco.simulate.step_table import StepTable

FREE = Split(1, 1, 1e5, math.inf)  # a link that takes no time


def table(**changed) -> StepTable:
    """Return a replica: 10 ms a step, 60 ms for a prompt of 1,000 tokens."""
    given = {
        "rows_s": np.linspace(0.010, 0.060, 1001),
        "kv_s": 1e-7,
        "prompt_s": 0.0,
        "kv_tokens": 1e6,
        "max_sequences": 64,
        "max_batched_tokens": 1000,
        "request_s": 0.002,
    }
    return StepTable(**{**given, **changed})


def test_alone_and_over_a_free_link_it_is_one_replica():
    """Requests a second apart never meet: the same times to rounding."""
    apart = Requests([0.0, 1.0, 2.0], [1000, 500, 20], [20, 1, 7])
    whole, parted = simulate(table(), apart), simulate_split(table(), table(), apart, FREE)
    assert parted.ttft_s == pytest.approx(whole.ttft_s)
    assert parted.e2e_s == pytest.approx(whole.e2e_s)
    assert parted.tpot_s == pytest.approx(whole.tpot_s)


def test_a_transfer_is_bytes_over_the_rate_of_the_link():
    """1,000 tokens of 100 kB at 1 GB/s: 100 ms later; half hidden: 50 ms later."""
    one = Requests([0.0], [1000], [20])
    free = simulate_split(table(), table(), one, FREE)
    for overlap, late_s in ((0.0, 0.100), (0.5, 0.050), (1.0, 0.0)):
        run = simulate_split(table(), table(), one, Split(1, 1, 1e5, 1e9, overlap))
        assert run.transfer_s == pytest.approx([late_s])
        assert run.ttft_s[0] - free.ttft_s[0] == pytest.approx(late_s)
        assert run.e2e_s[0] - free.e2e_s[0] == pytest.approx(late_s)


def test_transfers_leave_a_worker_one_at_a_time():
    """Two prompts end 60 ms apart, each takes 100 ms to send: the second waits 40 ms."""
    two = Requests([0.0, 0.0], [1000, 1000], [2, 2])
    steady = table(rows_s=np.full(1001, 0.060), kv_s=0.0)
    run = simulate_split(steady, steady, two, Split(1, 1, 1e5, 1e9))
    assert run.transfer_s == pytest.approx([0.100, 0.140])
    assert run.ttft_s == pytest.approx([0.162, 0.262])
    # with a worker and a link each, both go at once
    apart = simulate_split(steady, steady, two, Split(2, 1, 1e5, 1e9))
    assert apart.transfer_s == pytest.approx([0.100, 0.100])
    assert apart.ttft_s == pytest.approx([0.162, 0.162])


def test_the_prefill_pool_is_a_replica_of_answers_of_one_token():
    """Room to decode for all: TTFT is that of prompts alone and, at most, one step under way."""
    count = 4000
    times = poisson(12.0, count, 5).tolist()
    long = Requests(times, [1000] * count, [30] * count)
    short = Requests(times, [1000] * count, [1] * count)
    run = simulate_split(table(), table(max_sequences=4000), long, FREE)
    later = np.array(run.ttft_s) - np.array(simulate(table(), short).ttft_s)
    assert later.min() > -1e-9
    assert later.max() < 0.012
    assert run.busy_fraction("prefill") == pytest.approx(12 * 0.060, rel=0.05)


def test_answers_no_longer_stand_behind_prompts():
    """At the same load on two workers: TPOT without the prompts is one step; TTFT pays for it."""
    count = 4000
    load = Requests(poisson(12.0, count, 5).tolist(), [1000] * count, [30] * count)
    parted = simulate_split(table(), table(), load, FREE)
    whole = simulate(table(), load)
    assert np.percentile(parted.tpot_s, 99) < 0.6 * np.percentile(whole.tpot_s, 99)
    assert min(parted.tpot_s) >= 0.010


def test_long_prompts_want_prefill_workers_and_long_answers_decode_workers():
    """Four workers: every mix is there, and the best one moves with the lengths."""
    small = table(max_sequences=8)
    count = 1500
    best = {}
    for name, (rate, prompt, answer) in {"prompts": (35, 1000, 5), "answers": (35, 50, 50)}.items():
        load = Requests(poisson(rate, count, 2).tolist(), [prompt] * count, [answer] * count)
        runs = mixes(small, small, load, 4, FREE)
        assert [run.split.prefill_workers for run in runs] == [1, 2, 3]
        assert all(run.split.prefill_workers + run.split.decode_workers == 4 for run in runs)
        best[name] = min(runs, key=lambda run: np.mean(run.e2e_s)).split.prefill_workers
    assert best == {"prompts": 3, "answers": 1}


def test_a_decode_pool_short_of_room_computes_again():
    """Blocks run out while decoding: preempted, and all answers end in whole."""
    load = Requests([0.0] * 6, [150] * 6, [100] * 6)
    run = simulate_split(table(), table(kv_tokens=800.0), load, FREE)
    assert run.decode[0].preemptions > 0
    assert all(end > first for first, end in zip(run.ttft_s, run.e2e_s, strict=True))


@pytest.mark.parametrize(
    ("changed", "field"),
    [
        ({"prefill_workers": 0}, "prefill_workers"),
        ({"decode_workers": 0}, "decode_workers"),
        ({"kv_bytes_per_token": -1.0}, "kv_bytes_per_token"),
        ({"link_bytes_per_s": 0.0}, "link_bytes_per_s"),
        ({"link_bytes_per_s": math.nan}, "link_bytes_per_s"),
        ({"overlap_fraction": 1.5}, "overlap_fraction"),
    ],
)
def test_bad_input_names_its_field(changed, field):
    """The field and what to enter."""
    with pytest.raises(InputError) as caught:
        dataclasses.replace(FREE, **changed)
    assert caught.value.field == field
    assert caught.value.mend


def test_one_worker_cannot_be_parted():
    """The number of workers is named."""
    with pytest.raises(InputError) as caught:
        mixes(table(), table(), Requests([0.0], [5], [5]), 1, FREE)
    assert caught.value.field == "workers"

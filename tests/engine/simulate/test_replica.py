"""Bad input and small facts of the simulator (P6.1)."""

from __future__ import annotations

import numpy as np
import pytest

from tco.errors import InputError
from tco.simulate.arrivals import bursty, constant, poisson, staged
from tco.simulate.lengths import empirical, fixed, lognormal
from tco.simulate.outcomes import measure, outruns, warm_up
from tco.simulate.replica import Requests, simulate
from tco.simulate.step_table import StepTable


def table(**changed) -> StepTable:
    """Return a table of constant iterations of 10 ms."""
    given = {
        "rows_s": np.full(300, 0.010),
        "kv_s": 0.0,
        "prompt_s": 0.0,
        "kv_tokens": 1000.0,
        "max_sequences": 4,
        "max_batched_tokens": 200,
    }
    return StepTable(**{**given, **changed})


def test_three_requests_by_hand():
    """Two prompts fit the first iteration, the third the next; answers of three tokens."""
    served = simulate(table(), Requests([0.0, 0.0, 0.0], [100, 100, 50], [3, 3, 3]), serial=False)
    assert served.ttft_s == pytest.approx([0.01, 0.01, 0.02])
    assert served.e2e_s == pytest.approx([0.03, 0.03, 0.04])
    assert served.tpot_s == pytest.approx([0.01, 0.01, 0.01])
    assert served.iterations == 4


def test_a_prompt_beyond_the_budget_takes_chunks():
    """450 tokens at 200 an iteration: three iterations to the first token."""
    served = simulate(table(), Requests([0.0], [450], [1]))
    assert served.ttft_s == pytest.approx([0.03])
    assert served.e2e_s == served.ttft_s


@pytest.mark.parametrize(
    ("requests", "options", "field"),
    [
        (Requests([0.0], [300], [1]), {"chunked": False}, "max_batched_tokens"),
        (Requests([0.0], [900], [200]), {}, "kv_tokens"),
        (Requests([0.0], [10], [2]), {"concurrency": 0}, "concurrency"),
    ],
)
def test_what_can_never_be_served_is_named(requests, options, field):
    """A batch limit below one prompt, a context beyond the room, no one let in: field and mend."""
    with pytest.raises(InputError) as caught:
        simulate(table(), requests, **options)
    assert caught.value.field == field
    assert caught.value.mend


def test_bad_requests_are_named():
    """A negative gap and an answer of no token."""
    with pytest.raises(InputError, match=r"arrival_s\[1\]"):
        Requests([1.0, 0.5], [1, 1], [1, 1])
    with pytest.raises(InputError, match="output_tokens"):
        Requests([0.0], [1], [0])


def test_arrivals_have_their_rate_and_their_bursts():
    """Mean rates hold; the gamma's variation is that asked for; stages follow each other."""
    for times in (poisson(4, 40_000, 1), bursty(4, 40_000, 3, 1), constant(4, 40_000)):
        assert len(times) / times[-1] == pytest.approx(4, rel=0.05)
    gaps = np.diff(bursty(4, 100_000, 3, 2))
    assert gaps.std() / gaps.mean() == pytest.approx(3, rel=0.05)
    two = staged([(5.0, 600.0), (10.0, 600.0)], seed=1)
    assert (two < 600).sum() == 3000
    assert len(two) == 9000
    assert np.all(np.diff(two) >= 0)


def test_bad_rates_and_lengths_are_named():
    """Nothing, negative and impossible laws."""
    for call in (
        lambda: poisson(0, 10, 1),
        lambda: bursty(1, 10, -1, 1),
        lambda: staged([]),
        lambda: lognormal(500, 400, 10, 1),
        lambda: lognormal(500, 500_000, 10, 1),
        lambda: empirical([], 10, 1),
        lambda: empirical([5, 0], 10, 1),
        lambda: fixed(0, 3),
        lambda: fixed(float("nan"), 3),
        lambda: poisson(1, 0, 1),
        lambda: constant(1, -5),
        lambda: bursty(1, 0, 2, 1),
        lambda: staged([(1.0, 0.0)]),
        lambda: staged([(1.0, -5.0)]),
    ):
        with pytest.raises(InputError):
            call()
    assert fixed(0.2, 3).tolist() == [1, 1, 1]


def test_warm_up_is_found_and_growth_is_said():
    """A slow start is dropped; a queue that grows is no steady state."""
    rng = np.random.default_rng(1)
    steady = rng.normal(1.0, 0.1, 4000)
    assert warm_up(steady.tolist()) <= 2000
    start = np.concatenate([np.linspace(6, 1, 300), steady])
    assert 200 <= warm_up(start.tolist()) <= 600
    # 40 ms a prompt: ten a second are answered at once, fifty are not
    slow = {
        gap_s: simulate(table(), Requests([gap_s * n for n in range(400)], [60] * 400, [1] * 400))
        for gap_s in (0.1, 0.002)
    }
    assert not outruns(slow[0.1])
    assert outruns(slow[0.002])


def test_confidence_intervals_hold_the_truth():
    """Of 60 samples of a known law, about 95 % of the intervals hold its mean."""
    held = 0
    for seed in range(60):
        one = measure(np.random.default_rng(seed).exponential(1.0, 2000).tolist(), "mean")
        held += one.low_s <= 1.0 <= one.high_s
    assert held >= 52

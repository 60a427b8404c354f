"""What a run says: waits between tokens, stages, backlog, classes, think time (P6.1, P6.2)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tco.errors import InputError
from tco.simulate.arrivals import poisson, staged
from tco.simulate.outcomes import outcome, stages, token_waits
from tco.simulate.replica import Requests, simulate
from tco.simulate.requests import Gaps
from tco.simulate.step_table import StepTable


def table(**changed) -> StepTable:
    """Return a table of iterations of 10 ms, 40 ms with a prompt."""
    given = {
        "rows_s": np.full(300, 0.010),
        "kv_s": 0.0,
        "prompt_s": 0.0,
        "kv_tokens": 4000.0,
        "max_sequences": 8,
        "max_batched_tokens": 200,
        "prompt_fixed_s": 0.030,
    }
    return StepTable(**{**given, **changed})


def test_waits_between_tokens_by_hand():
    """Five answers wait 10 ms and two wait 40: mean 130 / 7, half at 10, the highest tenth at 40.

    One request of six tokens decodes alone for 10 ms a token; a second prompt comes at 15 ms, so
    the iteration from 50 ms on takes 40 ms for the first request's fourth token.
    """
    served = simulate(table(), Requests([0.0, 0.055], [50, 50], [6, 3]), gaps=True)
    # first: prompt to 40; tokens at 50, 60; with the prompt of the second to 100; then 110, 120
    assert served.e2e_s == pytest.approx([0.120, 0.120 - 0.055])
    found = token_waits(served.gaps, 0.0, 1.0)
    assert found["mean"].value_s == pytest.approx((6 * 0.010 + 0.040) / 7)
    assert found["p50"].value_s == pytest.approx(0.010)
    assert found["p90"].value_s == pytest.approx(0.040)
    assert found["mean"].low_s is None


def test_all_waits_together_are_the_time_of_decoding():
    """Sum and count of the waits: those of the answers, preempted or not."""
    requests = Requests(poisson(20, 400, 3).tolist(), [150] * 400, [60] * 400)
    for room in (700.0, 4000.0):
        served = simulate(table(kv_tokens=room), requests, gaps=True)
        assert (served.preemptions > 0) == (room == 700.0)
        gaps = served.gaps
        count = sum(t * n for t, n in zip(gaps.turns, gaps.sequences, strict=True))
        assert count == 400 * 59
        mean = token_waits(gaps, 0.0, math.inf)["mean"].value_s
        decoding = sum(served.e2e_s) - sum(served.ttft_s)
        assert mean * count == pytest.approx(decoding, rel=1e-9)


def test_waits_grow_within_a_run():
    """Iterations of 1, 2, 3 s for two answers: mean 2, interval only from 400 iterations on."""
    gaps = Gaps.empty()
    gaps.add(0.0, 1.0, 1.0, 3, 2)
    assert token_waits(gaps, 0.0, 1.0)["mean"].value_s == pytest.approx(2.0)
    assert token_waits(gaps, 5.0, 9.0) == {}
    gaps.add(1.0, 2.0, 0.0, 1000, 1)
    said = token_waits(gaps, 0.0, 1.0)["mean"]
    assert said.low_s <= said.value_s <= said.high_s


def test_an_outcome_has_the_waits_where_they_were_recorded():
    """Without the record there is no itl rather than a guess."""
    requests = Requests(poisson(5, 1000, 3).tolist(), [50] * 1000, [20] * 1000)
    with_, without = (
        outcome(simulate(table(), requests, gaps=gaps), table()) for gaps in (True, False)
    )
    assert "itl" not in without.measures
    assert {name: with_.measures[name] for name in without.measures} == without.measures
    itl, tpot = with_.measures["itl"], with_.measures["tpot"]
    assert itl["mean"].value_s == pytest.approx(tpot["mean"].value_s, rel=0.05)
    assert itl["p99"].value_s == pytest.approx(0.040)


def test_stages_say_where_the_backlog_grew():
    """Prompts of 40 ms: 10/s kept up with, 50/s not, and the line shrinks afterwards."""
    times = staged([(10.0, 60.0), (50.0, 60.0), (5.0, 60.0)], seed=4).tolist()
    count = len(times)
    served = simulate(table(), Requests(times, [50] * count, [1] * count))
    light, heavy, after = stages(served, [0, 60, 120, 180])
    assert [light.requests, heavy.requests, after.requests] == [600, 3000, 300]
    assert abs(light.backlog_per_s) < 1
    assert heavy.backlog_per_s == pytest.approx(50 - 25, abs=1)
    assert after.backlog_per_s == pytest.approx(-20, abs=1)
    assert heavy.measures["ttft"]["mean"].value_s > 20 * light.measures["ttft"]["mean"].value_s
    assert "tpot" not in light.measures
    assert heavy.left_at_end == after.left_at_start


def test_the_line_at_the_last_arrival_is_told():
    """Ten prompts at once, 40 ms each: all ten are there."""
    served = simulate(table(), Requests([0.0] * 10, [150] * 10, [1] * 10))
    assert outcome(served, table()).left_at_last_arrival == 10


def test_the_first_class_goes_ahead():
    """Two wait while one is served: the later one of the first class is next."""
    requests = Requests([0.0, 0.001, 0.002], [150] * 3, [1] * 3, (), [1, 1, 0])
    served = simulate(table(), requests)
    assert served.ttft_s == pytest.approx([0.040, 0.119, 0.078])


def test_users_who_think():
    """Three users, 40 ms an answer, 60 ms of thought: each prompt is alone but the first three."""
    served = simulate(
        table(), Requests([0.0] * 6, [150] * 6, [1] * 6), concurrency=3, think_s=0.060
    )
    assert served.arrival_s == pytest.approx([0, 0, 0, 0.100, 0.140, 0.180])
    assert served.ttft_s == pytest.approx([0.040, 0.080, 0.120, 0.060, 0.060, 0.060])


def test_prompts_prefilled_elsewhere_decode_at_once():
    """No prompt iteration here: answers of five tokens take four steps of 10 ms."""
    served = simulate(table(), Requests([0.0, 0.0, 1.0], [150] * 3, [5, 5, 1]), prefilled=True)
    assert served.ttft_s == pytest.approx([0.0, 0.0, 0.0])
    assert served.e2e_s == pytest.approx([0.040, 0.040, 0.0])
    assert served.iterations == 4
    assert served.most_kv_tokens == 2 * (150 + 5)


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: Requests([0.0, 1.0], [5, 5], [5, 5], [1]), "cached"),
        (lambda: Requests([0.0, 1.0], [5, 5], [5, 5], [1, -1]), "cached"),
        (lambda: Requests([0.0, 1.0], [5, 5], [5, 5], (), [1]), "priority"),
        (lambda: Requests([0.0, math.nan], [5, 5], [5, 5]), "arrival_s[1]"),
        (lambda: Requests([0.0, math.inf], [5, 5], [5, 5]), "arrival_s[1]"),
        (lambda: simulate(table(), Requests([0.0], [5], [5]), think_s=1.0), "think_s"),
        (
            lambda: simulate(table(), Requests([0.0], [5], [5]), concurrency=1, think_s=-1.0),
            "think_s",
        ),
        # 200 tokens are 12 blocks of 16, room for 192
        (lambda: simulate(table(kv_tokens=200.0), Requests([0.0], [150], [45])), "kv_tokens"),
        (lambda: stages(simulate(table(), Requests([0.0], [5], [5])), [0.0, 0.0]), "edges_s"),
        (lambda: stages(simulate(table(), Requests([0.0], [5], [5])), [0.0]), "edges_s"),
        (lambda: outcome(simulate(table(), Requests([], [], [])), table()), "requests"),
    ],
)
def test_bad_input_names_its_field(call, field):
    """The field, what is wrong and what to enter."""
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.field == field
    assert caught.value.mend


def test_a_request_that_fills_the_room_is_served():
    """192 tokens in a room of 200: exactly the blocks there are."""
    served = simulate(table(kv_tokens=200.0), Requests([0.0], [150], [42]))
    assert served.e2e_s == pytest.approx([0.040 + 41 * 0.010])

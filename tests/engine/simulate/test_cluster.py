"""Routers, lost replicas, autoscaling, shedding, speculation (P6.6, P7)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tco.errors import InputError
from tco.simulate.arrivals import poisson
from tco.simulate.autoscale import Policy, autoscale
from tco.simulate.cluster import deal, degrade, simulate_cluster, simulate_degraded
from tco.simulate.replica import Requests, simulate
from tco.simulate.speculative import speculative, steps_of
from tco.simulate.step_table import StepTable


def table(**changed) -> StepTable:
    """Return a replica of about 20 requests a second."""
    given = {
        "rows_s": np.linspace(0.01, 0.05, 1200),
        "kv_s": 1e-8,
        "prompt_s": 1e-9,
        "kv_tokens": 1e6,
        "max_sequences": 32,
        "max_batched_tokens": 1024,
    }
    return StepTable(**{**given, **changed})


def load(rate, count=4000, seed=1) -> Requests:
    """Return Poisson arrivals of 500 in and 20 out."""
    return Requests(poisson(rate, count, seed).tolist(), [500] * count, [20] * count)


def test_one_replica_behind_any_router_is_the_replica():
    """Exactly the same times."""
    alone = simulate(table(), load(5))
    for router in ("round_robin", "least_work"):
        run = simulate_cluster(table(), load(5), 1, router=router)
        assert run.ttft_s == alone.ttft_s
        assert run.e2e_s == alone.e2e_s
        assert set(run.replica) == {0}


def test_least_work_waits_no_longer_than_round_robin():
    """Prompts of very different lengths: sending to the emptiest replica pays."""
    rng = np.random.default_rng(3)
    long = np.where(rng.random(4000) < 0.1, 900, 100).tolist()
    requests = Requests(poisson(40, 4000, 2).tolist(), long, [10] * 4000)
    means = {
        router: float(np.mean(simulate_cluster(table(), requests, 3, router=router).ttft_s))
        for router in ("round_robin", "least_work")
    }
    assert means["least_work"] < means["round_robin"]


def test_lost_replicas_leave_the_others_the_load():
    """Two of four lost from the start: the same as two replicas."""
    four = simulate_cluster(table(), load(20), 4, lost=2)
    two = simulate_cluster(table(), load(20), 2)
    assert four.e2e_s == two.e2e_s
    assert four.served[2] is None
    late = deal(table(), load(20), 4, lost=2, lost_from_s=100.0)
    times = load(20).arrival_s
    assert {to for to, at in zip(late, times, strict=True) if at < 100} == {0, 1, 2, 3}
    assert {to for to, at in zip(late, times, strict=True) if at >= 100} == {0, 1}


def test_a_crash_begins_again_what_was_under_way():
    """Replica 1 crashes at 50 ms: its request begins anew on replica 0 and counts from its start.

    One step is 10 ms; a prompt of one chunk is 10 ms here, an answer of ten tokens 100 ms in all.
    """
    flat = table(rows_s=np.full(1200, 0.010), kv_s=0.0, prompt_s=0.0)
    two = Requests([0.0, 0.0, 0.2], [500] * 3, [10] * 3)
    drained = simulate_cluster(flat, two, 2, lost=1, lost_from_s=0.055)
    assert drained.e2e_s == pytest.approx([0.1, 0.1, 0.1])
    assert drained.restarted == 0
    crashed = simulate_cluster(flat, two, 2, lost=1, lost_from_s=0.055, crash=True)
    # taken on at the edge at 60 ms; ten tokens later it is 160 ms; its first token had come
    assert crashed.replica == [0, 0, 0]
    assert crashed.restarted == 1
    assert crashed.e2e_s == pytest.approx([0.1, 0.16, 0.1])
    assert crashed.ttft_s == pytest.approx([0.01, 0.01, 0.01])
    early = simulate_cluster(flat, two, 2, lost=1, lost_from_s=0.005, crash=True)
    assert early.ttft_s == pytest.approx([0.01, 0.02, 0.01])
    after = simulate_cluster(flat, two, 2, lost=1, lost_from_s=0.15, crash=True)
    assert (after.restarted, after.e2e_s) == (0, drained.e2e_s)


def test_a_crash_leaves_no_request_without_an_answer():
    """Two of four crash under load: each request ends, none sooner than without the crash."""
    requests = load(45, 2000)
    fine = simulate_cluster(table(), requests, 4, router="least_work", lost=2, lost_from_s=20.0)
    crashed = simulate_cluster(
        table(), requests, 4, router="least_work", lost=2, lost_from_s=20.0, crash=True
    )
    assert crashed.restarted > 0
    ends = zip(requests.arrival_s, crashed.e2e_s, crashed.replica, strict=True)
    assert all(to < 2 or at + e2e <= 20.0 for at, e2e, to in ends)
    assert min(crashed.ttft_s) > 0
    assert np.mean(crashed.e2e_s) > np.mean(fine.e2e_s)


def test_a_smaller_model_answers_what_is_sent_on():
    """Twice the load: shed requests have no latency; with a smaller model all are answered."""
    heavy = load(60, 2000)
    shed = simulate_degraded(table(), heavy, wait_s=1.0)
    assert shed.answered.count(False) == round(shed.sent_fraction * 2000) > 200
    assert [math.isinf(one) for one in shed.e2e_s] == [not one for one in shed.answered]
    small = table(rows_s=np.linspace(0.002, 0.010, 1200))
    both = simulate_degraded(table(), heavy, wait_s=1.0, smaller=small)
    assert all(both.answered)
    assert both.sent_fraction == shed.sent_fraction
    all_in = simulate(table(), heavy)
    assert np.mean(both.ttft_s) < 0.5 * np.mean(all_in.ttft_s)


def test_classes_hold_behind_a_router():
    """The first class waits less on every replica."""
    requests = load(70, 3000)
    order = [place % 2 for place in range(3000)]
    ranked = Requests(requests.arrival_s, requests.input_tokens, requests.output_tokens, (), order)
    run = simulate_cluster(table(), ranked, 3, router="least_work")
    first, second = (np.mean(run.ttft_s[one::2]) for one in (0, 1))
    assert first < second


def test_a_prefix_aware_router_finds_more_in_the_cache():
    """Sessions stay on their replica: fewer misses, sooner first tokens (llm-d-planner 16)."""
    requests = load(30)
    sessions = [place % 97 for place in range(4000)]
    found = {
        router: simulate_cluster(
            table(), requests, 4, router=router, prefixes=sessions, prefix_tokens=400
        )
        for router in ("round_robin", "prefix")
    }
    assert found["prefix"].cached_fraction > found["round_robin"].cached_fraction
    assert found["prefix"].cached_fraction == pytest.approx(0.8 * (1 - 97 / 4000), abs=0.02)
    assert np.mean(found["prefix"].ttft_s) < np.mean(found["round_robin"].ttft_s)


def test_nothing_is_shed_at_a_light_load_and_all_that_is_over_at_a_heavy_one():
    """The share sent on grows with the load; the kept ones stay within what a replica serves."""
    assert degrade(table(), load(2), wait_s=1.0)[2] == 0
    heavy, heavier = (degrade(table(), load(rate), wait_s=1.0)[2] for rate in (60, 120))
    assert 0 < heavy < heavier < 1


def test_autoscaling_pays_no_less_than_the_load_needs():
    """With no cold start: at least the fluid bound, at most always on at the peak."""
    day = np.sort(np.random.default_rng(1).beta(2, 2, 40_000) * 36_000)
    run = autoscale(day, 0.5, Policy(target_fraction=0.8, cold_start_s=0, down_delay_s=0))
    fluid = len(day) / 0.5 / 3600
    assert run.replica_hours >= fluid
    assert run.replica_hours <= run.most * 10.02
    assert run.idle_replica_hours == pytest.approx(run.replica_hours - fluid, rel=0.05)


def test_a_cold_start_costs_hours_and_leaves_requests_short():
    """A step in the load: five minutes until more is up; paid from the order on."""
    times = np.concatenate([np.arange(0, 1800, 1.0), np.arange(1800, 3600, 0.05)])
    quick = autoscale(times, 2.0, Policy(cold_start_s=0), usd_per_replica_hour=10.0)
    slow = autoscale(times, 2.0, Policy(cold_start_s=300), usd_per_replica_hour=10.0)
    assert slow.short_fraction > quick.short_fraction
    assert slow.starting_replica_hours > 0
    assert quick.starting_replica_hours == 0
    assert slow.cost_usd == pytest.approx(slow.replica_hours * 10)
    always = autoscale(times, 2.0, Policy(minimum=15, maximum=15))
    assert always.replica_hours == pytest.approx(15.0)
    assert always.idle_fraction > slow.idle_fraction


def test_speculation_pays_by_its_measured_acceptance():
    """All accepted: nearly that many times faster; none: slower than without."""
    plain = simulate(table(), Requests([0.0], [100], [201])).e2e_s[0]

    def drafted(accepted):
        fast = speculative(table(), proposed=3, accepted_tokens=accepted, draft_fraction=0.1)
        steps = steps_of(201, accepted)
        return simulate(fast, Requests([0.0], [100], [steps])).e2e_s[0]

    assert plain / 4 < drafted(4.0) < plain / 3
    assert drafted(1.0) > plain


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: deal(table(), load(1, 10), 2, router="magic"), "router"),
        (lambda: deal(table(), load(1, 10), 2, lost=2), "lost"),
        (lambda: deal(table(), load(1, 10), 2, router="prefix"), "prefixes"),
        (
            lambda: simulate_cluster(table(), load(1, 10), 2, lost=1, lost_from_s=math.inf),
            "lost_from_s",
        ),
        (lambda: degrade(table(), load(1, 10), wait_s=-1), "wait_s"),
        (lambda: autoscale([1.0], 1, Policy(cold_start_s=-1)), "cold_start_s"),
        (lambda: autoscale([1.0], 1, Policy(down_delay_s=math.nan)), "down_delay_s"),
        (lambda: autoscale([1.0], 0, Policy()), "capacity_per_s"),
        (lambda: autoscale([1.0], 1, Policy(minimum=3, maximum=2)), "minimum"),
        (
            lambda: speculative(table(), proposed=2, accepted_tokens=4, draft_fraction=0),
            "accepted_tokens",
        ),
        (lambda: speculative(table(), proposed=0, accepted_tokens=1, draft_fraction=0), "proposed"),
    ],
)
def test_bad_input_names_its_field(call, field):
    """The field and what to enter."""
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.field == field
    assert caught.value.mend

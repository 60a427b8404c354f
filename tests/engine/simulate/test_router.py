"""Replicas that come and go: deploys, surges, autoscaling; skewed sessions; split (P6.5, P7)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tco.errors import InputError
from tco.simulate.arrivals import poisson
from tco.simulate.autoscale import Policy, autoscale
from tco.simulate.cluster import deal, simulate_cluster
from tco.simulate.replica import Requests, simulate
from tco.simulate.router import (
    Life,
    alike,
    deploy,
    replica_hours,
    route,
    skewed,
    surge,
)
from tco.simulate.split import Split, best_mix, mixes
from tco.simulate.step_table import StepTable

TABLE = StepTable(np.linspace(0.01, 0.05, 1200), 1e-8, 1e-9, 1e6, 32, 1024)


def load(rate, count=3000, seed=1) -> Requests:
    """Return Poisson arrivals of 500 in and 20 out."""
    return Requests(poisson(rate, count, seed).tolist(), [500] * count, [20] * count)


def test_lives_that_never_end_are_a_plain_number_of_replicas():
    """Exactly the same deal and times."""
    plain = simulate_cluster(TABLE, load(40), 3, router="least_work")
    lived = simulate_cluster(TABLE, load(40), alike(3), router="least_work")
    assert lived.replica == plain.replica
    assert lived.e2e_s == plain.e2e_s


def test_a_request_that_finds_no_replica_is_held_until_one_comes():
    """Up at 5 s: what came at 1 s waits four seconds more than it would alone."""
    requests = Requests([1.0, 6.0], [500, 500], [20, 20])
    alone = simulate(TABLE, Requests([0.0], [500], [20])).e2e_s[0]
    run = simulate_cluster(TABLE, requests, [Life(5.0)])
    assert run.held_s == [4.0, 0.0]
    assert run.e2e_s == pytest.approx([4.0 + alone, alone])
    with pytest.raises(InputError, match="none comes"):
        simulate_cluster(TABLE, requests, [Life(0.0, 2.0)])


def test_a_blue_green_deploy_doubles_the_replicas_and_loses_nothing():
    """Three replicas replaced at 20 s for 10 s: both sets serve meanwhile, then only the new."""
    requests = load(40)
    lives = deploy(3, from_s=20.0, overlap_s=10.0)
    run = simulate_cluster(TABLE, requests, lives, router="least_work")
    rows = list(zip(requests.arrival_s, run.replica, strict=True))
    assert {to for at, to in rows if at < 20} == {0, 1, 2}
    assert {to for at, to in rows if 20 <= at < 30} == {0, 1, 2, 3, 4, 5}
    assert {to for at, to in rows if at >= 30} == {3, 4, 5}
    assert len(run.e2e_s) == 3000
    assert sum(run.held_s) == 0
    # one at a time: never more than one above three, each pair paid for its own ten seconds
    rolling = deploy(3, from_s=20.0, overlap_s=10.0, extra=1)
    assert [sum(one.from_s <= at < one.to_s for one in rolling) for at in (0, 25, 45, 60)] == [
        3,
        4,
        4,
        3,
    ]
    hours = [replica_hours(one, 0.0, 60.0) for one in (lives, rolling)]
    assert hours == pytest.approx([(3 * 60 + 3 * 10) / 3600] * 2)


def test_a_deploy_empties_the_prefix_caches():
    """New replicas know no prefix: each is computed once more."""
    prefixes = [place % 30 for place in range(3000)]
    how = {"router": "prefix", "prefixes": prefixes, "prefix_tokens": 400}
    before = simulate_cluster(TABLE, load(20), 3, **how)
    after = simulate_cluster(TABLE, load(20), deploy(3, from_s=50.0, overlap_s=5.0), **how)
    missed = (before.cached_fraction - after.cached_fraction) * 3000 * 500 / 400
    assert missed == pytest.approx(30, abs=6)


def test_a_prefix_is_lost_where_the_room_is_too_small():
    """Thirty prefixes of 400 tokens on one replica: all in 100,000 tokens, none in 4,000."""
    prefixes = [place % 30 for place in range(600)]
    found = []
    for room in (100_000.0, 4_000.0):
        small = StepTable(TABLE.rows_s, 1e-8, 1e-9, room, 4, 1024)
        how = {"router": "prefix", "prefixes": prefixes, "prefix_tokens": 400}
        found.append(simulate_cluster(small, load(5, 600), 1, **how).cached_fraction)
    assert found == [pytest.approx(0.8 * 570 / 600), 0.0]


def test_a_surge_carries_a_peak():
    """100 a second for 20 s, more than two replicas carry: with two more none waits long."""
    gaps = np.concatenate([np.full(400, 0.05), np.full(2000, 1 / 100), np.full(400, 0.05)])
    requests = Requests(np.cumsum(gaps).tolist(), [500] * 2800, [20] * 2800)
    ttft = {}
    for extra in (0, 2):
        lives = surge(2, extra=extra, from_s=20.0, seconds=22.0)
        run = simulate_cluster(TABLE, requests, lives, router="least_work")
        ttft[extra] = float(np.percentile(run.ttft_s, 99))
    assert ttft[2] < 0.5 * ttft[0]


def test_autoscaled_replicas_serve_what_the_policy_orders():
    """The lives of a policy are those it pays for, and a slow cold start is felt in the tail."""
    requests = Requests(
        np.concatenate([np.arange(0, 300, 0.2), np.arange(300, 600, 0.025)]).tolist(),
        [500] * 13_500,
        [20] * 13_500,
    )
    p99 = {}
    for cold_start_s in (0, 120):
        policy = Policy(window_s=30, cold_start_s=cold_start_s, down_delay_s=300, maximum=8)
        scaling = autoscale(requests.arrival_s, 12.0, policy)
        up = replica_hours(scaling.lives, 0.0, 600.0)
        assert up == pytest.approx(scaling.replica_hours - scaling.starting_replica_hours)
        run = simulate_cluster(TABLE, requests, scaling.lives, router="least_work")
        p99[cold_start_s] = float(np.percentile(run.ttft_s, 99))
    assert p99[120] > 2 * p99[0]


def test_skewed_sessions_overload_their_home_unless_it_may_spill():
    """Two of the sessions are half of the load: a router that never spills queues there."""
    sessions = skewed(3000, 40, exponent=1.5, seed=3)
    assert sessions.count(0) > 0.35 * 3000
    requests = load(60)
    tail = {}
    for spill in (1.0, math.inf):
        run = simulate_cluster(
            TABLE, requests, 4, router="prefix", prefixes=sessions, prefix_tokens=0, spill=spill
        )
        tail[spill] = float(np.percentile(run.ttft_s, 99))
    assert tail[1.0] < 0.5 * tail[math.inf]
    homes = route(
        TABLE, requests, alike(4), router="prefix", prefixes=sessions, spill=math.inf
    ).replica
    assert len(set(zip(sessions, homes, strict=True))) == len(set(sessions))


def test_the_best_mix_is_the_one_that_keeps_farthest_within_both_targets():
    """Of all mixes of four workers, judged by hand from their runs."""
    split = Split(1, 1, kv_bytes_per_token=1e5, link_bytes_per_s=1e10)
    runs = mixes(TABLE, TABLE, load(60, 800), 4, split)
    best = best_mix(runs, ttft_s=0.2, tpot_s=0.03)
    worst = [
        max(np.percentile(run.ttft_s, 99) / 0.2, np.percentile(run.tpot_s, 99) / 0.03)
        for run in runs
    ]
    assert runs.index(best) == int(np.argmin(worst))
    assert len(set(np.round(worst, 6))) > 1


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: Life(5.0, 5.0), "to_s"),
        (lambda: deploy(0, from_s=0.0, overlap_s=1.0), "replicas"),
        (lambda: deploy(2, from_s=0.0, overlap_s=1.0, extra=3), "extra"),
        (lambda: deploy(2, from_s=math.nan, overlap_s=1.0), "from_s"),
        (lambda: deploy(2, from_s=0.0, overlap_s=0.0), "overlap_s"),
        (lambda: surge(2, extra=-1, from_s=0.0, seconds=1.0), "extra"),
        (lambda: surge(2, extra=1, from_s=0.0, seconds=0.0), "seconds"),
        (lambda: surge(0, extra=1, from_s=0.0, seconds=1.0), "replicas"),
        (lambda: skewed(10, 0), "keys"),
        (lambda: skewed(10, 2, exponent=-1), "exponent"),
        (lambda: skewed(10, 2, group=0), "group"),
        (lambda: replica_hours(alike(1), 5.0, 1.0), "to_s"),
        (lambda: route(TABLE, load(1, 5), []), "lives"),
        (lambda: route(TABLE, load(1, 5), alike(1), spill=-1), "spill"),
        (lambda: simulate_cluster(TABLE, load(1, 5), alike(2), lost=1), "lost"),
        (lambda: deal(TABLE, load(1, 5), 0), "lost"),
        (lambda: best_mix([], ttft_s=1.0, tpot_s=1.0), "runs"),
    ],
)
def test_bad_input_names_its_field(call, field):
    """The field and what to enter."""
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.field == field
    assert caught.value.mend

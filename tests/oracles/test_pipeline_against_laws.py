"""The simulated pipeline against laws of queues that are known exactly (P9, P10)."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import optimize, stats

from tco.simulate.dynamic_batching import poisson_arrivals, simulate_batches
from tco.simulate.pipeline import Node, simulate_pipeline
from tco.simulate.stages import BatchTier, CpuTier


def _sum_of_two_exponentials(a: float, b: float, level: float) -> float:
    """Quantile of X + Y, X and Y independent exponentials of rates a and b."""

    def law(t: float) -> float:
        return 1 - (b * math.exp(-a * t) - a * math.exp(-b * t)) / (b - a)

    return float(optimize.brentq(lambda t: law(t) - level, 0, 200 / min(a, b)))


def test_tandem_of_two_exponential_servers_has_independent_sojourns():
    """Reich: sojourns of M/M/1 -> M/M/1 are independent exponentials of rates mu - lambda."""
    rate, first, second = 50.0, 100.0, 80.0
    arrivals = poisson_arrivals(rate, 400_000, seed=1)
    nodes = [
        Node("a", CpuTier(1, 1 / first)),
        Node("b", CpuTier(1, 1 / second), after=("a",)),
    ]
    run = simulate_pipeline(nodes, arrivals, seed=2)
    for level in (50, 90, 99):
        exact = _sum_of_two_exponentials(first - rate, second - rate, level / 100)
        assert run.percentile_s(level) == pytest.approx(exact, rel=0.04)
    p99 = run.percentile_s(99)
    summed = sum(run.stage_percentile_s(key, 99) for key in "ab")
    assert summed > 1.15 * p99  # a sum of percentiles would overstate the whole
    a, b = (run.stages[key].spent_s for key in "ab")
    assert abs(np.corrcoef(a, b)[0, 1]) < 0.02


def test_parallel_branches_are_the_larger_of_the_two():
    """Two branches without queues: the whole is the maximum of two exponentials."""
    arrivals = poisson_arrivals(1.0, 100_000, seed=3)
    nodes = [Node("a", CpuTier(400, 1.0)), Node("b", CpuTier(400, 1.0))]
    run = simulate_pipeline(nodes, arrivals, seed=4)
    exact = -math.log(1 - math.sqrt(0.95))
    assert run.percentile_s(95) == pytest.approx(exact, rel=0.03)


def test_routing_by_share_mixes_the_two_laws():
    """A stage taken by a fifth adds its time to a fifth."""
    arrivals = poisson_arrivals(1.0, 50_000, seed=5)
    nodes = [Node("slow", CpuTier(50, 2.0, 0.0), share_fraction=0.2)]
    run = simulate_pipeline(nodes, arrivals, seed=6)
    assert float((run.whole_s > 1.0).mean()) == pytest.approx(0.2, abs=0.01)
    assert run.stage_percentile_s("slow", 50) == pytest.approx(2.0)


def test_batches_of_one_are_the_queue_of_constant_service():
    """M/D/1: mean wait rho / (2 mu (1 - rho))."""
    for load in (0.3, 0.6, 0.8):
        arrivals = poisson_arrivals(load, 300_000, seed=7)
        run = simulate_batches(arrivals, np.array([0.0, 1.0]), batch_limit=1)
        assert run.mean_s == pytest.approx(1 + load / (2 * (1 - load)), rel=0.03)
        assert run.busy_fraction == pytest.approx(load, rel=0.01)


def test_unlimited_greedy_batches_of_constant_time():
    """M/D^[inf]/1: the number found at each service start is Poisson, so the mean is exact.

    Services follow each other where someone came meanwhile; with service of 1 and rate r, the
    mean time in system is that of the embedded chain, summed here term by term.
    """
    rate = 3.0
    arrivals = poisson_arrivals(rate, 300_000, seed=8)
    seconds = np.ones(200)
    seconds[0] = 0.0
    run = simulate_batches(arrivals, seconds, batch_limit=199)
    # a cycle: service of length 1; with probability e^-r nobody came and the server waits for one
    nobody = math.exp(-rate)
    # requests that start a service alone at once wait 0; those that come during a service wait
    # the rest of it, 1/2 on average, then all take 1
    served_in_cycle = rate + nobody
    exact = 1 + (rate * 0.5) / served_in_cycle
    assert run.mean_s == pytest.approx(exact, rel=0.01)
    assert run.requests_per_batch == pytest.approx(served_in_cycle, rel=0.01)


def test_batch_tier_without_load_is_its_service_time():
    """A lone request waits out the time-out, then takes the time of a batch of one."""
    tier = BatchTier(1, np.array([0.0, 0.01, 0.012]), 2, timeout_s=0.005)
    leave = tier.finish(np.array([0.0, 10.0]), 0)
    assert leave - np.array([0.0, 10.0]) == pytest.approx([0.015, 0.015])


def test_many_cores_are_erlang_c():
    """M/M/c: share that waits is Erlang C."""
    cores, mean, rate = 4, 1.0, 3.0
    arrivals = poisson_arrivals(rate, 300_000, seed=100)
    tier = CpuTier(cores, mean)
    leave = tier.finish(arrivals, 500)
    offered = rate * mean
    terms = [offered**k / math.factorial(k) for k in range(cores)]
    last = offered**cores / math.factorial(cores) * cores / (cores - offered)
    waits = last / (sum(terms) + last)
    mean_wait = waits * mean / (cores - offered)
    assert float((leave - arrivals).mean()) - tier.times_s(300_000, 500).mean() == pytest.approx(
        mean_wait, rel=0.06
    )
    assert stats.kstest(tier.times_s(5_000, 11), "expon").pvalue > 1e-3

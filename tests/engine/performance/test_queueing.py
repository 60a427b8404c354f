"""Queues in closed form against tables and a simulated queue (P6.3, P17)."""

from __future__ import annotations

import numpy as np
import pytest

from tco.performance.queueing import (
    gamma_quantiles,
    md1_decay,
    md1_wait_s,
    wait_quantiles_s,
)

LEVELS = np.array([0.5, 0.9, 0.95, 0.99])


@pytest.mark.parametrize(
    ("requests_per_s", "ttft_ms"), [(8.0, 180), (10.0, 348), (11.0, 822), (11.4, 2114)]
)
def test_serial_prefill_as_md1(requests_per_s, ttft_ms):
    """A prefill of 85.9 ms as M/D/1: the mean TTFT explodes towards 11.64 requests a second."""
    service = np.array([0.0859])
    wait = float(md1_wait_s(np.array([requests_per_s]), service)[0])
    assert round((wait + 0.0859) * 1e3) == ttft_ms


@pytest.mark.parametrize("rho", [0.01, 0.2, 0.5, 0.8, 0.95, 0.99])
def test_decay_solves_its_equation(rho):
    """rho·(e^x - 1) = x at the tail's decay."""
    x = float(md1_decay(np.array([rho]))[0])
    assert x > 0
    assert rho * np.expm1(x) == pytest.approx(x, rel=1e-6)


def lindley(rho, vacation, seed, customers=200_000):
    """Waits of M/D/1 with service 1, plus the rest of a vacation that is always under way."""
    rng = np.random.default_rng(seed)
    gaps = rng.exponential(1 / rho, customers)
    # W = S_n - min S: the reflected walk
    walk = np.concatenate([[0.0], np.cumsum(1 - gaps[1:])])
    waits = walk - np.minimum.accumulate(np.minimum(walk, 0.0))
    return waits[customers // 10 :] + rng.uniform(0, vacation, customers)[customers // 10 :]


@pytest.mark.parametrize("rho", [0.3, 0.6, 0.8])
@pytest.mark.parametrize("vacation", [0.05, 0.5])
def test_wait_percentiles_match_a_simulated_queue(rho, vacation):
    """Quantiles of the wait agree with a simulated queue within 4 % of a service or 4 %."""
    simulated = np.quantile(lindley(rho, vacation, seed=7), LEVELS)
    one = np.array([1.0])
    predicted = wait_quantiles_s(
        np.array([rho]), one, np.array([vacation]), one, LEVELS, np.array([0.0]), one
    )[0]
    assert predicted == pytest.approx(simulated, rel=0.04, abs=0.04)


def test_waiting_for_a_slot_moves_the_tail_only():
    """2 % of requests that wait 10 services leave the median and lift the 99th percentile."""
    one = np.array([1.0])
    given = (np.array([0.3]), one, np.array([0.1]), one, LEVELS)
    free = wait_quantiles_s(*given, np.array([0.0]), one)[0]
    held = wait_quantiles_s(*given, np.array([0.02]), np.array([0.1]))[0]
    assert held[0] == pytest.approx(free[0], abs=0.1)
    assert held[3] > free[3] + 2


def test_gamma_starts_at_the_least_and_keeps_the_mean():
    """A gamma law of mean 3 from 1 on with variance 4 is 1 + an exponential of mean 2."""
    values = gamma_quantiles(np.array([1.0]), np.array([3.0]), np.array([4.0]), LEVELS)[0]
    assert values == pytest.approx(1 - 2 * np.log(1 - LEVELS))


def test_no_variance_is_the_mean():
    """Without variance all percentiles are the mean."""
    values = gamma_quantiles(np.array([1.0]), np.array([3.0]), np.array([0.0]), LEVELS)[0]
    assert values == pytest.approx([3.0] * 4, rel=0.01)

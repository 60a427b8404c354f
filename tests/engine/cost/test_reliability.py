"""Availability of units, layers and sites: hand-worked, simulated, and as properties (F16)."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tco.cost.reliability import (
    SCHEMES,
    Down,
    in_series,
    installed_units,
    k_of_n,
    sides_of,
    two_sites,
    unit_unavailability,
)
from tco.errors import InputError

HOURS = 8760.0


def test_downtime_of_three_nines_is_8_76_hours():
    """F16.1: (1 - 0.999) x 8,760 h."""
    down = k_of_n(1 - 0.999, 1, 1, 8.76)
    assert float(down.fraction) * HOURS == pytest.approx(8.76)
    assert float(down.events_per_year) == pytest.approx(1.0, rel=2e-3)  # 8.76 h each


def test_k_of_n_is_the_binomial_by_hand():
    """2 of 3 units of 0.9: 0.9^3 + 3 x 0.9^2 x 0.1 = 0.972."""
    assert 1 - float(k_of_n(0.1, 2, 3, 1.0).fraction) == pytest.approx(0.972)
    for n in range(1, 9):
        for k in range(1, n + 1):
            up = sum(math.comb(n, i) * 0.97**i * 0.03 ** (n - i) for i in range(k, n + 1))
            assert 1 - float(k_of_n(0.03, k, n, 1.0).fraction) == pytest.approx(up, abs=1e-12)


@pytest.mark.parametrize("scheme", SCHEMES)
@pytest.mark.parametrize("beta", [0.0, 0.1, 1.0])
def test_k_of_n_against_drawn_units(scheme, beta):
    """Units drawn up or down, a common cause over all of them: the share of bad draws agrees."""
    rng = np.random.default_rng(16)
    needed, draws, u = 3, 400_000, 0.12
    n = installed_units(needed, scheme)
    common = rng.random(draws) < beta * u
    own = (u - beta * u) / (1 - beta * u)
    up = (rng.random((draws, n)) >= own) & ~common[:, None]
    if sides_of(scheme) == 2:
        halves = up[:, : n // 2].sum(axis=1), up[:, n // 2 :].sum(axis=1)
        bad = (halves[0] < needed) & (halves[1] < needed)
    else:
        bad = up.sum(axis=1) < needed
    assert up.mean() == pytest.approx(1 - u, abs=1e-3)  # each unit keeps its availability
    ours = float(
        k_of_n(u, needed, n, 1.0, common_cause_fraction=beta, sides=sides_of(scheme)).fraction
    )
    error = math.sqrt(max(ours * (1 - ours), 1e-9) / draws)
    assert bad.mean() == pytest.approx(ours, abs=5 * error + 1e-9)


@pytest.mark.parametrize(("needed", "n", "sides"), [(1, 1, 1), (2, 3, 1), (1, 2, 1), (2, 4, 2)])
def test_outages_against_a_simulated_history(needed, n, sides):
    """Units that fail and are repaired: hours down and outages of 3,000,000 h agree within 5 %."""
    rng = np.random.default_rng(7)
    mtbf, repair, span = 90.0, 10.0, 3_000_000.0
    changes = []
    for unit in range(n):
        count = int(span / (mtbf + repair) * 1.3) + 50
        length = np.empty(2 * count)
        length[0::2], length[1::2] = rng.exponential(mtbf, count), rng.exponential(repair, count)
        at = np.cumsum(length)
        changes += [(t, unit, i % 2 == 1) for i, t in enumerate(at) if t < span]
    changes.sort()
    up = [True] * n
    half = n // sides
    last, down_hours, outages, was_up = 0.0, 0.0, 0, True
    for t, unit, state in [*changes, (span, 0, None)]:
        if not was_up:
            down_hours += t - last
        last = t
        if state is None:
            break
        up[unit] = state
        parts = [sum(up[side * half : (side + 1) * half]) for side in range(sides)]
        now_up = any(part >= needed for part in parts)
        outages += was_up and not now_up
        was_up = now_up
    ours = k_of_n(unit_unavailability(mtbf, repair), needed, n, repair, sides=sides)
    assert down_hours / span == pytest.approx(float(ours.fraction), rel=0.05)
    assert outages / span * HOURS == pytest.approx(float(ours.events_per_year), rel=0.05)


def test_layers_multiply():
    """0.99 x 0.98 x 0.97, and each outage counts only while the others are up."""
    layers = [Down(0.01, 1.0), Down(0.02, 2.0), Down(0.03, 3.0)]
    whole = in_series(*layers)
    assert float(whole.fraction) == pytest.approx(1 - 0.99 * 0.98 * 0.97)
    events = 1 * 0.98 * 0.97 + 2 * 0.99 * 0.97 + 3 * 0.99 * 0.98
    assert float(whole.events_per_year) == pytest.approx(events)
    assert float(in_series().fraction) == 0.0


def test_tiny_unavailabilities_keep_their_digits():
    """2(N+1) of good units is 1e-16 down and not 0: nothing is lost in 1 - (1 - x)."""
    ours = in_series(k_of_n(1e-4, 1, 4, 4.0, sides=2))
    assert float(ours.fraction) == pytest.approx(1e-16, rel=1e-9)


def test_two_sites_by_hand():
    """Active-active: both down. Active-passive: each outage waits for its failover."""
    one = Down(0.01, 8.76)  # ten hours each
    assert float(two_sites(one, "active_active").fraction) == pytest.approx(1e-4)
    passive = two_sites(one, "active_passive", failover_hours=1.0)
    assert float(passive.fraction) == pytest.approx(1e-4 + 8.76 * 0.99 * 1.0 / HOURS)
    half = two_sites(one, "active_passive", failover_hours=1.0, failover_success_fraction=0.5)
    assert float(half.fraction) == pytest.approx(1e-4 + 0.5 * 0.0099 + 0.5 * 8.76 * 0.99 / HOURS)
    assert float(passive.events_per_year) == 8.76  # each is still felt


def test_a_slow_failover_is_never_worse_than_none():
    """A failover of a week where outages last ten hours: the outage ends first."""
    one = Down(0.01, 8.76)
    slow = two_sites(one, "active_passive", failover_hours=168.0)
    assert float(slow.fraction) == pytest.approx(0.01)


share = st.floats(0.0, 0.5)
beta = st.floats(0.0, 1.0)


@given(u=share, b=beta, k=st.integers(1, 20), more=st.integers(0, 5))
def test_more_spares_never_more_downtime(u, b, k, more):
    """One unit more, the same need: down no longer."""
    few = k_of_n(u, k, k + more, 4.0, common_cause_fraction=b)
    many = k_of_n(u, k, k + more + 1, 4.0, common_cause_fraction=b)
    assert float(many.fraction) <= float(few.fraction) * (1 + 1e-9) + 1e-15


@given(u=share, k=st.integers(1, 10), b=st.tuples(beta, beta))
def test_more_common_cause_never_less_downtime_of_spares(u, k, b):
    """A higher beta never makes redundant units better; of one unit it changes nothing."""
    low, high = sorted(b)
    if k == 1:
        assert float(k_of_n(u, 1, 1, 4.0, common_cause_fraction=high).fraction) == pytest.approx(u)
    less = float(k_of_n(u, 1, k + 1, 4.0, common_cause_fraction=low).fraction)
    more = float(k_of_n(u, 1, k + 1, 4.0, common_cause_fraction=high).fraction)
    assert less <= more * (1 + 1e-9) + 1e-15


@given(u=st.floats(1e-6, 0.3), k=st.integers(1, 6))
def test_schemes_stand_in_order(u, k):
    """N, N+1, N+2 and 2N, 2(N+1): each of its kind is down no longer than the one before."""
    found = {
        s: float(k_of_n(u, k, installed_units(k, s), 1.0, sides=sides_of(s)).fraction)
        for s in SCHEMES
    }
    for worse, better in (*pairwise(("N", "N+1", "N+2")), ("N", "2N"), ("2N", "2(N+1)")):
        assert found[better] <= found[worse] * (1 + 1e-9)


def test_it_broadcasts_over_draws_and_months():
    """Draws of a unit down a column, servers by month along the row: each cell as if alone."""
    u, n = np.array([[0.01], [0.1]]), np.array([2.0, 3.0, 4.0])
    both = k_of_n(u, n - 1, n, 4.0, common_cause_fraction=np.array([[0.0], [0.2]]))
    assert both.fraction.shape == (2, 3)
    alone = k_of_n(0.1, 3, 4, 4.0, common_cause_fraction=0.2)
    assert float(both.fraction[1, 2]) == pytest.approx(float(alone.fraction))
    assert float(both.events_per_year[1, 2]) == pytest.approx(float(alone.events_per_year))


@pytest.mark.parametrize(
    ("call", "field", "value"),
    [
        (lambda: k_of_n(-0.2, 1, 1, 1.0), "availability_fraction", "-0.2"),
        (lambda: k_of_n(0.1, 3, 2, 1.0), "needed", "3 of 2"),
        (lambda: k_of_n(0.1, 2, 2, 1.0, sides=2), "needed", "2 of 1"),
        (lambda: k_of_n(0.1, 1, 2, 1.0, common_cause_fraction=1.5), "beta", "1.5"),
        (lambda: k_of_n(math.nan, 1, 2, 1.0), "availability_fraction", "nan"),
        (lambda: unit_unavailability(0.0, 1.0), "mtbf_hours", "0"),
        (lambda: unit_unavailability(10.0, -1.0), "repair_hours", "-1"),
        (lambda: installed_units(1, "3N"), "scheme", "3N"),
        (lambda: two_sites(Down(0.1, 1.0), "warm"), "mode", "warm"),
    ],
)
def test_bad_input_is_named(call, field, value):
    """Field, value and mend, never a number."""
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.field == field
    assert value in caught.value.message
    assert caught.value.mend

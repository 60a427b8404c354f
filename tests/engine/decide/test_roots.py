"""Every crossing over a range: by hand, and against a fine brute-force scan (F20.4)."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tco.decide.roots import find_roots, grid


def at(gap, low=0.1, high=10.0, points=61, scale=1.0, **more):
    """Places of the crossings of a function."""
    roots, _ = find_roots(gap, grid(low, high, points, **more), scale, **more)
    return roots


def test_three_crossings_of_a_cubic():
    """(x - 1)(x - 2)(x - 5): three, falling in the middle."""
    found = at(lambda x: (x - 1) * (x - 2) * (x - 5), scale=360.0)
    assert [root.at for root in found] == pytest.approx([1, 2, 5], rel=1e-8)
    assert [root.above < root.below for root in found] == [False, True, False]
    assert not any(root.jump for root in found)


def test_a_step_is_named_a_jump():
    """ceil(x) - 2.5 goes from -0.5 to 0.5 just above 2."""
    (root,) = at(lambda x: math.ceil(x) - 2.5)
    assert root.at == pytest.approx(2.0, rel=1e-6)
    assert root.jump
    assert (root.below, root.above) == (-0.5, 0.5)


def test_whole_numbers_have_a_pair_around_the_crossing():
    """n^2 - 30 changes its sign between 5 and 6; n^2 - 25 is met at 5 itself."""
    (between,) = at(lambda n: n * n - 30, 1, 100, points=7, whole=True)
    assert (between.low, between.high, between.jump) == (5, 6, True)
    (met,) = at(lambda n: n * n - 25, 1, 100, points=7, whole=True)
    assert (met.low, met.high, met.jump) == (5, 5, False)


def test_two_crossings_between_two_places_are_not_lost():
    """A dip of width 0.06 below zero between places 0.5 apart."""
    found = at(lambda x: (x - 3.22) * (x - 3.28), 0.0, 10.0, points=21)
    assert [root.at for root in found] == pytest.approx([3.22, 3.28], rel=1e-7)


def test_where_there_is_no_result_is_a_hole_and_no_crossing():
    """Nothing between 2 and 4; the level is crossed at 5 only, and not across the hole."""
    roots, holes = find_roots(
        lambda x: None if 2 < x < 4 else (x - 5 if x >= 4 else -1.0),
        grid(0.0, 10.0, 41),
        1.0,
    )
    assert [root.at for root in roots] == pytest.approx([5.0])
    (hole,) = holes
    assert (hole.low, hole.high) == pytest.approx((2, 4), abs=1e-3)


def test_never_is_an_empty_list():
    """x + 1 over positive x."""
    assert at(lambda x: x + 1) == []


def test_a_level_that_is_kept_is_no_crossing():
    """max(x, 3) - 3 is zero up to 3: no place there is a turn."""
    assert at(lambda x: max(x, 3.0) - 3.0, 1.0, 5.0) == []


@pytest.mark.parametrize("seed", range(40))
def test_against_a_scan_of_20_000_points(seed):
    """Waves with steps on them: the same number of crossings at the same places."""
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.5, 2.0, 4)
    turn = rng.uniform(0.2, 2.5, 4)
    phase = rng.uniform(0, 6, 4)
    step = rng.choice([0.0, 0.4])
    level = rng.uniform(-1, 1)

    def gap(x):
        wave = sum(a * math.sin(w * x + p) for a, w, p in zip(size, turn, phase, strict=True))
        return wave + step * math.floor(x) - level

    scan = np.linspace(0.0, 10.0, 20_001)
    signs = np.sign([gap(x) for x in scan])
    want = scan[:-1][signs[:-1] * signs[1:] < 0]
    found = at(gap, 0.0, 10.0, scale=5.0)
    assert len(found) == len(want)
    assert [root.at for root in found] == pytest.approx(list(want), abs=1e-3)

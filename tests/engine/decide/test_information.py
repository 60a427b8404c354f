"""Worth of knowing against the closed form of a linear choice with normal inputs."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm, qmc

from tco.decide.information import worth_of_knowing

DRAWS = 4096


def normal(probability):
    """A standard normal input."""
    return norm.ppf(np.clip(probability, 1e-12, 1 - 1e-12))


def analytic(gap, deviation):
    """What knowing a difference gap + deviation z saves: the unit normal loss."""
    unit = gap / deviation
    return deviation * norm.pdf(unit) - abs(gap) * norm.cdf(-abs(unit))


@pytest.mark.parametrize("inputs", [2, 8, 25])
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_a_linear_normal_choice_is_within_two_per_cent(inputs, seed):
    """Exact knowledge, a measurement with half the input's own error, and everything at once."""
    draw = np.random.default_rng(seed)
    slopes = draw.normal(size=inputs) * draw.uniform(0.3, 3.0, size=inputs)
    gap = 0.5 * np.linalg.norm(slopes) * draw.uniform(0.2, 1.0)
    uniform = qmc.Sobol(inputs, seed=seed).random(DRAWS)
    cost = np.vstack([np.full(DRAWS, 100.0), 100.0 + gap + normal(uniform) @ slopes])
    found = worth_of_knowing(cost, uniform, [normal] * inputs, error_fractions=[0.5] * inputs)
    exact = np.array([analytic(gap, abs(slope)) for slope in slopes])
    partly = np.array([analytic(gap, abs(slope) / np.sqrt(1.25)) for slope in slopes])
    large = exact > 0.05 * exact.max()
    assert found.each[large] == pytest.approx(exact[large], rel=0.02)
    assert found.measured[large] == pytest.approx(partly[large], rel=0.02)
    assert found.perfect_units == pytest.approx(analytic(gap, np.linalg.norm(slopes)), rel=0.02)
    assert (found.each <= found.perfect_units * 1.01).all()


def test_an_input_that_no_option_reads_is_worth_nothing():
    """Chance is not sold as knowledge."""
    uniform = qmc.Sobol(2, seed=3).random(DRAWS)
    cost = np.vstack([np.full(DRAWS, 1.0), 1.0 + normal(uniform[:, 0])])
    found = worth_of_knowing(cost, uniform, [normal, normal])
    assert found.each[0] == pytest.approx(norm.pdf(0), rel=0.02)
    assert found.each[1] == 0.0


def test_what_goes_with_another_input_is_counted_where_they_are_correlated():
    """Two inputs that are one: knowing the second tells the first."""
    uniform = np.random.default_rng(1).random((DRAWS, 1)).repeat(2, axis=1)
    cost = np.vstack([np.full(DRAWS, 1.0), 1.0 + normal(uniform[:, 0])])
    found = worth_of_knowing(cost, uniform, [normal, normal], independent=False)
    assert found.each[1] == pytest.approx(norm.pdf(0), rel=0.05)
    assert found.each[0] == pytest.approx(found.each[1], rel=1e-9)


def test_three_options_are_weighed_at_once():
    """One input moves two rivals against each other: the best of three at every value."""
    grid = (np.arange(DRAWS) + 0.5)[:, None] / DRAWS
    value = grid[:, 0]
    cost = np.vstack([np.full(DRAWS, 0.5), value, 1.0 - value])
    found = worth_of_knowing(cost, grid, [lambda at: at])
    assert found.each[0] == pytest.approx(0.25, rel=0.01)


def test_one_option_has_nothing_to_choose():
    """No choice, no worth."""
    assert worth_of_knowing(np.ones((1, 8)), np.full((8, 1), 0.5), [normal]).perfect_units == 0.0

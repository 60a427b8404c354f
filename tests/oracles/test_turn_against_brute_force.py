"""The nearest turn against every point of a fine grid, on 300 small choices."""

from __future__ import annotations

import numpy as np
import pytest

from tco.decide.turn import MOST, nearest_turn

RADII = np.linspace(0.0, MOST, 401)[1:]


def drawn_margin(draw, kind):
    """A choice among one to three rivals over one to three inputs, and their number.

    Linear, curved, in steps as of whole machines, and multiplicative.
    """
    inputs, rivals = int(draw.integers(1, 4)), int(draw.integers(1, 4))
    slopes = draw.normal(size=(rivals, inputs))
    ahead = draw.uniform(0.2, 3.0, size=rivals)
    curves = draw.normal(size=(rivals, inputs, inputs)) * 0.15
    steps = draw.uniform(0.3, 1.5, size=rivals)

    def margin(parts):
        moved = parts @ slopes.T
        if kind > 0:
            moved = moved + np.einsum("ni,rij,nj->nr", parts, curves, parts)
        found = ahead + moved
        if kind == 2:
            found = np.ceil(found / steps) * steps - 0.05
        if kind == 3:
            found = ahead * np.exp(np.clip(moved, -5, 5) * 0.5) - 0.4 * ahead
        return found.min(axis=1)

    return margin, inputs


def directions(inputs):
    """Directions so close that no turn of these margins lies between them."""
    if inputs == 1:
        return np.array([[1.0], [-1.0]])
    if inputs == 2:
        angle = np.linspace(0, 2 * np.pi, 1440, endpoint=False)
        return np.column_stack([np.cos(angle), np.sin(angle)])
    place = np.arange(4000) + 0.5
    polar, turn = np.arccos(1 - 2 * place / 4000), np.pi * (1 + 5**0.5) * place
    flat = np.sin(polar)
    return np.column_stack([np.cos(turn) * flat, np.sin(turn) * flat, np.cos(polar)])


def brute_force(margin, inputs):
    """The first radius of the grid at which the choice turns in any direction."""
    ways = directions(inputs)
    return next((radius for radius in RADII if (margin(ways * radius) < 0).any()), None)


@pytest.mark.parametrize("kind", [0, 1, 2, 3])
def test_no_grid_point_turns_before_the_turn_found(kind):
    """75 choices of each kind: at most 1 % further than the grid's, and truly turned."""
    draw = np.random.default_rng(kind)
    turned = 0
    for _ in range(75):
        margin, inputs = drawn_margin(draw, kind)
        known, found = brute_force(margin, inputs), nearest_turn(margin, inputs)
        if known is None:
            assert found is None or found.distance_ranges > 0.98 * MOST
            continue
        assert found is not None
        turned += 1
        assert margin(found.parts[None, :])[0] < 0
        assert found.distance_ranges == pytest.approx(np.linalg.norm(found.parts), rel=1e-12)
        assert found.distance_ranges <= known * 1.02
        assert found.distance_ranges >= known - RADII[0] - 1e-9 or inputs == 3
    assert turned > 40


def test_a_linear_choice_of_thirty_inputs_is_exact():
    """Distance of a plane: margin over the length of its slope."""
    draw = np.random.default_rng(7)
    slope = draw.normal(size=30)
    found = nearest_turn(lambda z: 5.0 + z @ slope, 30)
    assert found.distance_ranges == pytest.approx(5.0 / np.linalg.norm(slope), rel=3e-3)

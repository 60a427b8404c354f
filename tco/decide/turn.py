"""The nearest turn: the smallest joint change of inputs, each in its own uncertainty.

Inputs are measured from their own values: 1 is the end of an input's own range. The margin of the
choice is a function of many of them at once, with steps of whole machines in it, so that no
gradient can be trusted alone: the search goes over directions and asks of each how far the choice
holds along it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Ray = tuple[float, FloatArray]  # distance, direction of length 1
Margin = Callable[[FloatArray], FloatArray]  # (rows, inputs) -> (rows,); below 0 the choice turns

MOST = 4.0  # ranges away; further out nothing is looked for
_RADII = 33  # on each first direction
_NEAR = 9  # on each later one, below the least so far
_HALVINGS = 12
_RANDOM, _MORE, _TRIED, _ROUNDS = 96, 1024, 24, 7
_STARTS, _ALIKE, _KEPT = 4, 0.9, 24
_WIDE, _FIRST, _NARROW = 0.7, 0.15, 0.02  # spread of tried directions
_STEP = 0.25  # for slopes: wide enough to see past one whole machine
_BARE, _FURTHER = 0.08, 1.002  # parts left out at the end, and what that may cost
_SMALL = 0.02  # parts of a turn below this are tried without


@dataclass(frozen=True, slots=True)
class Turn:
    """A point at which the choice is another one, and how far it is away.

    Parameters
    ----------
    distance_ranges
        Length of `parts`: 1 is one input at the end of its own range.
    parts
        Each input's own part, shape (inputs,); negative: towards its low end.
    """

    distance_ranges: float
    parts: FloatArray


def nearest_turn(margin: Margin, inputs: int, *, most: float = MOST, seed: int = 1) -> Turn | None:
    """Return the nearest point found at which the margin is below 0; None within `most`.

    The result is an upper bound that is checked: the margin is below 0 there. On a linear margin
    it is exact, on others a search over directions (tests hold it against every point of a grid).

    Parameters
    ----------
    margin
        Of the choice over its nearest rival, for rows of inputs.
    inputs
        How many there are.

    Examples
    --------
    >>> found = nearest_turn(lambda z: 1.0 - 0.3 * z[:, 0] - 0.4 * z[:, 1], 2)
    >>> round(found.distance_ranges, 2), np.round(found.parts, 1).tolist()
    (2.0, [1.2, 1.6])
    >>> nearest_turn(lambda z: 1.0 + 0.0 * z[:, 0], 1) is None
    True
    """
    if inputs == 0:
        return None
    if margin(np.zeros((1, inputs)))[0] < 0:
        return Turn(0.0, np.zeros(inputs))
    draw = np.random.default_rng(seed)
    slope = _slope(margin, np.zeros(inputs))
    weights = _weights(margin, inputs)
    if not weights.any():
        return None
    first = np.vstack(
        [
            np.eye(inputs),
            -np.eye(inputs),
            -slope[None, :],
            draw.normal(size=(_RANDOM, inputs)),
            draw.normal(size=(_RANDOM, inputs)) * weights,
            draw.normal(size=(_RANDOM, inputs)) * weights - 2.0 * slope / (_norm(slope) or 1.0),
        ]
    )
    radii = np.linspace(0.0, most, _RADII)[1:]
    starts = _turned(margin, _units(first), radii)
    if not starts:  # a narrow corner may be between them
        more = _units(draw.normal(size=(_MORE, inputs)))
        starts = _turned(margin, more, radii[_RADII // 2 :])
    if not starts:
        return None
    found = [
        _refined(margin, start, weights, draw, np.geomspace(_WIDE, _FIRST, _ROUNDS))
        for start in _apart(starts)
    ]
    best = min(found, key=lambda one: one[0])
    spreads = np.geomspace(_FIRST, _NARROW, _ROUNDS)
    distance, direction = _bare(margin, _refined(margin, best, weights, draw, spreads))
    return Turn(distance, distance * direction)


def _bare(margin: Margin, found: Ray) -> Ray:
    """The turn without its small parts, where that is hardly further away: fewer inputs to name."""
    distance, direction = found
    small = np.abs(direction) < _BARE * np.abs(direction).max()
    if not small.any() or small.all():
        return found
    bare = np.where(small, 0.0, direction)
    radii = np.linspace(0.0, distance * _FURTHER, 4 * _NEAR + 1)[1:]
    turned = _turned(margin, _units(bare[None, :]), radii)
    return turned[0] if turned else found


def _apart(starts: list[Ray]) -> list[Ray]:
    """The nearest few that do not point the same way: more than one corner may be near."""
    kept: list[Ray] = []
    for distance, direction in sorted(starts, key=lambda one: one[0]):
        if all(float(direction @ other) < _ALIKE for _, other in kept):
            kept.append((distance, direction))
        if len(kept) == _STARTS:
            break
    return kept


def _refined(
    margin: Margin,
    start: Ray,
    weights: FloatArray,
    draw: np.random.Generator,
    spreads: FloatArray,
) -> Ray:
    """The least found around a direction that turns, in rounds ever closer to it."""
    best, direction = start
    inputs = direction.size
    for spread in spreads:
        tried = [direction + spread * draw.normal(size=(_TRIED, inputs)) * weights]
        # steps of whole machines hide an input that moves nothing by itself: try all alike too
        tried.append(direction + spread * draw.normal(size=(_TRIED, inputs)) / np.sqrt(inputs))
        tried.append(-_slope(margin, best * direction)[None, :])
        tried.append(_without_each(direction))
        radii = best * np.linspace(0.0, 1.0, _NEAR + 1)[1:]
        found = _turned(margin, _units(np.vstack(tried)), radii)
        best, direction = min([(best, direction), *found], key=lambda one: one[0])
    return best, direction


def _turned(margin: Margin, directions: FloatArray, radii: FloatArray) -> list[Ray]:
    """Directions along which the choice turns within the radii, each with where."""
    if not len(directions):
        return []
    rows = (directions[:, None, :] * radii[None, :, None]).reshape(-1, directions.shape[1])
    turned = margin(rows).reshape(len(directions), len(radii)) < 0
    some = np.flatnonzero(turned.any(axis=1))
    if not some.size:
        return []
    place = turned[some].argmax(axis=1)
    high = radii[place]
    low = np.where(place > 0, radii[place - 1], 0.0)
    keep = np.argsort(low, kind="stable")[:_KEPT]  # the others begin further out
    some, low, high = some[keep], low[keep], high[keep]
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        below = margin(directions[some] * middle[:, None]) < 0
        high, low = np.where(below, middle, high), np.where(below, low, middle)
    return [(float(far), directions[at]) for far, at in zip(high, some, strict=True)]


def _slope(margin: Margin, at: FloatArray) -> FloatArray:
    steps = np.eye(at.size) * _STEP
    ahead = margin(np.vstack([at + steps, at - steps]))
    return np.asarray((ahead[: at.size] - ahead[at.size :]) / (2 * _STEP))


def _weights(margin: Margin, inputs: int) -> FloatArray:
    """How much each input can lower the margin within its own range, over the largest."""
    ends = np.eye(inputs)
    lowered = margin(np.zeros((1, inputs)))[0] - margin(np.vstack([ends, -ends]))
    each = np.maximum(lowered[:inputs], lowered[inputs:])
    moved = np.maximum(each, 0.0)
    top = moved.max()
    if top <= 0:
        return np.ones(inputs)  # none does alone: all are tried together
    return np.asarray(np.maximum(moved / top, 0.02))


def _without_each(direction: FloatArray) -> FloatArray:
    """The direction without each of its small parts, and without all of them."""
    small = np.flatnonzero((np.abs(direction) < 10 * _SMALL) & (direction != 0))
    rows = []
    for place in small:
        row = direction.copy()
        row[place] = 0.0
        rows.append(row)
    bare = np.where(np.abs(direction) < _SMALL, 0.0, direction)
    return np.array([*rows, bare])


def _units(rows: FloatArray) -> FloatArray:
    lengths = np.linalg.norm(rows, axis=1)
    kept = rows[lengths > 1e-12]
    return np.asarray(kept / lengths[lengths > 1e-12][:, None])


def _norm(row: FloatArray) -> float:
    return float(np.linalg.norm(row))

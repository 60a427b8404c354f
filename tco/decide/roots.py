"""Every crossing of a level over a range: roots in brackets, jumps named as jumps (F20.4)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import brentq, minimize_scalar

FloatArray = NDArray[np.float64]
Gap = Callable[[float], float | None]  # result less what is wanted; None: there is none here
FINE = 1e-9  # how near a crossing is found, as a share of the range
_ASIDE = 1e-7  # how far beside a crossing its two sides are looked at
_STEP = 1e-5  # of the size of the result: above it two sides are a jump
_TOUCH = 1e-9  # of the size of the result: a level that is touched
_LOOKS = 24  # into a dip between two points that may hide two crossings
_HALVINGS = 6  # of a stretch in which the level is near enough to be crossed


@dataclass(frozen=True, slots=True)
class Root:
    """One crossing: where, and what the gap is just below and just above it."""

    at: float
    low: float  # the bracket: equal ends for a root, the two whole numbers around a step
    high: float
    jump: bool
    below: float
    above: float


@dataclass(frozen=True, slots=True)
class Hole:
    """Part of the range in which there is no result."""

    low: float
    high: float


def grid(low: float, high: float, points: int, *, whole: bool = False) -> FloatArray:
    """Points over a range: whole numbers, else by equal ratio where it spans a factor of 8.

    Examples
    --------
    >>> grid(1.0, 3.0, 9, whole=True).tolist(), grid(0.0, 1.0, 3).tolist()
    ([1.0, 2.0, 3.0], [0.0, 0.5, 1.0])
    """
    if whole:
        steps = np.linspace(low, high, min(points, round(high - low) + 1))
        return np.unique(np.round(steps))
    if low > 0 and high >= 8 * low:
        found = np.geomspace(low, high, points)
        found[0], found[-1] = low, high
        return np.asarray(found)
    return np.linspace(low, high, points)


def find_roots(
    gap: Gap, places: FloatArray, scale: float, *, whole: bool = False
) -> tuple[list[Root], list[Hole]]:
    """Every crossing between neighbouring places, in order, and where there is no result.

    A stretch whose ends are nearer to the level than the result moves in and beside it is halved,
    up to six times; a change of sign is then narrowed by Brent's method, and a dip towards the
    level looked into. Two crossings nearer than a sixty-fourth of the places' distance may be
    missed.

    Parameters
    ----------
    gap
        Result less what is wanted.
    places
        Rising places at which to look first.
    scale
        Size of the result, to tell a jump from a slope.
    whole
        The input takes whole numbers: a crossing lies between two of them.
    """
    if not whole:
        places = _closer(gap, places)
    seen = [gap(float(x)) for x in places]
    found: list[Root] = []
    for index, (x, y) in enumerate(zip(places.tolist(), seen, strict=True)):
        if y is not None and abs(y) <= _TOUCH * scale and not _flat(seen, index, scale):
            found.append(_touched(gap, x, y, scale, whole))
    for (x0, y0), (x1, y1) in pairwise(zip(places.tolist(), seen, strict=True)):
        if y0 is None or y1 is None or min(abs(y0), abs(y1)) <= _TOUCH * scale:
            continue
        if y0 * y1 < 0:
            found += _whole(gap, x0, x1, y0, y1) if whole else [_narrowed(gap, x0, x1, scale)]
    if not whole:
        for start, end in _dips(gap, places, seen):
            found.append(_narrowed(gap, start, end, scale))
    return sorted(found, key=lambda root: root.at), list(_holes(gap, places, seen))


def _closer(gap: Gap, places: FloatArray) -> FloatArray:
    """The places, with more of them where the level may be crossed."""
    for _ in range(_HALVINGS):
        seen = [gap(float(x)) for x in places]
        moves = [abs(b - a) if a is not None and b is not None else 0.0 for a, b in pairwise(seen)]
        added = []
        for index, (a, b) in enumerate(pairwise(seen)):
            if a is None or b is None:
                continue
            move = max(moves[max(0, index - 1) : index + 2])
            if 0 < min(abs(a), abs(b)) <= move:
                added.append((places[index] + places[index + 1]) / 2)
        if not added or len(added) > places.size:
            break
        places = np.unique(np.concatenate([places, added]))
    return places


def _flat(seen: list[float | None], index: int, scale: float) -> bool:
    """Whether the level is kept beside a place too: then there is no crossing there."""
    beside = [seen[i] for i in (index - 1, index + 1) if 0 <= i < len(seen)]
    return any(y is not None and abs(y) <= _TOUCH * scale for y in beside)


def _touched(gap: Gap, x: float, y: float, scale: float, whole: bool) -> Root:
    aside = 1.0 if whole else max(abs(x), 1e-3) * _ASIDE
    below, above = gap(x - aside), gap(x + aside)
    sides = [y if side is None else side for side in (below, above)]
    jump = not whole and abs(sides[1] - sides[0]) > _STEP * scale
    return Root(x, x, x, jump, sides[0], sides[1])


def _narrowed(gap: Gap, low: float, high: float, scale: float) -> Root:
    """The crossing inside a bracket; a place without a result inside it counts as its far side."""
    ends = {low: gap(low), high: gap(high)}
    last = ends[low] or 0.0

    def filled(x: float) -> float:
        nonlocal last
        y = gap(x)
        last = last if y is None else y
        return last

    width = (high - low) * FINE
    at = float(brentq(filled, low, high, xtol=max(width, 1e-300), rtol=4e-16 * 4))
    aside = max(abs(at) * _ASIDE, 2 * width)
    sides = [gap(min(max(x, low), high)) for x in (at - aside, at + aside)]
    below, above = (0.0 if side is None else side for side in sides)
    return Root(at, at, at, bool(abs(above - below) > _STEP * scale), float(below), float(above))


def _whole(gap: Gap, low: float, high: float, y0: float, y1: float) -> Iterator[Root]:
    """Two neighbouring whole numbers with the crossing between them, or the number itself."""
    while high - low > 1.5:
        middle = math.floor((low + high) / 2)
        y = gap(float(middle))
        if y is None:
            break
        if y == 0.0:
            yield Root(float(middle), float(middle), float(middle), False, y0, y1)
            return
        if y * y0 > 0:
            low, y0 = float(middle), y
        else:
            high, y1 = float(middle), y
    yield Root(high, low, high, True, y0, y1)


def _dips(gap: Gap, places: FloatArray, seen: list[float | None]) -> Iterator[tuple[float, float]]:
    """Brackets that a dip towards zero between three places of one sign hides."""
    for index in range(1, len(seen) - 1):
        x = [float(places[index + i]) for i in (-1, 0, 1)]
        before, here, after = seen[index - 1 : index + 2]
        if before is None or here is None or after is None or not here:
            continue
        if before * here <= 0 or here * after <= 0 or abs(here) >= min(abs(before), abs(after)):
            continue
        sign = math.copysign(1.0, here)

        def depth(at: float, sign: float = sign, fill: float = here) -> float:
            y = gap(at)
            return sign * (fill if y is None else y)

        low = minimize_scalar(
            depth, bounds=(x[0], x[2]), method="bounded", options={"maxiter": _LOOKS}
        )
        if low.fun < 0:
            yield x[0], float(low.x)
            yield float(low.x), x[2]


def _holes(gap: Gap, places: FloatArray, seen: list[float | None]) -> Iterator[Hole]:
    """Runs of places without a result, their ends narrowed."""
    start: float | None = None
    for index, y in enumerate(seen):
        x = float(places[index])
        if y is None and start is None:
            start = x if index == 0 else _edge(gap, float(places[index - 1]), x)
        elif y is not None and start is not None:
            yield Hole(start, _edge(gap, x, float(places[index - 1])))
            start = None
    if start is not None:
        yield Hole(start, float(places[-1]))


def _edge(gap: Gap, good: float, bad: float) -> float:
    for _ in range(12):
        middle = (good + bad) / 2
        good, bad = (good, middle) if gap(middle) is None else (middle, bad)
    return bad

"""Switching values: where one input alone makes the cheapest option lose its place (F21.4)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tco.uncertainty.drivers import Driver
from tco.uncertainty.evaluate import Evaluator, Ticked, base_row

FloatArray = NDArray[np.float64]
GRID = 61  # points of an input over which a crossing is looked for
_STRETCH = 4.0  # how far beyond its range, as a factor
_FINE, _ROUNDS = 21, 3  # points between which a crossing is narrowed, and how often


@dataclass(frozen=True, slots=True)
class Switch:
    """Value of an input at which two options cost the same, the others at their own values."""

    a: str
    b: str
    label: str
    unit: str
    value: float
    switch_at: float
    within_range: bool


@dataclass(slots=True)
class _Crossing:
    """Two options change places between two values of one driver."""

    place: int
    rival: int
    low: float
    high: float


def switches(evaluator: Evaluator, ticked: Ticked = lambda rows: None) -> tuple[Switch, ...]:
    """Every value of an input at which the option cheapest now costs what another does.

    All inputs are looked at in one evaluation, and all crossings narrowed together: counts of
    machines are whole, so a crossing may be a jump and not a root.
    """
    drivers = evaluator.drivers
    if len(evaluator.cases) < 2 or not drivers:
        return ()
    best = int(np.argmin(evaluator.at(base_row(drivers)).present_usd[:, 0]))
    found = _first_look(evaluator, best, ticked)
    for _ in range(_ROUNDS):
        _narrow(evaluator, best, found)
    names = [case.option.name for case in evaluator.cases]
    return tuple(
        Switch(
            names[best],
            names[one.rival],
            drivers[one.place].label,
            drivers[one.place].unit,
            drivers[one.place].value,
            (one.low + one.high) / 2,
            drivers[one.place].low <= (one.low + one.high) / 2 <= drivers[one.place].high,
        )
        for one in found
    )


def _first_look(evaluator: Evaluator, best: int, ticked: Ticked) -> list[_Crossing]:
    grids = [grid_of(driver) for driver in evaluator.drivers]
    cost = _cost(evaluator, [(place, grid) for place, grid in enumerate(grids)], ticked)
    return [
        _Crossing(place, rival, low, high)
        for place, (grid, part) in enumerate(zip(grids, cost, strict=True))
        for rival in range(len(evaluator.cases))
        if rival != best
        for low, high in crossings(grid, part[best] - part[rival])
    ]


def _narrow(evaluator: Evaluator, best: int, found: list[_Crossing]) -> None:
    grids = [np.linspace(one.low, one.high, _FINE) for one in found]
    cost = _cost(evaluator, [(one.place, grid) for one, grid in zip(found, grids, strict=True)])
    for one, grid, part in zip(found, grids, cost, strict=True):
        inside = crossings(grid, part[best] - part[one.rival])
        if inside:
            one.low, one.high = inside[0]


def _cost(
    evaluator: Evaluator,
    wanted: list[tuple[int, FloatArray]],
    ticked: Ticked = lambda rows: None,
) -> list[FloatArray]:
    """Cost of every option with one driver on a grid, shape (options, points), for each wanted."""
    if not wanted:
        return []
    sizes = [grid.size for _, grid in wanted]
    rows = np.repeat(base_row(evaluator.drivers), sum(sizes), axis=0)
    ends = np.cumsum([0, *sizes])
    for (place, grid), first, last in zip(wanted, ends[:-1], ends[1:], strict=True):
        rows[first:last, place] = grid
    cost = evaluator.at(rows, ticked).present_usd
    return [cost[:, first:last] for first, last in pairwise(ends)]


def grid_of(driver: Driver) -> FloatArray:
    """From well below the range to well above it, inside physical limits, the own value included.

    Examples
    --------
    >>> from tco.inputs import Status
    >>> d = Driver("x", "fraction", 0.1, 0.0, 0.4, "pert", Status.ASSUMED, "s")
    >>> float(grid_of(d)[0]), bool(grid_of(d)[-1] < 1.0)
    (0.0, True)
    """
    share = driver.unit == "fraction" and driver.low >= 0 and driver.high <= 1
    top = driver.high + 0.9 * (1.0 - driver.high) if share else np.inf  # a share of 1 may be none
    if driver.low > 0:
        high = max(min(driver.high * _STRETCH, top), driver.low)
        grid = np.geomspace(driver.low / _STRETCH, high, GRID)
    else:
        width = (driver.high - driver.low) * _STRETCH
        bottom = 0.0 if driver.low >= 0 else driver.low - width
        if driver.unit == "1/yr":  # a rate of -100 % a year or less is none
            bottom = max(bottom, min(driver.low, -0.9))
        grid = np.linspace(bottom, min(driver.high + width, top), GRID)
    return np.unique(np.append(grid, driver.value))


def crossings(grid: FloatArray, gap: FloatArray) -> list[tuple[float, float]]:
    """Pairs of grid points between which the gap changes its sign.

    Examples
    --------
    >>> crossings(np.array([1.0, 2.0, 3.0]), np.array([-1.0, 2.0, 5.0]))
    [(1.0, 2.0)]
    """
    signs = np.sign(gap)
    places = np.flatnonzero(signs[:-1] * signs[1:] < 0)
    return [(float(grid[at]), float(grid[at + 1])) for at in places]

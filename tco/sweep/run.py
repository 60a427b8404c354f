"""Every option's cost at every point of a grid: by columns where that is exact, else one by one.

A sweep by columns is held against whole projections at the corners of the grid and at points in
between before it is believed; where they differ, or where feasibility changes, every point is
projected whole.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tco.cost.ledger import OptionCase
from tco.decide.place import Place
from tco.document import resolve
from tco.document.catalog import Catalog
from tco.errors import InputError, InputErrors
from tco.inputs import Figure, Status
from tco.projection import option_cases, project
from tco.sweep.axes import Axis, Named, Where, places
from tco.uncertainty.drivers import Driver, ranged_inputs
from tco.uncertainty.evaluate import Evaluator
from tco.uncertainty.priced import is_priced

FloatArray = NDArray[np.float64]
MOST_WHOLE = 20_000  # points that are projected one by one
SAME = 1e-9  # relative: columns and projection agree
MOST_NAMES = 500  # combinations of names
_BETWEEN = 3  # points inside the grid that are held against each other
_CORNERS = 4  # axes whose ends are all tried together


@dataclass(frozen=True, slots=True)
class Columns:
    """A grid of numbers whose options are priced by columns."""

    evaluator: Evaluator
    factors: tuple[float, ...]  # from the unit of the field to that of the engine's figure

    def at(self, points: FloatArray) -> FloatArray:
        """Cost of every option, shape (points, options)."""
        return np.asarray(self.evaluator.at(points * np.array(self.factors)).present_usd.T)


@dataclass
class Sweep:
    """A scenario with its grid.

    Parameters
    ----------
    axes
        The last one varies fastest.
    exact
        Project every point whole, whatever the axes are.
    """

    document: Mapping[str, Any]
    catalog: Catalog
    axes: tuple[Axis, ...]
    exact: bool = False
    by_columns: bool = field(default=False, init=False)  # every point
    why_whole: str = field(default="", init=False)  # else: why some are not
    _columns: dict[tuple[str, ...], Columns | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Refuse what cannot be swept, before anything is computed.

        Raises
        ------
        InputErrors
            See `places`; a document that cannot be resolved; names that the catalog does not have.
        """
        inputs = resolve(self.document, self.catalog)
        self.where: tuple[Where, ...] = places(self.document, self.axes, inputs)
        self.shape = tuple(len(axis.values) for axis in self.axes)
        self.size = math.prod(self.shape)
        self.options = tuple(option.key for option in inputs.options)
        self.names = tuple(option.name for option in inputs.options)
        self.currency = inputs.finance.currency
        self._refuse_names()
        whole = self._points_whole()
        if whole > MOST_WHOLE:
            why = self.why_whole or "it was asked for"
            message = f"{whole:,} points are more than the {MOST_WHOLE:,} projected one by one"
            raise InputErrors((InputError("axes", f"{message} ({why})", "take fewer steps"),))

    def _points_whole(self) -> int:
        """Points that cannot be priced by columns."""
        choices = [[str(value) for value in axis.values] for axis in self.axes if axis.named]
        count = math.prod(len(words) for words in choices)
        if count > MOST_NAMES:
            message = f"{count:,} combinations of names are more than {MOST_NAMES}"
            raise InputErrors((InputError("axes", message, "take fewer names"),))
        each = self.size // count
        self.by_columns = True
        whole = 0
        for words in itertools.product(*choices):
            if self._of(words) is None:
                self.by_columns = False
                whole += each
        return whole

    def _refuse_names(self) -> None:
        errors: list[InputError] = []
        for axis, where in zip(self.axes, self.where, strict=True):
            for value in axis.values if isinstance(where, Named) else ():
                assert isinstance(where, Named)
                try:
                    resolve(where.written(self.document, str(value)), self.catalog)
                except InputErrors as error:
                    errors += [
                        InputError(f"{axis.path}={value}", one.message, one.mend)
                        for one in error.errors
                    ]
        if errors:
            raise InputErrors(tuple(errors))

    def values_at(self, first: int, last: int) -> list[tuple[float | str, ...]]:
        """Values of every axis at points `first` to `last` (not included)."""
        rows = np.array(np.unravel_index(np.arange(first, last), self.shape)).T
        return [
            tuple(axis.values[place] for axis, place in zip(self.axes, row, strict=True))
            for row in rows
        ]

    def cost(self, first: int, last: int) -> FloatArray:
        """Total cost of every option at points `first` to `last`, shape (points, options).

        In the scenario's currency, present value; NaN where an option has no price or no size.
        """
        found = np.full((last - first, len(self.options)), np.nan)
        rows = np.array(np.unravel_index(np.arange(first, last), self.shape)).T
        named = [place for place, axis in enumerate(self.axes) if axis.named]
        numbers = [place for place, axis in enumerate(self.axes) if not axis.named]
        keys = [tuple(row[named]) for row in rows]
        for key in dict.fromkeys(keys):
            mine = np.array([one == key for one in keys])
            words = tuple(
                str(self.axes[at].values[int(pick)]) for at, pick in zip(named, key, strict=True)
            )
            columns = self._of(words)
            points = np.column_stack(
                [np.asarray(self.axes[at].values, dtype=float)[rows[mine, at]] for at in numbers]
                or [np.zeros((int(mine.sum()), 0))]
            )
            found[mine] = columns.at(points) if columns is not None else self._whole(words, points)
        return found

    def _whole(self, words: tuple[str, ...], points: FloatArray) -> FloatArray:
        return np.array([self._projected(self._document(words, point))[0] for point in points])

    def _projected(self, document: Mapping[str, Any]) -> tuple[list[float], list[bool]]:
        try:
            options = project(resolve(document, self.catalog)).options
        except (InputError, InputErrors):
            return [math.nan] * len(self.options), [False] * len(self.options)
        costs = [one.kpis["tco_usd"].value for one in options]
        return (
            [math.nan if usd is None else float(usd) for usd in costs],
            [one.feasible for one in options],
        )

    def _document(self, words: tuple[str, ...], point: Sequence[float]) -> dict[str, Any]:
        """The document at a point: names first, then numbers."""
        names, numbers = iter(words), iter(point)
        found = dict(self.document)
        for where in self.where:
            if isinstance(where, Named):
                found = where.written(found, next(names))
        for where in self.where:
            if isinstance(where, Place):
                found = where.written(found, float(next(numbers)))
        return found

    def document_at(self, point: int) -> dict[str, Any]:
        """The scenario at one point of the grid, to be opened."""
        (values,) = self.values_at(point, point + 1)
        words = tuple(str(v) for v, axis in zip(values, self.axes, strict=True) if axis.named)
        numbers = [float(v) for v, axis in zip(values, self.axes, strict=True) if not axis.named]
        return self._document(words, numbers)

    def _of(self, words: tuple[str, ...]) -> Columns | None:
        if words not in self._columns:
            self._columns[words] = None if self.exact else self._by_columns(words)
        return self._columns[words]

    def _by_columns(self, words: tuple[str, ...]) -> Columns | None:
        """The grid of numbers by columns, believed only after it was held against projections."""
        axes = [axis for axis in self.axes if not axis.named]
        if not axes:
            self.why_whole = "only names are varied"
            return None
        middle = [float(axis.values[len(axis.values) // 2]) for axis in axes]
        document = self._document(words, middle)
        for where in self.where:
            if isinstance(where, Place):
                document = _marked(document, where)
        inputs = resolve(document, self.catalog)
        cases = option_cases(inputs)
        if not all(is_priced(case) for case in cases):
            self.why_whole = "an option has no price or no size"
            return None
        drivers = _drivers(cases, inputs.finance, axes, middle)
        if isinstance(drivers, str):
            self.why_whole = drivers
            return None
        columns = Columns(
            Evaluator(cases, tuple(one for one, _ in drivers)),
            tuple(factor for _, factor in drivers),
        )
        if not self._agrees(columns, words, axes):
            self.why_whole = "sizes or feasibility change over the grid"
            return None
        return columns

    def _agrees(self, columns: Columns, words: tuple[str, ...], axes: Sequence[Axis]) -> bool:
        points = _tried(axes)
        try:
            by_columns = columns.at(np.array(points))
        except InputError:
            return False
        first: list[bool] | None = None
        for point, costs in zip(points, by_columns, strict=True):
            whole, feasible = self._projected(self._document(words, point))
            first = first or feasible
            if feasible != first:
                return False
            if not np.allclose(costs, whole, rtol=SAME, atol=1e-6):
                return False
        return True


MARK = "sweep axis "


def _marked(document: dict[str, Any], place: Place) -> dict[str, Any]:
    """The document with one figure marked, so that no other one is taken for it."""
    found = dict(document)
    inner: Any = found
    for step in place.steps[:-1]:
        held = inner[step]
        inner[step] = list(held) if isinstance(held, list) else dict(held)
        inner = inner[step]
    last = place.steps[-1]
    held = inner[last]
    if place.field.kind == "figure":
        value = held["value"] if isinstance(held, Mapping) else held
        inner[last] = {"value": value, "status": "assumed", "source": f"{MARK}{place.path}"}
    return found


def _drivers(
    cases: Sequence[OptionCase], finance: Any, axes: Sequence[Axis], middle: Sequence[float]
) -> list[tuple[Driver, float]] | str:
    """A driver and a factor for each axis, or why the grid cannot be priced by columns."""
    held: dict[str, list[tuple[str, str, Figure, bool]]] = {}
    for label, (name, figure), carried in ranged_inputs(cases, finance):
        if figure.source.startswith(MARK):
            path = figure.source.removeprefix(MARK)
            held.setdefault(path, []).append((label, name, figure, carried))
    found = []
    for axis, value in zip(axes, middle, strict=True):
        seen = held.get(axis.path, [])
        distinct = {(name, figure) for _, name, figure, _ in seen}
        if len(distinct) != 1 or not all(carried for *_, carried in seen):
            return f"{axis.path} changes more than prices"
        label, name, figure, _ = seen[0]
        if value == 0.0:
            return f"{axis.path} is 0 in the middle"
        values = [float(v) for v in axis.values]
        driver = Driver(
            label=label,
            unit=figure.unit,
            value=figure.value,
            low=min(values),
            high=max(values),
            shape="uniform",
            status=Status.ASSUMED,
            source=figure.source,
            field=name,
            figure=replace(figure, low=None, high=None),
        )
        found.append((driver, figure.value / value))
    return found


def _tried(axes: Sequence[Axis]) -> list[list[float]]:
    """Corners of the grid and a few points between, the same for the same axes."""
    ends = [sorted({float(axis.values[0]), float(axis.values[-1])}) for axis in axes[:_CORNERS]]
    rest = [float(axis.values[0]) for axis in axes[_CORNERS:]]
    found = [[*corner, *rest] for corner in itertools.product(*ends)]
    draw = np.random.default_rng(1)
    for _ in range(_BETWEEN):
        found.append([float(axis.values[draw.integers(len(axis.values))]) for axis in axes])
    return found

"""The problem as rows over whole numbers, ready for the solver.

Rows are divided by their own size, so that the solver's tolerance means the same in watts as in
dollars. Helper columns: steps bought, rules switched on, and the largest server in use of a demand
that must survive losses.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from tco.optimise.problem import Array, Problem

INF = math.inf


@dataclass(frozen=True, slots=True)
class Row:
    """Where a row came from."""

    kind: str  # demand | limit | step | step_most | lost | once | one_of
    place: int
    scale_units: float  # the row was divided by this


@dataclass(frozen=True, eq=False)
class Model:
    """Columns and rows; the first `machines` columns are those of the problem kept."""

    cost: Array
    lower: Array
    upper: Array
    whole: NDArray[np.bool_]
    matrix: sparse.csr_matrix
    row_lower: Array
    row_upper: Array
    rows: tuple[Row, ...]
    kept: NDArray[np.int64]  # place in the problem of each machine column
    size: int = field(default=0)

    @property
    def machines(self) -> int:
        """Machine columns."""
        return len(self.kept)

    def counts(self, values: Array) -> list[int]:
        """Machines of each column of the problem."""
        found = np.zeros(self.size, dtype=np.int64)
        found[self.kept] = np.rint(values[: self.machines]).astype(np.int64)
        return [int(count) for count in found]


@dataclass
class _Sheet:
    """Columns and rows as they are added."""

    cost: list[float]
    lower: list[float]
    upper: list[float]
    entries: list[tuple[list[int], list[float]]] = field(default_factory=list)
    row_lower: list[float] = field(default_factory=list)
    row_upper: list[float] = field(default_factory=list)
    rows: list[Row] = field(default_factory=list)
    whole: list[bool] = field(default_factory=list)

    def column(self, cost: float, upper: float, whole: bool = True) -> int:
        self.cost.append(cost)
        self.lower.append(0.0)
        self.upper.append(upper)
        self.whole.append(whole)
        return len(self.cost) - 1

    def row(
        self,
        at: Sequence[int],
        values: Sequence[float],
        bounds: tuple[float, float],
        origin: tuple[str, int],
        scale: float = 0.0,
    ) -> None:
        size = scale or max((abs(value) for value in values), default=1.0) or 1.0
        self.entries.append((list(at), [value / size for value in values]))
        self.row_lower.append(bounds[0] / size)
        self.row_upper.append(bounds[1] / size)
        self.rows.append(Row(*origin, size))


def most_useful(problem: Problem) -> Array:
    """Machines of each column that more of it is of no use beyond.

    So many alone serve all it can serve; where a share of the whole must be kept, it may also be
    taken to outweigh the others. Used only to switch rules on.
    """
    locked = sum(column.fewest for column in problem.columns)
    most = np.zeros(problem.size)
    for demand, row in zip(problem.demands, problem.serves, strict=True):
        with np.errstate(divide="ignore", invalid="ignore"):
            alone = np.ceil(np.where(row > 0, demand.needed_units / row, 0.0))
        most = np.maximum(most, np.where(row > 0, alone + demand.lost, 0.0))
    most += locked
    outweighed = _outweighed(problem)
    if outweighed:
        most += math.ceil(min(1e4, outweighed * float(most.sum())))
    return np.array(
        [
            count if column.most is None else min(count, column.most)
            for count, column in zip(most, problem.columns, strict=True)
        ]
    )


def _outweighed(problem: Problem) -> float:
    """Machines that a share asks for beside one machine of the others, at most."""
    found = 0.0
    for limit in problem.limits:
        over, under = limit.use[limit.use > 0], -limit.use[limit.use < 0]
        if limit.share and over.size and under.size:
            found = (1.0 + found) * (1.0 + float(over.max() / under.min())) - 1.0
    return found


def build(problem: Problem, cost: Array, kept: NDArray[np.int64], *, money: bool) -> Model:
    """Lay the columns `kept` of a problem out for the solver.

    Parameters
    ----------
    cost
        To minimise, of one machine of each column of the problem.
    money
        True where steps and costs paid once count in what is minimised.
    """
    columns = [problem.columns[place] for place in kept]
    enough = most_useful(problem)[kept]
    sheet = _Sheet(
        cost=cost[kept].tolist(),
        lower=[float(column.fewest) for column in columns],
        upper=[INF if column.most is None else float(column.most) for column in columns],
        whole=[True] * len(columns),
    )
    _demands(sheet, problem, kept, enough)
    for place, limit in enumerate(problem.limits):
        use = limit.use[kept]
        at = np.flatnonzero(use)
        size = limit.most_units if limit.most_units > 0 and not limit.share else 0.0
        sheet.row(at.tolist(), use[at].tolist(), (-INF, limit.most_units), ("limit", place), size)
    for place, step in enumerate(problem.steps):
        use = step.use[kept]
        at = np.flatnonzero(use)
        bought = sheet.column(step.step_usd if money else 0.0, INF)
        sheet.row(
            [*at.tolist(), bought], [*use[at].tolist(), -1.0], (-INF, 0.0), ("step", place), 1.0
        )
        if step.most is not None:
            # a row and not a bound: it can be loosened like any other limit
            sheet.row([bought], [1.0], (-INF, float(step.most)), ("step_most", place), 1.0)
    for place, one in enumerate(problem.once):
        paid = sheet.column(one.once_usd if money else 0.0, 1.0)
        _switch(sheet, paid, one.members, kept, enough, ("once", place))
    for place, rule in enumerate(problem.one_of):
        marks = [sheet.column(0.0, 1.0) for _ in rule.sets]
        for mark, members in zip(marks, rule.sets, strict=True):
            _switch(sheet, mark, members, kept, enough, ("one_of", place))
        sheet.row(marks, [1.0] * len(marks), (-INF, float(rule.most)), ("one_of", place), 1.0)
    return _model(sheet, kept, problem.size)


def _demands(sheet: _Sheet, problem: Problem, kept: NDArray[np.int64], enough: Array) -> None:
    for place, demand in enumerate(problem.demands):
        row = problem.serves[place][kept]
        at = np.flatnonzero(row)
        more: list[int] = []
        less: list[float] = []
        if demand.lost:
            parts = problem.lost_parts[place][kept]
            largest = sheet.column(0.0, float(parts[at].max(initial=0.0)), whole=False)
            more, less = [largest], [-float(demand.lost)]
            for level in np.unique(parts[at]):
                used = sheet.column(0.0, 1.0)
                sheet.row([largest, used], [1.0, -float(level)], (0.0, INF), ("lost", place))
                for one in np.flatnonzero((parts == level) & (row > 0)):
                    sheet.row(
                        [int(one), used],
                        [1.0, -float(max(1.0, enough[one]))],
                        (-INF, 0.0),
                        ("lost", place),
                    )
        sheet.row(
            [*at.tolist(), *more],
            [*row[at].tolist(), *less],
            (demand.needed_units, INF),
            ("demand", place),
            demand.needed_units,
        )


def _switch(
    sheet: _Sheet,
    mark: int,
    members: Sequence[int],
    kept: NDArray[np.int64],
    enough: Array,
    origin: tuple[str, int],
) -> None:
    """No machine of `members` unless `mark` is 1."""
    inside = set(members)
    for one, place in enumerate(kept):
        if int(place) in inside:
            sheet.row([one, mark], [1.0, -float(max(1.0, enough[one]))], (-INF, 0.0), origin)


def _model(sheet: _Sheet, kept: NDArray[np.int64], size: int) -> Model:
    starts = np.cumsum([0, *(len(at) for at, _ in sheet.entries)])
    at = np.array([column for few, _ in sheet.entries for column in few], dtype=np.int32)
    values = np.array([value for _, few in sheet.entries for value in few], dtype=np.float64)
    matrix = sparse.csr_matrix(
        (values, at, starts.astype(np.int32)), shape=(len(sheet.entries), len(sheet.cost))
    )
    return Model(
        cost=np.array(sheet.cost),
        lower=np.array(sheet.lower),
        upper=np.array(sheet.upper),
        whole=np.array(sheet.whole, dtype=bool),
        matrix=matrix,
        row_lower=np.array(sheet.row_lower),
        row_upper=np.array(sheet.row_upper),
        rows=tuple(sheet.rows),
        kept=kept,
        size=size,
    )


def with_slack(model: Model, places: Sequence[int], sizes: Sequence[float]) -> Model:
    """The model with a switch and an amount of loosening for each of these rows.

    The last ``2 * len(places)`` columns are the amounts (in the row's own units over its scale)
    and the switches; what is minimised is left as it is.
    """
    rows, columns = model.matrix.shape
    few = len(places)
    amounts = sparse.lil_matrix((rows, few))
    links = sparse.lil_matrix((few, columns + 2 * few))
    for one, (place, size) in enumerate(zip(places, sizes, strict=True)):
        amounts[place, one] = -1.0 if math.isfinite(model.row_upper[place]) else 1.0
        links[one, columns + one] = 1.0
        links[one, columns + few + one] = -size
    top = sparse.hstack([model.matrix, amounts, sparse.csr_matrix((rows, few))])
    return replace(
        model,
        cost=np.concatenate([model.cost, np.zeros(2 * few)]),
        lower=np.concatenate([model.lower, np.zeros(2 * few)]),
        upper=np.concatenate([model.upper, np.full(few, INF), np.ones(few)]),
        whole=np.concatenate([model.whole, np.zeros(few, bool), np.ones(few, bool)]),
        matrix=sparse.csr_matrix(sparse.vstack([top, links])),
        row_lower=np.concatenate([model.row_lower, np.full(few, -INF)]),
        row_upper=np.concatenate([model.row_upper, np.zeros(few)]),
        rows=(*model.rows, *(Row("slack", one, 1.0) for one in range(few))),
    )

"""The fewest racks, solved whole by HiGHS where the hall is small (F2.7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp

from tco.facility.hall.first_fit import Demand, Packing, first_fit
from tco.facility.hall.kinds import LIMITS, LOOSE, Kind
from tco.facility.hall.state import Hall, Placed

MOST_VARIABLES = 400
_NODES = 20_000  # of branch and bound: a count, not seconds, so that every machine answers alike


def packed(hall: Hall, demands: Sequence[Demand]) -> Packing:
    """The better of first fit and the exact solve, where the hall is small enough for it (F2.7).

    First fit that meets its own bound is best already. A kind of half depth, and single-phase
    supplies on three phases, are left to first fit; its gap is then told.
    """
    found = first_fit(hall, demands)
    if not found.unplaced and found.gap == 0:
        return found
    solved = exact(hall, demands)
    if solved is None:
        return found
    if solved.worth(demands) <= found.worth(demands):
        return solved
    return Packing(
        found.hall,
        found.placed,
        found.unplaced,
        found.racks_used,
        max(found.bound, solved.bound),
        found.method,
    )


@dataclass(frozen=True, slots=True)
class _Cell:
    """Devices of one kind in one run of free units of a rack."""

    rack: int
    run: int  # index among the rack's free runs; -1 for what takes no units
    demand: int


def exact(hall: Hall, demands: Sequence[Demand]) -> Packing | None:
    """Place as many as can stand, then in as few racks as can be; None where it is too large.

    Raises nothing: without an answer from the solver None is returned.
    """
    wanted = [demand for demand in demands if demand.count > 0]
    if any(not d.kind.full_depth and not d.kind.own_rack for d in wanted):
        return None
    if any(each.legs is not None for each in hall.classes):
        return None
    runs = [space.segments() for space in hall.spaces]
    cells = list(_cells(hall, wanted, runs))
    racks = len(hall.class_of)
    if not cells or len(cells) + racks > MOST_VARIABLES:
        return None
    size = len(cells) + racks
    rows: list[tuple[dict[int, float], float]] = []
    rows += _rack_rows(hall, wanted, cells)
    rows += _run_rows(wanted, cells, runs)
    rows += _shared_rows(hall, wanted, cells)
    for index, demand in enumerate(wanted):
        rows.append(({c: 1.0 for c, x in enumerate(cells) if x.demand == index}, demand.count))
    empty = [rack for rack in range(racks) if hall.occupied[rack] == 0]
    for rack in empty:  # nothing stands in a rack that is not used
        for c, cell in enumerate(cells):
            if cell.rack == rack:
                most = float(min(wanted[cell.demand].count, _most(hall, wanted, cell)))
                rows.append(({c: 1.0, len(cells) + rack: -max(1.0, most)}, 0.0))
    rows += _order_rows(hall, empty, len(cells))
    matrix = np.zeros((len(rows), size))
    limits = np.zeros(len(rows))
    for row, (terms, limit) in enumerate(rows):
        scale = max(terms.values(), default=1.0) or 1.0  # rows of one size: kg beside kW misleads
        for column, factor in terms.items():
            matrix[row, column] = factor / scale
        limits[row] = limit / scale
    # one more device is worth more than all racks; of equally many, the larger ones stand
    total_kw = sum(demand.count * demand.kind.kw for demand in wanted) or 1.0
    worth = [1.0 + 0.5 * wanted[cell.demand].kind.kw / total_kw for cell in cells]
    cost = np.concatenate([-(len(empty) + 1.0) * np.array(worth), np.zeros(racks)])
    cost[[len(cells) + rack for rack in empty]] = 1.0
    upper = np.array(
        [float(wanted[cell.demand].count) for cell in cells]
        + [1.0 if rack in set(empty) else 0.0 for rack in range(racks)]
    )
    # without presolve: its way back to our variables may print to the standard output
    answer = milp(
        cost,
        constraints=LinearConstraint(matrix, -np.inf, limits),
        bounds=Bounds(np.zeros(size), upper),
        integrality=np.ones(size, dtype=int),
        options={"node_limit": _NODES, "mip_rel_gap": 0.0, "presolve": False},
    )
    if answer.x is None:
        return None
    counts = [round(value) for value in answer.x[: len(cells)]]
    return _built(hall, wanted, cells, counts, proven=answer.status == 0)


def _cells(hall: Hall, demands: Sequence[Demand], runs: list[list[int]]) -> list[_Cell]:
    found = []
    for rack in range(len(hall.class_of)):
        for index, demand in enumerate(demands):
            kind = demand.kind
            if hall.use(kind, rack).refused or (kind.own_rack and hall.occupied[rack]):
                continue
            if kind.own_rack or kind.half_units == 0:
                found.append(_Cell(rack, -1, index))
                continue
            found += [
                _Cell(rack, run, index)
                for run, length in enumerate(runs[rack])
                if length >= kind.half_units
            ]
    return found


def _most(hall: Hall, demands: Sequence[Demand], cell: _Cell) -> float:
    if demands[cell.demand].kind.own_rack:
        return 1.0
    each = np.array(hall.use(demands[cell.demand].kind, cell.rack).each)
    with np.errstate(divide="ignore", invalid="ignore"):
        counts = np.where(each > 0, hall.room[cell.rack] / each, np.inf)
    return max(0.0, math.floor(min(float(counts.min()), 1e6) + LOOSE))


Row = tuple[dict[int, float], float]


def _rack_rows(hall: Hall, demands: Sequence[Demand], cells: Sequence[_Cell]) -> list[Row]:
    rows: list[Row] = []
    for rack in range(len(hall.class_of)):
        here = [(c, cell) for c, cell in enumerate(cells) if cell.rack == rack]
        for use in range(len(LIMITS)):
            room = float(hall.room[rack, use])
            terms = {
                c: hall.use(demands[cell.demand].kind, rack).each[use]
                for c, cell in here
                if hall.use(demands[cell.demand].kind, rack).each[use] > 0
            }
            if terms and math.isfinite(room):
                rows.append((terms, max(0.0, room) + LOOSE))
        whole = [c for c, cell in here if demands[cell.demand].kind.own_rack]
        if whole:  # a rack-scale system is alone
            size = float(sum(demand.count for demand in demands))
            terms = {c: size if c in whole else 1.0 for c, _ in here}
            rows.append((terms, size))
    return rows


def _run_rows(
    demands: Sequence[Demand], cells: Sequence[_Cell], runs: list[list[int]]
) -> list[Row]:
    rows: list[Row] = []
    for rack, lengths in enumerate(runs):
        for run, length in enumerate(lengths):
            terms = {
                c: float(demands[cell.demand].kind.half_units)
                for c, cell in enumerate(cells)
                if cell.rack == rack and cell.run == run
            }
            if terms:
                rows.append((terms, float(length)))
    return rows


def _shared_rows(hall: Hall, demands: Sequence[Demand], cells: Sequence[_Cell]) -> list[Row]:
    rows: list[Row] = []
    for index, item in enumerate(hall.shared):
        use = LIMITS.index(item.limit_of)
        terms = {}
        for c, cell in enumerate(cells):
            factor = item.coefficients.get(cell.rack, 0.0)
            taken = factor * hall.use(demands[cell.demand].kind, cell.rack).each[use]
            if taken > 0:
                terms[c] = taken
        if terms:
            rows.append((terms, max(0.0, hall.shared_room[index]) + LOOSE))
    return rows


def _order_rows(hall: Hall, empty: Sequence[int], first: int) -> list[Row]:
    """Racks that are alike, and hang on the same limits, are used in order."""
    rows: list[Row] = []
    for one, other in pairwise(empty):
        alike = hall.class_of[one] == hall.class_of[other]
        if alike and hall.touching[one] == hall.touching[other]:
            rows.append(({first + other: 1.0, first + one: -1.0}, 0.0))
    return rows


def _built(
    hall: Hall,
    demands: Sequence[Demand],
    cells: Sequence[_Cell],
    counts: Sequence[int],
    *,
    proven: bool,
) -> Packing | None:
    """The answer stood in the racks, whole heights first; None where half units get in the way."""
    state = hall.copy()
    placed: list[Placed] = []
    left = {index: demand.count for index, demand in enumerate(demands)}
    order = sorted(range(len(cells)), key=lambda c: _first(demands[cells[c].demand].kind))
    for c in order:
        kind = demands[cells[c].demand].kind
        for _ in range(counts[c]):
            found = state.place(kind, cells[c].rack)
            if found is None:
                return None
            placed.append(found)
            left[cells[c].demand] -= 1
    unplaced: dict[str, int] = {}
    for index, count in left.items():
        if count:
            key = demands[index].kind.key
            unplaced[key] = unplaced.get(key, 0) + count
    used = state.racks_used()
    bound = used if proven and not unplaced else hall.racks_used()
    return Packing(state, tuple(placed), unplaced, used, bound, "exact")


def _first(kind: Kind) -> tuple[int, int]:
    return kind.half_units % 2, -kind.half_units

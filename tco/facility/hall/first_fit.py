"""Mixed racks by first-fit decreasing, in several orders, the best of them kept (F2.7)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tco.facility.hall.kinds import LIMITS, LOOSE, Kind
from tco.facility.hall.state import Hall, Placed

_MANY_RACKS = 400  # above it two orders are tried instead of all
_FEW_RACKS = 40  # up to it drawn orders are tried too
_SHUFFLES = 60


@dataclass(frozen=True, slots=True)
class Demand:
    """How many of a kind are to be placed."""

    kind: Kind
    count: int


@dataclass(frozen=True, slots=True)
class Packing:
    """A hall filled.

    Parameters
    ----------
    unplaced
        Devices without a place, by kind; empty when all stand.
    racks_used
        Racks with anything in them, what stood before included.
    bound
        No packing uses fewer racks; equal to `racks_used` when the packing is known to be best.
    method
        ``first fit`` or ``exact``.
    """

    hall: Hall
    placed: tuple[Placed, ...]
    unplaced: dict[str, int]
    racks_used: int
    bound: int
    method: str

    @property
    def gap(self) -> int:
        """Racks above the bound: at most this many could be saved."""
        return max(0, self.racks_used - self.bound)

    def worth(self, demands: Sequence[Demand]) -> tuple[int, float, int]:
        """What is compared, less is better: devices left out, their kW, racks used."""
        kw = {demand.kind.key: demand.kind.kw for demand in demands}
        left_kw = math.fsum(count * kw[key] for key, count in self.unplaced.items())
        return sum(self.unplaced.values()), left_kw, self.racks_used


def first_fit(hall: Hall, demands: Sequence[Demand], *, tries: int = 0) -> Packing:
    """Place devices by first-fit decreasing; `hall` is left as it is (F2.7).

    Kinds go by size, largest first, under several readings of size; the packing that places most
    and then uses fewest racks is kept, the first of equals. Racks that take few kinds are filled
    before racks that take many, so that liquid is left for what needs it.

    Parameters
    ----------
    tries
        Orders to try; 0 for all, or two in a hall of many racks.
    """
    wanted = [demand for demand in demands if demand.count > 0]
    bound = rack_bound(hall, wanted)
    limit = tries or (2 if len(hall.class_of) > _MANY_RACKS else 99)
    best: Packing | None = None
    seen: set[tuple[tuple[str, ...], tuple[int, ...]]] = set()
    for kinds, racks in _orders(hall, wanted):
        mark = (tuple(demand.kind.key for demand in kinds), tuple(racks))
        if mark in seen:
            continue
        if len(seen) >= limit:
            break
        seen.add(mark)
        found = _filled(hall, kinds, racks, bound)
        if best is None or found.worth(wanted) < best.worth(wanted):
            best = found
        if not best.unplaced and best.racks_used <= bound:
            break
    if best is not None and not tries and len(hall.class_of) <= _FEW_RACKS:
        best = _shuffled(hall, wanted, best, bound)
    return best or Packing(hall.copy(), (), {}, hall.racks_used(), bound, "first fit")


def _shuffled(hall: Hall, demands: Sequence[Demand], best: Packing, bound: int) -> Packing:
    """Try drawn orders of kinds and racks, always the same ones; the best packing seen."""
    chance = np.random.default_rng(0)
    racks = list(range(len(hall.class_of)))
    for _ in range(_SHUFFLES):
        if not best.unplaced and best.racks_used <= bound:
            break
        kinds = [demands[int(index)] for index in chance.permutation(len(demands))]
        order = [racks[int(index)] for index in chance.permutation(len(racks))]
        found = _filled(hall, kinds, order, bound)
        if found.worth(demands) < best.worth(demands):
            best = found
    return best


def _orders(hall: Hall, demands: Sequence[Demand]) -> Iterator[tuple[list[Demand], list[int]]]:
    """Kinds by dominant share, then by each limit; racks by what they take, then as given."""
    racks = len(hall.class_of)
    if not racks:
        return
    capacity = np.array([each.caps for each in hall.classes])[list(hall.class_of)]
    middle = np.median(np.where(np.isfinite(capacity), capacity, np.nan), axis=0)
    sizes: dict[str, list[float]] = {}
    flexible = np.zeros(racks)
    for demand in demands:
        each, taken = hall.use_matrix(demand.kind)
        flexible += taken
        typical = np.nan_to_num(each.max(axis=0) / np.where(middle > 0, middle, np.nan))
        units = demand.kind.half_units / max(one.half_units for one in hall.classes)
        scarce = 1.0 if taken.mean() < 1.0 else 0.0
        sizes[demand.kind.key] = [scarce + max(float(typical.max()), units), units, *typical]
    by_use = sorted(range(racks), key=lambda rack: (flexible[rack], not hall.occupied[rack], rack))
    power = np.where(np.isfinite(capacity[:, 0]), capacity[:, 0], 0.0)
    largest = sorted(by_use, key=lambda rack: (-power[rack], flexible[rack], rack))
    smallest = sorted(by_use, key=lambda rack: (flexible[rack], power[rack], rack))
    for index in range(2 + len(LIMITS)):
        kinds = sorted(demands, key=lambda demand: -sizes[demand.kind.key][index])
        for racks_in_order in (by_use, largest, smallest):
            yield kinds, racks_in_order


def _filled(hall: Hall, demands: Sequence[Demand], racks: Sequence[int], bound: int) -> Packing:
    state = hall.copy()
    placed: list[Placed] = []
    unplaced: dict[str, int] = {}
    for demand in demands:
        left = demand.count - _fill(state, demand, racks, placed)
        if left:
            unplaced[demand.kind.key] = unplaced.get(demand.kind.key, 0) + left
    return Packing(state, tuple(placed), unplaced, state.racks_used(), bound, "first fit")


def _fill(state: Hall, demand: Demand, racks: Sequence[int], placed: list[Placed]) -> int:
    """Place as many of one kind as fit, rack by rack; how many stand."""
    kind, done = demand.kind, 0
    counts = state.rack_counts(kind)
    for rack in racks:
        if done == demand.count:
            break
        allowed = counts[rack]
        if allowed < 1:
            continue
        allowed = min(allowed, shared_count(state, kind, rack), demand.count - done)
        for _ in range(int(allowed)):
            found = state.place(kind, rack)
            if found is None:
                break
            placed.append(found)
            done += 1
    return done


def shared_count(state: Hall, kind: Kind, rack: int) -> float:
    """How many more of `kind` in this rack the shared limits allow."""
    uses, least = state.use(kind, rack), math.inf
    for index, factor, use in state.touching[rack]:
        taken = factor * uses.each[use]
        if taken > 0:
            least = min(least, math.floor(state.shared_room[index] / taken + LOOSE))
    return least


def rack_bound(hall: Hall, demands: Sequence[Demand]) -> int:
    """Fewest racks that any packing can use: by each limit alone, largest racks first (F2.7).

    What is left in racks that hold something counts first, since they are used anyway.
    """
    needs = [0.0] * (len(LIMITS) + 1)
    smallest: dict[str, tuple[float, ...]] = {}
    for demand in demands:
        options = [hall.use(demand.kind, rack) for rack in _one_of_each(hall)]
        each = [uses.each for uses in options if not uses.refused]
        if not each:
            continue
        least = tuple(min(values) for values in zip(*each, strict=True))
        smallest[demand.kind.key] = least
        for index, value in enumerate(least):
            needs[index] += demand.count * value
        if not demand.kind.own_rack:
            depth = 1.0 if demand.kind.full_depth else 0.5
            needs[-1] += demand.count * demand.kind.half_units * depth
    used = [rack for rack, count in enumerate(hall.occupied) if count]
    empty = [rack for rack, count in enumerate(hall.occupied) if not count]
    most = 0
    for index, need in enumerate(needs):
        room = [_room(hall, rack, index) for rack in range(len(hall.class_of))]
        left = need - math.fsum(room[rack] for rack in used)
        count = 0
        for value in sorted((room[rack] for rack in empty), reverse=True):
            if left <= LOOSE * max(1.0, need):
                break
            left -= value
            count += 1
        most = max(most, count)
    return len(used) + most


def _one_of_each(hall: Hall) -> list[int]:
    return list({index: rack for rack, index in enumerate(hall.class_of)}.values())


def _room(hall: Hall, rack: int, index: int) -> float:
    if index < len(LIMITS):
        return max(0.0, float(hall.room[rack, index]))
    space = hall.spaces[rack]
    return (space.front.bit_count() + space.rear.bit_count()) / 2

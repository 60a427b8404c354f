"""A hall being filled: what every rack and every shared limit still has."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from tco.errors import InputError, InputErrors
from tco.facility.hall.kinds import LIMITS, LOOSE, Kind, RackClass, Uses, uses_of
from tco.facility.hall.legs import EMPTY, Legs
from tco.facility.hall.space import Space, free_mask, run_mask


@dataclass(frozen=True, slots=True)
class Shared:
    """A limit that several racks share: a node of the power tree, the hall's cooling, a switch.

    Parameters
    ----------
    limit_of
        Which of `LIMITS` a device's use is taken from.
    coefficients
        What a device's use in a rack adds here, by index of the rack.
    """

    name: str
    unit: str
    limit_of: str
    available: float
    coefficients: Mapping[int, float]


@dataclass(frozen=True, slots=True)
class Placed:
    """A device in its place; `half_unit` is None for what takes no units."""

    rack: int
    kind: str
    half_unit: int | None
    face: str


@dataclass(slots=True)
class Hall:
    """Racks with what stands in them; `place` and `take` change it, `copy` keeps the old one."""

    classes: tuple[RackClass, ...]
    class_of: tuple[int, ...]
    shared: tuple[Shared, ...]
    room: NDArray[np.float64]  # rack x LIMITS
    used: NDArray[np.float64]  # rack x LIMITS, known also where the limit is not
    shared_room: list[float]
    spaces: list[Space]
    legs: list[Legs]
    occupied: list[int]  # devices in each rack
    touching: tuple[tuple[tuple[int, float, int], ...], ...]  # by rack: shared limit, factor, use
    uses: dict[tuple[str, int], Uses] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        classes: Sequence[RackClass],
        class_of: Sequence[int],
        shared: Sequence[Shared] = (),
    ) -> Hall:
        """Empty racks, the index of each one's class in order.

        Raises
        ------
        InputErrors
            Limits that are negative or not a number, all at once.
        """
        errors = [
            InputError(each.key, f"{name} {cap:g} is below 0", "enter 0 or more")
            for each in classes
            for name, cap in zip(LIMITS, each.caps, strict=True)
            if math.isnan(cap) or cap < 0
        ]
        errors += [
            InputError(item.name, f"{item.available:g} {item.unit} is below 0", "enter 0 or more")
            for item in shared
            if math.isnan(item.available) or item.available < 0
        ]
        if errors:
            raise InputErrors(tuple(errors))
        caps = np.array([each.caps for each in classes], dtype=float).reshape(-1, len(LIMITS))
        spaces = []
        for index in class_of:
            free = free_mask(classes[index].half_units - classes[index].reserved_half_units)
            spaces.append(Space(free, free))
        return cls(
            tuple(classes),
            tuple(class_of),
            tuple(shared),
            caps[list(class_of)],
            np.zeros((len(class_of), len(LIMITS))),
            [item.available for item in shared],
            spaces,
            [EMPTY] * len(class_of),
            [0] * len(class_of),
            touching_of(shared, len(class_of)),
        )

    def copy(self) -> Hall:
        """The same hall, to be filled in another way."""
        return replace(
            self,
            room=self.room.copy(),
            used=self.used.copy(),
            shared_room=list(self.shared_room),
            spaces=[Space(each.front, each.rear) for each in self.spaces],
            legs=list(self.legs),
            occupied=list(self.occupied),
        )

    def use(self, kind: Kind, rack: int) -> Uses:
        """What one `kind` takes in a rack (F2.7)."""
        index = self.class_of[rack]
        found = self.uses.get((kind.key, index))
        if found is None:
            found = self.uses[(kind.key, index)] = uses_of(kind, self.classes[index])
        return found

    def use_matrix(self, kind: Kind) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Use of every limit by rack, and whether the rack takes the kind at all."""
        by_class = [self._of_class(kind, index) for index in range(len(self.classes))]
        each = np.array([uses.each for uses in by_class]).reshape(-1, len(LIMITS))
        taken = np.array([not uses.refused for uses in by_class], dtype=bool)
        order = list(self.class_of)
        return each[order], taken[order]

    def _of_class(self, kind: Kind, index: int) -> Uses:
        found = self.uses.get((kind.key, index))
        if found is None:
            found = self.uses[(kind.key, index)] = uses_of(kind, self.classes[index])
        return found

    def rack_counts(self, kind: Kind) -> NDArray[np.float64]:
        """How many more of `kind` each rack's own limits allow, units and legs left out."""
        each, taken = self.use_matrix(kind)
        with np.errstate(divide="ignore", invalid="ignore"):
            counts = np.where(each > 0, np.floor(self.room / each + LOOSE), np.inf)
        found: NDArray[np.float64] = np.where(taken, counts.min(axis=1), 0.0)
        return np.maximum(found, 0.0)

    def place(self, kind: Kind, rack: int) -> Placed | None:
        """Stand one device at the lowest free place; None where units or legs do not allow it.

        The other limits are the caller's to look at, see `rack_counts`.
        """
        uses = self.use(kind, rack)
        legs = self._legs(uses, rack)
        if legs is None:
            return None
        space, half_unit, face = self.spaces[rack], None, "front"
        if kind.own_rack:
            if self.occupied[rack]:
                return None
            half_unit, space.front, space.rear = 0, 0, 0
        elif kind.half_units > 0:
            found = space.lowest(kind.half_units, full_depth=kind.full_depth)
            if found is None:
                return None
            half_unit, face = found
            space.take(half_unit, kind.half_units, face, full_depth=kind.full_depth)
        self._book(uses, rack, legs)
        return Placed(rack, kind.key, half_unit, face)

    def _legs(self, uses: Uses, rack: int) -> Legs | None:
        rule = self.classes[self.class_of[rack]].legs
        if rule is None or uses.leg_kva == 0:
            return self.legs[rack]
        return rule.placed(self.legs[rack], uses.leg_kva, uses.leg_supplies)

    def _book(self, uses: Uses, rack: int, legs: Legs) -> None:
        self.legs[rack] = legs
        self.room[rack] -= uses.each
        self.used[rack] += uses.each
        self.occupied[rack] += 1
        for index, factor, use in self.touching[rack]:
            self.shared_room[index] -= factor * uses.each[use]

    def stand(self, kind: Kind, rack: int, half_unit: int | None, face: str) -> bool:
        """Book what stands already, over every limit if it must; False where its place is taken.

        Reserved units may hold what stands.
        """
        space, uses = self.spaces[rack], self.use(kind, rack)
        free = True
        if kind.own_rack:
            free = self.occupied[rack] == 0
            space.front = space.rear = 0
        elif half_unit is not None and kind.half_units > 0:
            rack_class = self.classes[self.class_of[rack]]
            edge = rack_class.half_units - rack_class.reserved_half_units
            reserved = run_mask(edge, rack_class.reserved_half_units)
            front, rear = space.front, space.rear
            space.front |= reserved
            space.rear |= reserved
            free = space.take(half_unit, kind.half_units, face, full_depth=kind.full_depth)
            space.front = (space.front & ~reserved) | (front & reserved)
            space.rear = (space.rear & ~reserved) | (rear & reserved)
        self._book(uses, rack, self._legs(uses, rack) or self.legs[rack])
        return free

    def racks_used(self) -> int:
        """Racks with anything in them."""
        return sum(1 for count in self.occupied if count)


def touching_of(
    shared: Sequence[Shared], racks: int
) -> tuple[tuple[tuple[int, float, int], ...], ...]:
    found: list[list[tuple[int, float, int]]] = [[] for _ in range(racks)]
    for index, item in enumerate(shared):
        use = LIMITS.index(item.limit_of)
        for rack, factor in item.coefficients.items():
            if factor > 0:
                found[rack].append((index, factor, use))
    return tuple(tuple(each) for each in found)

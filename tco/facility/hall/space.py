"""Free room of a rack in half units, front and rear: shelves, half heights, half depths (F2.7)."""

from __future__ import annotations

from dataclasses import dataclass

HALVES_PER_UNIT = 2


def free_mask(half_units: int) -> int:
    """All half units of an empty rack, the lowest first."""
    return (1 << half_units) - 1


def run_mask(start: int, height: int) -> int:
    """Half units `start` to ``start + height - 1``, counted from 0 at the floor."""
    return ((1 << height) - 1) << start


def starts(free: int, height: int, *, whole_units: bool) -> int:
    """Half units at which something of `height` can stand, as a mask.

    Examples
    --------
    >>> bin(starts(0b1111011, 2, whole_units=True))
    '0b10001'
    """
    found, done = free, 1
    while done < height:
        step = min(done, height - done)
        found &= found >> step
        done += step
    return found & _EVEN if whole_units else found


_EVEN = int("01" * 512, 2)


@dataclass(slots=True)
class Space:
    """Free half units on both faces."""

    front: int
    rear: int

    def lowest(self, height: int, *, full_depth: bool) -> tuple[int, str] | None:
        """Lowest free place as (half unit, face); None where there is none.

        Whole heights stand on whole units; half depth goes to the front, then to the rear.
        """
        whole = height % HALVES_PER_UNIT == 0
        faces = (
            (("front", self.front & self.rear),)
            if full_depth
            else (("front", self.front), ("rear", self.rear))
        )
        for face, free in faces:
            places = starts(free, height, whole_units=whole)
            if places:
                return (places & -places).bit_length() - 1, face
        return None

    def take(self, start: int, height: int, face: str, *, full_depth: bool) -> bool:
        """Occupy a place; False where something stands there already, and nothing changes."""
        run = run_mask(start, height)
        wanted = (full_depth or face == "front", full_depth or face == "rear")
        if (wanted[0] and run & ~self.front) or (wanted[1] and run & ~self.rear):
            return False
        if wanted[0]:
            self.front &= ~run
        if wanted[1]:
            self.rear &= ~run
        return True

    def free_halves(self) -> int:
        """Half units free on both faces."""
        return (self.front & self.rear).bit_count()

    def segments(self) -> list[int]:
        """Lengths of the free runs through both faces in half units, from the floor up."""
        free, found = self.front & self.rear, []
        while free:
            free >>= (free & -free).bit_length() - 1
            length = (~free & (free + 1)).bit_length() - 1
            found.append(length)
            free >>= length
        return found

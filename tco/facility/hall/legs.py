"""Phase legs of a three-phase side that carries single-phase supplies (F2.6)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.facility.feeds import imbalance_fraction, line_currents_a

LOOSE = 1e-9
Legs = tuple[float, float, float]
EMPTY: Legs = (0.0, 0.0, 0.0)


@dataclass(frozen=True, slots=True)
class LegRule:
    """How supplies are wired to the three phases of a side.

    Parameters
    ----------
    side_kva
        What the side carries continuously.
    voltage_v
        Between lines where `wiring` is LL, between line and neutral where it is LN.
    wiring
        LN: a supply sits on one phase. LL: between two, AB, BC or CA.
    """

    side_kva: float
    voltage_v: float
    wiring: str

    @property
    def line_limit_a(self) -> float:
        """Amperes of one line: S / (sqrt(3) V_LL) = S / (3 V_LN)."""
        over = 3.0 if self.wiring == "LN" else math.sqrt(3)
        return self.side_kva * 1000 / (over * self.voltage_v)

    def lines_a(self, legs: Legs) -> Legs:
        """Currents of lines A, B, C for loads in kVA on the legs, or on pairs AB, BC, CA.

        Examples
        --------
        >>> rule = LegRule(8.646, 208.0, "LL")
        >>> [round(amperes, 1) for amperes in rule.lines_a((4.992, 0.0, 0.0))]
        [24.0, 24.0, 0.0]
        """
        first, second, third = (kva * 1000 / self.voltage_v for kva in legs)
        if self.wiring == "LN":
            return first, second, third
        return line_currents_a(first, second, third)

    def placed(self, legs: Legs, kva: float, supplies: int) -> Legs | None:
        """Legs with one more server, its supplies in turn on the least loaded; None: too much."""
        loaded = list(legs)
        for _ in range(supplies):
            least = min(range(3), key=lambda index: loaded[index])
            loaded[least] += kva / supplies
        found = (loaded[0], loaded[1], loaded[2])
        fits = max(self.lines_a(found)) <= self.line_limit_a * (1 + LOOSE)
        return found if fits else None

    def imbalance_fraction(self, legs: Legs) -> float:
        """Largest line over the mean line, less 1."""
        return imbalance_fraction(self.lines_a(legs))


def supplies_carrying(supplies: int, redundancy: str) -> int:
    """Supplies of a server that carry it when its other side is gone, at least one (F2.6)."""
    return max(1, supplies // 2 if redundancy == "2N" else supplies)

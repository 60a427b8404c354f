"""Power supplies: DC watts of a server to AC watts at the wall (F2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tco.defaults import default
from tco.inputs import Server
from tco.results import Term

HALF_LOAD_EFFICIENCY = default("power.psu.half_load_efficiency")
# Difference to the efficiency at half load: 80 PLUS Titanium at 230 V asks for 90, 94, 96 and
# 91 % at 10, 20, 50 and 100 % load.
LOAD_OFFSETS = ((0.1, -0.06), (0.2, -0.02), (0.5, 0.0), (1.0, -0.05))
CURVE_SOURCE = default("power.psu.curve_source")


def _offset_fraction(load_fraction: float) -> float:
    """Difference to the half-load efficiency, straight lines between the points, flat outside."""
    points = LOAD_OFFSETS
    if load_fraction <= points[0][0]:
        return points[0][1]
    for (x0, y0), (x1, y1) in pairwise(points):
        if load_fraction <= x1:
            return y0 + (y1 - y0) * (load_fraction - x0) / (x1 - x0)
    return points[-1][1]


@dataclass(frozen=True, slots=True)
class PowerSupplies:
    """Supplies of one server, all sharing the load (two halves with 2N).

    Parameters
    ----------
    half_load_fraction
        Efficiency at half load, 0..1.
    rated_w
        Sum of the supplies' DC ratings in watts; None where unknown: then the efficiency is
        the same at every load.
    """

    half_load_fraction: float
    rated_w: float | None
    terms: tuple[Term, ...] = ()
    reasons: tuple[str, ...] = ()

    @classmethod
    def of(cls, server: Server) -> PowerSupplies:
        """Supplies of a server; 0.94 assumed where the catalog has no efficiency."""
        efficiency = server.psu_efficiency_fraction
        reasons: tuple[str, ...] = ()
        if efficiency is None:
            efficiency = HALF_LOAD_EFFICIENCY
            reasons = ("supply efficiency unknown: 0.94 assumed",)
        terms = [Term.of("supply efficiency at half load", efficiency)]
        rated_w = None
        if server.psu_w_each is not None and server.psu_count > 0:
            rated_w = server.psu_count * server.psu_w_each.value
            terms.append(Term.of("supply rating, each", server.psu_w_each))
            terms.append(Term.of("full load against half load", CURVE_SOURCE))
        return cls(efficiency.value, rated_w, tuple(terms), reasons)

    def efficiency_fraction(self, dc_w: float) -> float:
        """Efficiency at a DC load (F2.4).

        Examples
        --------
        >>> PowerSupplies(0.96, 10_000.0).efficiency_fraction(5_000.0)
        0.96
        >>> round(PowerSupplies(0.96, 10_000.0).efficiency_fraction(1_500.0), 3)
        0.92
        """
        if self.rated_w is None:
            return self.half_load_fraction
        offset = _offset_fraction(dc_w / self.rated_w)
        return min(1.0, max(0.5, self.half_load_fraction + offset))

    def ac_w(self, dc_w: float) -> float:
        """AC watts drawn for `dc_w` delivered (F2.4)."""
        return dc_w / self.efficiency_fraction(dc_w)

    def dc_w(self, ac_w: float) -> float:
        """DC watts delivered from `ac_w` drawn: the inverse of `ac_w`, by bisection."""
        low, high = 0.0, ac_w
        for _ in range(60):
            middle = (low + high) / 2
            if self.ac_w(middle) < ac_w:
                low = middle
            else:
                high = middle
        return (low + high) / 2

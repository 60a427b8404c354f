"""How many fit under a limit, and what a wrong density leaves unused (F2.7, F5.2)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.errors import InputError

ROUNDING = 1e-9  # 34.5 kW of 11.5 kW servers is 3, whatever the last bit says


def fitting(available: float, each: float) -> int:
    """How many things of `each` fit into `available`, both in one unit (F2.7).

    Examples
    --------
    >>> fitting(34.5, 10.2), fitting(34.5, 8.5), fitting(34.5, 11.5)
    (3, 4, 3)
    """
    if not each > 0:
        raise InputError("each", f"{each} is not above 0", "enter a number above 0")
    return math.floor(available / each + ROUNDING)


@dataclass(frozen=True, slots=True)
class Hall:
    """A hall built for one density and filled at another."""

    built_kw: float
    racks: int
    actual_kw_per_rack: float

    def __post_init__(self) -> None:
        if not 0 < self.used_kw <= self.built_kw * (1 + ROUNDING):
            raise InputError(
                "actual_kw_per_rack",
                f"{self.used_kw:g} kW in racks of a hall of {self.built_kw:g} kW",
                "enter racks that the hall can feed",
            )

    @property
    def used_kw(self) -> float:
        """Racks x what one draws."""
        return self.racks * self.actual_kw_per_rack

    @property
    def stranded_kw(self) -> float:
        """Built and not used: a cost line of its own (F5.2).

        Examples
        --------
        >>> Hall(1000.0, 50, 5.0).stranded_kw
        750.0
        """
        return max(0.0, self.built_kw - self.used_kw)

    @property
    def capex_factor_per_used_kw(self) -> float:
        """Capex of a used kW over that of a built one [x].

        Examples
        --------
        >>> Hall(1000.0, 50, 5.0).capex_factor_per_used_kw
        4.0
        """
        return self.built_kw / self.used_kw

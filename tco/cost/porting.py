"""Moving to another device: engineering, delay, and the capex above which it pays (F9.1)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.errors import InputError


def engineering_usd(engineer_months: float, factor: float, usd_per_engineer_month: float) -> float:
    """Engineer-months x factor x loaded rate (F9.1); the rate may have draws.

    Examples
    --------
    >>> engineering_usd(6.0, 2.0, 18_000.0)
    216000.0
    """
    return engineer_months * factor * usd_per_engineer_month


@dataclass(frozen=True, slots=True)
class Porting:
    """A cheaper device against the work of moving to it, undiscounted.

    Parameters
    ----------
    capex_usd, price_cut_fraction
        Capex of what is there today, and how much cheaper the other is.
    engineer_months, factor, usd_per_engineer_month
        Engineering on today's device, how many times as much the other takes, the loaded rate.
    delay_months, benefit_usd_per_month
        How much later it is of use, and what is lost a month.
    """

    capex_usd: float
    price_cut_fraction: float
    engineer_months: float
    factor: float
    usd_per_engineer_month: float
    delay_months: float = 0.0
    benefit_usd_per_month: float = 0.0

    @property
    def saving_usd(self) -> float:
        """Capex saved."""
        return self.capex_usd * self.price_cut_fraction

    @property
    def extra_engineering_usd(self) -> float:
        """Engineering beyond what today's device takes anyway (F9.1)."""
        return engineering_usd(self.engineer_months, self.factor - 1.0, self.usd_per_engineer_month)

    @property
    def delay_usd(self) -> float:
        """Benefit lost while it is late (F9.1)."""
        return self.delay_months * self.benefit_usd_per_month

    @property
    def net_usd(self) -> float:
        """What is left of the saving; negative: the dearer device costs less.

        Examples
        --------
        >>> Porting(3e6, 0.3, 6.0, 2.0, 18_000.0, 3.0, 100_000.0).net_usd
        492000.0
        """
        return self.saving_usd - self.extra_engineering_usd - self.delay_usd

    @property
    def breakeven_capex_usd(self) -> float:
        """Capex below which the cheaper device loses; infinite when it is not cheaper (F20.4).

        Examples
        --------
        >>> round(Porting(3e6, 0.3, 6.0, 2.0, 18_000.0, 3.0, 100_000.0).breakeven_capex_usd)
        1360000
        """
        if not self.price_cut_fraction <= 1.0:
            raise InputError(
                "price_cut_fraction", f"{self.price_cut_fraction} is above 1", "enter 0 to 1"
            )
        if self.price_cut_fraction <= 0.0:
            return math.inf
        return (self.extra_engineering_usd + self.delay_usd) / self.price_cut_fraction

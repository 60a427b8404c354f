"""A cheaper device that draws more: what is saved, what the watts cost (F21.4, F25)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.cost.finance import monthly_rate_fraction, present_value_usd
from tco.cost.thresholds import threshold_usd_per_board_w
from tco.power.facility_load import facility_kw
from tco.units import HOURS_PER_YEAR, MONTHS_PER_YEAR, W_PER_KW


@dataclass(frozen=True, slots=True)
class Watt:
    """What one board watt costs over the horizon, at full power all day.

    Parameters
    ----------
    horizon_years, discount_fraction
        Horizon, and the rate a year at which the electricity is discounted (F0.1).
    pue, usd_per_kwh
        Electricity.
    facility_usd_per_w
        Facility per IT watt, charged as the caller decides: whole, or by share of life (F25).
    """

    horizon_years: float
    pue: float
    usd_per_kwh: float
    facility_usd_per_w: float
    discount_fraction: float = 0.0

    @property
    def energy_usd_per_w(self) -> float:
        """Electricity of one board watt over the horizon, present value."""
        months = round(self.horizon_years * MONTHS_PER_YEAR)
        kwh = facility_kw(HOURS_PER_YEAR / MONTHS_PER_YEAR / W_PER_KW, self.pue)
        flows = (kwh * self.usd_per_kwh,) * months
        rate = monthly_rate_fraction(self.discount_fraction)
        return present_value_usd((0.0,) * months, flows, rate)

    @property
    def cost_usd_per_w(self) -> float:
        """Facility and electricity.

        Examples
        --------
        >>> round(Watt(5, 1.5, 0.10, 10.0).cost_usd_per_w, 2)
        16.57
        """
        return self.facility_usd_per_w + self.energy_usd_per_w


@dataclass(frozen=True, slots=True)
class CheaperDevice:
    """A fleet of devices against as many cheaper ones of the same speed."""

    devices: int
    price_usd: float
    board_w: float
    price_cut_fraction: float
    power_rise_fraction: float
    watt: Watt

    @property
    def capex_saving_usd(self) -> float:
        """Price saved over all devices."""
        return self.devices * self.price_usd * self.price_cut_fraction

    @property
    def extra_kw(self) -> float:
        """Board power on top."""
        return self.devices * self.board_w * self.power_rise_fraction / W_PER_KW

    @property
    def extra_energy_usd(self) -> float:
        """Electricity of it over the horizon."""
        return self.extra_kw * W_PER_KW * self.watt.energy_usd_per_w

    @property
    def extra_facility_usd(self) -> float:
        """Facility of it."""
        return self.extra_kw * W_PER_KW * self.watt.facility_usd_per_w

    @property
    def net_usd(self) -> float:
        """What the cheaper device saves in all; negative: it costs more.

        Examples
        --------
        >>> watt = Watt(5, 1.5, 0.10, 10.0)
        >>> round(CheaperDevice(8000, 3000.0, 300.0, 0.2, 0.4, watt).net_usd)
        -11107200
        """
        return math.fsum((self.capex_saving_usd, -self.extra_energy_usd, -self.extra_facility_usd))

    @property
    def threshold_usd_per_board_w(self) -> float:
        """Price per board watt above which the cheaper device wins (F21.4).

        Examples
        --------
        >>> watt = Watt(5, 1.5, 0.10, 10.0)
        >>> round(CheaperDevice(1, 1.0, 1.0, 0.2, 0.4, watt).threshold_usd_per_board_w, 2)
        33.14
        """
        return threshold_usd_per_board_w(
            self.watt.cost_usd_per_w, self.price_cut_fraction, self.power_rise_fraction
        )

"""A month of rented space with metered power (F5.4)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.power.facility_load import facility_kwh


@dataclass(frozen=True, slots=True)
class ColoBill:
    """Space and power of one month, USD."""

    space_usd: float
    power_usd: float

    @property
    def total_usd(self) -> float:
        """Space and power."""
        return self.space_usd + self.power_usd


def colo_bill(
    committed_kw: float, usd_per_kw_month: float, *, it_kwh: float, usd_per_kwh: float, pue: float
) -> ColoBill:
    """Committed kW x rate + metered kWh x tariff x PUE passed through (F5.4).

    Parameters
    ----------
    committed_kw, usd_per_kw_month
        What is paid for whether drawn or not.
    it_kwh
        Metered at the cage. Rates that include power take 0 here: never both.
    pue
        Passed through; 1 where the provider carries its own losses.

    Examples
    --------
    >>> colo_bill(1000.0, 150.0, it_kwh=720_000.0, usd_per_kwh=0.07, pue=1.3).total_usd
    215520.0
    """
    power_usd = facility_kwh(it_kwh, pue) * usd_per_kwh
    return ColoBill(committed_kw * usd_per_kw_month, power_usd)

"""Flat energy, demand and fixed charges of one month (F4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tco.errors import InputError
from tco.inputs import Tariff

FloatArray = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Charges:
    """Energy and demand of many months, before escalation."""

    energy_kwh: FloatArray
    energy_usd: FloatArray
    demand_usd: FloatArray


@dataclass(frozen=True, slots=True)
class MonthlyBill:
    """One month's electricity. `blended_usd_per_kwh` is None when no energy is used."""

    energy_kwh: float
    energy_usd: float
    demand_usd: float
    fixed_usd: float
    total_usd: float
    blended_usd_per_kwh: float | None


def billed_demand_kw(
    peak_facility_kw: float,
    *,
    ratchet_fraction: float = 0.0,
    lookback_peaks_kw: Sequence[float] = (),
) -> float:
    """Demand that is billed: max(peak, ratchet x largest peak of the lookback) (F4.3).

    Examples
    --------
    >>> billed_demand_kw(600.0, ratchet_fraction=0.8, lookback_peaks_kw=(900.0, 1000.0))
    800.0
    """
    return max(peak_facility_kw, ratchet_fraction * max(lookback_peaks_kw, default=0.0))


def charges(
    average_facility_kw: FloatArray,
    billed_kw: FloatArray,
    hours: FloatArray | float,
    tariff: Tariff,
) -> Charges:
    """Energy and demand charges of many months on a flat tariff (F4.2, F4.3, F4.5a).

    Parameters
    ----------
    average_facility_kw, billed_kw
        Mean draw and billed demand in kW, PUE included, shape (months,) or (draws, months).
    hours
        Hours of each month (F0.2).
    tariff
        USD per kWh, USD per kW and month; prices may have draws, shape (draws, 1).
    """
    energy_kwh = average_facility_kw * hours
    price = tariff.demand_usd_per_kw_month
    none = price is None or tariff.demand_included
    return Charges(
        energy_kwh,
        energy_kwh * tariff.energy_usd_per_kwh.value,
        np.zeros(billed_kw.shape) if price is None or none else billed_kw * price.value,
    )


def monthly_bill(
    *,
    average_facility_kw: float,
    peak_facility_kw: float,
    hours: float,
    tariff: Tariff,
    ratchet_fraction: float = 0.0,
    lookback_peaks_kw: Sequence[float] = (),
) -> MonthlyBill:
    """Bill of one month on a flat tariff (F4.2, F4.3, F4.4, F4.5a).

    The kilowatts are the facility's: PUE has been applied, once, by the caller. A tariff whose
    average price already holds the demand charge (`demand_included`) has none added (F4.5a). A
    site that draws nothing and is billed for no demand pays nothing, fixed charge included:
    no service is taken.

    Parameters
    ----------
    average_facility_kw, peak_facility_kw
        Mean and highest 15-minute draw of the month, in kW, PUE included.
    hours
        Hours of the month (F0.2).
    tariff
        USD per kWh, USD per kW and month, USD per month.
    ratchet_fraction, lookback_peaks_kw
        Billed demand is at least this share of the highest earlier peak (F4.3).

    Raises
    ------
    InputError
        A kilowatt or hour figure that is negative or not finite; a peak below the average; a
        ratchet outside 0..1.
    """
    for name, number in (
        ("average_facility_kw", average_facility_kw),
        ("peak_facility_kw", peak_facility_kw),
        ("hours", hours),
        *((f"lookback_peaks_kw[{i}]", kw) for i, kw in enumerate(lookback_peaks_kw)),
    ):
        if not math.isfinite(number) or number < 0:
            raise InputError(name, f"{number} is not a number of 0 or more", "enter 0 or more")
    if peak_facility_kw < average_facility_kw * (1 - 1e-9):
        raise InputError(
            "peak_facility_kw",
            f"{peak_facility_kw:g} kW is below the average of {average_facility_kw:g} kW",
            "enter the highest 15-minute draw",
        )
    if not 0 <= ratchet_fraction <= 1:
        raise InputError("ratchet_fraction", f"{ratchet_fraction} is outside 0..1", "enter 0..1")
    billed_kw = billed_demand_kw(
        peak_facility_kw, ratchet_fraction=ratchet_fraction, lookback_peaks_kw=lookback_peaks_kw
    )
    found = charges(np.array([average_facility_kw]), np.array([billed_kw]), hours, tariff)
    energy_kwh, energy_usd = float(found.energy_kwh[0]), float(found.energy_usd[0])
    demand_usd = float(found.demand_usd[0])
    fixed_usd = 0.0
    if tariff.fixed_usd_per_month is not None and billed_kw > 0:
        fixed_usd = tariff.fixed_usd_per_month.value
    total_usd = math.fsum((energy_usd, demand_usd, fixed_usd))
    return MonthlyBill(
        energy_kwh=energy_kwh,
        energy_usd=energy_usd,
        demand_usd=demand_usd,
        fixed_usd=fixed_usd,
        total_usd=total_usd,
        blended_usd_per_kwh=total_usd / energy_kwh if energy_kwh > 0 else None,
    )

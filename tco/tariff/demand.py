"""A year of demand charges with a ratchet and seasons (F4.3)."""

from __future__ import annotations

from collections.abc import Sequence

from tco.errors import InputError
from tco.tariff.bill import billed_demand_kw
from tco.units import MONTHS_PER_YEAR


def summer_months(count: int) -> frozenset[int]:
    """Months 1..12 of a summer of `count` months, centred on the end of July.

    Examples
    --------
    >>> sorted(summer_months(6)), sorted(summer_months(4)), sorted(summer_months(0))
    ([5, 6, 7, 8, 9, 10], [6, 7, 8, 9], [])
    """
    if not 0 <= count <= MONTHS_PER_YEAR:
        raise InputError("summer_months", f"{count} is outside 0..12", "enter 0 to 12")
    first = 8 - (count + 1) // 2
    return frozenset((first + step - 1) % MONTHS_PER_YEAR + 1 for step in range(count))


def demand_year_usd(
    peaks_kw: Sequence[float],
    usd_per_kw_by_month: Sequence[float],
    *,
    ratchet_fraction: float = 0.0,
    lookback_months: int = 12,
) -> list[float]:
    """Demand charge of each month of a year like the one before [USD] (F4.3).

    Billed kW = max(peak of the month, ratchet x highest peak of the lookback); months before
    January are those of the same year, since every year is alike.

    Parameters
    ----------
    peaks_kw
        Highest 15-minute draw of each month, 12 of them.
    usd_per_kw_by_month
        Rate of each month.
    ratchet_fraction, lookback_months
        Share of the highest peak that is billed at least, and over how many months, this one
        among them.

    Examples
    --------
    >>> january_spike = [100.0] + [1.0] * 11
    >>> sum(demand_year_usd(january_spike, [10.0] * 12, ratchet_fraction=0.35))
    4850.0
    >>> sum(demand_year_usd(january_spike, [10.0] * 12))
    1110.0
    """
    for name, values in (("peaks_kw", peaks_kw), ("usd_per_kw_by_month", usd_per_kw_by_month)):
        if len(values) != MONTHS_PER_YEAR:
            raise InputError(name, f"{len(values)} months are not 12", "give all 12 months")
        if not min(values) >= 0:
            raise InputError(name, f"{min(values)} is below 0", "enter 0 or more")
    if not 0 <= ratchet_fraction <= 1:
        raise InputError("ratchet_fraction", f"{ratchet_fraction} is outside 0..1", "enter 0..1")
    if not 1 <= lookback_months <= MONTHS_PER_YEAR:
        raise InputError("lookback_months", f"{lookback_months} is outside 1..12", "enter 1 to 12")
    return [
        billed_demand_kw(
            peaks_kw[month],
            ratchet_fraction=ratchet_fraction,
            lookback_peaks_kw=[
                peaks_kw[(month - back) % MONTHS_PER_YEAR] for back in range(lookback_months)
            ],
        )
        * usd_per_kw_by_month[month]
        for month in range(MONTHS_PER_YEAR)
    ]

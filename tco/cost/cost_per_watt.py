"""Cost parts of a watt and of a monthly bill, as the two classic spreadsheets cut them.

Barroso and Hölzle: eight parts in USD per provisioned watt and month (F5.1, F12.2). Hamilton:
monthly payments of servers, network and facility beside the power bill (F12.2).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.cost.finance import monthly_rate_fraction, payment
from tco.power.facility_load import facility_kw
from tco.units import MONTHS_PER_YEAR, W_PER_KW


@dataclass(frozen=True, slots=True)
class Asset:
    """Something bought and paid off over its life by a level loan."""

    price_usd: float
    life_years: float

    @property
    def months(self) -> float:
        """Months of its life."""
        return self.life_years * MONTHS_PER_YEAR

    def amortization_usd(self) -> float:
        """Straight line, USD a month (F12.9).

        Examples
        --------
        >>> Asset(6000.0, 3.0).amortization_usd()
        166.66666666666666
        """
        return self.price_usd / self.months

    def payment_usd(self, annual_fraction: float, mode: str = "nominal") -> float:
        """Level monthly payment, principal and interest [USD/month] (F12.2).

        Examples
        --------
        >>> round(Asset(72e6, 10.0).payment_usd(0.05))
        763672
        """
        return payment(self.price_usd, monthly_rate_fraction(annual_fraction, mode), self.months)

    def interest_usd(self, annual_fraction: float, mode: str = "nominal") -> float:
        """What the payment holds beyond straight line [USD/month] (F12.2)."""
        return self.payment_usd(annual_fraction, mode) - self.amortization_usd()


@dataclass(frozen=True, slots=True)
class WattParts:
    """Monthly cost of one provisioned watt by part, each in USD per W and month (F5.1)."""

    facility_amortization_usd_per_w: float
    facility_interest_usd_per_w: float
    facility_opex_usd_per_w: float
    server_amortization_usd_per_w: float
    server_interest_usd_per_w: float
    server_opex_usd_per_w: float
    server_power_usd_per_w: float
    pue_overhead_usd_per_w: float

    @property
    def total_usd_per_w(self) -> float:
        """Sum of the eight parts."""
        return math.fsum(
            (
                *(self.facility_amortization_usd_per_w, self.facility_interest_usd_per_w),
                *(self.facility_opex_usd_per_w, self.server_amortization_usd_per_w),
                *(self.server_interest_usd_per_w, self.server_opex_usd_per_w),
                *(self.server_power_usd_per_w, self.pue_overhead_usd_per_w),
            )
        )


def watt_parts(
    *,
    facility: Asset,
    facility_opex_usd_per_w: float,
    server: Asset,
    server_w: float,
    server_opex_fraction: float,
    average_to_peak_fraction: float,
    pue: float,
    usd_per_kwh: float,
    hours_per_month: float,
    annual_fraction: float,
    mode: str = "nominal",
) -> WattParts:
    """Eight parts of a provisioned watt's month (F5.1, F12.2).

    Parameters
    ----------
    facility
        Price of one watt of data centre, and its life.
    facility_opex_usd_per_w
        Running the data centre, USD per watt and month, electricity apart.
    server, server_w
        One server and its provisioned watts.
    server_opex_fraction
        Repairs and such as a share of the server's amortization.
    average_to_peak_fraction
        Mean draw over provisioned watts.
    pue, usd_per_kwh, hours_per_month
        Electricity; the hours are a convention (F0.2) and part of the answer.
    annual_fraction, mode
        Interest a year; ``nominal`` r/12 as loans have it, or ``effective`` (F0.3).

    Examples
    --------
    >>> parts = watt_parts(
    ...     facility=Asset(15.0, 12.0), facility_opex_usd_per_w=0.04, server=Asset(6000.0, 3.0),
    ...     server_w=300.0, server_opex_fraction=0.05, average_to_peak_fraction=0.75, pue=2.0,
    ...     usd_per_kwh=0.062, hours_per_month=720.0, annual_fraction=0.12)
    >>> round(parts.total_usd_per_w, 4), round(parts.total_usd_per_w * 300 * 36)
    (0.996, 10757)
    """
    average_kw = average_to_peak_fraction / W_PER_KW  # of one provisioned watt
    usd_per_kw = hours_per_month * usd_per_kwh
    return WattParts(
        facility.amortization_usd(),
        facility.interest_usd(annual_fraction, mode),
        facility_opex_usd_per_w,
        server.amortization_usd() / server_w,
        server.interest_usd(annual_fraction, mode) / server_w,
        server.amortization_usd() / server_w * server_opex_fraction,
        average_kw * usd_per_kw,
        (facility_kw(average_kw, pue) - average_kw) * usd_per_kw,
    )


@dataclass(frozen=True, slots=True)
class MonthlyBuckets:
    """A data centre's month in USD (F12.2)."""

    servers_usd: float
    network_usd: float
    power_cooling_usd: float
    other_infrastructure_usd: float
    power_usd: float
    people_usd: float = 0.0

    @property
    def total_usd(self) -> float:
        """Sum of the buckets."""
        return math.fsum(
            (
                *(self.servers_usd, self.network_usd, self.power_cooling_usd),
                *(self.other_infrastructure_usd, self.power_usd, self.people_usd),
            )
        )


def monthly_buckets(
    *,
    servers: Asset,
    network: Asset,
    facility: Asset,
    power_cooling_fraction: float,
    critical_kw: float,
    average_load_fraction: float,
    pue: float,
    usd_per_kwh: float,
    hours_per_month: float,
    annual_fraction: float,
    mode: str = "nominal",
    people_usd: float = 0.0,
) -> MonthlyBuckets:
    """Level payments of what was bought, the power bill and the people (F12.2).

    Parameters
    ----------
    servers, network, facility
        All of them, at their price and life.
    power_cooling_fraction
        Part of the facility that is power and cooling; the rest is building and land.
    critical_kw, average_load_fraction
        IT load the facility is built for, and the mean share of it in use.

    Examples
    --------
    >>> month = monthly_buckets(
    ...     servers=Asset(45978 * 1450.0, 3.0), network=Asset(12.81e6, 4.0),
    ...     facility=Asset(72e6, 10.0), power_cooling_fraction=0.82, critical_kw=8000.0,
    ...     average_load_fraction=0.8, pue=1.45, usd_per_kwh=0.07, hours_per_month=730.0,
    ...     annual_fraction=0.05)
    >>> round(month.servers_usd), round(month.power_usd), round(month.total_usd)
    (1998103, 474208, 3530988)
    """
    infrastructure = facility.payment_usd(annual_fraction, mode)
    average_kw = facility_kw(critical_kw * average_load_fraction, pue)
    return MonthlyBuckets(
        servers.payment_usd(annual_fraction, mode),
        network.payment_usd(annual_fraction, mode),
        infrastructure * power_cooling_fraction,
        infrastructure * (1.0 - power_cooling_fraction),
        average_kw * hours_per_month * usd_per_kwh,
        people_usd,
    )

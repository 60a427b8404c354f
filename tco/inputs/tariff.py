"""Electricity tariffs and what stands beside them: periods, demand, part load, carbon (F4, F18)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from tco.inputs.figure import Figure

ALL_MONTHS = tuple(range(1, 13))


@dataclass(frozen=True, slots=True)
class Window:
    """Hours of the year that a price holds in: months, kind of day, hours of the day.

    `to_hour` is the hour at which it ends; at or below `from_hour` it runs over midnight.
    """

    months: tuple[int, ...] = ALL_MONTHS  # 1..12
    days: str = "all"  # all | weekday | weekend
    from_hour: int = 0
    to_hour: int = 24


@dataclass(frozen=True, slots=True)
class Tier:
    """Price of a month's kilowatt-hours up to a limit; None: of all further ones."""

    usd_per_kwh: Figure
    up_to_kwh_per_month: float | None = None


@dataclass(frozen=True, slots=True)
class EnergyPeriod:
    """Energy price of a window; tiers count the kilowatt-hours of this period in a month (F4.2)."""

    name: str
    window: Window
    tiers: tuple[Tier, ...]


@dataclass(frozen=True, slots=True)
class DemandCharge:
    """Charge on kilowatts (F4.3).

    Billed kW = max(peak in the window, ratchet x highest such peak of the lookback, contract). With
    `at_hour` it is on the mean kW of that hour of the day instead: a coincident peak.
    """

    name: str
    window: Window
    usd_per_kw_month: Figure
    ratchet_fraction: Figure | None = None
    lookback_months: int = 12  # this month among them
    contract_kw: Figure | None = None
    at_hour: int | None = None
    at_day: int | None = None  # of the month; None: the highest weekday
    at_month: int | None = None  # its kW are billed until that month comes again


@dataclass(frozen=True, slots=True)
class Tariff:
    """Electricity price (F4). `demand_included` stops a demand charge counted twice (F4.5a).

    With `periods` the bill is made from the parts, and `energy_usd_per_kwh` is their mean over
    the hours, to be shown only.
    """

    energy_usd_per_kwh: Figure
    demand_usd_per_kw_month: Figure | None = None
    fixed_usd_per_month: Figure | None = None
    demand_included: bool = False
    energy_holds_demand: bool = False  # a statistic that contains it, whatever is declared
    periods: tuple[EnergyPeriod, ...] = ()
    demand: tuple[DemandCharge, ...] = ()
    minimum_usd_per_month: Figure | None = None
    levy_usd_per_kwh: Figure | None = None
    tax_fraction: Figure | None = None  # of the whole bill
    power_factor: Figure | None = None  # of the facility
    power_factor_floor: Figure | None = None  # below it billed kW grow by floor / power factor
    export_usd_per_kwh: Figure | None = None

    @property
    def in_parts(self) -> bool:
        """Whether the bill is made from periods and charges."""
        return bool(self.periods)

    def prices(self) -> Iterator[Figure | None]:
        """Every price that a bill reads."""
        if not self.periods:
            yield self.energy_usd_per_kwh
            yield self.demand_usd_per_kw_month
        for period in self.periods:
            yield from (tier.usd_per_kwh for tier in period.tiers)
        yield from (charge.usd_per_kw_month for charge in self.demand)
        yield self.fixed_usd_per_month
        yield self.minimum_usd_per_month
        yield self.levy_usd_per_kwh
        yield self.export_usd_per_kwh


@dataclass(frozen=True, slots=True)
class PartLoad:
    """Losses of a hall that do not all follow its load (F3.1)."""

    rated_it_kw: Figure
    ups_no_load_fraction: Figure  # a0, of the rating
    ups_linear_fraction: Figure  # a1
    ups_square_fraction: Figure  # a2
    cooling_fixed_fraction: Figure  # of the rating, whatever the load
    cooling_fraction: Figure  # of the load
    other_kw: Figure


@dataclass(frozen=True, slots=True)
class ExistingLoad:
    """What already stands behind the meter, in facility kW (F4.6).

    One of the three: a mean (with the highest quarter-hour), a typical day, or a year in hours or
    quarter-hours. Mean and day may follow the months.
    """

    average_kw: Figure | None = None
    peak_kw: Figure | None = None
    typical_day_kw: tuple[float, ...] | None = None
    year_kw: tuple[float, ...] | None = None
    month_shape: tuple[float, ...] | None = None  # 12, of the mean or the day; its mean counts as 1
    month_peaks_kw: tuple[float, ...] | None = None  # 12, highest quarter-hour of each month


@dataclass(frozen=True, slots=True)
class HeatReuse:
    """Heat that somebody pays for (F18.5)."""

    it_energy_fraction: Figure
    usd_per_kwh: Figure  # of heat delivered


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Carbon and water of a site beside its grid figure (F18)."""

    market_gco2_per_kwh: Figure | None = None
    grid_gco2_by_hour: tuple[float, ...] | None = None  # 24, in place of the one grid figure
    carbon_usd_per_t: Figure | None = None
    carbon_included: bool = False  # the energy price already holds it
    carbon_basis: str = "location"  # location | market
    wue_l_per_kwh: Figure | None = None  # litres per kWh of the servers
    ewif_l_per_kwh: Figure | None = None  # litres per kWh from the grid
    heat_reuse: HeatReuse | None = None

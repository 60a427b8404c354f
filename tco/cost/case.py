"""One fleet as the cost lines see it: months, servers, prices."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import cast

import numpy as np

from tco.cost.columns import mean
from tco.cost.finance import FloatArray, monthly_rate_fraction
from tco.errors import InputError
from tco.inputs import Figure, Finance, Fleet, Status, weakest
from tco.results import FleetPower, FleetResult, LedgerLine, RackLayout, Term
from tco.results.networks import CoolingResult, StorageResult
from tco.units import MONTHS_PER_YEAR, date_of, hours_by_month, months_between

MOST_USD = 1e15  # a month; above it a figure was mistyped, and sums would lose their cents


@lru_cache(maxsize=16)
def zeros(months: int) -> tuple[float, ...]:
    """A column of nothing."""
    return (0.0,) * months


@dataclass(frozen=True, slots=True)
class Calendar:
    """What all fleets of a scenario share: the months and their hours (F0.1, F0.2)."""

    finance: Finance
    months: int
    hours: FloatArray  # of each month
    rate_fraction: float  # per month

    @classmethod
    def of(cls, finance: Finance) -> Calendar:
        """Calendar of a scenario."""
        months = finance.horizon_months
        return cls(
            finance,
            months,
            np.array(hours_by_month(finance.hours_mode, months, finance.valuation_date)),
            monthly_rate_fraction(finance.discount_rate_fraction.value, finance.monthly_rate),
        )

    @property
    def hours_per_year(self) -> float:
        """H_year = 12 H; for calendar months the mean over the horizon (F0.2)."""
        return float(np.mean(self.hours)) * MONTHS_PER_YEAR if self.months else 0.0

    def escalation(self, figure: Figure, rate: Figure | None) -> FloatArray:
        """Price path of `figure` from its own date on, as a factor by month (F0.4).

        Annual step: (1 + e)^floor(k/12); monthly: (1 + e)^(k/12); k counts months from the date
        of the price, or from the valuation date where the figure has none or a later one.
        """
        if rate is None or rate.is_zero:
            return np.ones(self.months)
        age = np.arange(self.months, dtype=np.float64) + self.price_age_months(figure)
        exponent = age / MONTHS_PER_YEAR
        if self.finance.escalation_mode != "monthly":
            exponent = np.floor(exponent)
        factors: FloatArray = (1.0 + rate.value) ** exponent
        return factors

    def price_age_months(self, figure: Figure) -> int:
        """Months from the figure's date to the valuation date, at least 0."""
        dated = date_of(figure.as_of) if figure.as_of else None
        valued = date_of(self.finance.valuation_date)
        if dated is None or valued is None:
            return 0
        return max(0, months_between(dated, valued))


@dataclass(frozen=True, slots=True)
class FleetCase:
    """One fleet with what was computed about it.

    `bound` chooses value, low or high of every price, for the range of a total.
    """

    fleet: Fleet
    result: FleetResult
    power: FleetPower | None
    racks: RackLayout | None
    calendar: Calendar
    servers: FloatArray  # in service, by month
    bought: FloatArray  # at the start of each month, replacements included
    growth: FloatArray  # load of each month over the first one's
    bound: str = "value"
    spare_servers: int = 0  # among `servers`, beside those that the sizing can lose
    store: StorageResult | None = None
    cooling: CoolingResult | None = None  # of its site
    pue_ratio: FloatArray | float = 1.0  # of a drawn PUE to the one that the power was worked with

    @classmethod
    def of(
        cls,
        fleet: Fleet,
        result: FleetResult,
        power: FleetPower | None,
        racks: RackLayout | None,
        calendar: Calendar,
        bound: str = "value",
        *,
        store: StorageResult | None = None,
        cooling: CoolingResult | None = None,
    ) -> FleetCase:
        """Case of one fleet; bought servers stay, and are replaced at the end of their life."""
        months = calendar.months
        servers = np.zeros(months)
        known = np.array(result.servers_by_month[:months], dtype=np.float64)
        servers[: known.size] = known
        servers[: fleet.start_month] = 0.0
        if fleet.owned and months:
            servers = np.maximum.accumulate(servers, axis=-1)
        bought = np.diff(servers, prepend=0.0)
        if fleet.owned:
            bought = with_replacements(bought, life_months(fleet))
        rate = fleet.workload.growth_fraction_per_year.value
        growth = (1.0 + rate) ** (np.arange(months) / MONTHS_PER_YEAR)
        return cls(
            fleet,
            result,
            power,
            racks,
            calendar,
            servers,
            bought,
            growth,
            bound,
            store=store,
            cooling=cooling,
        )

    @property
    def months(self) -> int:
        """Length of the ledger."""
        return self.calendar.months

    @property
    def provisioned_share(self) -> FloatArray:
        """Servers of each month over all those that power is provisioned for (F2.5)."""
        return self._share(max(self.result.servers, self._on_in_first_year))

    @property
    def average_share(self) -> FloatArray:
        """Servers of each month over those of the first year's typical day (F4.1)."""
        return self._share(self._on_in_first_year or self.result.servers)

    @property
    def _on_in_first_year(self) -> int:
        return max((hour.servers_on for hour in self.result.hours), default=0)

    def _share(self, base: int) -> FloatArray:
        share: FloatArray = self.servers / max(1, base)
        return share

    @property
    def devices_per_server(self) -> int:
        """Devices in one server or instance."""
        machine = self.fleet.server or self.fleet.offer
        return machine.device_count if machine else 0

    def amount(self, figure: Figure) -> float:
        """A price at the chosen bound."""
        if self.bound == "low" and figure.low is not None:
            return figure.low
        if self.bound == "high" and figure.high is not None:
            return figure.high
        return figure.value

    def line(
        self,
        key: str,
        label: str,
        category: str,
        *,
        start: FloatArray | None = None,
        end: FloatArray | None = None,
        formula: str,
        reference: str,
        terms: Iterable[Term] = (),
        missing: str = "",
    ) -> LedgerLine:
        """Ledger line of this fleet; its status is the weakest of its terms'."""
        terms = tuple(terms)
        blank = zeros(self.months)
        for amounts in (start, end):
            if amounts is not None and amounts.size and not np.max(np.abs(amounts)) <= MOST_USD:
                raise InputError(
                    f"{self.fleet.key}: {label}",
                    f"an amount is above {MOST_USD:.0e} USD or no number",
                    "check the prices and quantities it is made of",
                )
        return LedgerLine(
            key=key,
            label=label,
            category=category,
            fleet=self.fleet.key,
            start_usd=blank if start is None or missing else _amounts(start),
            end_usd=blank if end is None or missing else _amounts(end),
            status=status_of(term.status for term in terms),
            formula=formula,
            terms=terms,
            missing=missing,
            reference=reference,
        )

    def servers_term(self, name: str = "servers at the end") -> Term:
        """The sized count, with the status of the sizing."""
        count = mean(self.servers[..., -1]) if self.months else 0.0
        return Term(name, count, "servers", self.result.status, "sizing (P8)")


def life_months(fleet: Fleet) -> int:
    """Service life of a bought server."""
    return max(1, fleet.purchase.life_months if fleet.purchase else 60)


def with_replacements(bought: FloatArray, life: int) -> FloatArray:
    """Buy each cohort again every `life` months, so that service lasts the horizon (F12.4)."""
    months = bought.shape[-1]
    if months <= life:
        return bought
    total = bought.copy()
    for month in range(life, months):
        total[..., month] += total[..., month - life]
    return total


def _amounts(column: FloatArray) -> tuple[float, ...]:
    """Amounts of a line: a tuple, or the column itself where it has draws (`tco.uncertainty`)."""
    return tuple(column.tolist()) if column.ndim == 1 else cast("tuple[float, ...]", column)


def computed(name: str, value: float | FloatArray, unit: str, status: Status, source: str) -> Term:
    """Term of an intermediate value; of draws, their mean."""
    return Term(name, mean(value), unit, status, source)


def status_of(statuses: Iterable[Status]) -> Status:
    """Weakest status; that of nothing is estimated, since nothing was measured.

    Examples
    --------
    >>> status_of([]).value, status_of([Status.MEASURED, Status.PUBLISHED]).value
    ('estimated', 'published')
    """
    given = tuple(statuses)
    return weakest(given) if given else Status.ESTIMATED

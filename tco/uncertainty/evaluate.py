"""The ledger over many draws at once: the same lines, on columns instead of numbers (F21.2)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tco.cost.case import Calendar, FleetCase, life_months, with_replacements
from tco.cost.columns import summed
from tco.cost.finance import monthly_rate_fraction
from tco.cost.ledger import OptionCase, build_ledger
from tco.errors import InputError
from tco.inputs import Figure, Fleet
from tco.performance.growth import YEAR_MONTHS, servers_for
from tco.uncertainty.drivers import Driver, Statement, place_of, ratio_of, substitute

FloatArray = NDArray[np.float64]
Ticked = Callable[[int], None]
BATCH = 1000  # draws at once: their columns stay in the processor's cache


@dataclass(frozen=True, slots=True, eq=False)
class Values:
    """Present value and plain sum of each option, shape (options, draws), in USD."""

    present_usd: FloatArray
    plain_usd: FloatArray


@dataclass(frozen=True)
class Evaluator:
    """Options with what is uncertain about them."""

    cases: tuple[OptionCase, ...]
    drivers: tuple[Driver, ...]

    def at(self, values: FloatArray, ticked: Ticked = lambda rows: None) -> Values:
        """Evaluate every option at rows of driver values, shape (draws, drivers).

        `ticked` is called with the rows of each batch when it is done; what it raises goes on.

        Raises
        ------
        InputError
            A line that can be priced at the base values but not at these.
        """
        draws = values.shape[0]
        present, plain = np.empty((len(self.cases), draws)), np.empty((len(self.cases), draws))
        for first in range(0, draws, BATCH):
            rows = slice(first, min(first + BATCH, draws))
            part = self._part(values[rows])
            present[:, rows], plain[:, rows] = part.present_usd, part.plain_usd
            ticked(part.present_usd.shape[1])
        return Values(present, plain)

    def _part(self, values: FloatArray) -> Values:
        drawn: dict[Statement, Figure] = {}
        speeds: dict[str, FloatArray] = {}
        for column, driver in enumerate(self.drivers):
            if driver.figure is None:
                speeds |= dict.fromkeys(driver.fleets, values[:, column : column + 1])
            else:
                statement = driver.field, driver.figure
                drawn[statement] = driver.figure.drawn(values[:, column])
        known: dict[tuple[int, str], Any] = {}
        present, plain = [], []
        for case in self.cases:
            start, end, rate = self._columns(case, drawn, speeds, known)
            months = np.arange(case.calendar.months, dtype=np.float64)
            factor = (1.0 + rate) ** -months
            usd = (start * factor + end * (factor / (1.0 + rate))).sum(axis=-1)
            present.append(np.broadcast_to(usd, len(values)))
            plain.append(np.broadcast_to((start + end).sum(axis=-1), len(values)))
        return Values(np.array(present), np.array(plain))

    def _columns(
        self,
        case: OptionCase,
        drawn: dict[Statement, Figure],
        speeds: dict[str, FloatArray],
        known: dict[tuple[int, str], Any],
    ) -> tuple[FloatArray, FloatArray, Any]:
        """Sums of the lines by month, and the monthly rate."""
        finance = substitute(case.calendar.finance, drawn, known)
        rate = monthly_rate_fraction(finance.discount_rate_fraction.value, finance.monthly_rate)
        calendar = replace(case.calendar, finance=finance, rate_fraction=rate)
        fleets = []
        for fleet_case in case.fleets:
            fleet = substitute(fleet_case.fleet, drawn, known)
            speed = speeds.get(place_of(case.option.key, fleet.key), 1.0)
            fleets.append(_drawn_case(fleet_case, fleet, calendar, speed))
        option = replace(
            case.option,
            fleets=tuple(one.fleet for one in fleets),
            staffing=substitute(case.option.staffing, drawn, known, "staffing"),
        )
        ledger = build_ledger(replace(case, option=option, calendar=calendar, fleets=tuple(fleets)))
        for line in ledger.lines:
            if line.missing:
                raise InputError(
                    f"{case.option.name}: {line.label}",
                    f"cannot be priced over the range: {line.missing}",
                    "narrow the range of its inputs",
                )
        months = calendar.months
        start, end = (
            summed(ledger.lines, months, "start_usd"),
            summed(ledger.lines, months, "end_usd"),
        )
        return start, end, rate


def _drawn_case(case: FleetCase, fleet: Fleet, calendar: Calendar, speed: Any) -> FleetCase:
    """The fleet with drawn figures; its machines follow the drawn demand and speed (P8)."""
    base, work = case.fleet.workload, fleet.workload
    pue = 1.0
    if fleet.site is not None and case.fleet.site is not None:
        pue = ratio_of(fleet.site.pue.value, case.fleet.site.pue.value)
    changed = replace(case, fleet=fleet, calendar=calendar, pue_ratio=pue)
    growth = work.growth_fraction_per_year.value
    demand = ratio_of(work.peak_requests_per_s.value, base.peak_requests_per_s.value)
    demand = demand * _room(work.headroom_fraction) / _room(base.headroom_fraction)
    moved = any(np.ndim(part) for part in (growth, demand, speed))
    if not moved:
        return changed
    months = np.arange(case.months)
    changed = replace(changed, growth=(1.0 + growth) ** (months / YEAR_MONTHS))
    rule = case.result.count_rule
    if rule is None:
        return changed
    servers = servers_for(rule, _busiest(growth, case.months) * (demand / speed))
    servers = np.where(months < fleet.start_month, 0.0, servers)
    if fleet.owned:
        servers = np.maximum.accumulate(servers, axis=-1)
    bought = np.diff(servers, prepend=0.0, axis=-1)
    if fleet.owned:
        bought = with_replacements(bought, life_months(fleet))
    return replace(changed, servers=servers, bought=bought)


def _busiest(growth: Any, months: int) -> FloatArray:
    """Peak demand of each month's year over that of month 0, as `growth_factors` (F1.1)."""
    first = np.arange(months) // YEAR_MONTHS * YEAR_MONTHS
    last = np.minimum(first + YEAR_MONTHS, months)
    at = np.where(np.asarray(growth) > 0, last, first)
    return np.asarray(np.maximum(1.0 + growth, 0.0) ** (at / YEAR_MONTHS))


def _room(headroom: Figure | None) -> Any:
    return 1.0 + (headroom.value if headroom is not None else 0.0)


def base_row(drivers: Sequence[Driver]) -> FloatArray:
    """The drivers at their own values, shape (1, drivers)."""
    return np.array([[driver.value for driver in drivers]], dtype=np.float64)

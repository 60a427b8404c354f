"""A year of load in slots: a typical day by month, or hours or quarter-hours of a year (F4.1).

Each calendar month is a list of slots. A slot has its hour, its kind of day, its share of the
month's hours, the kilowatts of each fleet at one server share and those that were there before.
The month's 15-minute peaks stand beside the means: a mean cannot hold a peak.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tco.errors import InputError
from tco.inputs import ExistingLoad
from tco.tariff.windows import DAY_HOURS
from tco.units import MONTHS_PER_YEAR

FloatArray = NDArray[np.float64]
YEAR_HOURS = 8760
QUARTERS = 4
SERIES_LENGTHS = (YEAR_HOURS, YEAR_HOURS * QUARTERS)
_WEEKDAYS = 5 / 7


@dataclass(frozen=True, slots=True)
class FleetDay:
    """IT kW of one fleet in its first year: means by hour, and quarter-hour peaks beside them."""

    mean_kw: tuple[float, ...]
    peak_kw: tuple[float, ...]

    @property
    def average_kw(self) -> float:
        """Mean over the day."""
        return float(np.mean(self.mean_kw))

    @property
    def crest_ratio(self) -> float:
        """Highest quarter-hour over the highest hourly mean."""
        highest = max(self.mean_kw, default=0.0)
        return max(self.peak_kw) / highest if highest > 0 else 1.0


@dataclass(frozen=True, slots=True, eq=False)
class MonthSlots:
    """One calendar month."""

    hour: NDArray[np.intp]
    kind: NDArray[np.intp]  # 0 weekday, 1 weekend
    day: NDArray[np.intp]  # of the month; 0 for a typical day
    weight: FloatArray  # share of the month's hours, together 1
    it_kw: FloatArray  # (slots, fleets), mean
    it_peak_kw: FloatArray  # (slots, fleets), quarter-hour
    there_kw: FloatArray  # before: mean, facility
    there_peak_kw: FloatArray


def load_year(
    fleets: Sequence[FleetDay],
    *,
    shape: Sequence[float] | None = None,
    month_shape: Sequence[float] | None = None,
    existing: ExistingLoad | None = None,
    year: int = 2026,
) -> tuple[MonthSlots, ...]:
    """The twelve months of a year like the first one.

    Parameters
    ----------
    fleets
        Typical day of each fleet, IT kW.
    shape
        A year in 8,760 hours or 35,040 quarter-hours. Only its form counts: each fleet has its
        own mean.
    month_shape
        Twelve numbers that the typical day follows over the months, where no `shape` is given.
    existing
        Load behind the meter before, facility kW.
    year
        Gives the weekdays of the year's days; a 29 February is left out.

    Raises
    ------
    InputError
        A series that is no year, a negative kilowatt, or a shape without any load.
    """
    before = existing or ExistingLoad()
    series = [s for s in (shape, before.year_kw) if s is not None]
    for name, given in (("load_shape", shape), ("existing_load.year_kw", before.year_kw)):
        if given is not None:
            _check(name, given)
    if shape is not None and not max(shape) > 0:
        raise InputError("load_shape", "no hour of the year has any load", "enter the load")
    levels = _levels("month_shape", month_shape)
    there = _levels("existing_load.month_shape", before.month_shape)
    if not series:
        return tuple(
            _typical_month(fleets, before, month, levels[month], there[month])
            for month in range(MONTHS_PER_YEAR)
        )
    step = QUARTERS if any(len(s) > YEAR_HOURS for s in series) else 1
    return _year_months(fleets, shape, before, year, step, (levels, there))


def _levels(name: str, given: Sequence[float] | None) -> FloatArray:
    """Level of each month over the mean of the year."""
    if given is None:
        return np.ones(MONTHS_PER_YEAR)
    if len(given) != MONTHS_PER_YEAR or not max(given) > 0 or min(given) < 0:
        raise InputError(name, "is no shape of twelve months", "enter 12 numbers of 0 or more")
    return np.array(given, dtype=np.float64) / float(np.mean(given))


def _check(name: str, given: Sequence[float]) -> None:
    if len(given) not in SERIES_LENGTHS:
        raise InputError(
            name,
            f"{len(given):,} numbers do not make a year",
            "enter 8,760 hours or 35,040 quarter-hours",
        )
    if min(given) < 0:
        raise InputError(name, f"{min(given):g} kW is below 0", "enter 0 or more")


def _there(
    before: ExistingLoad, hour: NDArray[np.intp], month: int, level: float
) -> tuple[FloatArray, FloatArray]:
    """Mean and quarter-hour peak of what was there, where it has no year of its own."""
    if before.typical_day_kw is not None:
        mean = np.array(before.typical_day_kw)[hour] * level
    else:
        average = before.average_kw.value if before.average_kw is not None else 0.0
        mean = np.full(hour.shape, average * level)
    peak = before.peak_kw.value if before.peak_kw is not None else 0.0
    if before.month_peaks_kw is not None:
        peak = before.month_peaks_kw[month]
    # a peak may fall into any quarter-hour: it is taken to meet the new load's
    return mean, np.maximum(mean, peak)


def _columns(fleets: Sequence[FleetDay], peaks: bool) -> FloatArray:
    days = [fleet.peak_kw if peaks else fleet.mean_kw for fleet in fleets]
    return np.array(days, dtype=np.float64).reshape(len(days), DAY_HOURS).T


def _typical_month(
    fleets: Sequence[FleetDay], before: ExistingLoad, month: int, level: float, there_level: float
) -> MonthSlots:
    hour = np.tile(np.arange(DAY_HOURS), 2)
    kind = np.repeat(np.arange(2), DAY_HOURS)
    weight = np.where(kind == 0, _WEEKDAYS, 1 - _WEEKDAYS) / DAY_HOURS
    there, there_peak = _there(before, hour, month, there_level)
    return MonthSlots(
        hour=hour,
        kind=kind,
        day=np.zeros_like(hour),
        weight=weight,
        it_kw=_columns(fleets, peaks=False)[hour] * level,
        it_peak_kw=_columns(fleets, peaks=True)[hour] * level,
        there_kw=there,
        there_peak_kw=there_peak,
    )


def _stretched(given: Sequence[float], step: int) -> FloatArray:
    values = np.array(given, dtype=np.float64)
    return values if len(values) == YEAR_HOURS * step else np.repeat(values, step)


def _year_months(
    fleets: Sequence[FleetDay],
    shape: Sequence[float] | None,
    before: ExistingLoad,
    year: int,
    step: int,
    levels: tuple[FloatArray, FloatArray],
) -> tuple[MonthSlots, ...]:
    days = [dt.date(year, 1, 1) + dt.timedelta(days=index) for index in range(366)]
    days = [day for day in days if day.year == year and (day.month, day.day) != (2, 29)]
    each = DAY_HOURS * step
    month = np.repeat(np.array([day.month for day in days]), each)
    of_month = np.repeat(np.array([day.day for day in days]), each)
    kind = np.repeat(np.array([int(day.weekday() >= 5) for day in days]), each)
    hour = np.tile(np.repeat(np.arange(DAY_HOURS), step), len(days))
    level = levels[0][month - 1][:, None]
    it = _columns(fleets, peaks=False)[hour] * level
    it_peak = _columns(fleets, peaks=True)[hour] * level
    if shape is not None:
        form = _stretched(shape, step) / np.mean(shape)
        it = form[:, None] * np.array([fleet.average_kw for fleet in fleets])
        # hourly means hold no peak either: theirs stands as far above them as the model's does
        crest = [1.0 if len(shape) > YEAR_HOURS else fleet.crest_ratio for fleet in fleets]
        it_peak = it * np.array(crest)
    if before.year_kw is not None:
        there = there_peak = _stretched(before.year_kw, step)
    else:
        there, there_peak = np.zeros(len(hour)), np.zeros(len(hour))
        for index in range(MONTHS_PER_YEAR):
            at = month == index + 1
            there[at], there_peak[at] = _there(before, hour[at], index, levels[1][index])
    return tuple(
        MonthSlots(
            hour=hour[rows],
            kind=kind[rows],
            day=of_month[rows],
            weight=np.full(int(rows.sum()), 1.0 / int(rows.sum())),
            it_kw=it[rows],
            it_peak_kw=it_peak[rows],
            there_kw=there[rows],
            there_peak_kw=there_peak[rows],
        )
        for rows in (month == number for number in range(1, MONTHS_PER_YEAR + 1))
    )

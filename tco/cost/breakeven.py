"""Breakeven in hours, months, years, daily use and cumulative cost (F20.1 to F20.3, F20.5)."""

from __future__ import annotations

import math

import numpy as np

from tco.cost.finance import FloatArray
from tco.cost.ledger import Book
from tco.cost.wording import number_text
from tco.results import Crossing
from tco.units import DAYS_PER_YEAR


def breakeven_hours(
    capex_usd: float, own_usd_per_hour: float, cloud_usd_per_hour: float
) -> float | None:
    """Hours of use after which buying has paid, capex / (cloud - own running rate) (F20.1).

    None ("never") when running one's own costs as much as renting or more.

    Examples
    --------
    >>> round(breakeven_hours(833_806, 0.87, 98.32), 1)
    8556.2
    >>> breakeven_hours(833_806, 99.0, 98.32) is None
    True
    """
    saving = cloud_usd_per_hour - own_usd_per_hour
    return capex_usd / saving if saving > 0 else None


def breakeven_months(hours: float, hours_per_month: float = 730.0) -> float:
    """Months of hours used day and night (F20.1); the mode of the hours is stated by the caller.

    Examples
    --------
    >>> round(breakeven_months(8556.2, 720), 2), round(breakeven_months(8556.2, 730), 2)
    (11.88, 11.72)
    """
    return hours / hours_per_month


def breakeven_years(
    hours: float, use_hours_per_day: float, days_per_year: float = DAYS_PER_YEAR
) -> float | None:
    """Calendar years to use so many hours (F20.2); None when it is never used.

    Examples
    --------
    >>> [round(breakeven_years(8556, use), 2) for use in (4, 24)]
    [5.86, 0.98]
    """
    if use_hours_per_day <= 0:
        return None
    return hours / (use_hours_per_day * days_per_year)


def breakeven_utilisation(
    fixed_usd_per_hour: float, cloud_usd_per_hour: float, variable_usd_per_hour: float
) -> float | None:
    """Share of the hours at which owning and renting cost the same (F20.3).

    U* = c_fixed / (c_cloud - c_var); above 1 renting wins at any use. None when an hour of
    one's own power costs as much as renting: owning never wins.

    Examples
    --------
    >>> breakeven_utilisation(30.0, 98.0, 23.0)
    0.4
    """
    saving = cloud_usd_per_hour - variable_usd_per_hour
    return fixed_usd_per_hour / saving if saving > 0 else None


def crossing_months(a: Book, b: Book) -> list[tuple[float, bool]]:
    """Every month at which the discounted cumulative costs change places (F20.5).

    Returns
    -------
    list
        (months from the valuation date, True when `a` is the cheaper from then on). Capex falls
        at the start of its month; within a month costs are taken to accrue evenly.
    """
    times, gap = _gap(a, b)
    scale = float(np.max(np.abs(gap))) if gap.size else 0.0
    crossings: list[tuple[float, bool]] = []
    sign, last = 0.0, 0
    for index, value in enumerate(gap.tolist()):
        if abs(value) <= 1e-12 * scale:
            continue
        now = math.copysign(1.0, value)
        if sign and now != sign:
            before, span = gap[last], gap[index] - gap[last]
            at = times[last] + (times[index] - times[last]) * float(-before / span)
            crossings.append((float(at), now < 0))
        sign, last = now, index
    return crossings


def cumulative_crossings(
    a: Book, b: Book, keys: tuple[str, str], names: tuple[str, str]
) -> list[Crossing]:
    """Crossings of two options' cumulative cost, or one that says there is none (F20.5)."""
    found = crossing_months(a, b)
    if not found:
        _, gap = _gap(a, b)
        last = float(gap[-1]) if gap.size else 0.0
        if last == 0.0:
            sentence = f"{names[0]} and {names[1]} cost the same in every month."
        else:
            less, more = names if last < 0 else names[::-1]
            sentence = f"{less} has cost less than {more} at every moment of the horizon."
        return [Crossing(keys, "cumulative_cost_month", None, "month", sentence)]
    crossings = []
    for month, a_wins in found:
        less, more = names if a_wins else names[::-1]
        crossings.append(
            Crossing(
                keys,
                "cumulative_cost_month",
                month,
                "month",
                f"After {number_text(month)} months {less} has cost less than {more}.",
            )
        )
    return crossings


def _gap(a: Book, b: Book) -> tuple[FloatArray, FloatArray]:
    """Moments and the cumulative cost of `a` less that of `b`, month starts and ends in turn."""
    size = min(a.flow_usd.size, b.flow_usd.size)
    times = np.empty(size)
    times[0::2] = np.arange(size // 2)
    times[1::2] = np.arange(1, size // 2 + 1)
    return times, np.cumsum(a.flow_usd[:size] - b.flow_usd[:size])

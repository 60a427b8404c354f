"""Kilowatt-hours by period and billed kilowatts of a site, month by month (F4.1, F4.3).

What does not depend on draws is summed over the hours once; draws then multiply sums, not hours.
A column has shape (months,), or (draws, months).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tco.power.part_load import Losses
from tco.tariff.load_year import FloatArray, MonthSlots
from tco.tariff.windows import Mask
from tco.units import MONTHS_PER_YEAR


@dataclass(frozen=True, slots=True, eq=False)
class SiteLoad:
    """The load of a site over the months of a ledger.

    Parameters
    ----------
    year
        Slots of each calendar month, kW at one server share.
    month_of
        Calendar month 0..11 of each month of the ledger.
    hours
        Hours of each month (F0.2).
    shares
        Servers of each fleet over those of the first year, by month.
    losses
        From IT to facility kW.
    existing
        Whether something stood behind the meter before: then every part is an increment (F4.6).
    generation_kw
        Own generation by hour of the day. It lowers what is drawn, not the peak: one cloud at the
        wrong quarter-hour leaves the peak as it is.
    """

    year: tuple[MonthSlots, ...]
    month_of: NDArray[np.intp]
    hours: FloatArray
    shares: tuple[FloatArray, ...]
    losses: Losses
    existing: bool = False
    generation_kw: tuple[float, ...] | None = None

    @property
    def running(self) -> FloatArray:
        """1 in months with servers, else 0."""
        on = np.zeros(len(self.month_of))
        for share in self.shares:
            on = np.maximum(on, share > 0)
        return on

    @property
    def served(self) -> FloatArray:
        """1 from the first month on in which the meter is needed."""
        if self.existing:
            return np.ones(len(self.month_of))
        return np.maximum.accumulate(self.running, axis=-1)

    @property
    def fleet_it_kwh(self) -> tuple[FloatArray, ...]:
        """IT energy of each fleet by month."""
        mean_kw = np.array([slots.weight @ slots.it_kw for slots in self.year])
        return tuple(
            np.asarray(share * mean_kw[self.month_of, f] * self.hours)
            for f, share in enumerate(self.shares)
        )

    @property
    def fleet_fraction(self) -> tuple[FloatArray, ...]:
        """Each fleet's share of the IT energy by month; without any, equal shares."""
        each = self.fleet_it_kwh
        total = np.asarray(sum(each))
        none = total <= 0
        safe = np.where(none, 1.0, total)
        return tuple(np.where(none, 1.0 / len(each), one / safe) for one in each)


@dataclass(frozen=True, slots=True, eq=False)
class Energy:
    """kWh by period, with the new load and without it; each has a first axis of periods."""

    with_kwh: list[FloatArray]
    without_kwh: list[FloatArray]
    exported_with_kwh: FloatArray
    exported_without_kwh: FloatArray

    @property
    def added_kwh(self) -> FloatArray:
        """What the new load adds to the meter in a month."""
        added: FloatArray = np.asarray(sum(self.with_kwh)) - np.asarray(sum(self.without_kwh))
        return added


def energy_by_period(load: SiteLoad, period: NDArray[np.intp], count: int) -> Energy:
    """Energy of each period in each month (F4.1, F4.2).

    Parameters
    ----------
    period
        Index of the period of each hour, shape (12, 2, 24).
    count
        How many periods there are.
    """
    if load.generation_kw is not None:
        return _with_generation(load, period, count)
    sums = [
        _Moments.of(slots, period[month, slots.kind, slots.hour], count)
        for month, slots in enumerate(load.year)
    ]
    at = load.month_of
    weight = np.array([x.weight for x in sums])[at]  # (months, periods)
    first = np.array([x.first for x in sums])[at]
    second = np.array([x.second for x in sums])[at]
    there = np.array([x.there_kw for x in sums])[at]
    losses, shares = load.losses, load.shares
    fixed = losses.fixed_kw * load.running
    squares = []
    if np.any(losses.square_per_kw):
        squares = [
            (f, g, (1.0 if f == g else 2.0) * share * shares[g])
            for f, share in enumerate(shares)
            for g in range(f, len(shares))
        ]
    with_kwh, without_kwh = [], []
    for p in range(count):
        linear: Any = 0.0
        for f, share in enumerate(shares):
            linear = linear + share * first[:, p, f]
        new = fixed * weight[:, p] + losses.linear_ratio * linear
        square: Any = 0.0
        for f, g, both in squares:
            square = square + both * second[:, p, f, g]
        if squares:
            new = new + losses.square_per_kw * square
        without_kwh.append(there[:, p] * load.hours)
        with_kwh.append((new + there[:, p]) * load.hours)
    nothing = np.zeros(len(at))
    return Energy(with_kwh, without_kwh, nothing, nothing)


@dataclass(frozen=True, slots=True, eq=False)
class _Moments:
    """Sums over the slots of one month, weighted by their share of its hours."""

    weight: FloatArray  # (periods,)
    first: FloatArray  # (periods, fleets)
    second: FloatArray  # (periods, fleets, fleets)
    there_kw: FloatArray  # (periods,)

    @classmethod
    def of(cls, slots: MonthSlots, period: NDArray[np.intp], count: int) -> _Moments:
        held = (period[:, None] == np.arange(count)) * slots.weight[:, None]
        return cls(
            held.sum(axis=0),
            held.T @ slots.it_kw,
            np.einsum("np,nf,ng->pfg", held, slots.it_kw, slots.it_kw, optimize=True),
            held.T @ slots.there_kw,
        )


def _slot_kw(
    load: SiteLoad, month: int, it_kw: FloatArray, on: FloatArray
) -> tuple[NDArray[np.intp], Any]:
    """Months of the ledger in a calendar month, and facility kW of the new load in its slots."""
    at = np.flatnonzero(load.month_of == month)
    it: Any = 0.0
    for f, share in enumerate(load.shares):
        it = it + share[..., at, None] * it_kw[:, f]
    running = on[..., at, None]
    losses = load.losses
    fixed, linear, square = (
        np.asarray(part)[..., None]
        for part in (losses.fixed_kw, losses.linear_ratio, losses.square_per_kw)
    )
    return at, fixed * running + (linear + square * it) * it


def _with_generation(load: SiteLoad, period: NDArray[np.intp], count: int) -> Energy:
    """As `energy_by_period`, slot by slot: what is drawn cannot fall below nothing."""
    own, running, ever = np.array(load.generation_kw), load.running, load.served
    months = len(load.month_of)
    parts: list[list[tuple[NDArray[np.intp], Any]]] = [[] for _ in range(2 * count + 2)]
    for month, slots in enumerate(load.year):
        at, new_kw = _slot_kw(load, month, slots.it_kw, running)
        chosen = period[month, slots.kind, slots.hour][:, None] == np.arange(count)
        held = chosen * slots.weight[:, None]
        hours = load.hours[at]
        served = ever[..., at]
        metered = (new_kw + slots.there_kw, served), (slots.there_kw, float(load.existing))
        for offset, (kw, on) in enumerate(metered):
            net = kw - own[slots.hour]
            drawn = np.maximum(net, 0.0) @ held
            sent = np.maximum(-net, 0.0) @ slots.weight * on
            for p in range(count):
                parts[2 * p + offset].append((at, drawn[..., p] * hours))
            parts[2 * count + offset].append((at, sent * hours))
    columns = [_joined(part, months) for part in parts]
    return Energy(columns[0 : 2 * count : 2], columns[1 : 2 * count : 2], columns[-2], columns[-1])


def _joined(parts: list[tuple[NDArray[np.intp], Any]], months: int) -> FloatArray:
    """One column out of those of the calendar months."""
    rows = np.broadcast_shapes(*(np.shape(values)[:-1] for _, values in parts))
    column = np.zeros((*rows, months))
    for at, values in parts:
        column[..., at] = values
    return column


def peak_kw(load: SiteLoad, window: Mask) -> tuple[FloatArray, FloatArray]:
    """Highest quarter-hour within a window (F4.3).

    With the new load by month of the ledger, without it by calendar month; 0 in months that the
    window leaves out.
    """
    with_parts, without, running = [], np.zeros(MONTHS_PER_YEAR), load.running
    for month, slots in enumerate(load.year):
        inside = window[month, slots.kind, slots.hour]
        at = np.flatnonzero(load.month_of == month)
        if not inside.any():
            with_parts.append((at, np.zeros(len(at))))
            continue
        it, there = _highest(slots.it_peak_kw[inside], slots.there_peak_kw[inside])
        at, new_kw = _slot_kw(load, month, it, running)
        with_parts.append((at, (new_kw + there).max(axis=-1)))
        without[month] = there.max()
    return _joined(with_parts, len(load.month_of)), without


def _highest(it_kw: FloatArray, there_kw: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Slots that can be the highest at some share: no other has as much of everything."""
    rows, inverse = np.unique(it_kw, axis=0, return_inverse=True)
    there = np.full(len(rows), -np.inf)
    np.maximum.at(there, inverse.reshape(-1), there_kw)
    if rows.shape[1] != 1 and np.linalg.matrix_rank(rows) > 1:
        return rows, there
    order = np.argsort(-rows.sum(axis=1), kind="stable")
    best = np.maximum.accumulate(there[order])
    kept = order[np.r_[True, best[1:] > best[:-1]]]
    return rows[kept], there[kept]


def coincident_kw(
    load: SiteLoad, hour: int, day: int | None, month: int | None
) -> tuple[FloatArray, FloatArray]:
    """Mean kW of a named hour: by month of the ledger, and without the new load by calendar month.

    Parameters
    ----------
    hour, day
        Hour of the day, and day of the month where the load has days; without one, the highest
        weekday. A typical day is its own day.
    month
        1..12: the kW of that month stand until it comes again; 0 before it has come, or what
        stood there a year before.
    """
    with_parts, without, running = [], np.zeros(MONTHS_PER_YEAR), load.running
    for index, slots in enumerate(load.year):
        inside = (slots.hour == hour) & (slots.kind == 0)
        if day is not None and slots.day.any():
            inside = (slots.hour == hour) & (slots.day == day)
        at, new_kw = _slot_kw(load, index, slots.it_kw[inside], running)
        # quarter-hours of one day are one hour: their mean
        each = slots.day[inside]
        groups = [np.flatnonzero(each == one) for one in np.unique(each)]
        total = new_kw + slots.there_kw[inside]
        with_parts.append((at, np.max([total[..., g].mean(axis=-1) for g in groups], axis=0)))
        without[index] = max(slots.there_kw[inside][g].mean() for g in groups)
    new = _joined(with_parts, len(load.month_of))
    if month is None:
        return new, without
    before = without[month - 1]
    stands = load.month_of == month - 1
    last = np.maximum.accumulate(np.where(stands, np.arange(len(stands)), -1))
    held = np.where(last >= 0, new[..., np.maximum(last, 0)], before)
    return held, np.full(MONTHS_PER_YEAR, before)


def lookback_kw(peak: FloatArray, months: int, before: FloatArray) -> FloatArray:
    """Highest peak of each month and the `months` - 1 before it (F4.3).

    Parameters
    ----------
    peak
        By month of the ledger.
    before
        Peaks of the `months` - 1 months before the ledger, the last one last.

    Examples
    --------
    >>> lookback_kw(np.array([5.0, 1.0, 1.0, 1.0]), 3, np.zeros(2)).tolist()
    [5.0, 5.0, 5.0, 1.0]
    """
    rows = np.broadcast_to(before, (*peak.shape[:-1], len(before)))
    line = np.concatenate([rows, peak], axis=-1)
    first = len(before)
    highest = peak
    for back in range(1, months):
        highest = np.maximum(highest, line[..., first - back : first - back + peak.shape[-1]])
    return highest

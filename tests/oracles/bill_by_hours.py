"""A bill counted hour by hour in plain Python: the oracle of the vectorised one (F4)."""

from __future__ import annotations

import datetime as dt
import random
from dataclasses import dataclass

from tco.inputs import (
    DemandCharge,
    EnergyPeriod,
    ExistingLoad,
    Figure,
    Tariff,
    Tier,
    Window,
    assumed,
)

YEAR = 2026


@dataclass
class Case:
    """One random site: numbers only, no arrays."""

    tariff: Tariff
    months: int
    first_month: int  # 1..12
    hours: float
    days: list[tuple[list[float], list[float]]]  # of each fleet: mean and peak kW by hour
    shares: list[list[float]]  # of each fleet, by month
    fixed_kw: float
    linear: float
    square: float
    existing: ExistingLoad | None
    shape: list[float] | None
    generation: list[float] | None
    seasons: list[float] | None = None


@dataclass
class Slot:
    """A stretch of time that the oracle counts."""

    month: int
    hour: int
    weekend: bool
    day: int
    share: float  # of the month
    mean_kw: list[float]
    peak_kw: list[float]
    there: float
    there_peak: float


def price(value: float, unit: str = "USD/kWh") -> Figure:
    """A price of the test."""
    return assumed(value, unit, "test")


def random_case(seed: int, series: str = "") -> Case:
    """A site drawn from a seed; `series` is ``hours`` or ``quarters`` for a year of load."""
    rng = random.Random(seed)
    months, fleets = rng.choice([5, 14, 30]), rng.choice([1, 1, 2])
    days = []
    for _ in range(fleets):
        mean = [rng.uniform(5, 60) for _ in range(24)]
        days.append((mean, [kw * rng.uniform(1.0, 1.4) for kw in mean]))
    shares = []
    for _ in range(fleets):
        level, path = 0.0, []
        for _ in range(months):
            level += rng.choice([0.0, 0.0, 0.5, 1.0])
            path.append(level)
        shares.append(path)
    existing = None
    kind = rng.choice(["none", "mean", "day", "year" if series else "none"])
    if kind == "mean":
        existing = ExistingLoad(average_kw=price(200, "kW"), peak_kw=price(260, "kW"))
    elif kind == "day":
        existing = ExistingLoad(
            typical_day_kw=tuple(rng.uniform(50, 300) for _ in range(24)),
            month_shape=tuple(rng.uniform(0.5, 2) for _ in range(12)),
            month_peaks_kw=tuple(rng.uniform(100, 700) for _ in range(12)),
        )
    elif kind == "year":
        existing = ExistingLoad(year_kw=tuple(rng.uniform(50, 300) for _ in range(8760)))
    count = {"": 0, "hours": 8760, "quarters": 35040}[series]
    return Case(
        tariff=random_tariff(rng),
        months=months,
        first_month=rng.randint(1, 12),
        hours=rng.choice([730.0, 720.0]),
        days=days,
        shares=shares,
        fixed_kw=rng.choice([0.0, 12.0]),
        linear=rng.uniform(1.0, 1.3),
        square=rng.choice([0.0, 0.001]),
        existing=existing,
        shape=[rng.uniform(0, 3) for _ in range(count)] if series else None,
        generation=[rng.uniform(0, 90) for _ in range(24)] if rng.random() < 0.3 else None,
        seasons=[rng.uniform(0.5, 2) for _ in range(12)] if rng.random() < 0.3 else None,
    )


def random_tariff(rng: random.Random) -> Tariff:
    """Periods that hold every hour once, tiers, charges with ratchets, and the rest."""
    summer = tuple(sorted(rng.sample(range(1, 13), rng.randint(1, 6))))
    winter = tuple(month for month in range(1, 13) if month not in summer)
    first, last = sorted(rng.sample(range(1, 24), 2))
    windows = [
        Window(summer, "weekday", first, last),
        Window(summer, "weekday", last, first),
        Window(summer, "weekend"),
        Window(winter),
    ]
    periods = []
    for index, window in enumerate(windows):
        limits = sorted(rng.uniform(1_000, 60_000) for _ in range(rng.randint(0, 2)))
        tiers = [Tier(price(rng.uniform(0.03, 0.3)), limit) for limit in limits]
        periods.append(
            EnergyPeriod(f"p{index}", window, (*tiers, Tier(price(rng.uniform(0.03, 0.3)))))
        )
    demand = [
        DemandCharge(
            f"d{index}",
            rng.choice([Window(), Window(summer, "weekday", first, last), Window(winter)]),
            price(rng.uniform(2, 20), "USD/kW-month"),
            price(rng.uniform(0.3, 1.0), "fraction") if rng.random() < 0.6 else None,
            rng.choice([1, 3, 12, 18]),
            price(rng.uniform(50, 400), "kW") if rng.random() < 0.4 else None,
        )
        for index in range(rng.randint(0, 2))
    ]
    if rng.random() < 0.5:
        demand.append(
            DemandCharge(
                "grid",
                Window(rng.choice([summer, tuple(range(1, 13))])),
                price(5.0, "USD/kW-month"),
                at_hour=rng.randint(0, 23),
                at_day=rng.choice([None, 15]),
                at_month=rng.choice([None, 7]),
            )
        )
    return Tariff(
        energy_usd_per_kwh=price(0.1),
        periods=tuple(periods),
        demand=tuple(demand),
        fixed_usd_per_month=price(250.0, "USD/month"),
        minimum_usd_per_month=price(rng.choice([0.0, 9_000.0, 60_000.0]), "USD/month"),
        levy_usd_per_kwh=price(0.011),
        tax_fraction=price(0.07, "fraction"),
        power_factor=price(0.85, "ratio"),
        power_factor_floor=price(rng.choice([0.8, 0.95]), "ratio"),
        export_usd_per_kwh=price(0.02),
    )


def holds(window: Window, month: int, weekend: bool, hour: int) -> bool:
    """Whether a window holds an hour."""
    if month not in window.months or window.days == ("weekday" if weekend else "weekend"):
        return False
    if window.from_hour < window.to_hour:
        return window.from_hour <= hour < window.to_hour
    return hour >= window.from_hour or hour < window.to_hour


def slots_of(case: Case) -> list[Slot]:
    """Every stretch of a year, with the kilowatts of each fleet at share 1."""
    old, found = case.existing or ExistingLoad(), []
    if case.shape is None and old.year_kw is None:
        for month in range(1, 13):
            for weekend in (False, True):
                for hour in range(24):
                    share = (2 if weekend else 5) / 7 / 24
                    season = _season(case.seasons, month)
                    means = [mean[hour] * season for mean, _ in case.days]
                    peaks = [peak[hour] * season for _, peak in case.days]
                    found.append(Slot(month, hour, weekend, 0, share, means, peaks, 0.0, 0.0))
    else:
        per_hour = 4 if case.shape is not None and len(case.shape) == 35040 else 1
        shape = case.shape
        level = sum(shape) / len(shape) if shape is not None else 1.0
        for index in range(8760 * per_hour):
            at = index // per_hour
            date = dt.date(YEAR, 1, 1) + dt.timedelta(days=at // 24)
            days_in = (
                dt.date(YEAR + date.month // 12, date.month % 12 + 1, 1)
                - dt.date(YEAR, date.month, 1)
            ).days
            means, peaks = [], []
            for mean, peak in case.days:
                kw = mean[at % 24] * _season(case.seasons, date.month)
                high = peak[at % 24] * _season(case.seasons, date.month)
                if shape is not None:
                    kw = sum(mean) / 24 * shape[index if per_hour == 4 else at] / level
                    high = kw * (1.0 if per_hour == 4 else max(peak) / max(mean))
                means.append(kw)
                peaks.append(high)
            slot = Slot(
                date.month,
                at % 24,
                date.weekday() >= 5,
                date.day,
                1 / (days_in * 24 * per_hour),
                means,
                peaks,
                0.0,
                0.0,
            )
            if old.year_kw is not None:
                slot.there = slot.there_peak = old.year_kw[at]
            found.append(slot)
    if old.year_kw is None:
        for slot in found:
            if old.typical_day_kw is not None and old.month_peaks_kw is not None:
                slot.there = old.typical_day_kw[slot.hour] * _season(old.month_shape, slot.month)
                slot.there_peak = max(slot.there, old.month_peaks_kw[slot.month - 1])
            elif old.average_kw is not None and old.peak_kw is not None:
                slot.there, slot.there_peak = old.average_kw.value, old.peak_kw.value
    return found


def _season(shape, month: int) -> float:
    return shape[month - 1] * 12 / sum(shape) if shape else 1.0


def bill_by_hours(case: Case) -> list[float]:
    """What the new load adds to the bill in each month, in USD."""
    slots = slots_of(case)
    new = _months(case, slots, with_new=True)
    old = _months(case, slots, with_new=False)
    return [a - b for a, b in zip(new, old, strict=True)]


def _months(case: Case, slots: list[Slot], *, with_new: bool) -> list[float]:
    """The whole bill of each month, with the new load or without it."""
    if not with_new and case.existing is None:
        return [0.0] * case.months
    tariff, totals = case.tariff, []
    peaks: list[list[float]] = [[] for _ in tariff.demand]
    past = [
        {
            month: _kw(case, charge, slots, month, [0.0] * len(case.days), 0.0)
            for month in range(1, 13)
        }
        for charge in tariff.demand
    ]
    ever = False
    for m in range(case.months):
        month = (case.first_month - 1 + m) % 12 + 1
        shares = [path[m] if with_new else 0.0 for path in case.shares]
        on = 1.0 if any(shares) else 0.0
        ever = ever or bool(on) or case.existing is not None
        kwh, sent = [0.0] * len(tariff.periods), 0.0
        for slot in slots:
            if slot.month != month:
                continue
            kw = _facility(case, slot.mean_kw, shares, on) + slot.there
            if case.generation is not None:
                kw -= case.generation[slot.hour]
            hours = slot.share * case.hours
            if kw < 0:
                sent -= kw * hours if ever else 0.0
                continue
            for p, period in enumerate(tariff.periods):
                if holds(period.window, month, slot.weekend, slot.hour):
                    kwh[p] += kw * hours
        usd = 0.0
        for p, period in enumerate(tariff.periods):
            left, below = kwh[p], 0.0
            for tier in period.tiers:
                top = tier.up_to_kwh_per_month
                part = left if top is None else min(left, top - below)
                usd += part * tier.usd_per_kwh.value
                left -= part
                below = top or below
        demand = 0.0
        for d, charge in enumerate(tariff.demand):
            kw = _kw(case, charge, slots, month, shares, on)
            if charge.at_month is not None and month in charge.window.months:
                seen = [
                    k
                    for k in range(m + 1)
                    if (case.first_month - 1 + k) % 12 + 1 == charge.at_month
                ]
                at = [path[seen[-1]] if with_new and seen else 0.0 for path in case.shares]
                kw = _kw(case, charge, slots, charge.at_month, at, 1.0 if any(at) else 0.0, True)
            peaks[d].append(kw)
            billed = kw if ever else 0.0
            applies = month in charge.window.months
            if charge.ratchet_fraction is not None and applies:
                for back in range(1, charge.lookback_months):
                    at_month = (case.first_month - 1 + m - back) % 12 + 1
                    before = peaks[d][m - back] if m >= back else past[d][at_month]
                    billed = max(billed, charge.ratchet_fraction.value * before)
            if charge.contract_kw is not None and applies and ever:
                billed = max(billed, charge.contract_kw.value)
            demand += billed * charge.usd_per_kw_month.value
        floor, factor = tariff.power_factor_floor.value, tariff.power_factor.value
        usd += demand * max(1.0, floor / factor)
        if ever:
            usd += tariff.fixed_usd_per_month.value
            usd = max(usd, tariff.minimum_usd_per_month.value)
        usd += sum(kwh) * tariff.levy_usd_per_kwh.value
        usd *= 1 + tariff.tax_fraction.value
        totals.append(usd - sent * tariff.export_usd_per_kwh.value)
    return totals


def _facility(case: Case, kw: list[float], shares: list[float], on: float) -> float:
    it = sum(share * each for share, each in zip(shares, kw, strict=True))
    return case.fixed_kw * on + case.linear * it + case.square * it * it


def _kw(
    case: Case,
    charge: DemandCharge,
    slots: list[Slot],
    month: int,
    shares: list[float],
    on: float,
    named: bool = False,
) -> float:
    """Metered kilowatts of a charge in one month."""
    if month not in charge.window.months and not named:
        return 0.0
    chosen = [slot for slot in slots if slot.month == month]
    if charge.at_hour is None:
        return max(
            (
                _facility(case, slot.peak_kw, shares, on) + slot.there_peak
                for slot in chosen
                if holds(charge.window, month, slot.weekend, slot.hour)
            ),
            default=0.0,
        )
    days: dict[int, list[float]] = {}
    for slot in chosen:
        dated = charge.at_day is not None and slot.day > 0
        right = slot.day == charge.at_day if dated else not slot.weekend
        if right and slot.hour == charge.at_hour:
            kw = _facility(case, slot.mean_kw, shares, on) + slot.there
            days.setdefault(slot.day, []).append(kw)
    return max(sum(each) / len(each) for each in days.values())

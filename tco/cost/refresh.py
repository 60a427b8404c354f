"""Keep or replace, at equal demand served: when, and what would change it (F15).

What a machine once cost is gone: its book value enters only through tax.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from tco.cost.finance import FloatArray, end_factors
from tco.errors import InputError


@dataclass(frozen=True, slots=True)
class Running:
    """What it costs to serve the demand of each month with one machine park."""

    energy_usd: tuple[float, ...]  # by month of the plan
    other_usd: tuple[float, ...]  # by month: support, staff, space


@dataclass(frozen=True, slots=True)
class Old:
    """The park that stands there."""

    running: Running
    resale_usd: tuple[float, ...]  # if sold at the start of month 0 ... M
    book_usd: tuple[float, ...]  # tax book value then


@dataclass(frozen=True, slots=True)
class New:
    """The park that would replace it."""

    running: Running
    price_usd: tuple[float, ...]  # if bought at the start of month 0 ... M-1
    resale_fraction: tuple[float, ...]  # of the price, at the age of 0 ... M months
    book_fraction: tuple[float, ...]  # of the price, at the age of 0 ... M months
    migration_usd: float = 0.0
    unlocked_usd: tuple[float, ...] = ()  # by month: worth of the power it frees (F15.3)


@dataclass(frozen=True, slots=True)
class Terms:
    """Discounting and tax; no tax is 0."""

    monthly_rate_fraction: float
    tax_rate_fraction: float = 0.0


@dataclass(frozen=True, slots=True)
class Plan:
    """Present cost of keeping (month None) or of replacing in a month, by what it is made of."""

    month: int | None
    parts_usd: tuple[tuple[str, float], ...]

    @property
    def total_usd(self) -> float:
        """Present cost."""
        return math.fsum(usd for _, usd in self.parts_usd)

    def part_usd(self, name: str) -> float:
        """One part; 0 where the plan has none."""
        return math.fsum(usd for part, usd in self.parts_usd if part == name)


_NEW_PARTS = ("new energy", "new running", "new price", "new resale", "new tax")
_ENERGY_PARTS = ("old energy", "new energy")


def plan(old: Old, new: New, terms: Terms, month: int | None) -> Plan:
    """Present cost of serving the demand, with the old park to `month` and the new one after it.

    None keeps the old park to the end. Running costs are paid at month ends, parks are sold and
    bought at month starts; with tax on, everything is after tax.

    Raises
    ------
    InputError
        Columns of different lengths, a month outside the plan, a rate of -100 % or less.
    """
    months = _checked(old, new, terms)
    if month is not None and not 0 <= month < months:
        raise InputError("month", f"{month} is not in the plan of {months} months", "0 to the last")
    until = months if month is None else month
    tau, rate = terms.tax_rate_fraction, terms.monthly_rate_fraction
    ends = end_factors(rate, months)
    keep = np.where(np.arange(months) < until, 1.0, 0.0)
    after = 1.0 - keep
    sold = (1.0 + rate) ** -until
    parts = [
        ("old energy", (1.0 - tau) * _value(old.running.energy_usd, ends, keep)),
        ("old running", (1.0 - tau) * _value(old.running.other_usd, ends, keep)),
        ("old resale", -old.resale_usd[until] * sold),
        ("old tax", -tau * _value(-np.diff(old.book_usd), ends, keep)),
        ("old disposal tax", tau * (old.resale_usd[until] - old.book_usd[until]) * sold),
    ]
    if month is not None:
        price, age = new.price_usd[month], months - month
        last = (1.0 + rate) ** -months
        book = np.zeros(months)
        book[month:] = -np.diff(np.array(new.book_fraction[: age + 1])) * price
        resale, left = new.resale_fraction[age] * price, new.book_fraction[age] * price
        shield = _value(book, ends, after)
        parts += [
            ("new energy", (1.0 - tau) * _value(new.running.energy_usd, ends, after)),
            ("new running", (1.0 - tau) * _value(new.running.other_usd, ends, after)),
            ("new price", price * (1.0 + rate) ** -month),
            ("new resale", -resale * last),
            ("new tax", -tau * shield + tau * (resale - left) * last),
            ("migration", (1.0 - tau) * new.migration_usd * (1.0 + rate) ** -month),
        ]
        if new.unlocked_usd:
            parts.append(("power unlocked", -(1.0 - tau) * _value(new.unlocked_usd, ends, after)))
    return Plan(month, tuple((name, float(usd)) for name, usd in parts))


def every_plan(old: Old, new: New, terms: Terms) -> tuple[Plan, ...]:
    """Keeping first, then replacing in each month."""
    months = _checked(old, new, terms)
    return tuple(plan(old, new, terms, month) for month in (None, *range(months)))


def best_plan(old: Old, new: New, terms: Terms) -> Plan:
    """The plan of least present cost; keeping, where replacing is no cheaper (F15.2)."""
    return min(every_plan(old, new, terms), key=lambda one: one.total_usd)


def switching_power_price_factor(old: Old, new: New, terms: Terms, month: int = 0) -> float | None:
    """Factor on the power price at which replacing in `month` costs what keeping costs (F15.2).

    None where both draw alike, or where no positive price makes them equal.
    """
    kept, changed = plan(old, new, terms, None), plan(old, new, terms, month)
    energy = [math.fsum(one.part_usd(name) for name in _ENERGY_PARTS) for one in (kept, changed)]
    rest = [one.total_usd - usd for one, usd in zip((kept, changed), energy, strict=True)]
    return _positive(rest[1] - rest[0], energy[0] - energy[1])


def switching_throughput_ratio(old: Old, new: New, terms: Terms, month: int = 0) -> float | None:
    """Throughput of a new machine over the assumed one at which replacing just pays (F15.2).

    At k times the throughput a kth of the machines is bought, powered and run.
    """
    kept, changed = plan(old, new, terms, None), plan(old, new, terms, month)
    scaled = math.fsum(changed.part_usd(name) for name in _NEW_PARTS)
    return _positive(scaled, kept.total_usd - (changed.total_usd - scaled))


def switching_resale_usd(old: Old, new: New, terms: Terms, month: int = 0) -> float | None:
    """Price for the old park in `month` at which replacing then just pays (F15.2)."""
    kept, changed = plan(old, new, terms, None), plan(old, new, terms, month)
    worth = (1.0 - terms.tax_rate_fraction) * (1.0 + terms.monthly_rate_fraction) ** -month
    value = old.resale_usd[month] + (changed.total_usd - kept.total_usd) / worth
    return value if value >= 0.0 else None


def with_power_price(running: Running, factor: float) -> Running:
    """The same at another power price."""
    return replace(running, energy_usd=tuple(factor * usd for usd in running.energy_usd))


def _positive(above: float, below: float) -> float | None:
    """The quotient, where there is a positive one."""
    if below == 0.0 or above / below <= 0.0:
        return None
    return above / below


def _value(flows: Sequence[float] | FloatArray, factors: FloatArray, taken: FloatArray) -> float:
    return math.fsum((np.asarray(flows) * factors * taken).tolist())


def _checked(old: Old, new: New, terms: Terms) -> int:
    """Months of the plan, once every column has them."""
    months = len(old.running.energy_usd)
    columns: list[tuple[str, Sequence[float], int]] = [
        ("old.running.other_usd", old.running.other_usd, months),
        ("old.resale_usd", old.resale_usd, months + 1),
        ("old.book_usd", old.book_usd, months + 1),
        ("new.running.energy_usd", new.running.energy_usd, months),
        ("new.running.other_usd", new.running.other_usd, months),
        ("new.price_usd", new.price_usd, months),
        ("new.resale_fraction", new.resale_fraction, months + 1),
        ("new.book_fraction", new.book_fraction, months + 1),
    ]
    if new.unlocked_usd:
        columns.append(("new.unlocked_usd", new.unlocked_usd, months))
    for name, column, length in columns:
        if len(column) != length:
            raise InputError(
                name, f"has {len(column)} values", f"give {length}, for a plan of {months} months"
            )
    if not terms.monthly_rate_fraction > -1.0:
        raise InputError(
            "monthly_rate_fraction", f"{terms.monthly_rate_fraction} is not above -1", "enter 0.01"
        )
    if not 0.0 <= terms.tax_rate_fraction < 1.0:
        raise InputError(
            "tax_rate_fraction", f"{terms.tax_rate_fraction} is not in 0 to below 1", "enter 0.21"
        )
    return months

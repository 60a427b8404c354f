"""Keep or replace from two options of a scenario: what stands there, and what could come (F15).

Both options serve the demand of the same scenario, so the comparison is at equal demand. What the
old option would cost to buy is left out: it is bought. What the new one buys is paid in the month
of the replacement, at the price of that month; the hall and its racks stay.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tco.cost.case import life_months
from tco.cost.finance import FloatArray
from tco.cost.ledger import OptionCase
from tco.cost.placed import CAPITALISED, DEBT
from tco.cost.refresh import New, Old, Running, Terms
from tco.errors import InputError
from tco.results import Ledger, LedgerLine
from tco.units import MONTHS_PER_YEAR

_ENERGY = "energy"  # category of the lines that follow the power price
_MIGRATION = "migration"  # begins the keys of porting lines
_STAYS = frozenset({"racks", "facility_build", "facility_stranded", "colocation_install"})
_APART = frozenset({"residual", "tax", "finance", "retirement"})
_DEFAULT_BOOK_MONTHS = 60  # only without tax, where the book value counts for nothing


@dataclass(frozen=True, slots=True)
class Standing:
    """What is known of the park that stands there, and no option says."""

    resale_now_usd: float = 0.0
    resale_end_usd: float = 0.0
    book_usd: float = 0.0
    book_months: int = 0  # until it is written off for tax


def refresh_of(
    keep: tuple[OptionCase, Ledger], change: tuple[OptionCase, Ledger], standing: Standing
) -> tuple[Old, New, Terms]:
    """Old park, new park and terms for `tco.cost.refresh`.

    Raises
    ------
    InputError
        A price missing in either option, an option that rents, figures of the old park below 0.
    """
    for case, ledger in (keep, change):
        _check(case, ledger)
    months = keep[1].months
    _check_standing(standing)
    old = Old(
        running=_running(keep[1]),
        resale_usd=_fading(standing.resale_now_usd, standing.resale_end_usd, months),
        book_usd=_straight(standing.book_usd, standing.book_months, months),
    )
    tax = keep[0].calendar.finance.tax
    terms = Terms(
        keep[1].monthly_rate_fraction, tax.rate_fraction.value if tax is not None else 0.0
    )
    return old, _new(*change), terms


def _new(case: OptionCase, ledger: Ledger) -> New:
    months = ledger.months
    bought = [line for line in ledger.lines if line.key in CAPITALISED - _STAYS]
    price = sum(line.total_usd for line in bought)
    machines = sum(line.total_usd for line in bought if line.key == "servers")
    fleet = case.fleets[0].fleet
    purchase = fleet.purchase
    rho = purchase.residual_fraction.value if purchase and purchase.residual_fraction else 0.0
    change = purchase.price_change_fraction_per_year if purchase else None
    age = np.arange(months + 1)
    worth = rho ** (age / life_months(fleet)) if rho > 0.0 else np.zeros(months + 1)
    path = (1.0 + (change.value if change else 0.0)) ** (np.arange(months) // MONTHS_PER_YEAR)
    tax = case.calendar.finance.tax
    book = tax.life_years * MONTHS_PER_YEAR if tax is not None else _DEFAULT_BOOK_MONTHS
    moved = sum(line.total_usd for line in ledger.lines if line.key.startswith(_MIGRATION))
    return New(
        running=_running(ledger),
        price_usd=tuple((price * path).tolist()),
        resale_fraction=tuple((worth * (machines / price if price else 0.0)).tolist()),
        book_fraction=_straight(1.0, book, months),
        migration_usd=moved,
    )


def _running(ledger: Ledger) -> Running:
    apart = CAPITALISED | DEBT
    lines = [
        line
        for line in ledger.lines
        if line.key not in apart
        and line.category not in _APART
        and not line.key.startswith(_MIGRATION)
    ]
    return Running(
        _sum([line for line in lines if line.category == _ENERGY], ledger.months),
        _sum([line for line in lines if line.category != _ENERGY], ledger.months),
    )


def _sum(lines: list[LedgerLine], months: int) -> tuple[float, ...]:
    total: FloatArray = np.zeros(months)
    for line in lines:
        total = total + np.asarray(line.start_usd) + np.asarray(line.end_usd)
    return tuple(total.tolist())


def _fading(now_usd: float, end_usd: float, months: int) -> tuple[float, ...]:
    """From one value to the other in equal steps, month by month."""
    return tuple(np.linspace(now_usd, end_usd, months + 1).tolist())


def _straight(value: float, life_months_left: int, months: int) -> tuple[float, ...]:
    left = 1.0 - np.arange(months + 1) / max(1, life_months_left)
    return tuple((value * np.maximum(0.0, left)).tolist())


def _check(case: OptionCase, ledger: Ledger) -> None:
    name = case.option.name
    if not case.owned:
        raise InputError(name, "rents", "name two options that own their servers")
    missing = [line for line in ledger.lines if line.missing]
    if missing:
        raise InputError(name, f"{missing[0].label}: {missing[0].missing}", "enter the price")
    kinds = [fleet.fleet.purchase.financing for fleet in case.fleets if fleet.fleet.purchase]
    if any(kind is not None and kind.kind not in ("cash", "loan") for kind in kinds):
        raise InputError(name, "leases its servers", "compare purchases; a lease simply ends")


def _check_standing(standing: Standing) -> None:
    for name, value in (
        ("resale now", standing.resale_now_usd),
        ("resale at the end", standing.resale_end_usd),
        ("book value", standing.book_usd),
        ("months of book life", float(standing.book_months)),
    ):
        if not 0.0 <= value < 1e15:
            raise InputError(name, f"{value:g} is not 0 or more", "enter USD, 0 if nothing")

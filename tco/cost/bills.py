"""Bills as they were paid, and the lines of the plan that each belongs to (F24)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from tco.errors import InputError, InputErrors
from tco.results import Ledger, LedgerLine
from tco.units import MONTHS_PER_YEAR, date_of

UNPLANNED = "unplanned"  # a bill under this name belongs to no line of the plan


@dataclass(frozen=True, slots=True)
class Bill:
    """One bill in its own currency.

    `month` counts from the valuation date. `line` is the key or label of a line, a category, or
    ``unplanned``. `rate` is the unit of account paid for one of the currency, where the bank's
    statement says it. With `quantity` and `planned_quantity` price and volume are told apart.
    """

    reference: str
    month: int
    line: str
    amount: Decimal
    currency: str
    fleet: str = ""
    quantity: Decimal | None = None
    planned_quantity: Decimal | None = None
    rate: Decimal | None = None


@dataclass(frozen=True, slots=True)
class Matched:
    """Lines that are billed together, and their bills; no lines: unplanned."""

    label: str
    category: str
    lines: tuple[LedgerLine, ...]
    bills: tuple[Bill, ...] = field(default=())


def month_index(month: str, valuation_date: str) -> int:
    """Ledger month of a calendar month, negative before the valuation date.

    Examples
    --------
    >>> month_index("2027-02", "2026-12-01")
    2
    """
    start = date_of(valuation_date)
    if start is None:
        raise InputError("valuation_date", f"{valuation_date!r} is not a date", "write 2026-12-01")
    year, number = month.split("-")
    return (int(year) - start.year) * MONTHS_PER_YEAR + int(number) - start.month


def match(ledger: Ledger, bills: Sequence[Bill]) -> tuple[Matched, ...]:
    """Put every line of a plan and every bill into one group; lines billed together share one.

    Raises
    ------
    InputErrors
        Every bill whose line the plan does not have, or whose month is outside the plan.
    """
    errors = [
        InputError(
            f"bill {bill.reference}",
            f"month {bill.month + 1} is outside the plan of {ledger.months} months",
            "check its month against the valuation date",
        )
        for bill in bills
        if not 0 <= bill.month < ledger.months
    ]
    sets: list[tuple[frozenset[int], Bill]] = []
    for bill in bills:
        found = _lines_of(ledger.lines, bill)
        if not found and bill.line.casefold() != UNPLANNED:
            names = ", ".join(sorted({line.key for line in ledger.lines}))
            errors.append(
                InputError(
                    f"bill {bill.reference}",
                    f"the plan has no line or category {bill.line!r}",
                    f"use one of {names}, a category, or {UNPLANNED}",
                )
            )
        sets.append((found, bill))
    if errors:
        raise InputErrors(tuple(errors))
    return _grouped(ledger, sets)


def _lines_of(lines: Sequence[LedgerLine], bill: Bill) -> frozenset[int]:
    """Places of the lines that a bill names by key, by label or by category, in that order."""
    wanted, fleet = bill.line.strip().casefold(), bill.fleet.strip().casefold()
    tests: tuple[Mapping[int, str], ...] = (
        {i: line.key for i, line in enumerate(lines)},
        {i: line.label for i, line in enumerate(lines)},
        {i: line.category for i, line in enumerate(lines)},
    )
    for names in tests:
        found = frozenset(
            i
            for i, name in names.items()
            if name.casefold() == wanted and (not fleet or lines[i].fleet.casefold() == fleet)
        )
        if found:
            return found
    return frozenset()


def _grouped(ledger: Ledger, sets: Sequence[tuple[frozenset[int], Bill]]) -> tuple[Matched, ...]:
    """Join what overlaps, so that no line is in two groups."""
    groups: list[tuple[set[int], list[Bill]]] = []
    unplanned: list[Bill] = []
    for places, bill in sets:
        if not places:
            unplanned.append(bill)
            continue
        joined: tuple[set[int], list[Bill]] = (set(places), [bill])
        apart = []
        for group in groups:
            if group[0] & joined[0]:
                joined = (group[0] | joined[0], [*group[1], *joined[1]])
            else:
                apart.append(group)
        groups = [*apart, joined]
    taken = set().union(*(places for places, _ in groups))
    groups += [({i}, []) for i in range(len(ledger.lines)) if i not in taken]
    found = [_matched(ledger, *group) for group in sorted(groups, key=lambda one: min(one[0]))]
    if unplanned:
        found.append(Matched("Not in the plan", UNPLANNED, (), tuple(unplanned)))
    return tuple(found)


def _matched(ledger: Ledger, places: set[int], bills: Sequence[Bill]) -> Matched:
    lines = tuple(ledger.lines[i] for i in sorted(places))
    labels = tuple(dict.fromkeys(line.label for line in lines))
    category = lines[0].category
    fleets = tuple(dict.fromkeys(line.fleet for line in lines if line.fleet))
    if len(labels) > 1:
        label = f"{category.capitalize()}: {', '.join(labels)}"
    else:
        label = labels[0] if len(fleets) != 1 else f"{labels[0]}, {fleets[0]}"
    return Matched(label, category, lines, tuple(bills))

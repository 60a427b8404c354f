"""Lines of a ledger by the currency of their prices, and rates that move (F0.6).

Prices are converted at the rate of month 0 before anything is computed. What a line owes to the
prices of one currency is found by doubling them: amounts are proportional to prices, so what is
added is their part. A later rate then moves that part and nothing else.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, TypeVar

import numpy as np

from tco.inputs import ExchangePath, Figure, Finance
from tco.results import Ledger, LedgerLine, Original

Case = TypeVar("Case")
Build = Callable[[Case], Ledger]


def moved(case: Case, finance: Finance, ledger: Ledger, build: Build[Case]) -> Ledger:
    """Return the ledger with each currency's part at the rate of its month, fx(m) / fx(0).

    A ledger whose rates stay as they are is returned itself.
    """
    for path in finance.exchange_rates:
        if not path.flat and (doubled := _doubled(case, path)) is not case:
            more = build(doubled)
            ratio = (
                np.array(path.account_per_unit[: ledger.months]) / path.account_per_unit[0] - 1.0
            )
            lines = [
                _shifted(line, base, other, ratio)
                for line, base, other in _matched(ledger, build(case), more)
            ]
            ledger = dataclasses.replace(ledger, lines=tuple(lines))
    return ledger


def with_originals(case: Case, finance: Finance, ledger: Ledger, build: Build[Case]) -> Ledger:
    """Return the ledger with the original amount, currency, rate and rate date of each line."""
    found: dict[int, list[Original]] = {}
    base: Ledger | None = None
    for path in finance.exchange_rates:
        if (doubled := _doubled(case, path)) is case:
            continue
        base = base or build(case)
        for index, (_, plain, other) in enumerate(_matched(ledger, base, build(doubled))):
            original = _original(plain, other, path)
            if original is not None:
                found.setdefault(index, []).append(original)
    if not found:
        return ledger
    lines = [
        dataclasses.replace(line, originals=tuple(found[index])) if index in found else line
        for index, line in enumerate(ledger.lines)
    ]
    return dataclasses.replace(ledger, lines=tuple(lines))


def _doubled(case: Case, path: ExchangePath) -> Case:
    doubled: Case = _scaled(case, path.currency, {})
    return doubled


def _matched(*ledgers: Ledger) -> list[tuple[LedgerLine, ...]]:
    names = [[(line.key, line.fleet, line.label) for line in ledger.lines] for ledger in ledgers]
    if any(other != names[0] for other in names):
        raise ArithmeticError("twice the prices of a currency gave other lines")
    return list(zip(*(ledger.lines for ledger in ledgers), strict=True))


def _shifted(line: LedgerLine, base: LedgerLine, other: LedgerLine, ratio: Any) -> LedgerLine:
    changed: dict[str, Any] = {}
    for side in ("start_usd", "end_usd"):
        part = np.asarray(getattr(other, side)) - np.asarray(getattr(base, side))
        if np.any(part):
            amounts = np.asarray(getattr(line, side)) + part * ratio
            changed[side] = tuple(amounts.tolist()) if amounts.ndim == 1 else amounts
    return dataclasses.replace(line, **changed) if changed else line


def _original(base: LedgerLine, other: LedgerLine, path: ExchangePath) -> Original | None:
    months = len(base.start_usd)
    part = (
        np.asarray(other.start_usd)
        - np.asarray(base.start_usd)
        + np.asarray(other.end_usd)
        - np.asarray(base.end_usd)
    )
    if not np.any(part):
        return None
    amounts = part / path.account_per_unit[0]
    return Original(
        path.currency,
        math.fsum(amounts.tolist()),
        math.fsum((amounts * np.array(path.account_per_unit[:months])).tolist()),
        path.account_per_unit[0],
        path.rate_date,
        path.rate_source,
        len(path.dates),
    )


def _scaled(value: Any, currency: str, known: dict[int, tuple[Any, Any]]) -> Any:
    """`value` with every price that was in `currency` doubled; itself where it holds none."""
    if isinstance(value, Figure):
        if value.foreign is None or value.foreign.currency != currency:
            return value
        return value.scaled(2.0)
    if id(value) in known:
        return known[id(value)][1]
    result = value
    if isinstance(value, tuple):
        items = tuple(_scaled(item, currency, known) for item in value)
        if any(new is not old for new, old in zip(items, value, strict=True)):
            result = items
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {}
        for name in _names(type(value)):
            old = getattr(value, name)
            new = _scaled(old, currency, known)
            if new is not old:
                changed[name] = new
        if changed:
            result = dataclasses.replace(value, **changed)
    known[id(value)] = value, result
    return result


@lru_cache(maxsize=128)
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))

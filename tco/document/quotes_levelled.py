"""Quotes out of tables to a ranking at equal scope: what command line, page and API ask (F24)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

from tco.cost.quotes import USUAL, Levelling, level
from tco.document.nearest import suggestion
from tco.document.quotes_csv import read_quotes, read_scope, scope_of
from tco.errors import InputError
from tco.inputs import BASE, CURRENCIES, ExchangeRate, path_of
from tco.units import date_of


@dataclasses.dataclass(frozen=True, slots=True)
class Ranking:
    """The levelled quotes, and usual items that stand on no bill of materials here."""

    levelling: Levelling
    not_asked: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """As JSON: money as text, to the cent."""
        found: dict[str, Any] = _plain(dataclasses.asdict(self.levelling))
        return found | {"not_asked": list(self.not_asked)}


def own_rate(text: str, day: str) -> ExchangeRate:
    """Return a rate written as ``EUR=1.08``, US dollars for one unit.

    Raises
    ------
    InputError
        An unknown currency, or no number above 0.
    """
    code, _, number = text.partition("=")
    try:
        value = float(number)
    except ValueError:
        value = 0.0
    if code not in CURRENCIES or not 1e-6 <= value <= 1e6:
        raise InputError("rate", f"{text!r} cannot be read", "write EUR=1.08")
    return ExchangeRate(code, value, day, "given with the quotes")


def ranked(
    tables: Sequence[tuple[str, str]],
    scope: str | None,
    *,
    currency: str,
    day: str,
    own_rates: Sequence[ExchangeRate],
    catalog_rates: Sequence[ExchangeRate],
) -> Ranking:
    """Return quotes levelled to one scope and ranked.

    Parameters
    ----------
    tables
        Name and text of each quote.
    scope
        Text of the bill of materials; None: the widest scope of the quotes.
    day
        Of the decision, for rates; empty: the newest ones.

    Raises
    ------
    InputError, InputErrors
        An unknown currency or day, a currency without a rate, every error of the tables.
    """
    if currency not in CURRENCIES:
        mend = suggestion(currency, CURRENCIES)
        raise InputError("currency", f"{currency!r} is not known", mend)
    if day and date_of(day) is None:
        raise InputError("on", f"{day!r} is not a date", "write 2026-12-01")
    held = {rate.currency for rate in own_rates}
    rates = (*own_rates, *(rate for rate in catalog_rates if rate.currency not in held))

    def rate_of(code: str) -> float:
        return path_of(code, currency, rates, day, 1).account_per_unit[0]

    try:
        rate_of(BASE)
    except KeyError:
        message = f"{currency} has no exchange rate"
        raise InputError("currency", message, f"give its rate, as {currency}=NUMBER") from None
    quotes = read_quotes(tables, rate_of)
    needed = read_scope(scope) if scope else scope_of(quotes)
    unasked = tuple(item for item in USUAL if item not in {one.item for one in needed})
    return Ranking(level(needed, quotes, currency), unasked)


def _plain(value: Any) -> Any:
    if isinstance(value, Decimal):
        return str(value)
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    return [_plain(item) for item in value] if isinstance(value, (list, tuple)) else value

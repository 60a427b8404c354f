"""Prices in other currencies: found in a document, converted by dated rates (F0.6)."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache
from typing import Any

from tco.document.nearest import suggestion
from tco.document.parse import path_to
from tco.document.rules import members
from tco.document.values import currencies_of, plain_number, shown, values
from tco.errors import InputError
from tco.fields import Field, section
from tco.inputs import BASE, ExchangePath, ExchangeRate, Figure, Foreign, path_of

Price = tuple[str, Field, Any]  # where, what it is, as written


def broken_currencies(document: Mapping[str, Any]) -> Iterator[InputError]:
    """Yield figures in two currencies at once, and two rates of one currency and day."""
    for path, _, value in money_figures(document):
        codes = sorted(currencies_of(value))
        if len(codes) > 1:
            message = f"is in {' and '.join(codes)} at once"
            yield InputError(path, message, "write value, low and high in one currency")
    seen: dict[tuple[str, str], str] = {}
    for path, rate in members(document.get("finance"), "exchange_rates", "finance"):
        day = (str(rate.get("currency")), str(rate.get("date")))
        if day in seen:
            message = f"{day[0]} has a rate from {day[1]} in {seen[day]} already"
            yield InputError(path_to(path, "date"), message, "keep one, or change the date")
        seen.setdefault(day, path)


def money_figures(document: Mapping[str, Any]) -> Iterator[Price]:
    """Yield every price of a document, whatever its shape: path, field, value as written."""
    yield from _walk("scenario", document, "")


def _walk(name: str, given: Any, path: str) -> Iterator[Price]:
    if not isinstance(given, Mapping):
        return
    for field in section(name).values():
        if field.name not in given:
            continue
        place = path_to(path, field.name)
        if field.kind == "one":
            yield from _walk(field.of, given[field.name], place)
        elif field.kind == "many":
            for inner, item in members(given, field.name, path):
                yield from _walk(field.of, item, inner)
        elif field.kind == "figure" and BASE in field.unit:
            yield place, field, given[field.name]


class Exchange:
    """Rates of one document, before those of the catalog, and what they convert."""

    def __init__(self, document: Mapping[str, Any], catalog: Sequence[ExchangeRate]) -> None:
        finance = document["finance"]
        own = tuple(
            ExchangeRate(**values("exchange_rate", item))
            for item in finance.get("exchange_rates", ())
        )
        held = {rate.currency for rate in own}
        self._rates = (*own, *(rate for rate in catalog if rate.currency not in held))
        self._document = document
        self._start = finance["valuation_date"]
        self._months = int(
            finance.get("horizon_months", section("finance")["horizon_months"].default)
        )
        self.reporting: str = finance.get("currency", BASE)
        self._paths: dict[str, ExchangePath] = {}
        self._used: dict[str, None] = {}

    def errors(self, taken: Sequence[tuple[str, Figure]] = ()) -> Iterator[InputError]:
        """Yield each price whose currency has no rate, and each beyond its field's limit.

        `taken` are prices from elsewhere than the document, with the place they are for.
        """
        known = {BASE, *(rate.currency for rate in self._rates)}
        if self.reporting not in known:
            yield self._no_rate("finance.currency", self.reporting, known)
        for path, figure in taken:
            if figure.foreign is not None and figure.foreign.currency not in known:
                yield self._no_rate(path, figure.foreign.currency, known)
        for path, field, value in money_figures(self._document):
            for code in sorted(currencies_of(value) - {BASE}):
                if code not in known:
                    yield self._no_rate(path, code, known)
                else:
                    yield from self._beyond(path, field, value, code)

    def _no_rate(self, path: str, code: str, known: set[str]) -> InputError:
        near = suggestion(code, known) if len(known) > 1 else ""
        mend = f"add a rate of {code} with its date and source to finance.exchange_rates"
        return InputError(path, f"{code} has no exchange rate", f"{mend}; {near}" if near else mend)

    def _beyond(self, path: str, field: Field, value: Any, code: str) -> Iterator[InputError]:
        found = values(field.section, {field.name: value}, defaults=False)[field.name]
        rate = self._path(code, BASE).account_per_unit[0]
        if field.maximum is not None and found.value * rate > field.maximum:
            most = plain_number(field.maximum)
            message = (
                f"{shown(value)} is {plain_number(round(found.value * rate, 2))} {field.unit},"
                f" above {most} {field.unit}"
            )
            yield InputError(path, message, f"enter {most} {field.unit} or less")

    def _path(self, code: str, into: str) -> ExchangePath:
        return path_of(code, into, self._rates, self._start, self._months)

    def paths(self) -> tuple[ExchangePath, ...]:
        """Return fx(m) of every currency that was converted, by code."""
        if self.reporting != BASE:  # bands of usual prices are drawn in dollars
            self._used[BASE] = None
            self._paths.setdefault(BASE, self._path(BASE, self.reporting))
        return tuple(self._paths[code] for code in sorted(self._used))

    def convert(self, value: Any) -> Any:
        """Return inputs with every price in the reporting currency, at the rate of month 0."""
        return _converted(value, self, {})

    def figure(self, figure: Figure) -> Figure:
        """Return one price in the reporting currency; its original stays with it."""
        code = figure.foreign.currency if figure.foreign else BASE
        if code == self.reporting:
            return dataclasses.replace(figure, foreign=None) if figure.foreign else figure
        path = self._paths.get(code) or self._path(code, self.reporting)
        self._paths[code] = path
        self._used[code] = None
        rate = path.account_per_unit[0]
        low, high = (None if x is None else x * rate for x in (figure.low, figure.high))
        return dataclasses.replace(
            figure,
            value=figure.value * rate,
            low=low,
            high=high,
            samples=tuple(sample * rate for sample in figure.samples),
            foreign=Foreign(code, figure.value, rate, path.rate_date, path.rate_source),
        )


def _converted(value: Any, exchange: Exchange, known: dict[int, tuple[Any, Any]]) -> Any:
    if isinstance(value, Figure):
        return exchange.figure(value) if BASE in value.unit else value
    if id(value) in known:
        return known[id(value)][1]
    result = value
    if isinstance(value, tuple):
        items = tuple(_converted(item, exchange, known) for item in value)
        if any(new is not old for new, old in zip(items, value, strict=True)):
            result = items
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {}
        for name in _names(type(value)):
            old = getattr(value, name)
            new = _converted(old, exchange, known)
            if new is not old:
                changed[name] = new
        if changed:
            result = dataclasses.replace(value, **changed)
    known[id(value)] = value, result  # the value too: its id is its own while it is held
    return result


@lru_cache(maxsize=128)
def _names(kind: type) -> tuple[str, ...]:
    return tuple(field.name for field in dataclasses.fields(kind))

"""What people and clients enter, checked against the kind and turned into a record."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hardware_catalog.seed.reader import slug
from hardware_catalog.seed.record import FigureRecord, PriceRecord, Record
from hardware_catalog.seed.specs import FigureSpec, KindSpec, PriceSpec, TextSpec
from hardware_catalog.seed.status import ASSUMED, ESTIMATED, PUBLISHED
from tco.errors import InputError, InputErrors

NO_SOURCE = "entered without a source"
ENTERED = "entered by a person"
BY_HAND = (PUBLISHED, ESTIMATED, ASSUMED)  # measured comes from trusted runs only
DATE = re.compile(r"\d{4}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")


@dataclass(frozen=True, slots=True)
class FigureInput:
    """A figure as entered."""

    value: float
    low: float | None = None
    high: float | None = None
    status: str = ""
    source: str = ""
    as_of: str = ""
    evidence: str = ENTERED


@dataclass(frozen=True, slots=True)
class PriceInput:
    """A price as entered."""

    series: str
    low: float | None = None
    mid: float | None = None
    high: float | None = None
    status: str = ""
    source: str = ""
    price_date: str = ""
    quote_reference: str = ""


@dataclass(frozen=True, slots=True)
class EntryInput:
    """An entry as entered. What is not named stays as it is; a figure of None is taken away."""

    name: str | None = None
    vendor: str | None = None
    attributes: Mapping[str, str] = field(default_factory=dict)
    figures: Mapping[str, FigureInput | None] = field(default_factory=dict)
    prices: Sequence[PriceInput] = ()
    release_date: str | None = None
    end_of_sale: str | None = None
    end_of_support: str | None = None


def number_error(
    path: str, value: float | None, label: str, unit: str, low: float, high: float
) -> InputError | None:
    """Return what is wrong with a number, or None."""
    if value is None:
        return None
    if not math.isfinite(value):
        return InputError(path, f"{label}: {value} is not a number", "enter a number")
    shown = f"{label}: {value:g} {unit}".strip()
    if value < low:
        return InputError(path, f"{shown} is below {low:g}", f"enter {low:g} or more")
    if value > high:
        return InputError(path, f"{shown} is above {high:g}", f"enter {high:g} or less")
    return None


def _order_errors(
    path: str, low: float | None, middle: float | None, high: float | None
) -> list[InputError]:
    given = [bound for bound in (low, middle, high) if bound is not None]
    if any(math.isnan(bound) for bound in given) or given == sorted(given):
        return []
    shown = ", ".join(f"{bound:g}" for bound in given)
    return [
        InputError(path, f"{shown} are not in order", "enter the low, middle and high in order")
    ]


def _pedigree(path: str, status: str, source: str) -> tuple[str, str, list[InputError]]:
    """Return (status, source, errors): without a source a figure is assumed."""
    source = source.strip()
    if status and status not in BY_HAND:
        word = f"the status {status} cannot be given by hand"
        return (
            status,
            source,
            [
                InputError(
                    f"{path}.status", word, f"choose {', '.join(BY_HAND[:-1])} or {BY_HAND[-1]}"
                )
            ],
        )
    if not source and status not in ("", ASSUMED):
        error = InputError(
            f"{path}.source", f"a {status} figure has no source", "name the source, or use assumed"
        )
        return status, source, [error]
    if source and not status:
        error = InputError(f"{path}.status", "a figure with a source needs a status", "choose one")
        return status, source, [error]
    return status or ASSUMED, source or NO_SOURCE, []


def _date_errors(path: str, text: str) -> list[InputError]:
    if not text or DATE.fullmatch(text):
        return []
    mend = "enter a year, a month or a day: 2026, 2026-05 or 2026-05-31"
    return [InputError(path, f"{text!r} is not a date", mend)]


def _figure(
    path: str, spec: FigureSpec, given: FigureInput, errors: list[InputError]
) -> FigureRecord:
    for value, end in ((given.value, ""), (given.low, ".low"), (given.high, ".high")):
        found = number_error(path + end, value, spec.label, spec.unit, spec.minimum, spec.maximum)
        if found:
            errors.append(found)
    if spec.whole and math.isfinite(given.value) and given.value != round(given.value):
        errors.append(
            InputError(path, f"{spec.label}: {given.value:g} is not whole", "enter a whole number")
        )
    errors += _order_errors(path, given.low, given.value, given.high)
    status, source, wrong = _pedigree(path, given.status, given.source)
    errors += wrong + _date_errors(f"{path}.as_of", given.as_of)
    return FigureRecord(
        name=spec.name,
        value=given.value,
        unit=spec.unit,
        status=status,
        source=source,
        as_of=given.as_of,
        low=given.low,
        high=given.high,
        evidence=given.evidence,
    )


def _stored(value: float | None) -> float | None:
    """Return a price as the database keeps it: eight decimal places."""
    return None if value is None else round(value, 8)


def price_record(
    spec: PriceSpec | None, given: PriceInput, path: str = "price"
) -> tuple[PriceRecord | None, list[InputError]]:
    """Return the price, or what is wrong with it."""
    if spec is None:
        return None, [
            InputError(f"{path}.series", f"there is no price {given.series!r}", "choose another")
        ]
    errors: list[InputError] = []
    bounds = {"low": given.low, "mid": given.mid, "high": given.high}
    for name, value in bounds.items():
        found = number_error(f"{path}.{name}", value, spec.label, spec.unit, 0.0, spec.maximum)
        if found:
            errors.append(found)
    if all(value is None for value in bounds.values()):
        errors.append(
            InputError(f"{path}.mid", "no price is given", "enter a middle, or a low and a high")
        )
    errors += _order_errors(f"{path}.mid", given.low, given.mid, given.high)
    status, source, wrong = _pedigree(path, given.status, given.source)
    errors += wrong + _date_errors(f"{path}.price_date", given.price_date)
    if errors:
        return None, errors
    return PriceRecord(
        series=given.series,
        unit=spec.unit,
        low=_stored(given.low),
        mid=_stored(given.mid),
        high=_stored(given.high),
        status=status,
        source=source,
        price_date=given.price_date,
        evidence=ENTERED,
        basis="quote" if given.quote_reference else "",
        quote_reference=given.quote_reference,
    ), []


def _text_errors(spec: TextSpec, value: str, device_keys: frozenset[str]) -> list[InputError]:
    path = f"attributes.{spec.name}"
    parts = [part.strip() for part in value.split(";") if part.strip()]
    if spec.required and not parts:
        return [InputError(path, f"{spec.label} is missing", "fill it in")]
    wrong = [part for part in (parts if spec.many else [value]) if part not in spec.choices]
    if spec.choices and value and wrong:
        return [
            InputError(
                path,
                f"{spec.label}: {wrong[0]!r} is unknown",
                f"choose of {', '.join(spec.choices)}",
            )
        ]
    if spec.name in ("device_keys", "device_key"):
        unknown = [part for part in parts if part not in device_keys]
        if unknown:
            mend = "use the catalog key of a device, as its page shows it"
            return [InputError(path, f"there is no device {unknown[0]!r}", mend)]
    return []


def entry_record(
    spec: KindSpec,
    given: EntryInput,
    *,
    base: Record | None,
    device_keys: frozenset[str],
    key: str = "",
) -> Record:
    """Return `base` with what is given, or a new record.

    A figure whose numbers do not change keeps its source and status.

    Raises
    ------
    InputErrors
        All faults at once, each with the path of its field.
    """
    errors: list[InputError] = []
    name = (given.name if given.name is not None else base.name if base else "").strip()
    vendor = (given.vendor if given.vendor is not None else base.vendor if base else "").strip()
    if not name:
        errors.append(InputError("name", "the name is missing", "fill it in"))
    if spec.vendor_required and not vendor:
        errors.append(InputError("vendor", f"{spec.vendor_label} is missing", "fill it in"))
    for path, text, most in (("name", name, 200), ("vendor", vendor, 100)):
        if len(text) > most:
            errors.append(InputError(path, f"{len(text)} characters", f"use {most} or fewer"))
    attributes = dict(base.attributes) if base else {}
    for one, value in given.attributes.items():
        if spec.text(one) is None:
            errors.append(InputError(f"attributes.{one}", "there is no such field", "leave it out"))
        elif value.strip():
            attributes[one] = value.strip()
        else:
            attributes.pop(one, None)
    for text_spec in spec.texts:
        # an old text that this change does not touch is nobody's fault now
        value = attributes.get(text_spec.name, "")
        if base is None or value != base.text(text_spec.name):
            errors += _text_errors(text_spec, value, device_keys)
    figures = dict(base.figures) if base else {}
    for one, entered in given.figures.items():
        figure_spec = spec.figure(one)
        if figure_spec is None:
            errors.append(InputError(f"figures.{one}", "there is no such figure", "leave it out"))
        elif entered is None:
            figures.pop(one, None)
        else:
            held = figures.get(one)
            if held is None or not _same(held, entered):
                figures[one] = _figure(f"figures.{one}", figure_spec, entered, errors)
    errors += [
        InputError(f"figures.{one.name}", f"{one.label} is missing", "fill it in")
        for one in spec.figures
        if one.required and one.name not in figures and (base is None or one.name in base.figures)
    ]
    prices = list(base.prices) if base else []
    for number, price in enumerate(given.prices):
        made, wrong = price_record(spec.price(price.series), price, f"prices[{number}]")
        errors += wrong
        if made:
            prices.append(made)
    dates = {}
    for date in ("release_date", "end_of_sale", "end_of_support"):
        entered_date = getattr(given, date)
        dates[date] = entered_date.strip() if entered_date is not None else getattr(base, date, "")
        if entered_date is not None:
            errors += _date_errors(date, dates[date])
    if errors:
        raise InputErrors(tuple(errors))
    return Record(
        kind=spec.kind,
        key=base.key if base else key or slug(vendor, name)[:200],
        name=name,
        vendor=vendor,
        attributes=attributes,
        figures=figures,
        prices=tuple(sorted(prices, key=lambda price: (price.series, price.price_date))),
        pending=base.pending if base else False,
        **dates,
    )


def _same(held: FigureRecord, entered: FigureInput) -> bool:
    """True if the numbers are those held and no new pedigree is given."""
    if held.value != entered.value or entered.source or entered.as_of:
        return False
    if entered.status not in ("", held.status):
        return False
    bounds = (entered.low, entered.high)
    return bounds in ((None, None), (held.low, held.high))

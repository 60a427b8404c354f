"""Cells of the list of a kind, for the page and for its CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from hardware_catalog.catalog.words import text_in_words
from hardware_catalog.seed.record import Record
from hardware_catalog.seed.specs import KindSpec


@dataclass(frozen=True, slots=True)
class Column:
    """A column: `unit` is empty for texts and where each row has its own."""

    name: str
    label: str
    unit: str
    numeric: bool
    fraction: bool = False
    own_units: bool = False  # each row has its own unit


@dataclass(frozen=True, slots=True)
class Cell:
    """A text, or a number with its range and status."""

    text: str = ""
    value: float | None = None
    low: float | None = None
    high: float | None = None
    unit: str = ""  # only where each row has its own; else it stands in the head
    status: str = ""
    verified: bool = True
    source: str = ""
    numeric: bool = False


def columns(spec: KindSpec) -> list[Column]:
    """Return the columns of the list of a kind."""
    found = []
    for name in spec.list_columns:
        text, figure, price = spec.text(name), spec.figure(name), spec.price(name)
        if text:
            found.append(Column(name, text.label, "", False))
        elif figure:
            fraction = figure.unit == "fraction"
            silent = ("count", "fraction", figure.label.lower())  # "Devices devices" says nothing
            unit = "" if figure.unit in silent else figure.unit
            own_units = not figure.unit
            found.append(Column(name, figure.label, unit, True, fraction, own_units))
        elif price:
            found.append(Column(name, price.label, price.unit, True))
    return found


def _unit_of(spec: KindSpec, name: str) -> str:
    figure = spec.figure(name)
    return figure.unit if figure else ""


def cell(spec: KindSpec, record: Record, name: str) -> Cell:
    """Return one cell; what is not known stays empty."""
    text = spec.text(name)
    if text:
        return Cell(text=text_in_words(text, record.text(name)))
    figure = record.figures.get(name)
    if figure:
        return Cell(
            value=figure.value,
            low=figure.low,
            high=figure.high,
            unit=figure.unit if not _unit_of(spec, name) else "",
            status=figure.status,
            verified=figure.verified,
            source=figure.source,
            numeric=True,
        )
    price = record.price(name) if spec.price(name) else None
    if price:
        return Cell(
            value=price.mid,
            low=price.low,
            high=price.high,
            status=price.status,
            verified=price.verified,
            source=price.source,
            numeric=True,
        )
    return Cell(numeric=True)


def cells(spec: KindSpec, record: Record) -> list[Cell]:
    """Return the cells of a row, in the order of `columns`."""
    return [cell(spec, record, column.name) for column in columns(spec)]


def safe_text(text: str) -> str:
    """Return a text that no spreadsheet takes for a formula.

    Examples
    --------
    >>> safe_text("=1+1")
    "'=1+1"
    >>> safe_text("H100")
    'H100'
    """
    return f"'{text}" if text[:1] in ("=", "+", "-", "@", "\t", "\r") else text


class _Line:
    def write(self, text: str) -> str:
        """Hand the line back instead of keeping it."""
        return text


def csv_lines(spec: KindSpec, records: Iterable[Record]) -> Iterator[str]:
    """Return the CSV of a list, line by line: each number with low, high, status and source."""
    writer = csv.writer(_Line())
    shown = columns(spec)
    head = ["key", "name", spec.vendor_label.lower()]
    for column in shown:
        label = f"{column.name} [{column.unit}]" if column.unit else column.name
        head.append(label)
        if column.own_units:
            head.append(f"{column.name} unit")
        if column.numeric:
            head += [f"{column.name} {word}" for word in _MORE]
    yield writer.writerow(head)
    for record in records:
        row = [safe_text(text) for text in (record.key, record.name, record.vendor)]
        for column, one in zip(shown, cells(spec, record), strict=True):
            row += _numbers(one, column) if column.numeric else [safe_text(one.text)]
        yield writer.writerow(row)


_MORE = ("low", "high", "status", "verified", "source")


def _numbers(one: Cell, column: Column) -> Sequence[str]:
    unit = [one.unit] if column.own_units else []
    if not one.status:
        return ["", *unit, *("" for _ in _MORE)]
    value, low, high = ("" if n is None else repr(n) for n in (one.value, one.low, one.high))
    verified = "yes" if one.verified else "no"
    return [value, *unit, low, high, one.status, verified, safe_text(one.source)]

"""Availability: layers, next steps and support contracts of each fleet, as the page has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from planner.charts.currency import currency_of
from planner.reports.book import Book

NAME = "Availability"
WIDTHS = (24, 26, 24, 18, 12, 16, 16, 18, 18, 18, 18, 14)
_HEAD = (
    *("Option", "Fleet", "Part", "Scheme or contract", "Installed", "Available"),
    *("Hours down a year", "Cost without downtime", "Downtime", "Extra"),
    *("Saved", "Pays"),
)
_TEXT = {0, 1, 2, 3, 11}
Row = tuple[str | float | None, ...]


def write_availability(book: Book, *, result: Mapping[str, Any]) -> None:
    """Write the sheet where a fleet gives its availability; none otherwise."""
    rows = list(_rows(result))
    if not rows:
        return
    sheet = book.sheet(NAME, WIDTHS)
    book.text(sheet, 0, 0, NAME, "title")
    book.text(
        sheet,
        1,
        0,
        f"Present values, {currency_of(result)}. A row is the whole fleet with one thing changed;"
        " extra and saved are against the row above, of contracts against the one bought (F16).",
    )
    for column, text in enumerate(_HEAD):
        book.text(sheet, 3, column, text, "head" if column in _TEXT else "head_num")
    for offset, row in enumerate(rows, start=4):
        for column, value in enumerate(row):
            if isinstance(value, str):
                book.text(sheet, offset, column, value)
            else:
                book.number(sheet, offset, column, value, "factor" if column == 5 else "number")
    sheet.freeze_panes(4, 2)
    book.protect(sheet)


def _rows(result: Mapping[str, Any]) -> Iterator[Row]:
    for option in result["options"]:
        for found in result.get("availability", {}).get(option["key"], []):
            place = (option["name"], found["name"])
            yield (
                *(*place, "service", "as it is", None, found["availability_fraction"]),
                *(found["downtime_hours_per_year"], None, found["downtime_usd"], None, None, ""),
            )
            for layer in found["layers"]:
                yield (
                    *(*place, f"{layer['name']}, alone", layer["scheme"], layer["installed"]),
                    *(layer["availability_fraction"], layer["downtime_hours_per_year"]),
                    *(None, None, None, None, ""),
                )
            for row in found["choices"]:
                yield (
                    *(*place, row["name"], _words(row), row["installed"]),
                    *(row["availability_fraction"], row["downtime_hours_per_year"]),
                    *(row["cost_usd"], row["downtime_usd"], row["extra_usd"], row["saving_usd"]),
                    "" if row["pays"] is None else "yes" if row["pays"] else "no",
                )
            for row in found["contracts"]:
                usd = row["cost_usd"], row["downtime_usd"]
                cost = None if None in usd else usd[0] - usd[1]
                yield (
                    *(*place, "support contract", _words(row | {"scheme": row["name"]}), None),
                    *(row["availability_fraction"], row["downtime_hours_per_year"]),
                    *(cost, row["downtime_usd"], None, row["saving_usd"], ""),
                )


def _words(row: Mapping[str, Any]) -> str:
    return str(row["scheme"]).replace("_", " ") + (" (as it is)" if row["chosen"] else "")

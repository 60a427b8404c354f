"""Legal zones of each option, and the premium over one pool, as the page has them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from planner.charts.currency import currency_of
from planner.reports.book import Book

NAME = "Zones"
WIDTHS = (26, 30, 10, 28, 12, 10, 12, 12, 10, 14, 14, 16, 20)
_HEAD = (
    *("Option", "Zone", "Law", "Site", "Demand", "Servers", "Spare copies", "Price of a kWh"),
    *("PUE", "gCO2e/kWh", "tCO2e a year", "Water, L a year", "Cost, present value"),
)
_TEXT = {0, 1, 2, 3}
_KEYS = (
    *("demand_fraction", "servers", "spare_replicas", "energy_usd_per_kwh", "pue"),
    *("grid_gco2_per_kwh", "tco2e_per_year", "water_litres_per_year", "cost_usd"),
)
Row = tuple[str | float | None, ...]


def write_zones(book: Book, *, result: Mapping[str, Any]) -> None:
    """Write the sheet where an option stands in zones; none otherwise."""
    rows = list(_rows(result))
    if not rows:
        return
    sheet = book.sheet(NAME, WIDTHS)
    book.text(sheet, 0, 0, NAME, "title")
    book.text(sheet, 1, 0, f"Amounts in {currency_of(result)}. Premium: zones less one pool (F17).")
    for column, text in enumerate(_HEAD):
        book.text(sheet, 3, column, text, "head" if column in _TEXT else "head_num")
    for offset, row in enumerate(rows, start=4):
        for column, value in enumerate(row):
            if isinstance(value, str):
                book.text(sheet, offset, column, value)
            else:
                book.number(sheet, offset, column, value)
    sheet.freeze_panes(4, 2)
    book.protect(sheet)


def _rows(result: Mapping[str, Any]) -> Iterator[Row]:
    for option in result["options"]:
        found = result.get("zones", {}).get(option["key"])
        if found is None:
            continue
        name = option["name"]
        for zone in found["zones"]:
            yield (name, zone["name"], zone["country"], zone["site"], *(zone[k] for k in _KEYS))
        pool = found["names"].get(found["pool_zone"], "")
        for label, servers, usd in (
            ("of no single zone", None, found["shared_usd"]),
            ("zones together", found["servers"], found["cost_usd"]),
            (f"one pool in {pool}", found["pool_servers"], found["pool_usd"]),
            ("premium of separation", found["premium_servers"], found["premium_usd"]),
        ):
            yield (name, label, "", "", None, servers, *(None,) * 6, usd)

"""Networks part by part, shared storage and cooling plants, as the page has them (F3, F7)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from planner.reports.book import Book

NAME = "Networks and cooling"
WIDTHS = (28, 28, 30, 34, 14, 12)
_HEAD = ("Option", "Fleet or site", "What", "Quantity", "Value", "Unit")
_TEXT = {0, 1, 2, 3, 5}
Row = tuple[str, str, str, str, float | None, str]
_STORE = (
    ("servers", "storage servers", "pieces"),
    ("needed_gb", "needed", "GB"),
    ("usable_gb", "usable", "GB"),
    ("read_gb_s", "reading", "GB/s"),
    ("write_gb_s", "writing", "GB/s"),
    ("checkpoint_s", "one checkpoint", "s"),
    ("load_s", "loading the weights of one copy", "s"),
    ("power_w", "power", "W"),
)
_COOLING = (
    ("it_provisioned_kw", "IT power to provision", "kW"),
    ("liquid_kw", "heat into liquid", "kW"),
    ("air_kw", "heat into air", "kW"),
    ("flow_litres_per_min", "flow", "L/min"),
    ("pue", "PUE of the year", "ratio"),
    ("peak_pue", "PUE in the hottest hour", "ratio"),
    ("itue", "ITUE", "ratio"),
    ("cdus", "coolant distribution units", "pieces"),
    ("cdu_lost_kw", "to shed with one of them lost", "kW"),
    ("chillers", "chillers", "pieces"),
    ("chiller_lost_kw", "to shed with one chiller lost", "kW"),
    ("minutes", "time for it", "min"),
)


def write_around(book: Book, *, result: Mapping[str, Any]) -> None:
    """Write the sheet where a fleet has networks or a store, or a site a plant; none otherwise."""
    rows = list(_rows(result))
    if not rows:
        return
    sheet = book.sheet(NAME, WIDTHS)
    book.text(sheet, 0, 0, NAME, "title")
    book.text(sheet, 1, 0, "Counted for the most servers of each fleet (F7, F3).")
    for column, text in enumerate(_HEAD):
        book.text(sheet, 3, column, text, "head" if column in _TEXT else "head_num")
    for offset, row in enumerate(rows, start=4):
        for column, value in enumerate(row):
            if isinstance(value, str):
                book.text(sheet, offset, column, value)
            else:
                book.number(sheet, offset, column, value, "number")
    sheet.freeze_panes(4, 2)
    book.protect(sheet)


def _rows(result: Mapping[str, Any]) -> Iterator[Row]:
    for option in result["options"]:
        key, name = option["key"], option["name"]
        for found in result.get("fabrics", {}).get(key, []):
            what = f"{found['role'].replace('_', '-')} network, {found['topology']}"
            place = (name, found["fleet"], what.replace("_", " "))
            for tier in found["tiers"]:
                yield (*place, f"switches, {tier['name']}", tier["switches"], "pieces")
            for links in found["links"]:
                yield (*place, f"{links['name']}, {links['medium']}", links["count"], "links")
                yield (*place, f"{links['name']}, modules", links["modules"], "pieces")
            yield (*place, "power", found["power_w"], "W")
            yield (*place, "rack units", found["rack_units"], "U")
            yield (*place, "rate of a device", found["device_gb_s"], "GB/s")
        for kind, rows, at, words in (
            ("stores", _STORE, "fleet", "shared storage"),
            ("cooling", _COOLING, "site", "cooling plant"),
        ):
            for found in result.get(kind, {}).get(key, []):
                for field, label, unit in rows:
                    yield (name, found[at], words, label, found[field], unit)

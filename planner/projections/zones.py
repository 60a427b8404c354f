"""Legal zones of the options as the projection page shows them (F17)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.charts.currency import currency_of

RULES = {"allowed": "allowed", "allowed_with_cost": "at a cost", "forbidden": "forbidden"}


@dataclass(frozen=True, slots=True)
class ZonesTable:
    """One option in zones."""

    option: str
    figure: dict[str, Any]
    pool_name: str
    names: tuple[str, ...]
    matrix: tuple[tuple[str, tuple[dict[str, Any], ...]], ...]  # from, then each to
    currency: str


def zones_tables(result: dict[str, Any]) -> list[ZonesTable]:
    """Return a table for each option in zones; results stored before there were any have none."""
    return [
        _table(option["name"], result["zones"][option["key"]], currency_of(result))
        for option in result["options"]
        if option["key"] in result.get("zones", {})
    ]


def _table(option: str, found: dict[str, Any], currency: str) -> ZonesTable:
    names = found["names"]
    rules = {(way["from_zone"], way["to_zone"]): way for way in found["ways"]}
    matrix = tuple(
        (
            names[a],
            tuple(
                {"word": "–", "used": False}
                if a == b
                else {"word": RULES[rules[a, b]["rule"]], "used": rules[a, b]["used"]}
                for b in names
            ),
        )
        for a in names
    )
    pool = names.get(found["pool_zone"], "")
    return ZonesTable(option, found, pool, tuple(names.values()), matrix, currency)

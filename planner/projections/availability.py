"""Availability of the fleets as the projection page shows it (F16)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.charts.currency import currency_of
from planner.projections.places import Places


@dataclass(frozen=True, slots=True)
class PartChoices:
    """The schemes of one part, in the order of their cost."""

    name: str
    rows: tuple[dict[str, Any], ...]


@dataclass(frozen=True, slots=True)
class AvailabilityTable:
    """One fleet."""

    fleet: str
    figure: dict[str, Any]
    parts: tuple[PartChoices, ...]
    sentence: str
    currency: str = "USD"


def availability_tables(result: dict[str, Any], places: Places) -> list[AvailabilityTable]:
    """Return a table for each fleet; results stored before there were any have none."""
    return [
        _table(places.fleet_label(option["key"], found["fleet"]), found, currency_of(result))
        for option in result["options"]
        for found in result.get("availability", {}).get(option["key"], [])
    ]


def _table(fleet: str, found: dict[str, Any], currency: str) -> AvailabilityTable:
    parts = []
    for part in dict.fromkeys(choice["part"] for choice in found["choices"]):
        rows = tuple(choice for choice in found["choices"] if choice["part"] == part)
        parts.append(PartChoices(rows[0]["name"], rows))
    return AvailabilityTable(fleet, found, tuple(parts), next_step_sentence(found), currency)


def next_step_sentence(found: dict[str, Any]) -> str:
    """Say which change saves most, or that none does.

    >>> row = {"name": "UPS", "scheme": "N", "chosen": True, "cost_usd": 1.0, "part": "u"}
    >>> row |= {"downtime_usd": 5.0}
    >>> more = row | {"scheme": "N+1", "chosen": False, "cost_usd": 2.0, "downtime_usd": 1.0}
    >>> next_step_sentence({"choices": [row, more], "reason": ""})
    'The change that saves most: UPS to N+1.'
    """
    if found["reason"]:
        return f"No step is weighed: {found['reason']}."
    now = {row["part"]: _total(row) for row in found["choices"] if row["chosen"]}
    best, most = None, 0.0
    for row in found["choices"]:
        total, before = _total(row), now.get(row["part"])
        if total is not None and before is not None and before - total > most:
            best, most = row, before - total
    if best is None:
        return "No single step saves more than it costs." if now else ""
    return f"The change that saves most: {best['name']} to {best['scheme'].replace('_', ' ')}."


def _total(row: dict[str, Any]) -> float | None:
    if row["cost_usd"] is None or row["downtime_usd"] is None:
        return None
    return float(row["cost_usd"] + row["downtime_usd"])

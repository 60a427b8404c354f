"""What a newer measurement changes: stored figures beside those of today."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.charts.kpis import KPI_ORDER


@dataclass(frozen=True, slots=True)
class FigureChange:
    """One input figure that is no longer the same; None: it was or is not used."""

    name: str
    unit: str
    old_value: float | None
    new_value: float | None
    old_source: str
    new_source: str
    old_status: str
    new_status: str


@dataclass(frozen=True, slots=True)
class KpiChange:
    """One KPI of one option, old and new."""

    option: str
    label: str
    unit: str
    old_value: float | None
    new_value: float | None

    @property
    def change_fraction(self) -> float | None:
        """Relative change, or None where it has no meaning."""
        if self.old_value is None or self.new_value is None or self.old_value == 0:
            return None
        return self.new_value / self.old_value - 1


@dataclass(frozen=True, slots=True)
class News:
    """Old and new, side by side."""

    figures: tuple[FigureChange, ...]
    kpis: tuple[KpiChange, ...]
    old_verdict: str
    new_verdict: str


def projection_news(old: dict[str, Any], new: dict[str, Any]) -> News | None:
    """Return what differs between two stored results, or None if their inputs are the same."""
    if old["provenance"]["input_hash"] == new["provenance"]["input_hash"]:
        return None
    return News(_figures(old, new), _kpis(old, new), old["verdict"], new["verdict"])


def _named(result: dict[str, Any]) -> dict[tuple[str, int], dict[str, Any]]:
    """Figures by name; one name may stand for several, told apart by their order."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    counts: dict[str, int] = {}
    for term in result["provenance"]["figures"]:
        number = counts.get(term["name"], 0)
        counts[term["name"]] = number + 1
        found[(term["name"], number)] = term
    return found


def _figures(old: dict[str, Any], new: dict[str, Any]) -> tuple[FigureChange, ...]:
    before, after = _named(old), _named(new)
    changes = []
    for place in dict.fromkeys([*after, *before]):
        name = place[0]
        one, two = before.get(place), after.get(place)
        if one == two:
            continue
        either = two or one or {}
        changes.append(
            FigureChange(
                name=name,
                unit=either["unit"],
                old_value=one["value"] if one else None,
                new_value=two["value"] if two else None,
                old_source=one["source"] if one else "",
                new_source=two["source"] if two else "",
                old_status=one["status"] if one else "",
                new_status=two["status"] if two else "",
            )
        )
    return tuple(changes)


def _kpis(old: dict[str, Any], new: dict[str, Any]) -> tuple[KpiChange, ...]:
    changes = []
    for option in new["options"]:
        before, after = old["kpis"].get(option["key"], {}), new["kpis"][option["key"]]
        for key in KPI_ORDER:
            one, two = before.get(key), after.get(key)
            if one is None or two is None or one["value"] == two["value"]:
                continue
            changes.append(
                KpiChange(option["name"], two["label"], two["unit"], one["value"], two["value"])
            )
    return tuple(changes)

"""Tables of a projection: ledger by year, memory, sizing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Any

from planner.charts.currency import currency_of, decimals_of
from planner.projections.charts_cost import MONTHS_PER_YEAR
from planner.projections.places import Places
from tco.results.rounding import LEFT, rounded


@dataclass(frozen=True, slots=True)
class LedgerRow:
    """One line by year."""

    label: str
    category: str
    fleet: str
    years_usd: tuple[float, ...]
    total_usd: float
    status: str
    formula: str
    missing: str
    originals: tuple[dict[str, Any], ...] = ()  # what was priced in other currencies


@dataclass(frozen=True, slots=True)
class AccountingRow:
    """Cash, cost or capital expenditure by fiscal year."""

    label: str
    part: bool  # of the row above it
    years_usd: tuple[float, ...]
    total_usd: float


@dataclass(frozen=True, slots=True)
class AccountingTable:
    """Cash and P&L of one option by fiscal year."""

    years: tuple[str, ...]
    rows: tuple[AccountingRow, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LedgerTable:
    """The ledger of one option by year, undiscounted."""

    option: str
    years: tuple[str, ...]
    rows: tuple[LedgerRow, ...]
    sums_usd: tuple[float, ...]
    total_usd: float
    complete: bool
    currency: str = "USD"
    accounting: AccountingTable | None = None  # None: stored before it was computed


def ledger_tables(result: dict[str, Any], places: Places) -> list[LedgerTable]:
    """Return one table for each option."""
    return [
        replace(
            _table(option, result["ledger"][option["key"]], places, decimals_of(result)),
            currency=currency_of(result),
            accounting=_accounting(result.get("views", {}).get(option["key"])),
        )
        for option in result["options"]
    ]


def _accounting(views: dict[str, Any] | None) -> AccountingTable | None:
    if not views:
        return None
    return AccountingTable(
        years=tuple(views["years"]),
        rows=tuple(
            AccountingRow(
                label=row["label"].removeprefix("of it ").capitalize()
                if row["kind"] == "part"
                else row["label"],
                part=row["kind"] == "part",
                years_usd=tuple(row["years_usd"]),
                total_usd=row["total_usd"],
            )
            for row in views["summary"]
        ),
        notes=tuple(views["notes"]),
    )


def _by_year(entry: dict[str, Any], months: int) -> tuple[float, ...]:
    years = -(-months // MONTHS_PER_YEAR)
    sums = [0.0] * years
    for month in range(months):
        sums[month // MONTHS_PER_YEAR] += entry["start_usd"][month] + entry["end_usd"][month]
    return tuple(sums)


def _table(
    option: dict[str, Any], ledger: dict[str, Any], places: Places, decimals: int
) -> LedgerTable:
    """The lines to the cent; what rounding leaves is a row of its own (F0.6)."""
    months = ledger["months"]
    count = -(-months // MONTHS_PER_YEAR)
    entries = ledger["lines"]
    found = rounded([_by_year(entry, months) for entry in entries], decimals)
    rows = []
    for entry, years in zip(entries, found.lines, strict=True):
        rows.append(
            LedgerRow(
                label=entry["label"],
                category=entry["category"],
                fleet=places.fleet_names.get((option["key"], entry["fleet"]), ""),
                years_usd=tuple(map(float, years)),
                total_usd=float(sum(years)),
                status=entry["status"],
                formula=entry["formula"],
                missing=entry["missing"],
                originals=tuple(entry.get("originals", ())),
            )
        )
    if any(found.left):
        left = tuple(map(float, found.left))
        rows.append(
            LedgerRow(LEFT, "rounding", "", left, float(sum(found.left)), "", "cents left over", "")
        )
    sums = [
        sum((line[year] for line in (*found.lines, found.left)), Decimal(0))
        for year in range(count)
    ]
    return LedgerTable(
        option=option["name"],
        years=tuple(f"Year {year + 1}" for year in range(count)),
        rows=tuple(rows),
        sums_usd=tuple(map(float, sums)),
        total_usd=float(found.total),
        complete=ledger["complete"],
    )


@dataclass(frozen=True, slots=True)
class MemoryTable:
    """What lies in the memory of one device of a fleet."""

    fleet: str
    lines: tuple[dict[str, Any], ...]
    used_gb: float
    capacity_gb: float | None


def memory_tables(result: dict[str, Any], places: Places) -> list[MemoryTable]:
    """Return one table for each fleet that has a memory plan."""
    return [
        MemoryTable(
            fleet=places.fleet_label(option["key"], fleet["fleet"]),
            lines=tuple(fleet["memory"]),
            used_gb=sum(line["gb_per_device"] for line in fleet["memory"]),
            capacity_gb=fleet["memory_capacity_gb"],
        )
        for option in result["options"]
        for fleet in result["latency"][option["key"]]
        if fleet["memory"]
    ]

"""The electricity bill of each option by part and month, out of the stored ledger (F4)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.charts.currency import currency_of
from planner.projections.places import Places
from tco.cost.bill_view import BESIDE_BILL, BILL_PREFIX, first_year
from tco.units import date_of, month_start


@dataclass(frozen=True, slots=True)
class BillRow:
    """One part of the bill."""

    label: str
    fleet: str
    months_usd: tuple[float, ...]
    year_usd: float
    horizon_usd: float
    status: str
    formula: str
    missing: str


@dataclass(frozen=True, slots=True)
class BillTable:
    """The first twelve months with electricity of one option."""

    option: str
    months: tuple[str, ...]
    rows: tuple[BillRow, ...]
    sums_usd: tuple[float, ...]
    year_usd: float
    horizon_usd: float
    beside: tuple[BillRow, ...]  # carbon price and heat, which are on no bill
    increment: bool  # bill with the fleets less the bill without them
    currency: str


def bill_tables(result: dict[str, Any], places: Places) -> list[BillTable]:
    """Return one table for each option that pays for electricity."""
    found = []
    for option in result["options"]:
        lines = result["ledger"][option["key"]]["lines"]
        bill = [line for line in lines if line["key"].startswith(BILL_PREFIX)]
        if bill:
            found.append(_table(option, bill, lines, result, places))
    return found


def _table(
    option: dict[str, Any],
    bill: list[dict[str, Any]],
    lines: list[dict[str, Any]],
    result: dict[str, Any],
    places: Places,
) -> BillTable:
    span = first_year([line["end_usd"] for line in bill])

    several = len({line["fleet"] for line in bill}) > 1

    def row(line: dict[str, Any]) -> BillRow:
        name = places.fleet_names.get((option["key"], line["fleet"]), "")
        fleet = name if several else ""
        amounts = tuple(line["end_usd"][m] for m in span)
        return BillRow(
            label=line["label"].removeprefix("Electricity, ").capitalize(),
            fleet=fleet,
            months_usd=amounts,
            year_usd=sum(amounts),
            horizon_usd=sum(line["end_usd"]),
            status=line["status"],
            formula=line["formula"],
            missing=line["missing"],
        )

    rows = [row(line) for line in bill if any(line["end_usd"]) or line["missing"]]
    return BillTable(
        option=option["name"],
        months=tuple(_name(result, month) for month in span),
        rows=tuple(rows),
        sums_usd=tuple(sum(each.months_usd[i] for each in rows) for i in range(len(span))),
        year_usd=sum(each.year_usd for each in rows),
        horizon_usd=sum(each.horizon_usd for each in rows),
        beside=tuple(row(line) for line in lines if line["key"] in BESIDE_BILL),
        increment=any("F4.6" in line["reference"] for line in bill),
        currency=currency_of(result),
    )


def _name(result: dict[str, Any], month: int) -> str:
    """``Dec 26``; ``Month 1`` where the stored result does not say when month 0 is."""
    for term in result["provenance"]["conventions"]:
        if term["name"] == "month 0":
            start = date_of(term["source"][:10])
            if start is not None:
                return f"{month_start(start, month):%b %y}"
    return f"Month {month + 1}"

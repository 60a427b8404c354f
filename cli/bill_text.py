"""Electricity bills in parts as tables (F4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from cli.text_table import shortened, text_table
from tco.cost.bill_view import BESIDE_BILL, BILL_PREFIX, first_year
from tco.results import LedgerLine, OptionResult

_FLAT = 3  # energy, demand, fixed charge: the ledger says as much


def bill_text(options: Sequence[OptionResult], currency: str) -> list[str]:
    """Return a table for each option whose bill has more parts than a flat one."""
    found = []
    for option in options:
        bill = [line for line in option.ledger.lines if line.key.startswith(BILL_PREFIX)]
        if len(bill) > _FLAT or any("F4.6" in line.reference for line in bill):
            beside = [line for line in option.ledger.lines if line.key in BESIDE_BILL]
            found.append(_table(option.key, bill, beside, currency))
    return found


def _table(
    key: str, bill: Sequence[LedgerLine], beside: Sequence[LedgerLine], currency: str
) -> str:
    span = first_year([line.end_usd for line in bill])
    added = any("F4.6" in line.reference for line in bill)
    rows = [
        _row(line.label.removeprefix("Electricity, "), [line], span)
        for line in bill
        if any(line.end_usd)
    ]
    rows.append(_row("bill", bill, span))
    rows += [_row(f"beside it: {line.label.lower()}", [line], span) for line in beside]
    head = [f"{key}: electricity in {currency}", "first year", "highest month", "horizon", "status"]
    note = "  (what the fleets add to the bill of what stood there before)\n" if added else ""
    return text_table(head, rows) + ("\n" + note.rstrip("\n") if note else "")


def _row(label: str, lines: Sequence[LedgerLine], span: range) -> list[str]:
    months = [math.fsum(line.end_usd[month] for line in lines) for month in span]
    return [
        label,
        shortened(math.fsum(months)),
        shortened(max(months, default=0.0)),
        shortened(math.fsum(line.total_usd for line in lines)),
        lines[0].status.value if len(lines) == 1 else "",
    ]

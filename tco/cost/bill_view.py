"""The electricity bill as people read it: parts by month of the first year (F4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tco.cost.case import status_of
from tco.results import Ledger, LedgerLine
from tco.units import MONTHS_PER_YEAR

BILL_PREFIX = "electricity_"  # keys of the lines of a bill
BESIDE_BILL = ("carbon_price", "heat_credit")


def first_year(columns: Sequence[Sequence[float]]) -> range:
    """Months of the first year with electricity; the first twelve where there is none.

    Parameters
    ----------
    columns
        Amounts of each part by month.

    Examples
    --------
    >>> first_year([[0.0] * 6 + [5.0] * 20])
    range(6, 18)
    >>> first_year([[0.0] * 3])
    range(0, 3)
    """
    months = max((len(column) for column in columns), default=0)
    used = [month for month in range(months) if any(column[month] for column in columns)]
    first = used[0] if used else 0
    return range(first, min(first + MONTHS_PER_YEAR, months))


def as_billed(ledger: Ledger) -> Ledger:
    """The ledger with one line for each key and fleet: what one invoice line pays.

    Periods and tiers of one bill are lines of their own in a plan; an imported bill names the key.
    """
    groups: dict[tuple[str, str], list[LedgerLine]] = {}
    for line in ledger.lines:
        groups.setdefault((line.key, line.fleet), []).append(line)
    return replace(ledger, lines=tuple(_together(lines) for lines in groups.values()))


def _together(lines: list[LedgerLine]) -> LedgerLine:
    first = lines[0]
    if len(lines) == 1:
        return first
    start, end = (
        np.sum([getattr(line, side) for line in lines], axis=0) for side in ("start_usd", "end_usd")
    )
    return replace(
        first,
        label=", ".join(first.label.split(", ")[:2]),
        start_usd=tuple(start.tolist()),
        end_usd=tuple(end.tolist()),
        status=status_of(line.status for line in lines),
        formula=f"sum of {len(lines)} parts: {first.formula}",
        terms=tuple(dict.fromkeys(term for line in lines for term in line.terms)),
        missing="; ".join(dict.fromkeys(line.missing for line in lines if line.missing)),
    )

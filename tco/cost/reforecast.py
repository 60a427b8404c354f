"""Actual months plus the rest of the plan, and what early retirement writes down (F24)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tco.cost.bill_view import as_billed
from tco.errors import InputError
from tco.inputs import Status
from tco.results import Ledger, LedgerLine

Billed = Mapping[tuple[str, str], Sequence[float]]  # (key, fleet) of a line: USD of each month


@dataclass(frozen=True, slots=True)
class Variance:
    """One line: what was planned and what was billed for the months that are over."""

    key: str
    fleet: str
    label: str
    planned_usd: float
    actual_usd: float
    remaining_usd: float  # of the plan, after them

    @property
    def variance_usd(self) -> float:
        """Billed over planned; positive is dearer."""
        return self.actual_usd - self.planned_usd

    @property
    def forecast_usd(self) -> float:
        """Billed so far and planned from here on."""
        return self.actual_usd + self.remaining_usd


@dataclass(frozen=True, slots=True)
class Reforecast:
    """The ledger with its past replaced by what was billed."""

    ledger: Ledger
    months_over: int
    lines: tuple[Variance, ...]
    unbilled: tuple[str, ...]  # lines with a plan for these months and no bill: counted as planned


def reforecast(ledger: Ledger, months_over: int, billed: Billed) -> Reforecast:
    """Replace the first months of each billed line by its bills; the rest stays the plan.

    Parts of one key and fleet (periods of a tariff) are one line here, since a bill names the key.
    A line without bills keeps its plan and is named. A bill that no line of the plan has becomes
    a line of its own. Bills are dated at the end of their month.

    Raises
    ------
    InputError
        More months than the ledger, a bill that is too short or long, or that is no number.
    """
    if not 0 <= months_over <= ledger.months:
        raise InputError(
            "months_over",
            f"{months_over} is not in the ledger of {ledger.months} months",
            "count the months that are over",
        )
    for (key, fleet), amounts in billed.items():
        place = f"billed {key} {fleet}".strip()
        if len(amounts) != months_over:
            raise InputError(
                place, f"has {len(amounts)} months", f"give {months_over}, one for each month"
            )
        if not all(math.isfinite(usd) for usd in amounts):
            raise InputError(place, "an amount is no number", "enter 0 for a month without a bill")
    ledger = as_billed(ledger)
    lines, found, unbilled = [], [], []
    known = {(line.key, line.fleet) for line in ledger.lines}
    blank = (0.0,) * ledger.months
    extra = [
        LedgerLine(
            key, key.replace("_", " "), "unplanned", fleet, blank, blank, Status.MEASURED, ""
        )
        for key, fleet in billed
        if (key, fleet) not in known
    ]
    for line in (*ledger.lines, *extra):
        amounts = billed.get((line.key, line.fleet), ())
        planned = _sum(line, 0, months_over)
        if (line.key, line.fleet) in billed:
            line = replace(
                line,
                start_usd=(0.0,) * months_over + line.start_usd[months_over:],
                end_usd=tuple(amounts) + line.end_usd[months_over:],
                formula=f"billed for {months_over} months, then: {line.formula or 'nothing'}",
            )
        elif planned:
            unbilled.append(f"{line.label} {line.fleet}".strip())
        actual = _sum(line, 0, months_over)
        rest = _sum(line, months_over, ledger.months)
        found.append(Variance(line.key, line.fleet, line.label, planned, actual, rest))
        lines.append(line)
    return Reforecast(
        replace(ledger, lines=tuple(lines)), months_over, tuple(found), tuple(unbilled)
    )


def _sum(line: LedgerLine, first: int, end: int) -> float:
    return math.fsum(line.start_usd[first:end]) + math.fsum(line.end_usd[first:end])


def carrying_usd(cost_usd: float, book_life_months: int, age_months: int) -> float:
    """Book value of an asset written off in equal parts.

    Examples
    --------
    >>> carrying_usd(200_000, 60, 24), carrying_usd(200_000, 60, 72)
    (120000.0, 0.0)
    """
    if book_life_months < 1:
        raise InputError("book_life_months", f"{book_life_months} is below 1", "enter 1 or more")
    if age_months < 0:
        raise InputError("age_months", f"{age_months} is below 0", "enter 0 or more")
    return cost_usd * max(0.0, 1.0 - age_months / book_life_months)


def impairment_usd(
    book_usd: float,
    net_sale_usd: float,
    value_in_use_usd: float = 0.0,
    *,
    undiscounted_usd: float | None = None,
) -> float:
    """Write-down to what can still be recovered; 0 where that is more than the book value.

    Parameters
    ----------
    book_usd, net_sale_usd, value_in_use_usd
        Book value, price of a sale less its cost, present value of further use, in USD.
    undiscounted_usd
        Plain sum of the flows of further use, in USD: given, the test of ASC 360 comes first, and
        an asset whose flows cover its book value is not written down. Without it IAS 36 holds.

    Examples
    --------
    >>> impairment_usd(120_000, 50_000, 80_000)
    40000.0
    >>> impairment_usd(120_000, 50_000, 80_000, undiscounted_usd=125_000)
    0.0
    >>> impairment_usd(120_000, 50_000, 80_000, undiscounted_usd=100_000)
    70000.0
    >>> impairment_usd(120_000, 150_000)
    0.0
    """
    if undiscounted_usd is not None and undiscounted_usd >= book_usd:
        return 0.0
    # ASC 360 writes down to the fair value, IAS 36 to the better of sale and use
    recoverable = (
        net_sale_usd if undiscounted_usd is not None else max(net_sale_usd, value_in_use_usd)
    )
    return max(0.0, float(book_usd - recoverable))


@dataclass(frozen=True, slots=True)
class EarlyRetirement:
    """What the account sees when an asset leaves before it is written off."""

    depreciated_usd: float  # until then
    carrying_usd: float
    proceeds_usd: float

    @property
    def loss_usd(self) -> float:
        """Book value less proceeds; negative is a gain."""
        return self.carrying_usd - self.proceeds_usd

    @property
    def cost_usd(self) -> float:
        """All that reaches the account: what cash paid less what it got back."""
        return self.depreciated_usd + self.loss_usd


def early_retirement(
    cost_usd: float, book_life_months: int, age_months: int, proceeds_usd: float
) -> EarlyRetirement:
    """Retire an asset at an age for these proceeds.

    Examples
    --------
    >>> found = early_retirement(200_000, 60, 24, 50_000)
    >>> found.loss_usd, found.cost_usd
    (70000.0, 150000.0)
    """
    left = carrying_usd(cost_usd, book_life_months, age_months)
    return EarlyRetirement(cost_usd - left, left, proceeds_usd)

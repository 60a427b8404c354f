"""Bills against the plan: budget, actual, re-forecast, and why they differ (F24, F0.6).

The difference of a row is split exactly. With a bill of amount a in its own currency, the plan's
rate p and the rate r that it was paid at: currency = a (r - p); so a changed rate never shows as
a changed cost. What is left, at the plan's rates, is volume = (q - Q) P with quantity q, planned
quantity Q and planned price P, and price. Of lines paid once, what is billed before or after its
planned month is timing. Without quantities price and volume are not told apart, and stand as one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction

from tco.cost.bills import Bill, Matched
from tco.inputs import ExchangePath
from tco.results import Ledger, LedgerLine
from tco.results.rounding import cents

RateOf = Callable[[str, int], float]  # currency, month -> unit of account for one


@dataclass(frozen=True, slots=True)
class Parts:
    """Why actual and budget differ, in the unit of account; they sum to the difference exactly."""

    price_usd: Decimal
    volume_usd: Decimal
    price_or_volume_usd: Decimal  # no quantities to tell them apart
    currency_usd: Decimal
    timing_usd: Decimal
    rounding_usd: Decimal  # cents that rounding the others leaves

    @property
    def total_usd(self) -> Decimal:
        """Sum of the parts."""
        return (
            self.price_usd
            + self.volume_usd
            + self.price_or_volume_usd
            + self.currency_usd
            + self.timing_usd
            + self.rounding_usd
        )


@dataclass(frozen=True, slots=True)
class Row:
    """One line, or several that are billed together, over the months that are over."""

    label: str
    category: str
    budget_usd: Decimal
    actual_usd: Decimal
    remaining_usd: Decimal  # of the plan, less what was only moved
    parts: Parts
    billed: bool  # False: no bill came, and the plan is counted as paid

    @property
    def variance_usd(self) -> Decimal:
        """Actual over budget; positive is dearer."""
        return self.actual_usd - self.budget_usd

    @property
    def forecast_usd(self) -> Decimal:
        """Billed so far and still to come."""
        return self.actual_usd + self.remaining_usd


@dataclass(frozen=True, slots=True)
class Report:
    """All rows of one option, their sum, and both curves by month."""

    months_over: int
    rows: tuple[Row, ...]
    total: Row
    budget_by_month_usd: tuple[Decimal, ...]
    actual_by_month_usd: tuple[Decimal, ...]

    @property
    def unbilled(self) -> tuple[str, ...]:
        """Rows with a plan for these months and no bill."""
        return tuple(row.label for row in self.rows if not row.billed and row.budget_usd)


def variance(
    ledger: Ledger,
    matched: Sequence[Matched],
    months_over: int,
    paths: Iterable[ExchangePath],
    rate_of: RateOf,
    decimals: int = 2,
) -> Report:
    """Compare the first months of a ledger with the bills of those months.

    Parameters
    ----------
    ledger
        The plan, in the unit of account.
    matched
        Groups of lines with their bills, from `tco.cost.bills.match`; bills after `months_over`
        are passed over.
    months_over
        Months that are over, 0 to the length of the ledger.
    paths
        The rates of the plan, by month.
    rate_of
        The rate of a currency in a month as it came to be, where a bill does not say its own.
    """
    planned = {path.currency: path for path in paths}
    rows = []
    budget = [Fraction(0)] * months_over
    actual = [Fraction(0)] * months_over
    for group in matched:
        plan = _by_month(group.lines, ledger.months)
        paid, at_plan = [Fraction(0)] * months_over, [Fraction(0)] * months_over
        for bill in group.bills:
            if bill.month < months_over:
                rate, own = _rates(bill, planned, rate_of)
                paid[bill.month] += Fraction(bill.amount) * rate
                at_plan[bill.month] += Fraction(bill.amount) * own
        billed = bool(group.bills)
        if not billed:
            paid, at_plan = plan[:months_over], plan[:months_over]
        rows.append(_row(group, plan, sum(paid), sum(at_plan), months_over, decimals, billed))
        for month in range(months_over):
            budget[month] += plan[month]
            actual[month] += paid[month]
    return Report(
        months_over,
        tuple(rows),
        _sum(rows, decimals),
        tuple(_money(usd, decimals) for usd in budget),
        tuple(_money(usd, decimals) for usd in actual),
    )


def _rates(
    bill: Bill, planned: dict[str, ExchangePath], rate_of: RateOf
) -> tuple[Fraction, Fraction]:
    """Rate a bill was paid at, and the plan's; a currency the plan has none of has no effect."""
    rate = (
        Fraction(bill.rate)
        if bill.rate is not None
        else Fraction(rate_of(bill.currency, bill.month))
    )
    path = planned.get(bill.currency)
    if path is None:
        return rate, rate
    month = min(bill.month, len(path.account_per_unit) - 1)
    return rate, Fraction(path.account_per_unit[month])


def _by_month(lines: Sequence[LedgerLine], months: int) -> list[Fraction]:
    return [
        sum((Fraction(x.start_usd[m]) + Fraction(x.end_usd[m]) for x in lines), Fraction(0))
        for m in range(months)
    ]


def _row(
    group: Matched,
    plan: Sequence[Fraction],
    paid: Fraction | int,
    at_plan: Fraction | int,
    months_over: int,
    decimals: int,
    billed: bool,
) -> Row:
    budget, whole = sum(plan[:months_over], Fraction(0)), sum(plan, Fraction(0))
    currency = Fraction(paid - at_plan)
    rest = Fraction(at_plan) - budget
    volume, timing, told = Fraction(0), Fraction(0), False
    once = bool(group.lines) and all(not any(line.end_usd) for line in group.lines)
    counts = _quantities(group, months_over) if billed else None
    if counts is not None and counts[1]:
        quantity, expected = counts
        moved = (quantity - expected) * (budget / expected)
        told = True
        if once:
            timing = max(-budget, min(moved, whole - budget))
        volume = moved - timing
    elif once and billed:
        timing = min(Fraction(at_plan), whole) - budget
    left = rest - volume - timing
    price, unsplit = (left, Fraction(0)) if told else (Fraction(0), left)
    parts = tuple(_money(x, decimals) for x in (price, volume, unsplit, currency, timing))
    shown_budget, shown_paid = _money(budget, decimals), _money(Fraction(paid), decimals)
    rounding = shown_paid - shown_budget - sum(parts, Decimal(0))
    return Row(
        group.label,
        group.category,
        shown_budget,
        shown_paid,
        _money(whole - budget - timing, decimals),
        Parts(parts[0], parts[1], parts[2], parts[3], parts[4], rounding),
        billed,
    )


def _quantities(group: Matched, months_over: int) -> tuple[Fraction, Fraction] | None:
    """Billed and planned quantity of the months over; None where a bill does not say both."""
    bills = [bill for bill in group.bills if bill.month < months_over]
    if not bills or any(x.quantity is None or x.planned_quantity is None for x in bills):
        return None
    return (
        sum((Fraction(x.quantity) for x in bills if x.quantity is not None), Fraction(0)),
        sum(
            (Fraction(x.planned_quantity) for x in bills if x.planned_quantity is not None),
            Fraction(0),
        ),
    )


def _money(value: Fraction, decimals: int) -> Decimal:
    return Decimal(round(value * 10**decimals)).scaleb(-decimals)


def _sum(rows: Sequence[Row], decimals: int) -> Row:
    zero = cents(0, decimals)

    def total(values: Iterable[Decimal]) -> Decimal:
        return sum(values, zero)

    return Row(
        "All lines",
        "",
        total(row.budget_usd for row in rows),
        total(row.actual_usd for row in rows),
        total(row.remaining_usd for row in rows),
        Parts(
            total(row.parts.price_usd for row in rows),
            total(row.parts.volume_usd for row in rows),
            total(row.parts.price_or_volume_usd for row in rows),
            total(row.parts.currency_usd for row in rows),
            total(row.parts.timing_usd for row in rows),
            total(row.parts.rounding_usd for row in rows),
        ),
        any(row.billed for row in rows),
    )

"""The variance of a scenario's bills: the one form in which page, API and workbook get it."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import QuerySet

from planner.actuals.to_engine import engine_bills, plan_of, plan_rates, rates_since
from planner.charts.currency import currency_of, decimals_of
from planner.models import ActualBill, Projection, Scenario
from tco.cost.bills import match, month_index
from tco.cost.variance import Report, Row, variance
from tco.document.nearest import suggestion
from tco.errors import InputError, InputErrors

PARTS = ("price", "volume", "price_or_volume", "currency", "timing", "rounding")


@dataclass(frozen=True, slots=True)
class Actuals:
    """The bills against one option of one revision."""

    projection: Projection
    option: str
    option_name: str
    currency: str
    last_month: str  # the last calendar month that has a bill
    report: Report

    def to_dict(self) -> dict[str, Any]:
        """As JSON: money as text, to the cent."""
        return {
            "revision_number": self.projection.revision.number,
            "option": self.option,
            "option_name": self.option_name,
            "currency": self.currency,
            "last_month": self.last_month,
            "months_over": self.report.months_over,
            "rows": [_row(row) for row in self.report.rows],
            "total": _row(self.report.total),
            "budget_by_month": [str(usd) for usd in self.report.budget_by_month_usd],
            "actual_by_month": [str(usd) for usd in self.report.actual_by_month_usd],
            "unbilled": list(self.report.unbilled),
        }


def _row(row: Row) -> dict[str, Any]:
    return {
        "label": row.label,
        "category": row.category,
        "budget": str(row.budget_usd),
        "actual": str(row.actual_usd),
        "variance": str(row.variance_usd),
        **{part: str(getattr(row.parts, f"{part}_usd")) for part in PARTS},
        "remaining": str(row.remaining_usd),
        "forecast": str(row.forecast_usd),
        "billed": row.billed,
    }


def bill_list(*, scenario: Scenario) -> QuerySet[ActualBill]:
    """Return the bills of a scenario, by month."""
    return ActualBill.objects.filter(scenario=scenario)


def plans(*, scenario: Scenario) -> QuerySet[Projection]:
    """Return the adopted projections that can be the plan, the newest revision first."""
    return (
        Projection.objects.filter(revision__scenario=scenario, adopted_at__isnull=False)
        .select_related("revision")
        .order_by("-revision__number", "-adopted_at", "-pk")
    )


def actuals(*, scenario: Scenario, revision: int | None = None, option: str = "") -> Actuals | None:
    """Compare the bills with a revision, the first one projected where none is named.

    None without a bill or a projection. Months are over up to the last one with a bill.

    Raises
    ------
    tco.errors.InputErrors
        A revision that was never projected, an option it does not have, a bill that fits no line
        or month of it, a currency without a rate.
    """
    bills = list(bill_list(scenario=scenario))
    known = list(plans(scenario=scenario))
    if not bills or not known:
        return None
    numbers = {projection.revision.number: projection for projection in reversed(known)}
    number = min(numbers) if revision is None else revision
    if number not in numbers:
        words = ", ".join(map(str, sorted(numbers)))
        raise _refused("revision", f"revision {number} was never projected", f"use one of {words}")
    projection = numbers[number]
    result = projection.result
    names = {one["key"]: one["name"] for one in result["options"]}
    chosen = option or result["best_option"] or next(iter(names))
    if chosen not in names:
        mend = suggestion(chosen, names)
        raise _refused("option", f"revision {number} has no option {chosen[:60]!r}", mend)
    document = projection.revision.document
    plan = plan_of(result, chosen)
    start = document["finance"]["valuation_date"]
    last = max(bill.month for bill in bills)
    rate_of = rates_since(
        organisation=scenario.organisation,
        document=document,
        result=result,
        months=plan.months,
        currencies={bill.currency for bill in bills},
    )
    matched = match(plan, engine_bills(bills, start))
    report = variance(
        plan,
        matched,
        min(month_index(last, start) + 1, plan.months),
        plan_rates(result, plan.months),
        rate_of,
        decimals_of(result),
    )
    return Actuals(projection, chosen, names[chosen], currency_of(result), last, report)


def cumulative(amounts: tuple[Decimal, ...]) -> list[float]:
    """Running totals, for a curve."""
    total, found = Decimal(0), []
    for amount in amounts:
        total += amount
        found.append(float(total))
    return found


def _refused(field: str, message: str, mend: str) -> InputErrors:
    return InputErrors((InputError(field, message, mend),))

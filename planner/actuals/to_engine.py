"""A stored result as the engine's plan, stored bills as the engine's, rates as they came to be."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from accounts.models import Organisation
from planner.charts.currency import currency_of
from planner.models import ActualBill
from planner.scenarios.to_engine import catalog_of
from tco.cost.bills import Bill, month_index
from tco.errors import InputError, InputErrors
from tco.inputs import ExchangePath, ExchangeRate, Status, path_of
from tco.results import Ledger, LedgerLine


def plan_of(result: Mapping[str, Any], option: str) -> Ledger:
    """Return the ledger of one option as it was projected, without terms."""
    stored = result["ledger"][option]
    lines = tuple(
        LedgerLine(
            key=line["key"],
            label=line["label"],
            category=line["category"],
            fleet=line["fleet"],
            start_usd=tuple(line["start_usd"]),
            end_usd=tuple(line["end_usd"]),
            status=Status(line["status"]),
            formula=line["formula"],
            missing=line["missing"],
        )
        for line in stored["lines"]
    )
    return Ledger(stored["months"], stored["monthly_rate_fraction"], lines)


def plan_rates(result: Mapping[str, Any], months: int) -> tuple[ExchangePath, ...]:
    """Return the rates that the plan was projected with."""
    return tuple(
        ExchangePath(
            rate["currency"],
            tuple(rate["by_month"]) or (rate["per_unit"],) * months,
            rate["date"],
            rate["source"],
        )
        for rate in result.get("currency", {}).get("rates", ())
    )


def engine_bills(bills: Iterable[ActualBill], valuation_date: str) -> tuple[Bill, ...]:
    """Return stored bills by ledger month."""
    return tuple(
        Bill(
            bill.reference,
            month_index(bill.month, valuation_date),
            bill.line,
            bill.amount,
            bill.currency,
            bill.fleet,
            bill.quantity,
            bill.planned_quantity,
            bill.rate,
        )
        for bill in bills
    )


def rates_since(
    *,
    organisation: Organisation,
    document: Mapping[str, Any],
    result: Mapping[str, Any],
    months: int,
    currencies: Iterable[str],
) -> Callable[[str, int], float]:
    """Return the rate of a currency in a month: the plan's, and each newer one of the catalog.

    Raises
    ------
    InputErrors
        Every currency of a bill that neither the scenario nor the catalog has a rate of.
    """
    finance = document["finance"]
    start, reporting = finance["valuation_date"], currency_of(result)
    own = tuple(
        ExchangeRate(x["currency"], float(x["usd_per_unit"]), x["date"], x["source"])
        for x in finance.get("exchange_rates", ())
    )
    held = {rate.currency for rate in own}
    rates = (
        *own,
        *(
            rate
            for rate in catalog_of(organisation).exchange_rates()
            if rate.currency not in held or rate.date > start
        ),
    )
    found: dict[str, ExchangePath] = {}
    errors = []
    for code in sorted(set(currencies)):
        try:
            found[code] = path_of(code, reporting, rates, start, months)
        except KeyError as error:
            mend = "add it to the catalog, or a column rate to the table"
            errors.append(InputError("currency", f"{error.args[0]} has no exchange rate", mend))
    if errors:
        raise InputErrors(tuple(errors))

    def rate_of(code: str, month: int) -> float:
        path = found[code].account_per_unit
        return path[min(max(month, 0), len(path) - 1)]

    return rate_of

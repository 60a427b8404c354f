"""Checks of exchange rates: dated near the decision (F0.6)."""

from __future__ import annotations

from collections.abc import Iterator

from tco.checks.view import ScenarioView
from tco.results import Finding
from tco.units import MONTHS_PER_YEAR, date_of, months_between

OLD_MONTHS = MONTHS_PER_YEAR  # a budget's rate is set anew each year


def rates_are_of_their_time(scenario: ScenarioView) -> Iterator[Finding]:
    """Say which rate is a year older than the decision, and which only begins after it."""
    finance = scenario.inputs.finance
    start = date_of(finance.valuation_date)
    told: set[str] = set()
    for path in finance.exchange_rates:
        for text in path.rate_date.split(", "):
            dated = date_of(text) if text else None
            if dated is None or start is None or text in told:
                continue
            told.add(text)
            age = months_between(dated, start)
            what = (
                f"the rate of {path.currency} from {text}, {path.account_per_unit[0]:.6g} for one"
            )
            if age > OLD_MONTHS:
                yield Finding(
                    "rate_is_old",
                    "info",
                    "finance.exchange_rates",
                    f"{what}, is {age} months older than the decision of {finance.valuation_date}",
                    "enter the rate of the day in finance.exchange_rates, with its source",
                )
            elif dated > start:
                yield Finding(
                    "rate_begins_later",
                    "info",
                    "finance.exchange_rates",
                    f"{what}, begins after the decision of {finance.valuation_date} and is used"
                    " from it on",
                    "enter the rate of that day, or a rate that treasury plans with",
                )

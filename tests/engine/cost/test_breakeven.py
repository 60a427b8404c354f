"""Breakeven and thresholds against brute force and hand-worked cases."""

from __future__ import annotations

import math

import pytest

from tco.cost.breakeven import (
    breakeven_hours,
    breakeven_utilisation,
    breakeven_years,
    crossing_months,
    cumulative_crossings,
)
from tco.cost.finance import monthly_rate_fraction
from tco.cost.ledger import Book
from tco.inputs import Status
from tco.results import Ledger, LedgerLine


def ledger(start: dict[int, float], monthly: float, *, months: int = 60, rate: float = 0.0):
    """A book of dated payments and a level month."""
    begin = tuple(start.get(m, 0.0) for m in range(months))
    line = LedgerLine("x", "X", "capex", "f", begin, (monthly,) * months, Status.ASSUMED, "given")
    return Book.of(Ledger(months, rate, (line,)))


def test_one_crossing_by_hand() -> None:
    """1,000 at once against 80 a month: even after 12.5 months."""
    own, rent = ledger({0: 1000.0}, 0.0), ledger({}, 80.0)
    assert crossing_months(own, rent) == [(pytest.approx(12.5), True)]
    assert crossing_months(rent, own) == [(pytest.approx(12.5), False)]


def test_refresh_causes_more_than_one_crossing() -> None:
    """A second purchase in month 24 puts renting ahead again, and owning once more later."""
    own, rent = ledger({0: 1000.0, 24: 1500.0}, 0.0), ledger({}, 80.0)
    found = crossing_months(own, rent)
    assert [round(month, 2) for month, _ in found] == [12.5, 24.0, 31.25]
    assert [owns for _, owns in found] == [True, False, True]
    assert len(cumulative_crossings(own, rent, ("o", "r"), ("Own", "Rent"))) == 3


def test_discounting_delays_the_crossing() -> None:
    """1,000 against 80 a month at 10 %: the month where the annuity reaches 12.5."""
    rate = monthly_rate_fraction(0.10)
    own, rent = ledger({0: 1000.0}, 0.0, rate=rate), ledger({}, 80.0, rate=rate)
    ((month, _),) = crossing_months(own, rent)
    reached = [(1 - (1 + rate) ** -n) / rate >= 12.5 for n in range(61)].index(True)
    assert reached - 1 < month <= reached


def test_no_crossing_is_said_as_never() -> None:
    """Dearer from the first to the last month: value None and a sentence."""
    a, b = ledger({0: 1000.0}, 10.0), ledger({}, 10.0)
    (crossing,) = cumulative_crossings(a, b, ("a", "b"), ("A", "B"))
    assert crossing.value is None
    assert crossing.sentence == "B has cost less than A at every moment of the horizon."
    (same,) = cumulative_crossings(a, a, ("a", "a"), ("A", "A2"))
    assert "the same" in same.sentence


def test_touching_is_not_crossing() -> None:
    """Costs that meet at the end without changing places do not cross."""
    own, rent = ledger({0: 4800.0}, 0.0), ledger({}, 80.0)
    assert crossing_months(own, rent) == []


def test_never_when_running_costs_as_much_as_renting() -> None:
    """The difference is 0 or less: undefined (F20.1, F20.3)."""
    assert breakeven_hours(1000, 5.0, 5.0) is None
    assert breakeven_hours(1000, 4.0, 5.0) == 1000
    assert breakeven_utilisation(3.0, 2.0, 2.0) is None
    assert breakeven_utilisation(3.0, 8.0, 2.0) == pytest.approx(0.5)
    assert breakeven_years(100, 0.0) is None


def test_utilisation_balances_both_costs() -> None:
    """At U* owning (fixed + U x variable) and renting (U x rate) cost the same."""
    share = breakeven_utilisation(22.5, 98.3, 1.7)
    assert share is not None
    assert math.isclose(22.5 + share * 1.7, share * 98.3)

"""Bills against the plan: the difference split exactly, rates apart from costs (F24, F0.6)."""

from __future__ import annotations

from decimal import Decimal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.cost.bills import Bill, match, month_index
from tco.cost.variance import variance
from tco.errors import InputErrors
from tco.inputs import ExchangePath, Status
from tco.results import Ledger, LedgerLine

MONTHS = 6
PATHS = (ExchangePath("EUR", (1.1,) * MONTHS, "2026-12-01", "plan"),)


def line(key, month_usd=0.0, *, start=0.0, at=0, category="people", fleet="f"):
    """A line of so much a month, or of so much at the start of one month."""
    once = tuple(start if month == at else 0.0 for month in range(MONTHS))
    label = key.replace("_", " ").capitalize()
    return LedgerLine(key, label, category, fleet, once, (month_usd,) * MONTHS, Status.ASSUMED, "")


def report(lines, bills, months_over=2, rates=None, paths=PATHS):
    """The variance of a small plan; `rates` are those that came to be."""
    ledger = Ledger(MONTHS, 0.0, tuple(lines))
    known = {"USD": 1.0, "EUR": 1.1} | (rates or {})
    return variance(ledger, match(ledger, bills), months_over, paths, lambda code, _: known[code])


def bill(reference, month, key, amount, currency="USD", **more):
    """One bill."""
    more = {k: Decimal(str(v)) if k in NUMBERS else v for k, v in more.items()}
    return Bill(reference, month, key, Decimal(str(amount)), currency, **more)


NUMBERS = {"quantity", "planned_quantity", "rate"}


def test_price_and_volume_by_hand():
    """Planned 100 units at 10, billed 120 at 11: volume 20 x 10 = 200, price 1 x 120 = 120."""
    found = report(
        [line("staff", 1000.0)],
        [bill("a", 0, "staff", 1320, quantity=120, planned_quantity=100)],
        months_over=1,
    )
    (row,) = found.rows
    assert (row.budget_usd, row.actual_usd, row.variance_usd) == (1000, 1320, 320)
    assert (row.parts.volume_usd, row.parts.price_usd) == (200, 120)
    assert row.forecast_usd == 1320 + 5 * 1000


def test_a_changed_rate_is_currency_and_nothing_else():
    """1,000 EUR planned at 1.10 and paid at 1.25: 150 of currency, no price, no volume."""
    found = report(
        [line("staff", 1100.0)],
        [bill("a", 0, "staff", 1000, "EUR")],
        months_over=1,
        rates={"EUR": 1.25},
    )
    (row,) = found.rows
    assert row.parts.currency_usd == Decimal("150.00")
    assert row.parts.total_usd == row.variance_usd == Decimal("150.00")
    assert row.parts.price_or_volume_usd == 0


def test_the_rate_on_the_bill_goes_before_the_table():
    """The bank's statement says 1.2."""
    found = report(
        [line("staff", 1100.0)], [bill("a", 0, "staff", 1000, "EUR", rate=1.2)], months_over=1
    )
    assert found.rows[0].parts.currency_usd == Decimal("100.00")


def test_all_four_effects_by_hand():
    """100 hours at 20 EUR planned (2,200); 110 hours at 21 EUR paid at 1.2: 2,772.

    Currency 2,310 x 0.1 = 231; volume 10 x 22 = 220; price 110 x 1 x 1.1 = 121. Sum 572.
    """
    found = report(
        [line("staff", 2200.0)],
        [bill("a", 0, "staff", 2310, "EUR", quantity=110, planned_quantity=100)],
        months_over=1,
        rates={"EUR": 1.2},
    )
    parts = found.rows[0].parts
    assert (parts.currency_usd, parts.volume_usd, parts.price_usd) == (231, 220, 121)
    assert parts.total_usd == found.rows[0].variance_usd == 572


def test_without_quantities_price_and_volume_stand_as_one():
    """Nothing is guessed."""
    found = report([line("staff", 100.0)], [bill("a", 0, "staff", 130)], months_over=1)
    assert found.rows[0].parts.price_or_volume_usd == 30
    assert found.rows[0].parts.price_usd == found.rows[0].parts.volume_usd == 0


def test_a_purchase_billed_early_is_timing():
    """60,000 are planned in month 4 and billed in month 1; 10,000 more than planned is cost."""
    plan = [line("servers", start=60_000.0, at=4, category="capex")]
    found = report(plan, [bill("a", 1, "servers", 70_000)])
    (row,) = found.rows
    assert (row.parts.timing_usd, row.parts.price_or_volume_usd) == (60_000, 10_000)
    assert row.remaining_usd == 0
    assert row.forecast_usd == 70_000


def test_a_purchase_not_billed_yet_is_timing_and_still_to_come():
    """Half of what was due has been billed: the rest moves, it is not saved."""
    plan = [line("servers", start=60_000.0, at=0, category="capex")]
    found = report(plan, [bill("a", 0, "servers", 30_000)])
    (row,) = found.rows
    assert row.parts.timing_usd == -30_000
    assert row.forecast_usd == 60_000


def test_two_of_four_servers_at_another_price():
    """Four at 10,000 planned; two came for 9,000 each: timing -20,000, price -2,000."""
    plan = [line("servers", start=40_000.0, at=0, category="capex")]
    found = report(plan, [bill("a", 0, "servers", 18_000, quantity=2, planned_quantity=4)])
    parts = found.rows[0].parts
    assert (parts.timing_usd, parts.price_usd, parts.volume_usd) == (-20_000, -2_000, 0)
    assert found.rows[0].forecast_usd == 38_000


def test_a_line_without_bills_is_named_and_counted_as_planned():
    """Silence is no saving."""
    found = report([line("staff", 100.0), line("energy", 50.0)], [bill("a", 0, "staff", 100)])
    assert found.unbilled == ("Energy, f",)
    assert found.total.actual_usd == 100 + 2 * 50
    assert found.total.forecast_usd == found.total.actual_usd + 4 * 150


def test_a_bill_for_a_category_takes_its_lines_together():
    """Staff by line and all people by category overlap: one row, no line twice."""
    plan = [line("staff", 100.0), line("training", 50.0), line("energy", 10.0, category="energy")]
    found = report(plan, [bill("a", 0, "people", 120), bill("b", 0, "staff", 20)], months_over=1)
    labels = [row.label for row in found.rows]
    assert labels == ["People: Staff, Training", "Energy, f"]
    assert (found.rows[0].budget_usd, found.rows[0].actual_usd) == (150, 140)


def test_an_unplanned_bill_is_a_row_of_its_own():
    """Named so by whoever enters it."""
    found = report([line("staff", 100.0)], [bill("a", 0, "unplanned", 75)], months_over=1)
    assert (found.rows[-1].label, found.rows[-1].variance_usd) == ("Not in the plan", 75)


def test_bills_that_fit_no_line_or_month_are_all_named():
    """Both at once."""
    ledger = Ledger(MONTHS, 0.0, (line("staff", 1.0),))
    with pytest.raises(InputErrors) as caught:
        match(ledger, [bill("a", 0, "stuff", 1), bill("b", 9, "staff", 1)])
    texts = [str(error) for error in caught.value.errors]
    assert texts[0].startswith("bill b: month 10 is outside")
    assert texts[1].startswith("bill a: the plan has no line or category 'stuff'")


def test_months_count_from_the_valuation_date():
    """Across the turn of the year, and before it."""
    assert month_index("2027-02", "2026-12-15") == 2
    assert month_index("2026-11", "2026-12-15") == -1


money = st.decimals("0.01", "100000", places=2)


@st.composite
def billed(draw):
    """A plan of three lines and up to eight bills in two currencies, some with quantities."""
    lines = [
        line("staff", draw(st.floats(0.01, 1e5))),
        line("energy", draw(st.floats(0.01, 1e5)), category="energy"),
        line(
            "servers", start=draw(st.floats(1, 1e6)), at=draw(st.integers(0, 5)), category="capex"
        ),
    ]
    bills = []
    for number in range(draw(st.integers(0, 8))):
        counts = draw(st.none() | st.tuples(st.integers(0, 50), st.integers(1, 50)))
        more = {"quantity": counts[0], "planned_quantity": counts[1]} if counts else {}
        key = draw(st.sampled_from(("staff", "energy", "servers", "people", "unplanned")))
        currency = draw(st.sampled_from(("USD", "EUR")))
        bills.append(bill(str(number), draw(st.integers(0, 5)), key, draw(money), currency, **more))
    return lines, bills


@settings(max_examples=200, deadline=None, derandomize=True)
@given(billed(), st.integers(0, MONTHS), st.floats(0.5, 2.0))
def test_the_parts_sum_to_the_difference_exactly(case, months_over, euro):
    """To the cent, in every row and in the total, whatever the bills."""
    found = report(*case, months_over=months_over, rates={"EUR": euro})
    for row in (*found.rows, found.total):
        assert row.parts.total_usd == row.variance_usd
        assert row.forecast_usd == row.actual_usd + row.remaining_usd
    assert sum((row.variance_usd for row in found.rows), Decimal(0)) == found.total.variance_usd


@settings(max_examples=100, deadline=None, derandomize=True)
@given(billed(), st.integers(1, MONTHS), st.floats(0.5, 2.0))
def test_changing_only_rates_changes_only_the_currency_effect(case, months_over, euro):
    """Every other part is the same under any rate that came to be."""
    first = report(*case, months_over=months_over)
    second = report(*case, months_over=months_over, rates={"EUR": euro})
    for a, b in zip(first.rows, second.rows, strict=True):
        for name in ("price_usd", "volume_usd", "price_or_volume_usd", "timing_usd"):
            assert getattr(a.parts, name) == getattr(b.parts, name)
        assert a.parts.currency_usd == 0
        assert abs(b.actual_usd - a.actual_usd - b.parts.currency_usd) <= Decimal("0.02")
        assert a.remaining_usd == b.remaining_usd

"""Time value of money against closed forms, limits and brute force."""

from __future__ import annotations

import math

import pytest

from tco.cost.depreciation import (
    MACRS_HALF_YEAR_PERCENT,
    declining_balance,
    macrs,
    mid_quarter_applies,
    shares,
)
from tco.cost.finance import (
    crf,
    equivalent_monthly_cost_usd,
    growing_annuity_factor,
    irr,
    loan_interest_usd,
    monthly_rate_fraction,
    npv,
    payback_month,
    payment,
    present_value_usd,
    real_rate_fraction,
)
from tco.errors import InputError


def test_capex_is_not_discounted_in_its_first_month() -> None:
    """A start flow of month m is divided by (1 + r)^m, an end flow by (1 + r)^(m + 1)."""
    value = present_value_usd((100.0, 121.0), (0.0, 133.1), 0.1)
    assert value == pytest.approx(100 + 110 + 110)


def test_monthly_rates_of_both_modes() -> None:
    """Effective compounds to the year; nominal is a twelfth."""
    assert (1 + monthly_rate_fraction(0.10)) ** 12 == pytest.approx(1.10)
    assert monthly_rate_fraction(0.12, "nominal") == pytest.approx(0.01)
    with pytest.raises(InputError, match="monthly_rate"):
        monthly_rate_fraction(0.1, "weekly")


def test_crf_limits() -> None:
    """r = 0 gives 1/n; n infinite gives max(r, 0); n <= 0 is an error; small r keeps its digits."""
    assert crf(0.0, 8) == 0.125
    assert crf(0.05, math.inf) == 0.05
    assert crf(-0.05, math.inf) == 0.0
    assert crf(1e-12, 10) == pytest.approx(0.1, rel=1e-11)
    for periods in (0, -1, math.nan):
        with pytest.raises(InputError):
            crf(0.05, periods)


def test_payment_repays_the_loan() -> None:
    """Running the loan month by month ends at zero, and interest is what was paid on top."""
    rate, months, left, interest = 0.01, 24, 10_000.0, 0.0
    level = payment(left, rate, months)
    for _ in range(months):
        interest += left * rate
        left = left * (1 + rate) - level
    assert left == pytest.approx(0.0, abs=1e-8)
    assert loan_interest_usd(10_000, rate, months) == pytest.approx(interest)


def test_irr_lists_all_roots_or_none() -> None:
    """Every rate returned brings the NPV to zero; flows of one sign have none."""
    flows = [-1000, 3600, -4310, 1716]  # (1 + r) = 1.1, 1.2, 1.3
    roots = irr(flows)
    assert roots == pytest.approx((0.1, 0.2, 0.3), abs=1e-9)
    for root in roots:
        assert npv(root, flows) == pytest.approx(0.0, abs=1e-6)
    assert irr([-100, -5]) == ()
    assert irr([-100, 150, -100]) == ()
    assert irr([0.0, 0.0]) == ()
    assert irr([-100, 110]) == pytest.approx((0.1,))


def test_growing_annuity_with_equal_rates_counts_the_years() -> None:
    """e = d gives n; otherwise the sum equals the geometric closed form."""
    assert growing_annuity_factor(0.03, 0.03, 12) == pytest.approx(12)
    q = 1.02 / 1.08
    assert growing_annuity_factor(0.02, 0.08, 20) == pytest.approx(q * (1 - q**20) / (1 - q))


def test_equivalent_cost_of_unequal_lives() -> None:
    """Level flows of the equivalent cost have the present value they came from."""
    rate = monthly_rate_fraction(0.10)
    level = equivalent_monthly_cost_usd(250_000, rate, 36)
    assert present_value_usd((0.0,) * 36, (level,) * 36, rate) == pytest.approx(250_000)


def test_real_and_nominal_rates_are_multiplied_not_added() -> None:
    """10.24 % nominal with 4 % inflation is 6 % real."""
    assert real_rate_fraction(0.1024, 0.04) == pytest.approx(0.06)


def test_discounted_payback_comes_later() -> None:
    """Discounting moves the payback month from 4 to 5."""
    flows = [-400.0, 100.0, 100.0, 100.0, 100.0, 100.0]
    assert payback_month(flows) == 4
    assert payback_month(flows, 0.02) == 5
    assert payback_month(flows, 0.10) is None


@pytest.mark.parametrize("years", [3, 5, 7, 15])
def test_macrs_tables_sum_to_the_basis(years: int) -> None:
    """Every table, printed or computed, deducts the whole basis in one year more than its class."""
    assert len(macrs(years)) == years + 1
    assert sum(macrs(years)) == pytest.approx(1.0, abs=1e-9)
    for quarter in (1, 2, 3, 4):
        assert sum(macrs(years, quarter)) == pytest.approx(1.0, abs=1e-9)
        assert len(macrs(years, quarter)) == years + 1


@pytest.mark.parametrize(
    ("years", "quarter", "percent"),
    [
        (3, 1, [58.33, 27.78, 12.35, 1.54]),
        (5, 2, [25.00, 30.00, 18.00, 11.37, 11.37, 4.26]),
        (5, 4, [5.00, 38.00, 22.80, 13.68, 10.94, 9.58]),
        (7, 3, [10.71, 25.51, 18.22, 13.02, 9.30, 8.85, 8.86, 5.53]),
        (15, 4, [1.25, 9.88, 8.89, 8.00, 7.20, 6.48, 5.90, 5.90]),
    ],
)
def test_mid_quarter_rows_of_the_printed_tables(
    years: int, quarter: int, percent: list[float]
) -> None:
    """The computed convention gives the rows of IRS Publication 946, tables A-2 to A-5."""
    computed = [100 * share for share in macrs(years, quarter)][: len(percent)]
    assert computed == pytest.approx(percent, abs=0.011)


def test_the_statute_gives_the_printed_half_year_table() -> None:
    """The mid-quarter rule with half a year in the first reproduces table A-1 to its rounding."""
    from tco.cost.depreciation import _declining

    for years, printed in MACRS_HALF_YEAR_PERCENT.items():
        rule = _declining(years, 1.5 if years == 15 else 2.0, 0.5)
        assert [100 * share for share in rule] == pytest.approx(list(printed), abs=0.011)


def test_declining_balance_ends_at_zero_book() -> None:
    """It changes to straight line and deducts everything within the life."""
    assert len(declining_balance(7)) == 7
    assert sum(declining_balance(7)) == pytest.approx(1.0)
    assert declining_balance(5)[:2] == pytest.approx((0.4, 0.24))


def test_fourth_quarter_of_more_than_forty_per_cent() -> None:
    """40 % is still half-year, 41 % is not; nothing placed is nothing."""
    assert not mid_quarter_applies((30.0, 30.0, 0.0, 40.0))
    assert mid_quarter_applies((0.0, 59.0, 0.0, 41.0))
    assert not mid_quarter_applies((0.0, 0.0, 0.0, 0.0))


def test_unknown_method_names_the_field() -> None:
    """A method that is not known says where and what is."""
    with pytest.raises(InputError, match=r"finance\.tax\.depreciation.*macrs_5"):
        shares("sum_of_digits", 5)

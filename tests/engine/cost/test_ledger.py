"""The ledger: what a site pays once, tax, cumulative cost."""

from __future__ import annotations

import math

import numpy as np
import pytest

from tco.cost.case import Calendar
from tco.cost.finance import monthly_rate_fraction
from tco.cost.ledger import Book, OptionCase, build_ledger, cumulative_usd
from tco.cost.tax import deductions
from tco.inputs import Colocation, FacilityBuild, Fleet, Tariff, Tax
from tests.engine.cost.cast import (
    fig,
    finance,
    option,
    owned,
    power_of,
    purchase,
    racks_of,
    result_of,
    site,
)


def option_case(*fleets: Fleet, servers: int = 4, money=None) -> OptionCase:
    """An option whose fleets have so many servers each."""
    money = money or finance()
    return OptionCase.of(
        option("o", *fleets),
        Calendar.of(money),
        [result_of(fleet, servers, months=money.horizon_months) for fleet in fleets],
        [power_of(fleet, servers) for fleet in fleets],
        [racks_of(fleet, servers) for fleet in fleets],
    )


def test_fixed_charge_and_installation_are_paid_once_per_site() -> None:
    """Two fleets behind one meter pay its fixed charge once."""
    place = site(
        tariff=Tariff(fig(0.1, "USD/kWh"), fixed_usd_per_month=fig(500, "USD/month")),
        colocation=Colocation(fig(150, "USD/kW-month"), install_usd=fig(20_000)),
    )
    ledger = build_ledger(option_case(owned("a", site=place), owned("b", site=place)))
    fixed = [line for line in ledger.lines if line.key == "electricity_fixed"]
    install = [line for line in ledger.lines if line.key == "colocation_install"]
    assert [line.total_usd for line in fixed] == [pytest.approx(30_000)]
    assert [line.start_usd[0] for line in install] == [pytest.approx(20_000)]
    assert fixed[0].fleet == ""


def test_present_value_of_hand_worked_lines() -> None:
    """800,000 at once and 2,190 a month at 10 %: 800,000 + 2,190 x 47.5385."""
    ledger = build_ledger(option_case(owned()))
    rate = monthly_rate_fraction(0.10)
    annuity = (1 - (1 + rate) ** -60) / rate
    assert Book.of(ledger).present_usd() == pytest.approx(800_000 + 2_190 * annuity)


def test_cumulative_cost_ends_at_the_present_value() -> None:
    """The last month's cumulative cost is the TCO; undiscounted, the plain sum."""
    ledger = build_ledger(option_case(owned()))
    assert cumulative_usd(ledger)[-1] == pytest.approx(Book.of(ledger).present_usd())
    plain = math.fsum(line.total_usd for line in ledger.lines)
    assert cumulative_usd(ledger, discounted=False)[-1] == pytest.approx(plain)
    assert np.all(np.diff(cumulative_usd(ledger)) > 0)


def test_tax_makes_running_costs_and_depreciation_cheaper() -> None:
    """Over the whole life and at r = 0 everything costs 1 - tau of its price."""
    tax = Tax(fig(0.21, "fraction"), "straight_line", 5)
    money = finance(
        discount_rate_fraction=fig(0.0, "1/yr"), discount_basis="nominal_after_tax", tax=tax
    )
    ledger = build_ledger(option_case(owned(), money=money))
    total = math.fsum(line.total_usd for line in ledger.lines)
    assert total == pytest.approx((800_000 + 2_190 * 60) * 0.79)
    shield = next(line for line in ledger.lines if line.key == "tax_shield_depreciation")
    assert shield.end_usd[11] == pytest.approx(-0.21 * 160_000)


def test_resale_is_taxed_above_book_value() -> None:
    """tau (sale - book): with everything deducted the sale is taxed in full."""
    tax = Tax(fig(0.21, "fraction"), "macrs_3", 3)
    money = finance(discount_basis="nominal_after_tax", tax=tax)
    fleet = owned(purchase=purchase(residual_fraction=fig(0.1, "fraction")))
    ledger = build_ledger(option_case(fleet, money=money))
    disposal = next(line for line in ledger.lines if line.key == "tax_on_disposal")
    assert disposal.total_usd == pytest.approx(0.21 * 80_000)


def test_book_value_left_at_the_horizon_is_deducted_there() -> None:
    """MACRS 5 over 36 months has deducted 71.2 %; the other 28.8 % is left."""
    bought = np.zeros(36)
    bought[0] = 100_000.0
    deducted, book = deductions(bought, Tax(fig(0.21, "f"), "macrs_5", 5))
    assert deducted[[11, 23, 35]] == pytest.approx((20_000, 32_000, 19_200))
    assert book == pytest.approx(28_800)


def test_servers_bought_late_in_the_tax_year_use_the_mid_quarter() -> None:
    """All bought in month 10 of the year: 5 % in the first year, not 20 %."""
    bought = np.zeros(24)
    bought[10] = 100_000.0
    deducted, _ = deductions(bought, Tax(fig(0.21, "f"), "macrs_5", 5))
    assert deducted[11] == pytest.approx(5_000)
    assert deducted[23] == pytest.approx(38_000)


def test_no_tax_no_tax_lines() -> None:
    """Tax is optional."""
    assert all(line.category != "tax" for line in build_ledger(option_case(owned())).lines)


def test_book_value_left_reduces_tax_at_the_horizon() -> None:
    """Straight line over 10 years, sold for nothing after 5: half the price is relieved then."""
    tax = Tax(fig(0.21, "fraction"), "straight_line", 10)
    money = finance(discount_basis="nominal_after_tax", tax=tax)
    ledger = build_ledger(option_case(owned(), money=money))
    disposal = next(line for line in ledger.lines if line.key == "tax_on_disposal")
    assert disposal.end_usd[59] == pytest.approx(-0.21 * 400_000)


def test_amounts_beyond_reason_are_a_blank_line() -> None:
    """1e308 USD a server: no overflow, one line that says which amount is no number."""
    fleet = owned(purchase=purchase(server_usd=fig(1e308)))
    ledger = build_ledger(option_case(fleet, owned("b")))
    assert not ledger.complete
    blank = [line for line in ledger.lines if line.fleet == "own"]
    assert [line.key for line in blank] == ["not_computed"]
    assert "Servers" in blank[0].missing
    assert any(line.fleet == "b" and line.total_usd > 0 for line in ledger.lines)


def test_unused_part_of_an_own_hall_is_its_own_line() -> None:
    """100 kW built for this alone, 40 kW used: 60 x 9,000 is stranded (F5.2)."""
    for charge, unused in (("whole", 540_000), ("share_of_life", 0)):
        place = site(
            build=FacilityBuild(fig(9_000, "USD/kW"), fig(15, "yr"), charge),
            hall_kw=fig(100, "kW"),
        )
        ledger = build_ledger(option_case(owned(site=place)))
        stranded = [x.total_usd for x in ledger.lines if x.key == "facility_stranded"]
        assert math.fsum(stranded) == pytest.approx(unused)

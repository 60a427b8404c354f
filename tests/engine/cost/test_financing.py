"""Loans, leases, services and instalments, by hand (F6, F12.1, F12.2, F12.7)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tco.cost import leasing, loans, owned
from tco.cost.ledger import fleet_lines
from tco.inputs import Financing, Instalment
from tests.engine.cost.cast import case_of, fig, finance, purchase
from tests.engine.cost.cast import owned as owned_fleet


def bought(months=60, servers=1, start_month=0, growth=None, **more):
    """A fleet of boxes of 200,000 USD with these terms."""
    fleet = owned_fleet(purchase=purchase(**more), start_month=start_month)
    return case_of(fleet, growth or servers, money=finance(horizon_months=months))


def by_key(case):
    """Lines of a fleet by key."""
    return {line.key: line for line in fleet_lines(case)}


def loan(rate=0.075, term=180, **more):
    """A loan of so many months."""
    return Financing("loan", term, fig(rate, "fraction/year"), **more)


def test_a_loan_of_200000_at_7_5_percent_over_180_months():
    """The published payment: 1,854.0247 a month, 133,724.45 of interest (WE24)."""
    case = bought(180, financing=loan(), life_months=180)
    lines = by_key(case)
    paid = np.add(lines["loan_principal"].end_usd, lines["loan_interest"].end_usd)
    assert paid == pytest.approx(np.full(180, 1854.0247), abs=1e-4)
    assert lines["loan_interest"].total_usd == pytest.approx(133_724.45, abs=0.01)
    assert lines["loan_interest"].end_usd[0] == pytest.approx(1250.0)
    assert lines["servers"].start_usd[0] + lines["loan_drawn"].start_usd[0] == 0.0


def test_a_down_payment_is_what_cash_sees_first():
    """20 % of 200,000 down; 160,000 lent at no interest over 4 months is 40,000 a month."""
    terms = loan(0.0, 4, down_payment_fraction=fig(0.2, "fraction"))
    lines = by_key(bought(6, financing=terms))
    assert lines["servers"].start_usd[0] + lines["loan_drawn"].start_usd[0] == pytest.approx(40_000)
    assert lines["loan_principal"].end_usd == pytest.approx([40_000] * 4 + [0, 0])
    assert lines["loan_interest"].total_usd == 0.0


def test_a_loan_longer_than_the_horizon_is_settled_there():
    """60 of 180 months: 156,191.84 is still owed, and no cent of the principal is lost."""
    case = bought(60, financing=loan())
    lines = by_key(case)
    assert loans.owed_at_horizon_usd(case) == pytest.approx(156_191.84, abs=0.01)
    assert lines["loan_principal"].total_usd == pytest.approx(200_000)
    assert lines["loan_principal"].end_usd[-1] == pytest.approx(156_191.84 + 872.35, abs=0.5)


def test_each_cohort_has_its_own_loan():
    """Two servers in month 0, a third in month 6: three loans' worth of principal."""
    case = bought(24, growth=[2] * 6 + [3] * 18, financing=loan(0.06, 12))
    lines = by_key(case)
    assert lines["loan_principal"].total_usd == pytest.approx(600_000)
    assert lines["loan_principal"].end_usd[18:] == pytest.approx([0.0] * 6)
    monthly = 200_000 * float(loans.level_payment_fraction(0.005, 12))
    both = lines["loan_principal"].end_usd[7] + lines["loan_interest"].end_usd[7]
    assert both == pytest.approx(3 * monthly)


def lease(kind="operating_lease", term=36, **more):
    """5,000 a server and month unless said otherwise."""
    given = {"payment_usd_per_server_month": fig(5_000)}
    if "rate_factor_fraction_per_month" in more:
        given = {}
    return Financing(kind, term, fig(0.06, "fraction/year"), **{**given, **more})


def test_an_operating_lease_pays_in_place_of_the_price():
    """Two servers at 5,000: 10,000 a month, renewed after 36 months; no price, no resale."""
    lines = by_key(bought(60, 2, financing=lease(), residual_fraction=fig(0.2, "fraction")))
    assert lines["lease_payments"].end_usd == pytest.approx([10_000] * 60)
    assert not {"servers", "residual", "loan_drawn"} & set(lines)


def test_a_rate_factor_is_a_share_of_the_price():
    """3 % of 200,000 less 10 % is 5,400 a month, at the start of each."""
    terms = lease(
        rate_factor_fraction_per_month=fig(0.03, "fraction/month"), payment_timing="advance"
    )
    line = by_key(bought(12, financing=terms, discount_fraction=fig(0.1, "fraction")))
    assert line["lease_payments"].start_usd == pytest.approx([5_400] * 12)
    assert sum(line["lease_payments"].end_usd) == 0.0


def test_a_buyout_ends_the_payments():
    """36 x 5,000, then 15 % of 200,000; the next machine comes at the end of the life."""
    terms = lease(at_end="buyout", buyout_fraction=fig(0.15, "fraction"))
    lines = by_key(bought(72, financing=terms, life_months=60))
    assert lines["lease_payments"].end_usd == pytest.approx([5_000] * 36 + [0] * 24 + [5_000] * 12)
    assert {m: x for m, x in enumerate(lines["lease_buyout"].start_usd) if x} == {
        36: pytest.approx(30_000)
    }


def test_servers_sent_back_cost_at_each_end():
    """24-month leases over 60 months end twice inside the horizon."""
    terms = lease(term=24, at_end="return", return_usd_per_server=fig(1_000))
    lines = by_key(bought(60, 3, financing=terms))
    assert {m: x for m, x in enumerate(lines["lease_return"].end_usd) if x} == {
        23: 3_000,
        47: 3_000,
    }
    assert lines["lease_payments"].total_usd == pytest.approx(3 * 5_000 * 60)


def test_a_finance_lease_splits_its_payments():
    """12 payments of 5,000 at 0.5 % a month: 58,094.66 of principal, the rest is interest."""
    case = bought(12, financing=lease("finance_lease", 12))
    lines = by_key(case)
    assert lines["lease_principal"].total_usd == pytest.approx(58_094.66, abs=0.01)
    assert lines["lease_interest"].end_usd[0] == pytest.approx(58_094.66 * 0.005, abs=0.01)
    both = np.add(lines["lease_principal"].end_usd, lines["lease_interest"].end_usd)
    assert both == pytest.approx([5_000] * 12)


def test_payments_in_advance_hold_no_interest_at_first():
    """The first payment is principal whole; all of them pay off the value of an annuity due."""
    case = bought(12, financing=lease("finance_lease", 12, payment_timing="advance"))
    lines = by_key(case)
    assert lines["lease_interest"].start_usd[0] == 0.0
    assert lines["lease_principal"].total_usd == pytest.approx(58_094.66 * 1.005, abs=0.01)


def test_payments_step_up_once_a_year():
    """10 % more in the second year of each contract."""
    terms = lease(payment_rise_fraction_per_year=fig(0.1, "fraction/year"), term=24)
    line = by_key(bought(24, financing=terms))["lease_payments"]
    assert line.end_usd == pytest.approx([5_000] * 12 + [5_500] * 12)


def test_what_a_lease_owes_past_the_horizon_is_named():
    """60 months of lease from month 6 in a horizon of 48: 18 months outside."""
    case = bought(48, start_month=6, growth=[0] * 6 + [1] * 42, financing=lease(term=60))
    assert leasing.outside_usd(case) == (18, pytest.approx(18 * 5_000))
    assert by_key(case)["lease_payments"].total_usd == pytest.approx(42 * 5_000)


def test_a_service_bills_units_and_names_the_unused_commitment():
    """8 devices in use of 20 committed at 100: 800 in use, 1,200 unused, for the term only."""
    terms = Financing("as_a_service", 12, usd_per_unit_month=fig(100), minimum_count=20)
    lines = by_key(bought(24, financing=terms))
    assert lines["as_a_service"].end_usd == pytest.approx([800] * 24)
    assert lines["as_a_service_unused"].end_usd == pytest.approx([1_200] * 12 + [0] * 12)
    assert "servers" not in lines


def test_instalments_count_from_the_order():
    """30 % with the order four months before need, 60 % at delivery, 10 % two months later."""
    parts = (Instalment(0.3), Instalment(0.6, 4), Instalment(0.1, 6))
    case = bought(
        24,
        start_month=6,
        growth=[0] * 6 + [1] * 18,
        instalments=parts,
        order_lead_months=4,
    )
    line = by_key(case)["servers"]
    assert {m: x for m, x in enumerate(line.start_usd) if x} == {
        2: pytest.approx(60_000),
        6: pytest.approx(120_000),
        8: pytest.approx(20_000),
    }


def test_instalments_lose_nothing_at_the_ends():
    """An order before month 0 is paid in month 0, a part due too late in the last month."""
    parts = (Instalment(0.3), Instalment(0.6, 3), Instalment(0.1, 60))
    line = by_key(bought(12, instalments=parts, order_lead_months=3))["servers"]
    assert line.start_usd[0] == pytest.approx(180_000)
    assert line.start_usd[-1] == pytest.approx(20_000)


def test_a_price_falls_by_the_month_of_its_order():
    """-20 % a year, ordered 3 months ahead: month 14 pays the price of month 11, month 15 less."""
    case = bought(
        24,
        growth=[0] * 14 + [1] + [2] * 9,
        price_change_fraction_per_year=fig(-0.2, "fraction/year"),
        order_lead_months=3,
    )
    line = owned.servers(case)
    assert line.start_usd[14] == pytest.approx(200_000)
    assert line.start_usd[15] == pytest.approx(160_000)
    assert owned.paid_in_service(case)[-1] == pytest.approx(360_000)


def test_no_servers_cost_nothing_however_they_are_paid():
    """Zero nodes cost zero, not NaN (F23.12)."""
    for terms in (
        loan(),
        lease(),
        lease("finance_lease"),
        lease(at_end="return", return_usd_per_server=fig(9)),
        lease(at_end="buyout", buyout_fraction=fig(0.1)),
        Financing("as_a_service", 12, usd_per_unit_month=fig(100)),
    ):
        lines = fleet_lines(bought(24, 0, financing=terms))
        assert [line.key for line in lines if line.total_usd != 0.0] == []


def test_leases_without_a_price_need_none():
    """A payment in USD stands alone; a rate factor of an unknown price is missing, never 0."""
    bare = replace(owned_fleet().server, price_usd=None)
    paid = owned_fleet(server=bare, purchase=purchase(financing=lease()))
    assert by_key(case_of(paid))["lease_payments"].missing == ""
    terms = lease(rate_factor_fraction_per_month=fig(0.03))
    asked = owned_fleet(server=bare, purchase=purchase(financing=terms))
    assert "not known" in by_key(case_of(asked))["lease_payments"].missing

"""Cash and P&L from one ledger: by hand, and in total alike (F12.9, F23.13, F24)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tco.cost.accounting import views
from tco.cost.case import Calendar
from tco.cost.fiscal import fiscal_years
from tco.cost.kpis import CAPEX_KEYS
from tco.cost.ledger import OptionCase, build_ledger
from tco.cost.placed import CAPITALISED
from tco.errors import InputError
from tco.inputs import Financing, Instalment, Tax
from tco.projection import option_cases
from tests.engine.cost.cast import case_of, fig, finance, option, purchase
from tests.engine.cost.cast import owned as owned_fleet
from tests.engine.uncertainty.test_evaluate import rich


def viewed(months=60, servers=1, start="2027-01-01", money=None, **more):
    """Views of one fleet of boxes of 200,000 USD, electricity left out."""
    given = finance(horizon_months=months, valuation_date=start, **(money or {}))
    fleet = owned_fleet(purchase=purchase(**more))
    case = replace(case_of(fleet, servers, money=given), power=None)
    whole = OptionCase(option("own", fleet), Calendar.of(given), (case,))
    return views(whole, build_ledger(whole))


def rows(view, kind):
    """Sums by year of the P&L rows of a kind."""
    found = [row.years_usd for row in view.pnl if row.kind == kind]
    return np.sum(found, axis=0) if found else np.zeros(len(view.years))


def test_fiscal_years_are_named_by_their_end():
    """July 2026 to June 2027 is FY2027; month 0 in December lies in it."""
    years, places = fiscal_years("2026-12-01", 14, start_month=7)
    assert years == ("FY2027", "FY2028")
    assert places == (0,) * 7 + (1,) * 7
    assert fiscal_years("2026-12-15", 2) == (("FY2026", "FY2027"), (0, 1))
    for bad in (0, 13):
        with pytest.raises(InputError):
            fiscal_years("2026-12-01", 2, start_month=bad)


def test_a_purchase_is_cash_at_once_and_a_cost_over_its_book_life():
    """200,000 over four years of a life of five: 50,000 a year, nothing in the fifth."""
    view = viewed(book_life_months=48)
    assert view.years == ("FY2027", "FY2028", "FY2029", "FY2030", "FY2031")
    assert view.cash_usd == pytest.approx([200_000, 0, 0, 0, 0])
    assert view.pnl_usd == pytest.approx([50_000] * 4 + [0])
    assert view.capex_usd == pytest.approx([200_000, 0, 0, 0, 0])


def test_book_value_left_meets_the_resale():
    """Six years of book life, sold after five for 20 %: 33,333 left, 40,000 come back."""
    view = viewed(book_life_months=72, residual_fraction=fig(0.2, "fraction"))
    assert rows(view, "depreciation") == pytest.approx([200_000 / 6] * 5)
    assert rows(view, "written_off") == pytest.approx([0] * 4 + [200_000 / 6])
    assert rows(view, "resale") == pytest.approx([0] * 4 + [-40_000])


def test_instalments_move_cash_and_not_the_cost():
    """30 % at the order, the rest six months later, served at once: depreciation is the same."""
    parts = (Instalment(0.3), Instalment(0.7, 18))
    view = viewed(instalments=parts)
    assert view.cash_usd == pytest.approx([60_000, 140_000, 0, 0, 0])
    assert view.pnl_usd == pytest.approx([40_000] * 5)


def test_of_a_loan_only_the_interest_is_a_cost():
    """0.5 % a month of 200,000, then of what is left; principal never."""
    terms = Financing("loan", 60, fig(0.06, "fraction/year"))
    view = viewed(financing=terms)
    assert rows(view, "depreciation") == pytest.approx([40_000] * 5)
    whole = 60 * 200_000 * 0.005 / (1 - 1.005**-60) - 200_000
    assert rows(view, "interest").sum() == pytest.approx(whole)
    assert rows(view, "interest")[0] > rows(view, "interest")[4] > 0
    assert sum(view.cash_usd) == pytest.approx(sum(view.pnl_usd)) == pytest.approx(200_000 + whole)
    assert view.cash_usd[0] == pytest.approx((200_000 + whole) / 5), "no price up front"


def steps(kind="operating_lease", term=24):
    """10,000 a month, 50 % more in the second year."""
    return Financing(
        kind,
        term,
        fig(0.06, "fraction/year"),
        payment_usd_per_server_month=fig(10_000),
        payment_rise_fraction_per_year=fig(0.5, "fraction/year"),
    )


def test_an_operating_lease_is_spread_evenly():
    """120,000 and 180,000 in cash are 150,000 each in the account."""
    view = viewed(24, financing=steps())
    assert view.cash_usd == pytest.approx([120_000, 180_000])
    assert view.pnl_usd == pytest.approx([150_000, 150_000])


def test_a_right_of_use_costs_more_at_first():
    """The asset in equal parts, and interest that falls; cash does not see the standard."""
    view = viewed(24, financing=steps(), money={"lease_standard": "ifrs_16"})
    payments = np.repeat([10_000.0, 15_000.0], 12)
    value = float(np.sum(payments * 1.005 ** -np.arange(1, 25)))
    assert rows(view, "lease") == pytest.approx([value / 2, value / 2])
    assert rows(view, "interest").sum() == pytest.approx(300_000 - value)
    assert view.cash_usd == pytest.approx([120_000, 180_000])
    same = viewed(24, financing=steps("finance_lease"))
    assert same.pnl_usd == pytest.approx(view.pnl_usd)


def test_a_lease_past_the_horizon_closes_there():
    """12 of 24 months: even cost less what was paid leaves with the debt."""
    for kind in ("operating_lease", "finance_lease"):
        view = viewed(12, financing=steps(kind))
        assert sum(view.cash_usd) == pytest.approx(120_000)
        assert sum(view.pnl_usd) == pytest.approx(120_000)


def test_retirement_is_earned_while_it_serves():
    """5,000 at the end are 1,000 a year."""
    view = viewed(retirement_usd_per_server=fig(5_000))
    assert rows(view, "retirement") == pytest.approx([1_000] * 5)


def test_every_capital_line_is_written_off():
    """A new capital line is missed by no view."""
    assert CAPEX_KEYS == CAPITALISED


@pytest.mark.parametrize("start_month", [1, 4, 10])
@pytest.mark.parametrize("standard", ["asc_842", "ifrs_16"])
def test_cash_and_account_agree_in_total(start_month, standard):
    """Every line and every financing of the rich scenario, whatever the year (F23.9, F23.13)."""
    inputs = rich()
    money = replace(inputs.finance, fiscal_year_start_month=start_month, lease_standard=standard)
    for case in option_cases(replace(inputs, finance=money)):
        ledger = build_ledger(case)
        view = views(case, ledger)
        total = sum(line.total_usd for line in ledger.lines)
        assert sum(view.cash_usd) == pytest.approx(total, rel=1e-12)
        assert sum(view.pnl_usd) == pytest.approx(total, rel=1e-9), case.option.key
        assert sum(row.total_usd for row in view.pnl) == pytest.approx(total, rel=1e-9)
        if case.owned:
            assert view.cash_usd != pytest.approx(view.pnl_usd), "never within a year"


def test_no_servers_have_empty_views():
    """Zero nodes: no row, no NaN (F23.12)."""
    view = viewed(24, 0, financing=steps("finance_lease"))
    assert view.pnl == ()
    assert view.cash_usd == (0.0, 0.0)


def taxed(**more):
    """Lines by key of one box under straight line over five years at 25 %."""
    money = finance(horizon_months=60, tax=Tax(fig(0.25, "fraction"), "straight_line", 5, 0.0))
    fleet = owned_fleet(purchase=purchase(**more))
    case = replace(case_of(fleet, 1, money=money), power=None)
    ledger = build_ledger(OptionCase(option("own", fleet), Calendar.of(money), (case,)))
    return {line.key: line for line in ledger.lines}


def test_tax_follows_the_asset_and_not_its_payment():
    """Instalments over two tax years leave 40,000 a year to deduct, 10,000 of relief."""
    plain = taxed()["tax_shield_depreciation"].end_usd
    parts = (Instalment(0.3), Instalment(0.7, 18))
    assert taxed(instalments=parts)["tax_shield_depreciation"].end_usd == pytest.approx(plain)
    assert [usd for usd in plain if usd] == pytest.approx([-10_000.0] * 5)


def test_of_a_loan_only_the_interest_is_deducted():
    """Relief on running costs is a quarter of the interest; the asset is written off whole."""
    lines = taxed(financing=Financing("loan", 36, fig(0.06, "fraction/year")))
    interest = lines["loan_interest"].total_usd
    assert lines["tax_on_running_costs"].total_usd == pytest.approx(-0.25 * interest)
    assert lines["tax_shield_depreciation"].total_usd == pytest.approx(-50_000)


def test_lease_payments_are_deducted_as_they_are_paid():
    """No asset, no depreciation; a quarter of each payment."""
    lines = taxed(financing=steps("finance_lease"))
    paid = lines["lease_interest"].total_usd + lines["lease_principal"].total_usd
    assert lines["tax_on_running_costs"].total_usd == pytest.approx(-0.25 * paid)
    assert lines["tax_shield_depreciation"].total_usd == 0.0

"""Demand that halves, re-forecast, impairment: by hand (F24)."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tco.cost.accounting import views
from tco.cost.case import Calendar
from tco.cost.ledger import Book, OptionCase, build_ledger
from tco.cost.reforecast import early_retirement, impairment_usd, reforecast
from tco.cost.whatif import Fall, carried_on, left, resold, sublet, ways_out
from tco.errors import InputError
from tco.inputs import Colocation, Financing, Tax
from tests.engine.cost.cast import case_of, fig, finance, option, purchase, site
from tests.engine.cost.cast import owned as owned_fleet

MONTHS = 24


def ledger_of(money=None, **more):
    """Two boxes of 200,000; rent 3,000; support 5 % a year; 24 months without discounting."""
    given = finance(horizon_months=MONTHS, discount_rate_fraction=fig(0.0, "1/yr"), **(money or {}))
    terms = purchase(support_fraction_per_year=fig(0.06, "1/yr"), **more)
    place = site(colocation=Colocation(fig(150, "USD/kW-month")))
    fleet = owned_fleet(purchase=terms, site=place)
    case = OptionCase(option("own", fleet), Calendar.of(given), (case_of(fleet, 2, money=given),))
    return build_ledger(case)


def by_key(ledger):
    """Lines by key."""
    return {line.key: line for line in ledger.lines}


HALF = Fall(12, 0.5, take_or_pay_fraction=1.0, sublet_fraction=0.6, resale_fraction=0.3)


def test_energy_halves_and_the_contract_does_not():
    """Rent of 2 x 10 kW x 150 must be taken or paid; with 70 % it falls to that."""
    plan = ledger_of()
    energy = by_key(plan)["electricity_energy"].end_usd
    kept = by_key(carried_on(plan, HALF))
    assert kept["electricity_energy"].end_usd == pytest.approx(
        [*energy[:12], *(usd / 2 for usd in energy[12:])]
    )
    assert kept["colocation"].end_usd == pytest.approx([3_000] * 24)
    loose = by_key(carried_on(plan, replace(HALF, take_or_pay_fraction=0.7)))
    assert loose["colocation"].end_usd == pytest.approx([3_000] * 12 + [2_100] * 12)
    free = by_key(carried_on(plan, replace(HALF, take_or_pay_fraction=0.0)))
    assert free["colocation"].end_usd[12] == pytest.approx(1_500)


def test_a_subtenant_pays_part_of_the_idle_rent():
    """60 % of half of 3,000 for twelve months."""
    assert by_key(sublet(ledger_of(), HALF))["sublet"].total_usd == pytest.approx(-900 * 12)


def test_idle_servers_are_sold():
    """30 % of half of 400,000 comes back; support halves from then on."""
    lines = by_key(resold(ledger_of(), HALF))
    assert lines["early_resale"].start_usd[12] == pytest.approx(-60_000)
    assert lines["support"].end_usd == pytest.approx([2_000] * 12 + [1_000] * 12)


def test_leaving_stops_everything_but_what_is_owed():
    """120,000 for the servers, a quarter of the rent left, 5,000 to leave; nothing after."""
    terms = replace(HALF, exit_usd=5_000.0, contract_left_fraction=0.25)
    lines = by_key(left(ledger_of(), terms))
    assert lines["early_resale"].start_usd[12] == pytest.approx(-120_000)
    assert lines["colocation_settled"].start_usd[12] == pytest.approx(0.25 * 36_000)
    assert lines["exit"].total_usd == pytest.approx(5_000)
    assert all(usd == 0.0 for line in lines.values() for usd in line.end_usd[12:])


def test_a_loan_is_settled_when_everything_is_left():
    """What was drawn is paid back to the cent, whenever one leaves."""
    plan = ledger_of(financing=Financing("loan", 36, fig(0.06, "fraction/year")))
    lines = by_key(left(plan, HALF))
    back = lines["loan_principal"].total_usd + lines["loan_principal_settled"].total_usd
    assert back == pytest.approx(400_000)


def test_ways_out_stand_beside_each_other():
    """Five answers, each against doing nothing; each total is that of its own ledger."""
    found = {way.key: way for way in ways_out(ledger_of(), HALF)}
    assert list(found) == ["planned", "kept", "sublet", "resold", "left"]
    for way in found.values():
        assert way.present_usd == pytest.approx(Book.of(way.ledger).present_usd())
        assert way.over_kept_usd == pytest.approx(way.present_usd - found["kept"].present_usd)
    assert found["sublet"].over_kept_usd == pytest.approx(-10_800)
    assert found["planned"].present_usd > found["kept"].present_usd


def test_a_fall_that_is_none_changes_nothing():
    """All the demand left: carrying on is the plan."""
    plan = ledger_of()
    assert Book.of(carried_on(plan, Fall(3, 1.0))).plain_usd() == Book.of(plan).plain_usd()


def test_bad_falls_are_named():
    """A month outside, a share above 1, tax that would be the plan's."""
    plan = ledger_of()
    for fall in (Fall(24, 0.5), Fall(-1, 0.5), Fall(3, 1.5), replace(HALF, resale_fraction=-0.1)):
        with pytest.raises(InputError):
            ways_out(plan, fall)
    taxed = ledger_of({"tax": Tax(fig(0.21, "fraction"), "straight_line", 5)})
    with pytest.raises(InputError, match="tax"):
        ways_out(taxed, HALF)


def test_actual_months_and_the_rest_of_the_plan():
    """Six months billed: support 100 dearer each, rent unbilled and named, an unplanned bill."""
    plan = ledger_of()
    bills = {
        ("support", "own"): [2_100.0] * 6,
        ("servers", "own"): [410_000.0, 0, 0, 0, 0, 0],
        ("crane", "own"): [0.0, 0.0, 900.0, 0.0, 0.0, 0.0],
    }
    found = reforecast(plan, 6, bills)
    lines = {line.key: line for line in found.lines}
    assert lines["support"].variance_usd == pytest.approx(600)
    assert lines["support"].forecast_usd == pytest.approx(6 * 2_100 + 18 * 2_000)
    assert lines["servers"].variance_usd == pytest.approx(10_000)
    assert lines["crane"].forecast_usd == pytest.approx(900)
    assert any("Colocation" in name for name in found.unbilled)
    assert not any("support" in name for name in found.unbilled)
    moved = Book.of(found.ledger).plain_usd() - Book.of(plan).plain_usd()
    assert moved == pytest.approx(sum(line.variance_usd for line in found.lines))
    assert moved == pytest.approx(600 + 10_000 + 900)


def test_no_month_over_is_the_plan():
    """Nothing billed yet, nothing unbilled."""
    plan = ledger_of()
    found = reforecast(plan, 0, {})
    assert found.unbilled == ()
    assert Book.of(found.ledger).plain_usd() == Book.of(plan).plain_usd()


def test_bad_bills_are_named():
    """Too few months, more months than the ledger, no number."""
    plan = ledger_of()
    for months, bills in (
        (6, {("support", "own"): [1.0]}),
        (25, {}),
        (1, {("support", "own"): [float("nan")]}),
    ):
        with pytest.raises(InputError):
            reforecast(plan, months, bills)


def test_early_retirement_costs_what_cash_did():
    """Depreciation to the day and the loss are the price less what came back."""
    for age in (0, 13, 60, 90):
        found = early_retirement(200_000, 60, age, 30_000)
        assert found.cost_usd == pytest.approx(170_000)
    assert early_retirement(200_000, 60, 24, 50_000).loss_usd == pytest.approx(70_000)
    for life, age in ((0, 1), (60, -1)):
        with pytest.raises(InputError):
            early_retirement(200_000, life, age, 0.0)


def test_the_account_writes_down_what_is_sold_early():
    """A life of 24 months and a book life of 60: after two years 60 % is left to write off."""
    given = finance(horizon_months=24, valuation_date="2027-01-01")
    fleet = owned_fleet(
        purchase=purchase(
            life_months=24, book_life_months=60, residual_fraction=fig(0.25, "fraction")
        )
    )
    case = replace(case_of(fleet, 1, money=given), power=None)
    whole = OptionCase(option("own", fleet), Calendar.of(given), (case,))
    view = views(whole, build_ledger(whole))
    expected = early_retirement(200_000, 60, 24, 50_000)
    kinds = {row.kind: row.total_usd for row in view.pnl}
    assert kinds["depreciation"] == pytest.approx(expected.depreciated_usd)
    assert kinds["written_off"] + kinds["resale"] == pytest.approx(expected.loss_usd)
    assert impairment_usd(expected.carrying_usd, 50_000) == pytest.approx(70_000)

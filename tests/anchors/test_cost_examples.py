"""Worked examples of money: WE01, 03, 23, 24, 26, 27, 37, 38, 54 and the checks of F0.1, F12.4."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.cost.breakeven import breakeven_hours, breakeven_months, breakeven_years
from tco.cost.demand import in_flight
from tco.cost.depreciation import macrs, with_bonus
from tco.cost.egress import egress, egress_usd
from tco.cost.finance import (
    crf,
    growing_annuity_factor,
    irr,
    monthly_rate_fraction,
    npv,
    payment,
    present_value_usd,
)
from tco.cost.ledger import fleet_lines
from tco.cost.thresholds import threshold_usd_per_board_w
from tco.inputs import FacilityBuild, Migration, Rental, ScenarioInputs, Tariff
from tco.projection import project
from tco.results import Crossing, Projection
from tests.anchors.examples import expected, given
from tests.engine.cost.cast import (
    case_of,
    device,
    fig,
    finance,
    offer,
    option,
    owned,
    purchase,
    rented,
    scenario,
    server,
    site,
)


def test_level_monthly_cost_is_discounted_at_month_ends() -> None:
    """100,000 a month, 60 months, 10 % a year: 4,753,850."""
    months = given("F0.1", "months")
    rate = monthly_rate_fraction(given("F0.1", "discount"), "effective")
    value = present_value_usd((0.0,) * months, (given("F0.1", "monthly"),) * months, rate)
    assert value == expected("F0.1", "present_value")


def test_annual_factor_overstates_the_owned_hour() -> None:
    """The annual recovery factor over 8,760 h is 4.5 % above twelve monthly ones at 10 %."""
    rate, months = given("F12.4", "discount"), given("F12.4", "months")
    monthly = crf(monthly_rate_fraction(rate), months) * 12
    assert crf(rate, months / 12) / monthly - 1 == expected("F12.4", "overstatement")


def test_we01_breakeven_against_on_demand() -> None:
    """833,806 USD pays back after 8,556 h: 11.9 months of 720 h, 11.72 of 730 h."""
    capex, own, cloud = (
        given("WE01", name) for name in ("onprem_capex", "onprem_opex_rate", "cloud_rate")
    )
    hours = breakeven_hours(capex, own, cloud)
    assert hours is not None
    assert hours == expected("WE01", "breakeven_hours")
    assert breakeven_months(hours, 720) == expected("WE01", "breakeven_months_720h")
    assert breakeven_months(hours, 730) == expected("WE01", "breakeven_months_730h")


def test_we01_five_years_through_the_ledger() -> None:
    """Five years through `project`: 871,912 USD to own, 4,306,416 USD to rent, undiscounted."""
    result = project(_we01())
    own, rent = (o.kpis["undiscounted_usd"].value for o in result.options)
    assert own is not None
    assert rent is not None
    assert own == expected("WE01", "onprem_5yr")
    assert rent == expected("WE01", "cloud_5yr")
    assert rent / 5 == expected("WE01", "cloud_year")
    assert rent - own == expected("WE01", "saving_5yr")
    hours = next(c.value for c in result.crossings if c.what == "breakeven_hours")
    assert hours == expected("WE01", "breakeven_hours")


def test_we03_breakeven_moves_with_daily_use() -> None:
    """Fewer hours of use a day, later breakeven: 5.9 years at 4 h, 0.98 at 24 h."""
    years = [
        breakeven_years(given("WE03", "breakeven_hours_full"), use, given("WE03", "days_per_year"))
        for use in given("WE03", "daily_use")
    ]
    assert years == expected("WE03", "breakeven_years")


def test_we23_present_worth_of_an_escalating_bill() -> None:
    """Factor 12.0898 over 20 years; 894,645 USD after 26 % tax."""
    factor = growing_annuity_factor(
        given("WE23", "escalation"), given("WE23", "discount"), given("WE23", "years")
    )
    assert factor == expected("WE23", "present_worth_factor")
    after_tax = given("WE23", "year1") * factor * (1 - given("WE23", "tax"))
    assert after_tax == expected("WE23", "after_tax_present_cost")


def test_we24_reference_finance_functions() -> None:
    """NPV with t = 0 undiscounted, the only IRR, the payment of a loan."""
    assert npv(given("WE24", "npv_rate"), given("WE24", "npv_flows")) == expected("WE24", "npv")
    (root,) = irr(given("WE24", "irr_flows"))
    assert root == expected("WE24", "irr")
    level = payment(given("WE24", "pmt_pv"), given("WE24", "pmt_rate"), given("WE24", "pmt_n"))
    assert level == expected("WE24", "pmt")


def test_we26_macrs_five_year_class() -> None:
    """Six deductions that sum to the basis; full bonus shields 52,500 USD in year one."""
    basis = given("WE26", "basis")
    deductions = [basis * share for share in macrs(5)]
    assert deductions == expected("WE26", "deductions")
    assert sum(deductions) == expected("WE26", "sum")
    shield = given("WE26", "tax_rate") * basis * with_bonus(macrs(5), 1.0)[0]
    assert shield == expected("WE26", "bonus_100_year1_shield")


def test_we27_egress_by_tier() -> None:
    """57,000 GB cost 4,809.20 USD: three tiers, bounds of 1,024 GB per TB."""
    tiers = tuple((float(upper), rate) for upper, rate in given("WE27", "tiers"))
    assert egress_usd(given("WE27", "internet_out"), tiers) == expected("WE27", "internet")


def test_we27_through_the_seed_catalog() -> None:
    """The catalog's own AWS tiers give 4,809.20 USD for 57,000 GB beyond the free 100 GB."""
    free_gb, tiers = SeedCatalog().egress("AWS", "us-east-1")
    sent_gb = given("WE27", "internet_out")
    priced = tuple((upper_gb, rate.value) for upper_gb, rate in tiers)
    assert egress_usd(sent_gb, priced) == expected("WE27", "internet")
    fleet = rented(
        rental=Rental(
            egress_gb_per_month=fig(sent_gb + free_gb, "GB"),
            egress_tiers=tiers,
            egress_free_gb_per_month=free_gb,
        )
    )
    line = egress(case_of(fleet, 1, money=finance(horizon_months=1)))
    assert line is not None
    assert line.total_usd == expected("WE27", "internet")


@pytest.mark.parametrize("case", ["case1", "case2"])
def test_we37_cheaper_card_through_project(case: str) -> None:
    """The claim fails for a 3,000 USD card and holds for a 30,000 USD one; energy and facility."""
    result = project(_we37(case, "whole"))
    dear, cheap = result.options
    lines = [{line.key: line.total_usd for line in o.ledger.lines} for o in (dear, cheap)]
    saving = lines[0]["servers"] - lines[1]["servers"]
    assert saving == expected("WE37", f"{case}_capex_saving")
    energy = lines[1]["electricity_energy"] - lines[0]["electricity_energy"]
    assert energy == expected("WE37", f"{case}_extra_energy")
    facility = lines[1]["facility_build"] - lines[0]["facility_build"]
    assert facility == expected("WE37", f"{case}_extra_facility")
    totals = [o.kpis["tco_usd"].value for o in (dear, cheap)]
    assert totals[0] is not None
    assert totals[1] is not None
    assert totals[0] - totals[1] == expected("WE37", f"{case}_net")
    if case == "case1":
        extra_kw = cheap.power[0].it_provisioned_kw - dear.power[0].it_provisioned_kw
        assert extra_kw == expected("WE37", "case1_extra_power")
    assert result.best_option == {"case1": "dear", "case2": "cheap"}[case]


def test_we37_verdict_is_a_threshold() -> None:
    """The verdict of `project` gives 33.1 USD per board watt and the range of F25."""
    result = project(_we37("case1", "whole"))
    threshold = _threshold(result)
    assert threshold.value == expected("WE37", "threshold_price_per_watt")
    assert threshold.high == expected("WE37", "threshold_price_per_watt")
    assert threshold.low == expected("WE37", "threshold_share_of_20_years")
    assert "above 33.1 USD per board watt (range 18.1 to 33.1" in result.verdict
    assert "at 10 here, Option dear wins" in result.verdict


def test_we37_threshold_by_share_of_life() -> None:
    """Charged by 5 of 15 years the threshold is 19.8, of 20 years 18.1 (F25)."""
    shared = _threshold(project(_we37("case1", "share_of_life")))
    assert shared.value == expected("WE37", "threshold_share_of_15_years")
    assert shared.low == expected("WE37", "threshold_share_of_20_years")
    assert shared.high == expected("WE37", "threshold_price_per_watt")
    energy = 5 * 8760 * given("WE37", "pue") * given("WE37", "electricity") / 1000
    of_20 = threshold_usd_per_board_w(
        given("WE37", "facility") * 5 / 20 + energy,
        given("WE37", "price_cut"),
        given("WE37", "power_rise"),
    )
    assert of_20 == expected("WE37", "threshold_share_of_20_years")


def test_we38_half_a_millisecond() -> None:
    """0.5 ms more at 10,000 requests a second: 5 more in flight, not 6 (Little)."""
    extra = in_flight(given("WE38", "rate"), given("WE38", "extra_latency"))
    assert extra == expected("WE38", "extra_in_flight")
    assert extra == expected("WE38", "extra_busy_seconds_per_second")


def test_we54_porting_cost_against_capex_saved() -> None:
    """900,000 saved, 108,000 more engineering, 300,000 of delay: 492,000 left."""
    capex, cut = given("WE54", "capex_incumbent"), given("WE54", "capex_saving")
    lines = [
        {
            line.key: line.total_usd
            for line in fleet_lines(case_of(_we54(capex * part, factor, delay), 1))
        }
        for part, factor, delay in (
            (1.0, 1.0, 0.0),
            (1.0 - cut, given("WE54", "factor"), given("WE54", "delay")),
        )
    ]
    saving = lines[0]["servers"] - lines[1]["servers"]
    assert saving == expected("WE54", "saving")
    extra = lines[1]["migration"] - lines[0]["migration"]
    assert extra == expected("WE54", "extra_engineering")
    delay_usd = lines[1]["migration_delay"]
    assert delay_usd == expected("WE54", "delay_cost")
    assert saving - extra - delay_usd == expected("WE54", "net")


def test_we54_breakeven_capex_through_project() -> None:
    """Below 1.36 M USD of servers the cheaper card loses; the verdict says so."""
    capex, cut = given("WE54", "capex_incumbent"), given("WE54", "capex_saving")
    result = project(
        scenario(
            option("stay", replace(_we54(capex, 1.0, 0.0), count=1)),
            option(
                "port",
                replace(
                    _we54(capex * (1 - cut), given("WE54", "factor"), given("WE54", "delay")),
                    count=1,
                ),
            ),
            money=finance(discount_rate_fraction=fig(0.0, "1/yr")),
        )
    )
    threshold = next(c for c in result.crossings if c.what == "porting_capex_usd")
    assert threshold.value == expected("WE54", "breakeven_capex")
    assert "pays above 1.36 M USD of servers; at 3 M USD here it pays" in result.verdict
    totals = [o.kpis["tco_usd"].value for o in result.options]
    assert totals[0] is not None
    assert totals[1] is not None
    assert totals[0] - totals[1] == expected("WE54", "net")


def _threshold(result: Projection) -> Crossing:
    return next(c for c in result.crossings if c.what == "price_usd_per_board_w")


def _we01() -> ScenarioInputs:
    """0.87 USD/h of power as 8.7 kW at 0.10 USD/kWh; the rest of the example as given."""
    watts = given("WE01", "onprem_opex_rate") / 0.10 * 1000
    card = device(board_w=fig(watts / 8, "W"), idle_w=fig(watts / 8, "W"))
    box = server(
        card,
        price_usd=fig(given("WE01", "onprem_capex")),
        **_lossless(watts),
    )
    own = owned(
        server=box,
        count=1,
        site=site(
            pue=fig(1.0, "ratio"), slot_w=fig(2000, "W"), tariff=Tariff(fig(0.10, "USD/kWh"))
        ),
    )
    rent = rented(
        offer=offer(device=card, on_demand_usd_per_hour=fig(given("WE01", "cloud_rate"))), count=1
    )
    months = given("WE01", "horizon") * 12
    money = finance(discount_rate_fraction=fig(0.0, "1/yr"), horizon_months=months)
    return scenario(option("own", own), option("rent", rent), money=money)


def _we37(case: str, charge: str) -> ScenarioInputs:
    """Both cards at full board power all day, as the example takes it."""
    price, watts = given("WE37", f"{case}_price"), given("WE37", f"{case}_power")
    cards = given("WE37", "cards_per_node")
    options = []
    for key, usd, board_w in (
        ("dear", price, watts),
        (
            "cheap",
            price * (1 - given("WE37", "price_cut")),
            watts * (1 + given("WE37", "power_rise")),
        ),
    ):
        card = device(key, board_w=fig(board_w, "W"), idle_w=fig(board_w, "W"))
        box = server(
            card, key=key, name=key, price_usd=fig(cards * usd), **_lossless(cards * board_w)
        )
        place = site(
            pue=fig(given("WE37", "pue"), "ratio"),
            build=FacilityBuild(
                fig(given("WE37", "facility") * 1000, "USD/kW"), fig(15, "yr"), charge
            ),
        )
        options.append(
            option(key, owned(key, server=box, site=place, count=given("WE37", "nodes")))
        )
    money = finance(
        discount_rate_fraction=fig(given("WE37", "discount"), "1/yr"),
        horizon_months=given("WE37", "years") * 12,
    )
    return scenario(*options, money=money)


def _lossless(watts: float) -> dict[str, Any]:
    """A server that draws its boards' watts at any load, and nothing else."""
    return {
        "max_system_w": fig(watts, "W"),
        "idle_w": fig(watts, "W"),
        "host_w": fig(0.0, "W"),
        "psu_efficiency_fraction": fig(1.0, "fraction"),
        "psu_count": 0,
        "psu_w_each": None,
    }


def _we54(capex_usd: float, factor: float, delay_months: float) -> Any:
    return owned(
        purchase=purchase(server_usd=fig(capex_usd)),
        migration=Migration(
            engineer_months=fig(given("WE54", "base_engineering"), "months"),
            factor=fig(factor, "x"),
            usd_per_engineer_month=fig(given("WE54", "engineer_month")),
            delay_months=fig(delay_months, "months"),
            benefit_usd_per_month=fig(given("WE54", "benefit_delayed")),
        ),
    )

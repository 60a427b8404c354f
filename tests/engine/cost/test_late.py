"""A late delivery by hand: cash, P&L, unit costs, draws, findings (F5.5)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from tco.cost.late import carrying_usd
from tco.document.validate import validate
from tco.inputs import Delivery, Instalment
from tco.projection import project
from tco.uncertainty.assess import assess
from tests.engine.cost.cast import fig, finance, option, owned, purchase, scenario


def delivery(lead=8.0, **more):
    """Eight months expected; the rest as given."""
    given = {"lead_months": fig(lead, "month"), "bridged_fraction": fig(1.0, "fraction")}
    return Delivery(**{**given, **more})


def late(lead=8.0, promised=2, **more):
    """200 servers of 200,000 USD, 40 M in all, promised after two months."""
    terms = {"order_lead_months": promised}
    for name in ("instalments",):
        if name in more:
            terms[name] = more.pop(name)
    return owned(count=200, purchase=purchase(delivery=delivery(lead, **more), **terms))


def result(fleet, **money):
    """The only option of a scenario with this fleet, and the whole projection."""
    found = project(scenario(option("own", fleet), money=finance(**money)))
    return found.options[0], found


def lines(option_result):
    """Total of each late line by key."""
    return {
        line.key: sum(line.start_usd) + sum(line.end_usd)
        for line in option_result.ledger.lines
        if line.key.startswith("late_")
    }


def test_forty_million_six_months_at_ten_per_cent():
    """The published check: carrying 1.95 M; here 40 M x (1.1^0.5 - 1) = 1,952,354 USD."""
    assert carrying_usd(40e6, 6.0, 0.10) == pytest.approx(1_952_354, abs=1)
    one, _ = result(late(lead=8, promised=2))
    assert lines(one)["late_carrying"] == pytest.approx(1_952_354, abs=1)
    (line,) = [x for x in one.ledger.lines if x.key == "late_carrying"]
    assert [month for month, usd in enumerate(line.end_usd) if usd] == [0, 1, 2, 3, 4, 5]


def test_the_four_parts_by_hand():
    """200 servers six months: half bridged at 9,000, half of 3 M a month lost, power not used."""
    terms = {
        "bridge_usd_per_server_month": fig(9000, "USD/server-month"),
        "bridged_fraction": fig(0.5, "fraction"),
        "benefit_usd_per_month": fig(3e6, "USD/month"),
        "carrying_fraction_per_year": fig(0.12, "fraction/year"),
    }
    one, _ = result(late(**terms))
    found = lines(one)
    assert found["late_bridge"] == pytest.approx(200 * 6 * 0.5 * 9000)
    assert found["late_benefit"] == pytest.approx(6 * 0.5 * 3e6)
    assert found["late_carrying"] == pytest.approx(40e6 * (1.12**0.5 - 1))
    power = next(x for x in one.ledger.lines if x.key == "electricity_energy")
    assert found["late_energy"] == pytest.approx(-sum(power.end_usd[:6]))


def test_a_part_of_a_month_counts_as_a_part():
    """2.5 months late: two months whole, the third half."""
    one, _ = result(late(lead=4.5, bridge_usd_per_server_month=fig(1000, "USD/server-month")))
    (line,) = [x for x in one.ledger.lines if x.key == "late_bridge"]
    assert line.end_usd[:4] == pytest.approx((200_000, 200_000, 100_000, 0))


def test_in_time_costs_nothing():
    """As promised, or earlier: no line, no finding."""
    for lead in (0.0, 1.0, 2.0):
        one, found = result(late(lead=lead))
        assert lines(one) == {}
        assert not [x for x in found.findings if x.code.startswith("delivery")]


def test_depreciation_is_no_cash_line_and_the_two_views_agree():
    """Cash = P&L in total; depreciation stands in the P&L alone, from the month promised on."""
    fleet = late(benefit_usd_per_month=fig(3e6, "USD/month"))
    one, found = result(fleet)
    assert math.fsum(one.views.cash_usd) == pytest.approx(math.fsum(one.views.pnl_usd))
    assert not [row for row in one.views.cash if "depreciation" in row.label.lower()]
    first = next(row for row in one.views.pnl if row.key == "servers")
    plain, _ = result(owned(count=200, purchase=purchase(order_lead_months=2)))
    same = next(row for row in plain.views.pnl if row.key == "servers")
    assert first.years_usd == same.years_usd
    finding = next(x for x in found.findings if x.code == "delivery_late")
    assert "6 months late" in finding.message
    assert "depreciation of 4 M USD" in finding.message  # 40 M over 60 months, six of them
    assert "no further cost" in finding.message
    total = one.kpis["undiscounted_usd"].value - plain.kpis["undiscounted_usd"].value
    assert total == pytest.approx(sum(lines(one).values()))


def test_instalments_not_due_yet_carry_nothing():
    """30 % on order, 60 % two months later, 10 % after six: 90 % is paid by the month of need."""
    parts = (Instalment(0.3, 0), Instalment(0.6, 2), Instalment(0.1, 6))
    one, _ = result(late(instalments=parts))
    assert lines(one)["late_carrying"] == pytest.approx(0.9 * 1_952_354, abs=1)


def test_what_is_not_served_leaves_the_unit_costs():
    """Unbridged, 6 of 60 months serve nobody: dearer by the served months, PV against PV."""
    fleet = replace(late(), workload=replace(late().workload))
    one, _ = result(fleet, discount_rate_fraction=fig(0.0, "1/yr"))
    kpi = one.kpis["usd_per_1000_requests"]
    served = next(t.value for t in kpi.terms if t.name.startswith("thousand requests"))
    whole, _ = result(
        owned(count=200, purchase=purchase()), discount_rate_fraction=fig(0.0, "1/yr")
    )
    before = next(
        t.value
        for t in whole.kpis["usd_per_1000_requests"].terms
        if t.name.startswith("thousand requests")
    )
    assert served == pytest.approx(before * 54 / 60)


def test_a_drawn_lead_time_is_a_distribution_of_lateness():
    """Uniform 0 to 8 months, 2 promised: mean lateness 36 / 16 = 2.25, P10 0, P90 5.2 months."""
    terms = {
        "lead_months": fig(4.0, "month", low=0.0, high=8.0, shape="uniform"),
        "bridge_usd_per_server_month": fig(1000, "USD/server-month"),
        "carrying_fraction_per_year": fig(0.0, "fraction/year"),
    }
    fleet = late(**terms)
    zero = {"discount_rate_fraction": fig(0.0, "1/yr")}
    inputs = scenario(option("own", fleet), money=finance(**zero))
    free = replace(fleet.site.tariff, energy_usd_per_kwh=fig(0.0, "USD/kWh"))
    fleet = replace(fleet, site=replace(fleet.site, tariff=free))
    inputs = scenario(option("own", fleet), money=finance(**zero))
    found = assess(inputs, draws=20_000)
    (one,) = found.options
    assert one.mean_usd - 40e6 == pytest.approx(200 * 1000 * 2.25, rel=0.02)
    assert one.p10_usd == pytest.approx(40e6)
    assert one.p90_usd - 40e6 == pytest.approx(200 * 1000 * 5.2, rel=0.02)
    assert [driver.label for driver in found.drivers] == [
        "Own own, purchase, delivery: lead months"
    ]
    finding = next(x for x in project(inputs).findings if x.code == "delivery_late")
    assert "2 months late (0 to 6 over its range)" in finding.message


def test_a_draw_is_the_projection_of_its_figure():
    """Cost at the ends of the tornado is that of two scenarios."""
    terms = {
        "lead_months": fig(5.0, "month", low=3.0, high=9.5),
        "bridge_usd_per_server_month": fig(7000, "USD/server-month"),
        "bridged_fraction": fig(0.4, "fraction"),
        "benefit_usd_per_month": fig(2e6, "USD/month"),
    }
    found = assess(scenario(option("own", late(**terms))), draws=100)
    swing = next(x for x in found.swings["own"] if "lead" in x.label)
    for end, at in ((3.0, swing.at_low_usd), (9.5, swing.at_high_usd)):
        one, _ = result(late(**{**terms, "lead_months": fig(end, "month")}))
        assert at == pytest.approx(one.kpis["tco_usd"].value, rel=1e-12)


def test_what_may_be_late_is_told_before_it_is():
    """In time at its own value, three months late at the high end."""
    _, found = result(late(lead=2.0, lead_months=fig(2.0, "month", low=1.0, high=5.0)))
    (finding,) = [x for x in found.findings if x.code == "delivery_may_be_late"]
    assert "up to 3 months late" in finding.message


def test_a_gap_that_nobody_prices_is_a_warning():
    """Neither a bridge nor a benefit: the cost of not serving is missing, and that is said."""
    _, found = result(late())
    assert [x for x in found.findings if x.code == "late_service_unpriced"]


def test_a_share_without_a_price_is_refused():
    """The document names the missing price with the mend."""
    document = {
        "schema": "tco-scenario/1",
        "options": [
            {
                "key": "a",
                "fleets": [
                    {
                        "key": "f",
                        "purchase": {"delivery": {"lead_months": 3, "bridged_fraction": 0.5}},
                    }
                ],
            }
        ],
    }
    errors = [str(error) for error in validate(document)]
    assert any("delivery.bridge_usd_per_server_month: is missing" in text for text in errors)


def test_absence_never_exceeds_what_is_there():
    """However late, no month misses more servers than it should have."""
    one, _ = result(late(lead=60, bridge_usd_per_server_month=fig(1.0, "USD/server-month")))
    (line,) = [x for x in one.ledger.lines if x.key == "late_bridge"]
    assert max(line.end_usd) == 200
    assert np.sum(np.array(line.end_usd) > 0) == 58

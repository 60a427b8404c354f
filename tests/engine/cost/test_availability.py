"""Lines and next steps of availability, on round numbers (F16, F8)."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from tco.cost.availability import chain, downtime, repair_hours, servers_spared
from tco.cost.finance import present_value_usd
from tco.cost.ledger import OptionCase, build_ledger, fleet_lines
from tco.cost.redundancy import availability_results
from tco.cost.spares import spares_needed
from tco.inputs import Availability, Failures, Layer, SecondSite, SupportContract
from tco.results import CountRule
from tests.engine.cost.cast import case_of, fig, finance, option, owned, purchase, workload

HOURS = 8760.0


def hours(value):
    """So many hours."""
    return fig(value, "h")


def available(**more):
    """Servers that fail once a year and are back after 8.76 hours, u = 1/1001."""
    given = {"repair_hours": hours(8.76), "server_failures_per_year": fig(1.0, "1/year")}
    return Availability(**{**given, **more})


def ups(**more):
    """One UPS of 0.999, repaired in ten hours."""
    given = {"key": "ups", "kind": "ups", "needed": 1, "repair_hours": hours(10)}
    given |= {"availability_fraction": fig(0.999, "fraction"), "usd_per_unit": fig(10_000)}
    return Layer(**{**given, **more})


def fleet_of(availability, *, lost=0, **more):
    """Boxes whose hour down costs 1,000 USD."""
    load = workload(
        replicas_lost=lost, downtime_usd_per_hour=fig(1_000, "USD/h"), **more.pop("load", {})
    )
    return owned(workload=load, availability=availability, **more)


def lines_of(case):
    """The fleet's lines by key."""
    return {line.key: line for line in fleet_lines(case)}


def test_downtime_by_hand():
    """One server, u = 1/1001, 1,000 USD an hour, 8,760 h a year: 8,751.2 USD a year."""
    case = case_of(fleet_of(available()), 1)
    line = lines_of(case)["downtime"]
    assert line.total_usd == pytest.approx(5 * HOURS / 1001 * 1_000)
    assert line.reference == "F16.1, F16.4"
    assert line.terms[0].value == pytest.approx(HOURS / 1001)


def test_each_outage_has_its_fixed_cost():
    """500 USD each: a server that fails once in 1,001 cycles' time, 0.999 outages a year."""
    load = {"downtime_usd_per_event": fig(500, "USD/outage")}
    case = case_of(fleet_of(available(), load=load), 1)
    each = HOURS / (HOURS + 8.76)
    assert lines_of(case)["downtime"].total_usd == pytest.approx(
        5 * (HOURS / 1001 * 1_000 + each * 500)
    )


def test_all_servers_needed_without_a_lost_replica():
    """Four of four: 1 - (1000/1001)^4 of the time down; with one lost, the binomial of one more."""
    up = 1000 / 1001
    four = chain(case_of(fleet_of(available()), 4), available())
    assert four.servers.fraction[-1] == pytest.approx(1 - up**4)
    case = case_of(fleet_of(available(), lost=1), 5, count_rule=CountRule(4, 1, 1))
    five = chain(case, available())
    assert five.servers.fraction[-1] == pytest.approx(1 - up**5 - 5 * up**4 * (1 - up))


@pytest.mark.parametrize(
    ("lost", "per_server", "spared"), [(0, 1, 0), (2, 1, 2), (1, 4, 0), (4, 4, 1), (7, 4, 1)]
)
def test_servers_spared_agree_with_the_sizing(lost, per_server, spared):
    """P7: whole servers of lost replicas, and the count that the sizing gives carries them."""
    rule = CountRule(10, per_server, lost)
    fleet = fleet_of(available(), lost=lost)
    servers = -(-(10 + lost) // per_server)
    case = case_of(fleet, servers, count_rule=rule, replicas=10 + lost)
    assert servers_spared(case) == spared
    assert (servers - spared) * per_server >= 10  # what is left carries the load


def test_layers_are_bought_and_maintained():
    """2N of a UPS of 10,000 USD: 20,000 once, 2 x 600 a year."""
    layer = ups(scheme="2N", usd_per_unit_year=fig(600))
    found = lines_of(case_of(fleet_of(available(layers=(layer,))), 1))
    assert found["redundancy"].total_usd == 20_000
    assert found["redundancy"].start_usd[0] == 20_000
    assert found["redundancy_running"].total_usd == pytest.approx(5 * 1_200)
    down = found["downtime"].terms[0].value / HOURS
    assert down == pytest.approx(1 - (1000 / 1001) * (1 - 0.001**2))


def test_a_missing_availability_is_a_blank_and_not_free():
    """The workload prices an hour down, the fleet says nothing of it: incomplete."""
    line = downtime(case_of(fleet_of(None), 1))
    assert line is not None
    assert line.missing == "how often this fleet is down is not given (availability)"
    assert not build_ledger(option_case(case_of(fleet_of(None), 1))).complete


def option_case(case):
    """An option of this one fleet."""
    return OptionCase(option("own", case.fleet), case.calendar, (case,))


def contracts():
    """Four hours against the next business day."""
    return (
        SupportContract("4h", hours(4), hours(4), usd_per_server_year=fig(3_000)),
        SupportContract("nbd", hours(40), hours(24), usd_per_server_year=fig(1_000)),
    )


def supported(contract="nbd", **more):
    """Four servers with the two contracts, a part failing 0.1 times a year."""
    given = available(contracts=contracts(), contract=contract, repair_hours=hours(2), **more)
    failures = Failures(
        fig(0.1, "1/year"), fig(2, "month"), fig(0.9, "fraction"), 0, fig(100), part_usd=fig(5_000)
    )
    return fleet_of(given, purchase=purchase(failures=failures))


def test_response_to_repair_to_availability_by_hand():
    """A spare is at hand nine times of ten: 40 + 0.1 x 24 + 2 = 44.4 h; 4 + 0.4 + 2 = 6.4 h."""
    slow, fast = case_of(supported("nbd"), 4), case_of(supported("4h"), 4)
    assert repair_hours(slow, slow.fleet.availability) == pytest.approx(44.4)
    assert repair_hours(fast, fast.fleet.availability) == pytest.approx(6.4)
    (found,) = availability_results(option_case(slow))
    by_key = {one.key: one for one in found.contracts}
    assert by_key["nbd"].server_availability_fraction == pytest.approx(HOURS / (HOURS + 44.4))
    down = 1 - (HOURS / (HOURS + 6.4)) ** 4
    assert by_key["4h"].downtime_hours_per_year == pytest.approx(down * HOURS)
    assert by_key["4h"].cheapest
    assert not by_key["nbd"].cheapest
    assert by_key["nbd"].saving_usd == 0.0
    both = by_key["nbd"].cost_usd - by_key["4h"].cost_usd
    assert by_key["4h"].saving_usd == pytest.approx(both)
    assert both > 0
    # what differs is the contract, the downtime and the spares, nothing else
    parts = [
        getattr(by_key["nbd"], name) - getattr(by_key["4h"], name)
        for name in ("contract_usd", "downtime_usd", "spares_usd")
    ]
    assert both == pytest.approx(sum(parts))


def test_the_contract_sets_the_spares_and_pays_the_parts():
    """Spares for 64 h in place of two months; no part is bought after the warranty."""
    case = case_of(supported("nbd"), 40)
    found = lines_of(case)
    kept = spares_needed(40 * 8 * 0.1 * 64 / HOURS, 0.9)
    assert found["spares"].terms[0].value == kept
    assert spares_needed(40 * 8 * 0.1 / 6, 0.9) > kept
    repairs = 40 * 8 * 0.1 * 100 * 5
    assert found["repairs"].total_usd == pytest.approx(repairs)
    assert found["support_contract"].total_usd == pytest.approx(5 * 40 * 1_000)


def test_a_contract_by_share_of_the_price():
    """5 % of 200,000 USD for four servers and five years."""
    one = SupportContract("x", hours(4), hours(4), price_fraction_per_year=fig(0.05, "fraction"))
    case = case_of(fleet_of(available(contracts=(one,), contract="x")), 4)
    assert lines_of(case)["support_contract"].total_usd == pytest.approx(0.05 * 800_000 * 5)


def test_a_second_site_costs_its_share():
    """Half the capital and a fifth of the running lines again, and the downtime of both."""
    second = SecondSite(
        "active_active",
        fig(0.5, "fraction"),
        fig(0.2, "fraction"),
        hours(0),
        fig(1.0, "fraction"),
    )
    one = lines_of(case_of(fleet_of(available()), 1))
    two = lines_of(case_of(fleet_of(available(second_site=second)), 1))
    capital, running = one["servers"].total_usd, one["electricity_energy"].total_usd
    assert two["second_site"].total_usd == pytest.approx(0.5 * capital)
    assert two["second_site_running"].total_usd == pytest.approx(0.2 * running)
    assert two["downtime"].total_usd == pytest.approx(one["downtime"].total_usd / 1001)


def test_every_next_step_is_the_ledger_with_one_thing_changed():
    """Cost, downtime, extra and saving of each row, from ledgers built beside the table."""
    layer = ups(scheme="N+1", common_cause_fraction=fig(0.1, "fraction"))
    case = case_of(fleet_of(available(layers=(layer,)), lost=1), 4, count_rule=CountRule(3, 1, 1))
    (found,) = availability_results(option_case(case))
    rows = [row for row in found.choices if row.part == "ups"]
    assert [row.scheme for row in rows] == ["N", "N+1", "N+2", "2N", "2(N+1)"]
    assert [row.chosen for row in rows] == [False, True, False, False, False]
    totals = []
    for row in rows:
        given = available(layers=(replace(layer, scheme=row.scheme),))
        other = replace(case, fleet=replace(case.fleet, availability=given))
        rate = case.calendar.rate_fraction
        pv = {
            line.key: present_value_usd(line.start_usd, line.end_usd, rate)
            for line in fleet_lines(other)
        }
        assert row.downtime_usd == pytest.approx(pv["downtime"])
        assert row.cost_usd == pytest.approx(sum(pv.values()) - pv["downtime"])
        totals.append(sum(pv.values()))
    for before, row in itertools.pairwise(rows):
        assert row.extra_usd == pytest.approx(row.cost_usd - before.cost_usd, abs=1e-6)
        assert row.saving_usd == pytest.approx(before.downtime_usd - row.downtime_usd)
        assert row.pays == (row.saving_usd > row.extra_usd)
    assert [row.cheapest for row in rows].index(True) == int(np.argmin(totals))
    servers = [row for row in found.choices if row.part == "servers"]
    assert [row.installed for row in servers] == [4, 5, 6]
    assert servers[0].downtime_hours_per_year > servers[1].downtime_hours_per_year
    # one more box with all that hangs on it: its price and its electricity, at least
    assert servers[1].extra_usd > 200_000


def test_without_a_price_of_an_hour_nothing_is_weighed():
    """Hours are shown; money is blank with a reason."""
    case = case_of(owned(availability=available(layers=(ups(),))), 2)
    (found,) = availability_results(option_case(case))
    assert found.downtime_hours_per_year > 0
    assert found.downtime_usd is None
    assert found.reason == "what an hour down costs is not given"
    assert {row.pays for row in found.choices} == {None}
    assert "downtime" not in lines_of(case)


def test_downtime_over_draws_is_that_of_each_draw():
    """A drawn repair, rate and price: each row of the ledger as if it were alone."""
    given = available(layers=(ups(),))
    repair, price = np.array([2.0, 8.76, 50.0]), np.array([10.0, 1_000.0, 5.0])
    drawn = replace(given, repair_hours=hours(8.76).drawn(repair))
    load = workload(downtime_usd_per_hour=fig(1, "USD/h").drawn(price))
    case = case_of(owned(workload=load, availability=drawn), 3)
    together = np.asarray(downtime(case).end_usd)
    assert together.shape == (3, 60)
    for row, (one, usd) in enumerate(zip(repair, price, strict=True)):
        alone = replace(given, repair_hours=hours(one))
        load = workload(downtime_usd_per_hour=fig(usd, "USD/h"))
        case = case_of(owned(workload=load, availability=alone), 3)
        assert together[row] == pytest.approx(np.asarray(downtime(case).end_usd))


def test_nothing_is_down_before_go_live():
    """A fleet that starts in month 12 is not missed before it."""
    money = finance(horizon_months=24)
    case = case_of(fleet_of(available(), start_month=12), [0] * 12 + [2] * 12, money=money)
    line = lines_of(case)["downtime"]
    assert not any(line.end_usd[:12])
    assert all(line.end_usd[12:])


def test_a_step_of_unknown_price_is_not_free():
    """UPS paid with the rent: hours of each scheme are shown, its cost and what pays are blank."""
    layer = ups(scheme="N+1", usd_per_unit=None)
    (found,) = availability_results(option_case(case_of(fleet_of(available(layers=(layer,))), 2)))
    rows = [row for row in found.choices if row.part == "ups"]
    assert [row.cost_usd is None for row in rows] == [True, False, True, True, True]
    assert {row.extra_usd for row in rows} == {None}
    assert {row.pays for row in rows} == {None}
    assert not any(row.cheapest for row in rows)
    assert rows[0].downtime_usd > rows[1].downtime_usd

"""Bills in parts in the ledger: over draws, late servers, two fleets, drawn PUE (F4, F21)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tco.cost.ledger import Book, build_ledger
from tco.cost.reforecast import reforecast
from tco.projection import option_cases
from tco.uncertainty.drivers import find_drivers, substitute
from tco.uncertainty.evaluate import Evaluator, base_row
from tests.cases.plain_document import at, inputs, own
from tests.engine.uncertainty.test_evaluate import drawn_rows, fixed


def ranged(low, value, high):
    """A figure with a range."""
    return {"value": value, "low": low, "high": high, "status": "assumed", "source": "test"}


TARIFF = {
    "periods": [
        {"name": "day", "from_hour": 7, "to_hour": 20, "usd_per_kwh": ranged(0.08, 0.12, 0.2)},
        {
            "name": "night",
            "from_hour": 20,
            "to_hour": 7,
            "tiers": [
                {"up_to_kwh_per_month": 3000, "usd_per_kwh": ranged(0.05, 0.07, 0.09)},
                {"usd_per_kwh": 0.04},
            ],
        },
    ],
    "demand": [
        {
            "name": "peak",
            "usd_per_kw_month": ranged(8, 12, 20),
            "ratchet_fraction": ranged(0.5, 0.8, 0.9),
        }
    ],
    "minimum_usd_per_month": ranged(1000, 2500, 4000),
    "tax_fraction": ranged(0.05, 0.07, 0.2),
}
HALL = {
    "rated_it_kw": ranged(40, 60, 90),
    "ups_no_load_fraction": ranged(0.01, 0.02, 0.03),
    "ups_linear_fraction": 0.02,
    "ups_square_fraction": ranged(0.01, 0.02, 0.03),
    "cooling_fixed_fraction": 0.06,
    "cooling_fraction": ranged(0.1, 0.12, 0.2),
}


def rich(*more):
    """A scenario of 36 months in which every part of a bill has a range, beside a plant."""
    return inputs(
        at("finance.horizon_months", 36),
        at("finance.electricity_escalation_fraction", ranged(0.0, 0.02, 0.05)),
        at("sites.0.energy_usd_per_kwh", None),
        at("sites.0.demand_included", None),
        at("sites.0.tariff", TARIFF),
        at("sites.0.carbon_usd_per_t", ranged(20, 50, 90)),
        at("sites.0.grid_gco2_per_kwh", ranged(200, 400, 600)),
        at("sites.0.heat_reuse", {"it_energy_fraction": 0.5, "usd_per_kwh": ranged(0, 0.01, 0.03)}),
        *more,
    )


CASES = {
    "alone": (),
    "hall": (at("sites.0.pue", None), at("sites.0.part_load", HALL)),
    "beside": (at("sites.0.existing_load", {"average_kw": 40, "peak_kw": 55}),),
    "generating": (at("sites.0.own_generation_kw", [0.0] * 8 + [15.0] * 10 + [0.0] * 6),),
}


@pytest.mark.parametrize("name", CASES)
def test_each_draw_is_the_ledger_of_a_scenario_with_these_figures(name):
    """Six rows drawn at once against six scenarios on their own: to 1e-9."""
    pue = () if name == "hall" else (at("sites.0.pue", ranged(1.1, 1.25, 1.5)),)
    scenario = rich(*CASES[name], *pue)
    cases = option_cases(scenario)
    drivers = tuple(
        driver for driver in find_drivers(cases, scenario.finance)[0] if driver.figure is not None
    )
    assert len(drivers) > 9
    rows = drawn_rows(drivers, 6)
    found = Evaluator(cases, drivers).at(rows)
    for draw, row in enumerate(rows):
        alone = option_cases(substitute(scenario, fixed(drivers, row), {}))
        book = Book.of(build_ledger(alone[0]))
        assert found.plain_usd[0, draw] == pytest.approx(book.plain_usd(), rel=1e-9)
        assert found.present_usd[0, draw] == pytest.approx(book.present_usd(), rel=1e-9)


def test_the_base_row_is_the_ledger_at_low_and_high_too():
    """A total lies between its ledgers at low and high prices, and the range is not empty."""
    case = option_cases(rich())[0]
    low, base, high = (
        Book.of(build_ledger(case.at(bound))).plain_usd() for bound in ("low", "value", "high")
    )
    assert low < base < high
    drivers, _ = find_drivers((case,), case.calendar.finance)
    drawn = Evaluator((case,), drivers).at(base_row(drivers)).plain_usd[0, 0]
    assert drawn == pytest.approx(base, rel=1e-12)


def test_an_existing_load_with_a_range_says_that_it_is_not_carried():
    """What the draws cannot follow is named, not dropped."""
    scenario = rich(at("sites.0.existing_load", {"average_kw": ranged(300, 400, 500)}))
    _, left = find_drivers(option_cases(scenario), scenario.finance)
    assert any("average kw" in label for label in left)


def test_servers_that_come_late_use_no_energy_of_a_bill_in_parts():
    """F5.5: half the months away, half the energy lines back; demand runs on."""
    given = {"lead_months": 12}
    late = option_cases(rich(own("purchase.delivery", given)))[0]
    lines = {line.key: line for line in build_ledger(late).lines}
    energy = [x for x in build_ledger(late).lines if x.key == "electricity_energy"]
    first_year = sum(sum(line.end_usd[:12]) for line in energy)
    assert sum(lines["late_energy"].end_usd[:12]) == pytest.approx(-first_year)


def test_a_bill_in_parts_is_the_sum_of_its_fleets_to_the_cent():
    """Two fleets, one site: lines of each, together one bill; the order does not matter."""
    one = option_cases(rich())[0]
    twin = one.fleets[0]
    second = replace(
        twin,
        fleet=replace(twin.fleet, key="second"),
        result=replace(twin.result, fleet="second"),
        power=replace(twin.power, fleet="second", hourly_kw=tuple(reversed(twin.power.hourly_kw))),
    )
    both = replace(one, fleets=(twin, second))
    turned = replace(one, fleets=(second, twin))
    bills = []
    for case in (both, turned):
        lines = [x for x in build_ledger(case).lines if x.key.startswith("electricity")]
        assert {line.fleet for line in lines} == {"own", "second"}
        bills.append(np.sum([line.end_usd for line in lines], axis=0))
    assert bills[0] == pytest.approx(bills[1], abs=0.005)


def test_one_bill_replaces_all_parts_of_its_key_once():
    """A bill for the energy pays every period: the re-forecast counts it once, not by period."""
    ledger = build_ledger(option_cases(rich())[0])
    planned = {x.label: x.total_usd for x in ledger.lines if x.key == "electricity_energy"}
    assert len(planned) == 3
    done = reforecast(ledger, 2, {("electricity_energy", "own"): (1000.0, 1100.0)})
    (energy,) = [x for x in done.lines if x.key == "electricity_energy"]
    assert energy.actual_usd == pytest.approx(2_100.0)
    assert energy.planned_usd + energy.remaining_usd == pytest.approx(sum(planned.values()))
    assert energy.label == "Electricity, energy"

"""The ledger on columns gives what the ledger gives one by one (F21.2, F23.1)."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tco.cost.ledger import Book, build_ledger
from tco.inputs import (
    Assessment,
    Colocation,
    Exit,
    FacilityBuild,
    Failures,
    Financing,
    Instalment,
    Migration,
    Purchase,
    Rental,
    Retraining,
    ScenarioInputs,
    Staffing,
    Tariff,
    Tax,
)
from tco.projection import option_cases, project
from tco.uncertainty.drivers import find_drivers, substitute
from tco.uncertainty.evaluate import Evaluator, base_row
from tests.engine.cost.cast import (
    fig,
    finance,
    option,
    owned,
    purchase,
    rented,
    scenario,
    site,
    workload,
)


def rich(method: str = "macrs_5") -> ScenarioInputs:
    """Every kind of line, and a range on everything that a line reads."""
    money = finance(
        horizon_months=84,
        discount_rate_fraction=fig(0.1, "1/yr", low=0.06, high=0.14),
        electricity_escalation_fraction=fig(0.03, "1/yr", low=0.0, high=0.06),
        opex_escalation_fraction=fig(0.02, "1/yr", low=0.0, high=0.05),
        tax=Tax(fig(0.21, "fraction", low=0.15, high=0.3), method, 5, 0.4),
    )
    load = workload(
        peak_requests_per_s=fig(60, "requests/s", low=30, high=120),
        growth_fraction_per_year=fig(0.1, "1/yr", low=-0.2, high=0.4),
        headroom_fraction=fig(0.1, "fraction", low=0.0, high=0.3),
        replicas_lost=1,
    )
    buy = purchase(
        server_usd=fig(200_000, low=150_000, high=260_000),
        discount_fraction=fig(0.05, "fraction", low=0.0, high=0.2),
        network_usd_per_server=fig(25_000, low=10_000, high=40_000),
        support_fraction_per_year=fig(0.05, "fraction", low=0.02, high=0.1),
        software_usd_per_device_year=fig(4_500, low=0, high=5_000),
        integration_usd_per_server=fig(5_000, low=1_000, high=9_000),
        staff_usd_per_server_year=fig(6_000, low=3_000, high=12_000),
        residual_fraction=fig(0.2, "fraction", low=0.05, high=0.4),
        life_months=48,
    )
    move = Migration(
        fig(20, "months", low=10, high=40),
        fig(1.5, "ratio", low=1, high=3),
        fig(15_000, low=10_000, high=20_000),
        validation_usd=fig(50_000, low=20_000, high=90_000),
        dual_running_months=fig(2.5, "months", low=1, high=4),
        delay_months=fig(1.5, "months", low=0, high=3),
        benefit_usd_per_month=fig(30_000, low=10_000, high=50_000),
        contingency_fraction=fig(0.1, "fraction", low=0, high=0.3),
        people_trained=fig(6, "person", low=4, high=9),
        usd_per_person_trained=fig(5_000, low=3_000, high=8_000),
        accuracy_tests_per_model=fig(30, "test", low=10, high=60),
        usd_per_accuracy_test=fig(400, low=200, high=900),
        numeric_drift_usd=fig(30_000, low=10_000, high=60_000),
    )
    leaving = Exit(
        fig(0.3, "fraction", low=0.1, high=0.6),
        replace(move, old_usd_per_month=fig(70_000, low=40_000, high=99_000)),
    )
    kept = Retraining(
        fig(12, "run/year", low=4, high=24),
        fig(256, "device-h", low=100, high=600),
        fig(2.5, "USD/device-h", low=1.5, high=4),
        fig(1_500, low=500, high=3_000),
    )
    held = fig(0.05, "fraction", low=0.01, high=0.1)
    team = Staffing(
        fig(160_000, low=120_000, high=210_000),
        fig(1, "FTE", low=0.5, high=2),
        fig(0.02, "FTE/server", low=0.01, high=0.05),
        fig(0.5, "FTE/site", low=0.2, high=1),
        fig(0.5, "FTE/family", low=0.2, high=1),
        fig(1.6, "FTE/site", low=1, high=3),
        shared_fraction=fig(0.1, "fraction", low=0, high=0.4),
    )
    hall = site(
        tariff=Tariff(
            fig(0.1, "USD/kWh", low=0.05, high=0.2),
            fig(12, "USD/kW-month", low=5, high=20),
            fig(500, "USD/month", low=100, high=900),
        ),
        pue=fig(1.25, "ratio", low=1.1, high=1.6),
        build=FacilityBuild(fig(11_000, low=8_000, high=14_000), fig(15, "yr", low=6, high=20)),
        hall_kw=fig(2_000, "kW"),
    )
    rack = replace(hall.rack, price_usd=fig(8_000, low=4_000, high=12_000))
    rooms = site(
        key="colo",
        name="Colo",
        rack=rack,
        colocation=Colocation(
            fig(150, "USD/kW-month", low=120, high=200), install_usd=fig(9_000, low=1, high=20_000)
        ),
    )
    cloud = Rental(
        usd_per_hour=fig(40, "USD/h", low=20, high=60),
        egress_gb_per_month=fig(60_000, "GB", low=5_000, high=200_000),
        egress_tiers=(
            (10_240.0, fig(0.09, "USD/GB", low=0.05, high=0.1)),
            (51_200.0, fig(0.085, "USD/GB")),
            (float("inf"), fig(0.05, "USD/GB", low=0.01, high=0.06)),
        ),
        support_fraction=fig(0.04, "fraction", low=0.0, high=0.1),
    )
    whole = replace(hall, key="whole", build=replace(hall.build, charge="whole"))
    made = scenario(
        option(
            "build",
            owned(
                workload=load,
                site=hall,
                purchase=buy,
                migration=move,
                exit=leaving,
                retraining=kept,
                canary_fraction=held,
                tensor_parallel=4,
            ),
        ),
        option(
            "whole",
            owned(workload=load, site=whole, purchase=buy, start_month=3, tensor_parallel=4),
        ),
        option("colo", owned(workload=load, site=rooms, purchase=buy, tensor_parallel=4)),
        option("rent", rented(workload=load, rental=cloud, migration=move, tensor_parallel=4)),
        *(
            option(name, owned(workload=load, site=rooms, purchase=terms, tensor_parallel=4))
            for name, terms in financed(buy).items()
        ),
        money=money,
    )
    staffed = tuple(replace(one, staffing=team) for one in made.options)
    return replace(made, options=staffed)


def financed(buy: Purchase) -> dict[str, Purchase]:
    """The same purchase with every charge, under each kind of financing."""
    charged = replace(
        buy,
        order_lead_months=2,
        price_change_fraction_per_year=fig(-0.1, "1/yr", low=-0.3, high=0.1),
        duty_fraction=fig(0.05, "fraction", low=0.0, high=0.25),
        freight_usd_per_server=fig(2_000, low=500, high=4_000),
        sales_tax_fraction=fig(0.08, "fraction", low=0.0, high=0.2),
        property_tax_fraction_per_year=fig(0.012, "1/yr", low=0.0, high=0.03),
        property_tax_schedule=(Assessment(0.8), Assessment(0.5), Assessment(0.2)),
        insurance_fraction_per_year=fig(0.006, "1/yr", low=0.002, high=0.01),
        retirement_usd_per_server=fig(900, low=200, high=2_000),
        physical_security_usd_per_year=fig(20_000, low=5_000, high=40_000),
        failures=Failures(
            fig(0.09, "1/yr", low=0.02, high=0.2),
            fig(1.5, "month", low=0.5, high=4),
            fig(0.95, "fraction", low=0.9, high=0.99),
            24,
            fig(400, low=100, high=900),
            part_share_fraction=fig(0.65, "fraction", low=0.6, high=0.7),
        ),
    )
    rate = fig(0.075, "1/yr", low=0.04, high=0.12)
    rise = fig(0.02, "1/yr", low=0.0, high=0.05)
    pay = {"payment_usd_per_server_month": fig(5_500, low=4_500, high=7_000)}
    factor = {"rate_factor_fraction_per_month": fig(0.03, "1/month", low=0.02, high=0.04)}
    kinds = {
        "loan": Financing("loan", 36, rate, fig(0.2, "fraction", low=0.0, high=0.4)),
        "lease": Financing(
            "operating_lease",
            30,
            at_end="return",
            return_usd_per_server=fig(800, low=100, high=2_000),
            payment_rise_fraction_per_year=rise,
            **factor,
        ),
        "right": Financing("finance_lease", 36, rate, payment_timing="advance", **pay),
        "out": Financing(
            "finance_lease",
            36,
            rate,
            at_end="buyout",
            buyout_fraction=fig(0.15, "fraction", low=0.05, high=0.3),
            **factor,
        ),
        "service": Financing(
            "as_a_service",
            24,
            payment_rise_fraction_per_year=rise,
            usd_per_unit_month=fig(900, low=700, high=1_200),
            minimum_count=40,
        ),
    }
    parts = (Instalment(0.3), Instalment(0.6, 2), Instalment(0.1, 3))
    found = {name: replace(charged, financing=terms) for name, terms in kinds.items()}
    return {"parts": replace(charged, instalments=parts), **found}


def drawn_rows(drivers, rows, seed=7):
    """Rows between the ends of every range."""
    rng = np.random.default_rng(seed)
    low = np.array([driver.low for driver in drivers])
    high = np.array([driver.high for driver in drivers])
    return low + (high - low) * rng.random((rows, len(drivers)))


def fixed(drivers, row):
    """The figures of a row as plain numbers without a range."""
    return {
        (one.field, one.figure): replace(one.figure, value=float(value), low=None, high=None)
        for one, value in zip(drivers, row, strict=True)
    }


def test_every_range_of_a_rich_scenario_is_a_driver():
    """Prices, rates, shares, PUE, lives, demand, growth, headroom, and the speed of the device."""
    inputs = rich()
    drivers, left = find_drivers(option_cases(inputs), inputs.finance)
    labels = " ".join(driver.label for driver in drivers)
    for word in ("discount rate", "escalation", "tax", "pue", "life", "residual", "peak requests",
                 "growth", "headroom", "engineer months", "egress", "Speed of CARD",
                 "probability", "runs per year", "canary", "fte per server"):  # fmt: skip
        assert word in labels, (word, labels)
    assert left == ()
    assert len(drivers) > 35


@pytest.mark.parametrize("method", ["macrs_5", "straight_line"])
def test_each_draw_is_the_ledger_of_a_scenario_with_these_figures(method):
    """Twelve drawn rows against twelve scenarios projected one at a time, every line of theirs."""
    inputs = rich(method)
    cases = option_cases(inputs)
    drivers = tuple(d for d in find_drivers(cases, inputs.finance)[0] if d.figure is not None)
    rows = drawn_rows(drivers, 12)
    found = Evaluator(cases, drivers).at(rows)
    for draw, row in enumerate(rows):
        alone = substitute(inputs, fixed(drivers, row), {})
        for place, case in enumerate(option_cases(alone)):
            book = Book.of(build_ledger(case))
            # power a server draws follows its load a little: kept as in the base
            tolerance = 0.02 if case.fleets[0].fleet.owned else 1e-9
            assert found.present_usd[place, draw] == pytest.approx(
                book.present_usd(), rel=tolerance
            )
            assert found.plain_usd[place, draw] == pytest.approx(book.plain_usd(), rel=tolerance)


def test_prices_alone_agree_to_the_last_digits():
    """Without demand in play nothing is kept from the base: 1e-12."""
    inputs = rich()
    cases = option_cases(inputs)
    sized = ("peak requests", "growth", "headroom")
    drivers = tuple(
        d
        for d in find_drivers(cases, inputs.finance)[0]
        if d.figure is not None and not any(word in d.label for word in sized)
    )
    rows = drawn_rows(drivers, 5)
    found = Evaluator(cases, drivers).at(rows)
    for draw, row in enumerate(rows):
        for place, case in enumerate(option_cases(substitute(inputs, fixed(drivers, row), {}))):
            book = Book.of(build_ledger(case))
            assert found.present_usd[place, draw] == pytest.approx(book.present_usd(), rel=1e-12)


def test_the_base_row_is_the_projection():
    """Drivers at their own values: the KPI of the page to the last digits."""
    inputs = rich()
    cases = option_cases(inputs)
    drivers, _ = find_drivers(cases, inputs.finance)
    found = Evaluator(cases, drivers).at(base_row(drivers)).present_usd[:, 0]
    shown = [one.kpis["tco_usd"].value for one in project(inputs).options]
    assert found == pytest.approx(shown, rel=1e-12)


def test_half_the_speed_is_twice_the_demand():
    """Machines follow demand over speed, in whole servers with the spare ones on top."""
    inputs = rich()
    cases = option_cases(inputs)
    drivers, _ = find_drivers(cases, inputs.finance)
    speed = next(i for i, d in enumerate(drivers) if d.figure is None)
    peak = next(i for i, d in enumerate(drivers) if "peak requests" in d.label)
    rows = np.repeat(base_row(drivers), 2, axis=0)
    rows[0, speed] /= 2
    rows[1, peak] *= 2
    found = Evaluator(cases, drivers).at(rows).present_usd
    assert found[:3, 0] == pytest.approx(found[:3, 1], rel=1e-12)


def test_batches_do_not_matter():
    """1,001 rows at once and one by one."""
    inputs = rich()
    cases = option_cases(inputs)
    drivers, _ = find_drivers(cases, inputs.finance)
    rows = drawn_rows(drivers, 1001)
    whole = Evaluator(cases, drivers).at(rows).present_usd
    part = Evaluator(cases, drivers).at(rows[990:]).present_usd
    assert whole[:, 990:] == pytest.approx(part, rel=1e-12)

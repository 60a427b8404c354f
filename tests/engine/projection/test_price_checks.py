"""Prices left out, out of any market, counted twice, or paid for a month: each is said."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.checks.prices import BANDS
from tco.document import resolve
from tco.inputs import Colocation, Purchase, Rental, ScenarioInputs, Tariff
from tco.projection import project
from tco.results import Finding, Projection
from tests.engine.cost.cast import (
    device,
    fig,
    finance,
    model,
    offer,
    option,
    owned,
    purchase,
    rented,
    scenario,
    server,
    site,
    workload,
)


def priced(**more: Any) -> Purchase:
    """Network, support and staff, each with a price."""
    given: dict[str, Any] = {
        "network_usd_per_server": fig(25_000),
        "support_fraction_per_year": fig(0.05, "fraction"),
        "staff_usd_per_server_year": fig(6_000),
    }
    return purchase(**{**given, **more})


def found(inputs: ScenarioInputs, code: str) -> list[Finding]:
    """Findings of one kind."""
    return of(project(inputs), code)


def of(result: Projection, code: str) -> list[Finding]:
    """Findings of one kind of a projection."""
    return [finding for finding in result.findings if finding.code == code]


# What is left out ------------------------------------------------------------------------------


def test_classes_left_out_are_named_once_an_option() -> None:
    """Network, support and staff unpriced in both fleets of an option: one warning with all."""
    both = option(
        "a",
        owned("x", share_fraction=0.5),
        owned("y", share_fraction=0.5, purchase=priced(staff_usd_per_server_year=None)),
    )
    (finding,) = found(scenario(both), "cost_class_left_out")
    assert finding.severity == "warning"
    assert finding.field == "options[0].fleets[0].purchase"
    assert "network, support and staff of Option a are not priced" in finding.message
    assert finding.mend


def test_an_explicit_zero_is_a_price() -> None:
    """0 with a source silences the warning; so does a rented fleet, which buys none of it."""
    zero = priced(
        network_usd_per_server=fig(0.0),
        support_fraction_per_year=fig(0.0, "fraction"),
        staff_usd_per_server_year=fig(0.0),
    )
    inputs = scenario(option("a", owned(purchase=zero)), option("b", rented()))
    assert not found(inputs, "cost_class_left_out")


def test_software_counts_once_another_option_prices_it() -> None:
    """Nobody prices software: no word. One option does: the other leaves it out."""
    plain = option("a", owned(purchase=priced()))
    assert not found(scenario(plain), "cost_class_left_out")
    licensed = option("b", owned(purchase=priced(software_usd_per_device_year=fig(100))))
    (finding,) = found(scenario(plain, licensed), "cost_class_left_out")
    assert (finding.option, finding.message.split(" of ")[0]) == ("a", "software")


def test_verdict_and_thresholds_say_before_what() -> None:
    """The option without network, support and staff wins: the sentence says before what."""
    result = project(scenario(option("bare", owned()), option("full", owned(purchase=priced()))))
    assert all(o.feasible and o.complete for o in result.options)
    assert result.best_option == "bare"
    words = "before network, support and staff of Option bare"
    assert result.verdict.count(words) == 1
    assert result.crossings
    assert all(f"({words})." in crossing.sentence for crossing in result.crossings)


def test_options_that_leave_out_the_same_are_compared_alike() -> None:
    """Both leave out all three: each has its warning, the comparison has no reserve."""
    dear = server(device("dear"), key="dear", price_usd=fig(300_000))
    result = project(scenario(option("a", owned()), option("b", owned(server=dear))))
    assert len(of(result, "cost_class_left_out")) == 2
    assert "before" not in result.verdict
    assert not any("before network" in crossing.sentence for crossing in result.crossings)


# What no market asks ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("usd_per_hour", "fires"),
    [(0.0, True), (0.0067, True), (0.39, True), (0.41, False), (799.0, False), (801.0, True)],
)
def test_hourly_rate_of_eight_devices(usd_per_hour: float, fires: bool) -> None:
    """Band 0.05 to 100 USD/h a device, so 0.40 to 800 for eight."""
    fleet = rented(rental=Rental(usd_per_hour=fig(usd_per_hour, "USD/h")))
    findings = found(scenario(option("a", fleet)), "outside_usual_band")
    assert [f.field for f in findings] == ["options[0].fleets[0].rental.usd_per_hour"] * fires
    assert all(f.severity == "warning" and f.mend for f in findings)


def test_a_rate_of_the_offer_is_checked_too() -> None:
    """The mistyped rate may stand in the catalog."""
    fleet = rented(offer=offer(on_demand_usd_per_hour=fig(0.0067, "USD/h")))
    (finding,) = found(scenario(option("a", fleet)), "outside_usual_band")
    assert "0.000838 USD/h is below 0.05 USD/h" in finding.message


@pytest.mark.parametrize(
    ("usd", "fires"),
    [(0.0, True), (0.0067, True), (499.0, True), (501.0, False), (9.9e6, False), (1.1e7, True)],
)
def test_price_of_a_server(usd: float, fires: bool) -> None:
    """Band 500 USD to 10 million."""
    fleet = owned(purchase=priced(server_usd=fig(usd)))
    findings = found(scenario(option("a", fleet)), "outside_usual_band")
    assert [f.field for f in findings] == ["options[0].fleets[0].purchase.server_usd"] * fires


@pytest.mark.parametrize(
    ("usd_per_kwh", "fires"), [(0.0, True), (0.004, True), (0.006, False), (0.99, False), (8, True)]
)
def test_electricity_price(usd_per_kwh: float, fires: bool) -> None:
    """Band 0.005 to 1 USD/kWh; not checked where the rent holds the electricity."""
    tariff = Tariff(fig(usd_per_kwh, "USD/kWh"))
    here = option("a", owned(purchase=priced(), site=site(tariff=tariff)))
    fields = [f.field for f in found(scenario(here), "outside_usual_band")]
    assert fields == ["sites[0].energy_usd_per_kwh"] * fires
    rent = Colocation(fig(200, "USD/kW-month"), power_included=True)
    inside = option("a", owned(purchase=priced(), site=site(tariff=tariff, colocation=rent)))
    assert not found(scenario(inside), "outside_usual_band")


@pytest.mark.parametrize(("pue", "fires"), [(1.0, False), (3.0, False), (3.2, True)])
def test_pue(pue: float, fires: bool) -> None:
    """Above 3 something was mistyped."""
    inputs = scenario(option("a", owned(purchase=priced(), site=site(pue=fig(pue, "ratio")))))
    assert [f.field for f in found(inputs, "outside_usual_band")] == ["sites[0].pue"] * fires


def test_the_whole_catalog_lies_in_the_bands() -> None:
    """No figure of the seed catalog is called odd, and the bands say what they were drawn round."""
    catalog = SeedCatalog()
    rates, servers = [], []
    for key in catalog.keys("offer"):
        one = catalog.offer(key)
        assert one is not None
        for commitment in ("on_demand", "reserved_1y", "reserved_3y", "spot"):
            rate = one.rate(commitment)
            rates += [rate.value / one.device_count] if rate else []
    for key in catalog.keys("server"):
        for name in catalog.server_devices(key):
            box = catalog.server(key, name)
            servers += [box.price_usd.value] if box and box.price_usd else []
    regions = [catalog.region(key) for key in catalog.keys("region")]
    energy = [r.energy_usd_per_kwh.value for r in regions if r and r.energy_usd_per_kwh]
    for key, values in (("device_hour", rates), ("server", servers), ("energy", energy)):
        assert values
        assert BANDS[key].low <= min(values) <= max(values) <= BANDS[key].high
        assert BANDS[key].unit
        assert BANDS[key].source


# Demand ----------------------------------------------------------------------------------------


def with_region(**given: Any) -> Projection:
    """A scenario at a region whose average price contains the demand charge."""
    document = {
        "schema": "tco-scenario/1",
        "name": "Demand",
        "finance": {
            "valuation_date": "2026-12-01",
            "horizon_months": 12,
            "discount_rate_fraction": 0.1,
        },
        "sites": [{"key": "hall", "region": "US-AL", "slot_w": 1000, **given}],
        "workloads": [
            {
                "key": "chat",
                "model": "meta-llama/Llama-3.1-8B",
                "requests_per_minute": 60,
                "input_tokens": 500,
                "output_tokens": 100,
            }
        ],
        "options": [
            {
                "key": "own",
                "fleets": [
                    {
                        "key": "own",
                        "workload": "chat",
                        "site": "hall",
                        "server": "nvidia-dgx-h100",
                        "count": 1,
                    }
                ],
            }
        ],
    }
    return project(resolve(document, SeedCatalog()))


def demand_lines(result: Projection) -> int:
    """Ledger lines of the demand charge."""
    return sum(line.key == "electricity_demand" for line in result.options[0].ledger.lines)


def test_a_typed_demand_charge_on_an_average_is_not_dropped_in_silence() -> None:
    """US-AL's average contains demand: 12 USD/kW-month is not counted, and both are named."""
    result = with_region(demand_usd_per_kw_month=12)
    assert demand_lines(result) == 0
    (finding,) = of(result, "demand_not_counted")
    assert finding.severity == "warning"
    assert finding.field == "sites[0].demand_usd_per_kw_month"
    assert "12 USD/kW-month is not counted" in finding.message
    assert "USD/kWh" in finding.message
    assert "energy_usd_per_kwh" in finding.mend


def test_demand_declared_beside_an_average_that_holds_it_is_counted_twice() -> None:
    """demand_included false on the region's own average: counted as told, and said."""
    result = with_region(demand_usd_per_kw_month=12, demand_included=False)
    assert demand_lines(result) == 1
    (finding,) = of(result, "demand_counted_twice")
    assert finding.severity == "warning"
    assert finding.field == "sites[0].demand_included"


@pytest.mark.parametrize(
    ("given", "lines"),
    [
        ({}, 0),
        ({"energy_usd_per_kwh": 0.06, "demand_usd_per_kw_month": 12}, 1),
        ({"energy_usd_per_kwh": 0.06, "demand_included": True}, 0),
    ],
)
def test_demand_counted_once_needs_no_word(given: dict[str, Any], lines: int) -> None:
    """The average alone, an own tariff with demand, an own average."""
    result = with_region(**given)
    assert demand_lines(result) == lines
    assert not of(result, "demand_not_counted")
    assert not of(result, "demand_counted_twice")


# Real and nominal ------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["electricity_escalation_fraction", "opex_escalation_fraction"])
def test_an_undeclared_escalation_beside_a_real_rate_says_its_reading(name: str) -> None:
    """2.5 % a year is read as real; declared, zero or beside a nominal rate there is no word."""
    here = option("a", owned(purchase=priced()))

    def findings(basis: str, value: float, source: str = "quote") -> list[Finding]:
        rate = replace(fig(value, "1/yr"), source=source)
        money = finance(discount_basis=basis, **{name: rate})
        return found(scenario(here, money=money), "escalation_read_as_real")

    (finding,) = findings("real_pre_tax", 0.025)
    assert (finding.severity, finding.field) == ("warning", f"finance.{name}")
    assert "0.025 a year is read as real" in finding.message
    assert not findings("real_pre_tax", 0.0)
    assert not findings("real_pre_tax", 0.025, "AEO, real")
    assert not findings("nominal_pre_tax", 0.025)


@pytest.mark.parametrize("basis", ["nominal", "real"])
def test_the_reading_is_among_the_conventions(basis: str) -> None:
    """Every projection prints how escalations are read."""
    money = finance(discount_basis=f"{basis}_pre_tax")
    terms = project(scenario(option("a", owned()), money=money)).conventions
    (term,) = [term for term in terms if term.name == "escalations and discount rate"]
    assert f"read as {basis}" in term.source


# Bought for a month ----------------------------------------------------------------------------


def replaced(horizon: int, **more: Any) -> list[Finding]:
    """Findings of four servers of a life of 60 months over this horizon."""
    fleet = owned(count=4, purchase=priced(**more))
    money = finance(horizon_months=horizon)
    return found(scenario(option("a", fleet), money=money), "replaced_before_the_end")


def test_a_fleet_bought_again_for_the_last_month_is_named_with_its_amount() -> None:
    """Horizon 61, life 60: 4 x (200,000 + 25,000 network) = 900,000 USD for one month."""
    (finding,) = replaced(61)
    assert finding.severity == "info"
    assert "month 61 for 900 k USD" in finding.message
    assert "1 month of a life of 60" in finding.message
    assert "finance.horizon_months to 60" in finding.mend
    assert "residual_fraction" in finding.mend


def test_replacements_that_serve_or_are_resold_are_not_named() -> None:
    """None within the life; the last tenth is 6 months of 60; a resale is a credit."""
    assert [bool(replaced(months)) for months in (60, 61, 66, 67)] == [False, True, True, False]
    assert not replaced(61, residual_fraction=fig(0.1, "fraction"))


# Shape -----------------------------------------------------------------------------------------


def test_a_model_whose_shape_misses_its_stated_parameters() -> None:
    """80 x 855.65 M + 2 x 1.05 G = 70.55 G: 70.6 stated is silent, 75 stated is not."""
    assert not found(scenario(option("a", owned())), "parameters_do_not_match")
    bigger = replace(model(), parameters_g=fig(75.0, "10^9"))
    fleet = owned(workload=workload(model=bigger))
    (finding,) = found(scenario(option("a", fleet)), "parameters_do_not_match")
    assert "70.554 billion" in finding.message
    assert "75 billion are stated" in finding.message


def test_many_supplies_unknown_on_small_circuits_are_said() -> None:
    """A 10 kW box of unknown supplies on circuits of 8.65 kVA: not checked, and said."""
    small = site(feed=replace(site().feed, voltage_v=208, breaker_a=30, feeds_per_rack=4))
    box = server(psu_count=0)
    (finding,) = found(scenario(option("a", owned(server=box, site=small))), "circuits_not_checked")
    assert finding.severity == "warning"
    assert "psu_count" in finding.mend
    inputs = scenario(option("a", owned(server=server(psu_count=2), site=small)))
    (refused,) = found(inputs, "rack_over_circuits")
    assert refused.severity == "error"
    assert not project(inputs).options[0].feasible

"""Tariffs in parts as a document carries them, and what is wrong with one (F3.1, F4, F18)."""

from __future__ import annotations

import pytest

from tco.document.validate import validate
from tests.engine.document.small_catalog import scenario
from tests.engine.document.test_resolve import refused, resolved


def site(**more):
    """A document whose site has a tariff in parts, changed; None leaves a field out."""
    document = scenario()
    given = {
        "key": "hall",
        "region": "US-VA",
        "slot_w": 1000,
        "tariff": {
            "periods": [
                {"name": "summer", "months": [6, "7", 8], "usd_per_kwh": "120 USD/MWh"},
                {
                    "name": "rest",
                    "months": [1, 2, 3, 4, 5, 9, 10, 11, 12],
                    "tiers": [
                        {"up_to_kwh_per_month": 20000, "usd_per_kwh": 0.10},
                        {"usd_per_kwh": 0.08},
                    ],
                },
            ],
            "demand": [{"name": "peak", "usd_per_kw_month": 12, "ratchet_fraction": 0.8}],
        },
    }
    given = {name: value for name, value in {**given, **more}.items() if value is not None}
    document["sites"] = [given]
    return document


def tariff(**more):
    """The same with changes of the tariff."""
    given = site()["sites"][0]["tariff"]
    return site(tariff={**given, **more})


def test_a_tariff_is_read_in_its_parts():
    """Months as numbers or text, units converted, the lookback a year by default."""
    found = resolved(site()).sites[0].tariff
    summer, rest = found.periods
    assert summer.window.months == (6, 7, 8)
    assert summer.tiers[0].usd_per_kwh.value == pytest.approx(0.12)
    assert [tier.up_to_kwh_per_month for tier in rest.tiers] == [20_000.0, None]
    charge = found.demand[0]
    assert (charge.usd_per_kw_month.value, charge.ratchet_fraction.value) == (12.0, 0.8)
    assert (charge.lookback_months, charge.at_hour) == (12, None)
    assert found.in_parts


def test_the_price_shown_is_the_mean_over_the_hours():
    """Three months of 0.12 and nine of 0.10: 0.105 USD/kWh, said to be a mean."""
    price = resolved(site()).sites[0].tariff.energy_usd_per_kwh
    assert price.value == pytest.approx(0.105)
    assert "mean of the tariff's periods" in price.source


def test_one_price_becomes_a_period_where_only_parts_can_bill():
    """An existing load needs a bill in parts: one period, one charge, the same prices."""
    document = site(
        tariff=None,
        energy_usd_per_kwh=0.08,
        demand_usd_per_kw_month=12,
        existing_load={"average_kw": 500},
    )
    found = resolved(document).sites[0].tariff
    assert [period.tiers[0].usd_per_kwh.value for period in found.periods] == [0.08]
    assert [charge.usd_per_kw_month.value for charge in found.demand] == [12.0]


def test_a_hall_with_part_load_needs_no_pue():
    """At its rating of 100 kW: 2 + 2 + 2 + 6 + 12 + 1 kW of losses on 100 kW."""
    hall = {
        "rated_it_kw": 100,
        "ups_no_load_fraction": 0.02,
        "ups_linear_fraction": 0.02,
        "ups_square_fraction": 0.02,
        "cooling_fixed_fraction": 0.06,
        "cooling_fraction": 0.12,
        "other_kw": 1,
    }
    found = resolved(site(part_load=hall)).sites[0]
    assert found.pue.value == pytest.approx(1.25)
    assert "at the rated load" in found.pue.source


def test_embodied_carbon_is_that_of_the_purchase_first():
    """A person's figure goes before the catalog's."""
    document = site()
    fleet = document["options"][0]["fleets"][0]
    fleet["purchase"] = {"embodied_kgco2e_per_server": "3 tCO2e/server"}
    bought = resolved(document).options[0].fleets[0].purchase
    assert bought.embodied_kgco2e_per_server.value == 3_000.0


_PERIOD = {"name": "all", "usd_per_kwh": 0.1}


@pytest.mark.parametrize(
    ("document", "field", "words"),
    [
        # periods
        (
            tariff(periods=[_PERIOD, {**_PERIOD, "name": "July", "months": [7]}]),
            "tariff.periods[1]",
            "'July' and 'all' both hold Jul, weekday, 00:00",
        ),
        (
            tariff(periods=[{**_PERIOD, "from_hour": 6}]),
            "tariff.periods",
            "no period holds Jan, weekday, 00:00",
        ),
        (
            tariff(periods=[{**_PERIOD, "from_hour": 6, "to_hour": 6}]),
            "tariff.periods[0].to_hour",
            "ends at 6:00, where it starts",
        ),
        (tariff(periods=[]), "tariff.periods", "the list is empty"),
        (
            tariff(periods=[{**_PERIOD, "months": [13]}]),
            "tariff.periods[0].months[0]",
            "13 is not known",
        ),
        (tariff(periods=[{**_PERIOD, "months": []}]), "tariff.periods[0].months", "no month"),
        (tariff(periods=[{"name": "all"}]), "tariff.periods[0].usd_per_kwh", "is missing"),
        # tiers
        (
            tariff(
                periods=[{"name": "all", "tiers": [{"usd_per_kwh": 1, "up_to_kwh_per_month": 9}]}]
            ),
            "tariff.periods[0].tiers[0].up_to_kwh_per_month",
            "leaves a gap: no tier prices what is above 9 kWh",
        ),
        (
            tariff(
                periods=[
                    {
                        "name": "all",
                        "tiers": [
                            {"usd_per_kwh": 0.2, "up_to_kwh_per_month": 900},
                            {"usd_per_kwh": 0.2, "up_to_kwh_per_month": 800},
                            {"usd_per_kwh": 0.1},
                        ],
                    }
                ]
            ),
            "tariff.periods[0].tiers[1].up_to_kwh_per_month",
            "800 kWh does not rise above 900 kWh",
        ),
        (
            tariff(periods=[{"name": "a", "tiers": [{"usd_per_kwh": 0.2}, {"usd_per_kwh": 0.1}]}]),
            "tariff.periods[0].tiers[0].up_to_kwh_per_month",
            "would never be reached",
        ),
        (
            tariff(periods=[{**_PERIOD, "tiers": [{"usd_per_kwh": 0.2}]}]),
            "tariff.periods[0].usd_per_kwh",
            "stands beside tiers",
        ),
        # demand
        (
            tariff(demand=[{"name": "p", "usd_per_kw_month": 9, "ratchet_fraction": 1.2}]),
            "tariff.demand[0].ratchet_fraction",
            "1.2 is above 1",
        ),
        (
            tariff(
                demand=[
                    {
                        "name": "p",
                        "usd_per_kw_month": 9,
                        "ratchet_fraction": 0.8,
                        "lookback_months": 0,
                    }
                ]
            ),
            "tariff.demand[0].lookback_months",
            "0 month is below 1 month",
        ),
        (
            tariff(demand=[{"name": "p", "usd_per_kw_month": 9, "lookback_months": 6}]),
            "tariff.demand[0].lookback_months",
            "no ratchet looks back",
        ),
        (
            tariff(demand=[{"name": "p", "usd_per_kw_month": 9, "contract_kw": -5}]),
            "tariff.demand[0].contract_kw",
            "-5 kW is below 0 kW",
        ),
        (
            tariff(demand=[{"name": "p", "usd_per_kw_month": 9, "at_month": 7}]),
            "tariff.demand[0].at_month",
            "names no hour",
        ),
        # a price per month given per hour, and the other way round
        (
            tariff(demand=[{"name": "p", "usd_per_kw_month": "0.02 USD/kW/h"}]),
            "tariff.demand[0].usd_per_kw_month",
            "is not in a unit of USD/kW-month",
        ),
        (
            tariff(periods=[{"name": "all", "usd_per_kwh": "12 USD/kW-month"}]),
            "tariff.periods[0].usd_per_kwh",
            "is not in a unit of USD/kWh",
        ),
        (
            tariff(fixed_usd_per_month="3 USD/h"),
            "tariff.fixed_usd_per_month",
            "is not in a unit of USD/month",
        ),
        # what goes together
        (site(energy_usd_per_kwh=0.1), "energy_usd_per_kwh", "stands beside a tariff in parts"),
        (
            site(colocation={"usd_per_kw_month": 150, "power_included": True}),
            "tariff",
            "the rent holds the electricity already",
        ),
        (tariff(power_factor=0.8), "tariff.power_factor_floor", "is missing"),
        (tariff(export_usd_per_kwh=0.03), "tariff.export_usd_per_kwh", "nothing is generated"),
        (site(pue=1.3, part_load={"rated_it_kw": 100}), "pue", "stands beside part_load"),
        (
            site(grid_gco2_per_kwh=300, grid_gco2_by_hour=[300] * 24),
            "grid_gco2_per_kwh",
            "stands beside grid_gco2_by_hour",
        ),
        (
            site(existing_load={"average_kw": 500, "peak_kw": 400}),
            "existing_load.peak_kw",
            "400 kW is below the mean of 500 kW",
        ),
        (site(existing_load={"peak_kw": 400}), "existing_load.average_kw", "is missing"),
        (
            site(existing_load={"average_kw": 5, "typical_day_kw": [5] * 24}),
            "existing_load.typical_day_kw",
            "is given twice",
        ),
        (
            site(existing_load={"typical_day_kw": [5] * 23 + [-1]}),
            "existing_load.typical_day_kw[23]",
            "-1 kW is below 0 kW",
        ),
        (site(load_shape=[1.0] * 24), "load_shape", "24 numbers do not make a year"),
        (site(load_shape=[0.0] * 8760), "load_shape", "no hour of the year has any load"),
        (site(load_year=2025), "load_year", "no hours of a year are given"),
        (site(carbon_usd_per_t=-1), "carbon_usd_per_t", "-1 USD/tCO2e is below 0"),
    ],
)
def test_what_is_wrong_is_named_with_its_field_value_and_mend(document, field, words):
    """The field as written, what is wrong with its value, and what to do."""
    errors = {error.field: error for error in validate(document)}
    found = errors[f"sites[0].{field}"]
    assert words in found.message
    assert found.mend


def test_a_long_series_of_slips_is_told_ten_times():
    """35,040 errors would tell nobody more."""
    errors = validate(site(load_shape=["x"] * 35_040))
    assert len([error for error in errors if "load_shape" in error.field]) == 10


def test_a_year_of_hours_reaches_the_engine_as_it_is():
    """8,760 numbers, in any unit."""
    shape = [float(hour % 24) for hour in range(8760)]
    found = resolved(site(load_shape=shape, load_year=2025)).sites[0]
    assert found.load_shape == tuple(shape)
    assert found.load_year == 2025


def test_a_minus_100_percent_rise_of_the_price_is_refused():
    """Electricity that falls to nothing in a year is a slip."""
    document = site()
    document["finance"]["electricity_escalation_fraction"] = -1
    assert "finance.electricity_escalation_fraction" in refused(document)

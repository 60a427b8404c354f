"""Power bills, carbon and water: public faults of such tools with the right value (UP30, F4, F18).

Each names its thread. Bills in parts by hand stand in `tests/engine/tariff/test_site_bill.py`.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from tests.cases.plain_document import at, codes, kpi, lines, own, projected, refusals

SITE = "sites.0"
PEAK = {"name": "peak", "usd_per_kw_month": 12}
ALL_HOURS = {"name": "all hours", "usd_per_kwh": 0.10}


def in_parts(*demand, **more):
    """The plain site with a tariff in parts."""
    given = {"periods": [ALL_HOURS], "demand": list(demand), **more}
    changes = [at(f"{SITE}.energy_usd_per_kwh", None), at(f"{SITE}.tariff", given)]
    return *changes, at(f"{SITE}.demand_included", None)


def bill(found, option=0):
    """Lines of the electricity, by key; lines of one key are added."""
    sums = {}
    for line in found.options[option].ledger.lines:
        if line.key.startswith("electricity"):
            sums[line.key] = sums.get(line.key, 0.0) + line.total_usd
    return sums


def test_one_price_in_parts_is_the_flat_bill():
    """The same kWh, peak and fixed charge, whichever way the tariff is written."""
    flat = projected(
        at(f"{SITE}.demand_included", False),
        at(f"{SITE}.demand_usd_per_kw_month", 12),
        at(f"{SITE}.fixed_usd_per_month", 300),
    )
    parts = projected(*in_parts(PEAK, fixed_usd_per_month=300))
    assert bill(parts) == pytest.approx(bill(flat), rel=1e-12)
    assert kpi(parts, 0, "tco_usd").value == pytest.approx(kpi(flat, 0, "tco_usd").value)


def test_every_part_of_the_bill_is_a_line_with_unit_status_and_source():
    """Two periods, tiers, ratchet, contract, minimum, levy, tax: dated, sourced, none hidden."""
    sourced = {"value": 0.13, "status": "published", "source": "Tariff 7", "as_of": "2026-05"}
    evening = {"name": "evening", "from_hour": 17, "to_hour": 21, "usd_per_kwh": sourced}
    tiers = [{"up_to_kwh_per_month": 5000, "usd_per_kwh": 0.11}, {"usd_per_kwh": 0.09}]
    rest = {"name": "rest", "from_hour": 21, "to_hour": 17, "tiers": tiers}
    charge = {**PEAK, "ratchet_fraction": 0.9, "contract_kw": 100}
    found = projected(
        *in_parts(
            charge,
            periods=[evening, rest],
            minimum_usd_per_month=9000,
            levy_usd_per_kwh=0.01,
            tax_fraction=0.07,
        )
    )
    listed = [x for x in found.options[0].ledger.lines if x.key.startswith("electricity")]
    labels = [line.label for line in listed]
    assert labels == [
        "Electricity, energy, evening",
        "Electricity, energy, rest, to 5,000 kWh a month",
        "Electricity, energy, rest, above 5,000 kWh a month",
        "Electricity, demand, peak",
        "Electricity, ratchet excess, peak",
        "Electricity, contract minimum, peak",
        "Electricity, top-up to the minimum bill",
        "Electricity, levies by kWh",
        "Electricity, tax on the bill",
    ]
    price = next(term for term in listed[0].terms if term.name == "price of the period")
    assert (price.value, price.source, price.as_of) == (0.13, "Tariff 7", "2026-05")
    assert all(line.terms and line.formula and line.reference for line in listed)
    kwh = [t.value for x in listed[:3] for t in x.terms if t.name == "energy over the horizon"]
    assert math.fsum(kwh) == pytest.approx(kpi(found, 0, "kwh_per_year").value)
    charged = np.sum([x.end_usd for x in listed[:7]], axis=0)
    assert charged == pytest.approx(np.full(12, 9_000.0))
    levy, tax = np.array(listed[7].end_usd), np.array(listed[8].end_usd)
    assert tax == pytest.approx(0.07 * (9_000.0 + levy))


def test_an_average_price_takes_no_demand_charge_on_top():
    """F4.5a: the charge is not counted, and that is said."""
    found = projected(*in_parts(PEAK), at(f"{SITE}.demand_included", True))
    assert "electricity_demand" not in bill(found)
    assert codes(found)["demand_not_counted"] == "sites[0].tariff.demand"


def test_a_carbon_price_is_never_counted_twice():
    """F4.5a, F18.3: on top it is a line; inside the energy price it is none, and that is said."""
    carbon = at(f"{SITE}.carbon_usd_per_t", 50), at(f"{SITE}.grid_gco2_per_kwh", 400)
    on_top = projected(*carbon)
    kwh = kpi(on_top, 0, "kwh_per_year").value
    assert lines(on_top.options[0])["carbon_price"].total_usd == pytest.approx(kwh * 0.0004 * 50)
    inside = projected(*carbon, at(f"{SITE}.carbon_included", True))
    assert "carbon_price" not in lines(inside.options[0])
    assert codes(inside)["carbon_not_counted"] == "sites[0].carbon_usd_per_t"


def test_a_carbon_price_without_carbon_is_a_gap_not_nothing():
    """UP23: what is not known is told, never 0."""
    found = projected(at(f"{SITE}.carbon_usd_per_t", 50))
    assert lines(found.options[0])["carbon_price"].missing == "no location-based carbon is known"
    assert not found.options[0].complete


def test_pue_is_in_use_carbon_once():
    """carbontracker 3, mlco2/impact 15 left it out: kWh of the servers x 1.25 x 400 g."""
    found = projected(at(f"{SITE}.grid_gco2_per_kwh", 400))
    power = found.options[0].power[0]
    expected = power.it_average_kw * 8760 * 1.25 * 400 / 1e6
    assert kpi(found, 0, "carbon_location_t").value == pytest.approx(expected)
    assert kpi(found, 0, "tco2e_per_year").value == pytest.approx(expected)


def test_water_on_site_is_of_the_servers_energy():
    """ecologits 230 put PUE in twice: WUE is per kWh of the servers, the grid's part is not."""
    water = at(f"{SITE}.wue_l_per_kwh", 0.5), at(f"{SITE}.ewif_l_per_kwh", 3)
    found = projected(*water)
    it_kwh = found.options[0].power[0].it_average_kw * 8760
    assert kpi(found, 0, "water_onsite_m3").value == pytest.approx(it_kwh * 0.5 / 1000)
    assert kpi(found, 0, "water_offsite_m3").value == pytest.approx(it_kwh * 1.25 * 3 / 1000)
    hotter = projected(*water, at(f"{SITE}.pue", 1.5))
    same, more = kpi(hotter, 0, "water_onsite_m3"), kpi(hotter, 0, "water_offsite_m3")
    assert same.value == pytest.approx(it_kwh * 0.5 / 1000)
    assert more.value == pytest.approx(it_kwh * 1.5 * 3 / 1000)


def test_embodied_carbon_counts_every_device():
    """boaviztapi 527: an 8-GPU server had the carbon of one. 2 x 8 x 575.1 kg x 12 of 60 months."""
    found = projected()
    embodied = kpi(found, 0, "carbon_embodied_t")
    assert embodied.value == pytest.approx(2 * 8 * 575.1 * 12 / 60 / 1000)
    source = next(term.source for term in embodied.terms if "embodied" in term.name)
    assert "8 x H100" in source
    assert "without the rest of the server" in source
    own_figure = projected(own("purchase.embodied_kgco2e_per_server", 6000))
    assert kpi(own_figure, 0, "carbon_embodied_t").value == pytest.approx(2 * 6 * 12 / 60)


def test_what_is_not_known_is_blank_with_its_reason():
    """No grid figure, no water figure, a rented fleet: a blank that says why."""
    found = projected()
    for key, words in (
        ("carbon_market_t", "no carbon of a supply contract is known"),
        ("water_onsite_m3", "no water use is known"),
        ("water_offsite_m3", "no water of the electricity is known"),
    ):
        assert kpi(found, 0, key).value is None
        assert words in kpi(found, 0, key).reason
    assert kpi(found, 1, "carbon_location_t").reason.startswith("rented: ")


def test_market_and_location_stand_side_by_side():
    """A contract of 0 g does not hide the grid's 400 g; the price follows the basis chosen."""
    site = (
        at(f"{SITE}.grid_gco2_per_kwh", 400),
        at(f"{SITE}.market_gco2_per_kwh", 100),
        at(f"{SITE}.carbon_usd_per_t", 50),
    )
    found = projected(*site, at(f"{SITE}.carbon_basis", "market"))
    location = kpi(found, 0, "carbon_location_t").value
    assert kpi(found, 0, "carbon_market_t").value == pytest.approx(location / 4)
    assert lines(found.options[0])["carbon_price"].total_usd == pytest.approx(location / 4 * 50)


def test_carbon_by_hour_is_weighted_by_the_load():
    """Grid of 100 g by night and 700 g by day: the load's hours decide, not the mean of 400 g."""
    hours = [100.0] * 12 + [700.0] * 12
    found = projected(
        at(f"{SITE}.grid_gco2_by_hour", hours),
        at("workloads.0.daily_shape", [0.0] * 12 + [1.0] * 12),
    )
    power = found.options[0].power[0]
    grams = sum(kw * g for kw, g in zip(power.hourly_kw, hours, strict=True)) / sum(power.hourly_kw)
    assert grams > 401
    expected = power.kwh_per_year * grams / 1e6
    assert kpi(found, 0, "carbon_location_t").value == pytest.approx(expected)


def test_heat_sold_is_a_line_of_its_own():
    """F18.5: 60 % of the servers' energy at 0.02 USD/kWh, negative, beside an unchanged bill."""
    heat = {"it_energy_fraction": 0.6, "usd_per_kwh": 0.02}
    found, plain = projected(at(f"{SITE}.heat_reuse", heat)), projected()
    it_kwh = plain.options[0].power[0].it_average_kw * 8760
    credit = lines(found.options[0])["heat_credit"].total_usd
    assert credit == pytest.approx(-it_kwh * 0.6 * 0.02)
    assert bill(found) == bill(plain)


def test_two_fleets_of_a_site_share_one_bill():
    """A site has one bill: its parts shared by two fleets are those of one fleet twice as large."""
    charge = {**PEAK, "ratchet_fraction": 0.8}
    one = projected(*in_parts(charge, fixed_usd_per_month=300), own("count", 4))
    twins = (own("count", 2), own("share_fraction", 0.5))

    def second(made):
        fleet = dict(made["options"][0]["fleets"][0], key="second")
        made["options"][0]["fleets"].append(fleet)

    two = projected(*in_parts(charge, fixed_usd_per_month=300), *twins, second)
    assert {x.fleet for x in two.options[0].ledger.lines} >= {"own", "second"}
    assert bill(two)["electricity_fixed"] == pytest.approx(12 * 300)
    assert bill(two) == pytest.approx(bill(one), rel=0.01)  # a share of the load moves watts a bit


def test_what_a_fleet_adds_to_a_plant_is_less_than_its_own_bill():
    """F4.6: the plant pays its fixed charge and first tier anyway."""
    tiers = [{"up_to_kwh_per_month": 100_000, "usd_per_kwh": 0.15}, {"usd_per_kwh": 0.05}]
    tariff = in_parts(PEAK, periods=[{"name": "all", "tiers": tiers}], fixed_usd_per_month=500)
    alone = projected(*tariff)
    beside = projected(*tariff, at(f"{SITE}.existing_load", {"average_kw": 900}))
    kwh = kpi(beside, 0, "kwh_per_year").value
    assert bill(alone)["electricity_energy"] == pytest.approx(kwh * 0.15)
    assert bill(beside)["electricity_energy"] == pytest.approx(kwh * 0.05)
    assert bill(beside)["electricity_demand"] == pytest.approx(bill(alone)["electricity_demand"])
    assert bill(beside)["electricity_fixed"] == 0.0
    energy = next(
        x for x in beside.options[0].ledger.lines if x.label.endswith("above 100,000 kWh a month")
    )
    assert energy.formula.startswith("bill with the fleet - bill without it")
    assert energy.reference == "F4.2, F0.4, F4.6"


def test_the_pue_of_a_hall_at_part_load_is_the_bills():
    """F3.1, F3.3: energy of the KPI and of the bill are one; a half-empty hall has a higher PUE."""
    hall = {
        "rated_it_kw": 100,
        "ups_no_load_fraction": 0.02,
        "ups_linear_fraction": 0.02,
        "ups_square_fraction": 0.02,
        "cooling_fixed_fraction": 0.1,
        "cooling_fraction": 0.1,
    }
    changes = (*in_parts(PEAK), at(f"{SITE}.pue", None), at(f"{SITE}.part_load", hall))
    two, four = projected(*changes), projected(*changes, own("count", 4))
    for found in (two, four):
        energy = bill(found)["electricity_energy"]
        assert energy == pytest.approx(kpi(found, 0, "kwh_per_year").value * 0.10)
    power = two.options[0].power[0]
    it = np.array(power.hourly_kw)
    facility = 12 + 1.12 * it + 0.02 / 100 * it**2
    assert power.pue == pytest.approx(facility.sum() / it.sum())
    assert power.pue > four.options[0].power[0].pue > 1.25


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (at(f"{SITE}.existing_load", {"average_kw": -1}), "-1 kW is below 0 kW"),
        (at(f"{SITE}.own_generation_kw", [-1] * 24), "-1 kW is below 0 kW"),
        (at(f"{SITE}.demand_usd_per_kw_month", "12 USD/kWh"), "is not in a unit of USD/kW-month"),
        (at(f"{SITE}.energy_usd_per_kwh", "58 USD/month"), "is not in a unit of USD/kWh"),
    ],
)
def test_negative_kilowatts_and_foreign_periods_are_refused(change, words):
    """ralph PR 1942, opencost 2840, UP17: named with the field, never computed with."""
    assert any(words in error for error in refusals(change))


@pytest.mark.parametrize(
    ("periods", "demand", "field"),
    [
        ([{"name": "all", "usd_per_kwh": 7.3}], [], "sites[0].tariff.periods[0].usd_per_kwh"),
        ([ALL_HOURS], [{**PEAK, "usd_per_kw_month": 0.02}], "sites[0].tariff.demand[0]"),
    ],
)
def test_a_price_of_another_period_is_outside_the_usual_band(periods, demand, field):
    """kubecost 2922, UP17: 0.02 a kW is an hour's rate (12 / 730), 7.3 a kWh a month's."""
    found = projected(*in_parts(*demand, periods=periods))
    fields = [x.field for x in found.findings if x.code == "outside_usual_band"]
    assert any(place.startswith(field) for place in fields)


def test_pue_price_and_load_are_the_users():
    """UP30: PUE, price and load are inputs; cooling is in the bill."""
    plain, cooler = projected(), projected(at(f"{SITE}.pue", 1.0))
    ratio = bill(plain)["electricity_energy"] / bill(cooler)["electricity_energy"]
    assert ratio == pytest.approx(1.25, rel=1e-12)

"""Bills in parts, worked by hand (F4.2 to F4.6)."""

from __future__ import annotations

import numpy as np
import pytest

from tco.errors import InputError
from tco.inputs import DemandCharge, EnergyPeriod, ExistingLoad, Tariff, Tier, Window
from tco.power.part_load import Losses
from tco.tariff.load_year import FleetDay, load_year
from tco.tariff.site_bill import energy_of, site_bill
from tco.tariff.site_load import SiteLoad
from tco.tariff.windows import period_of_hour, window_mask
from tests.engine.power.power_fleets import figure

FLAT = (EnergyPeriod("all hours", Window(), (Tier(figure(0.10, "USD/kWh")),)),)
PEAK = DemandCharge("peak", Window(), figure(10.0, "USD/kW-month"))


def tariff(**more) -> Tariff:
    """0.10 USD/kWh around the clock."""
    given = {"energy_usd_per_kwh": figure(0.10, "USD/kWh"), "periods": FLAT}
    return Tariff(**{**given, **more})


def load(mean_kw=(100.0,) * 24, peak_kw=None, *, months=12, shares=None, pue=1.0, **more):
    """One fleet from January on, 730 hours a month."""
    day = FleetDay(tuple(mean_kw), tuple(peak_kw or mean_kw))
    shares = np.ones(months) if shares is None else np.array(shares)
    existing, shape = more.pop("existing", None), more.pop("shape", None)
    return SiteLoad(
        year=load_year([day], shape=shape, existing=existing),
        month_of=np.arange(months) % 12,
        hours=np.full(months, 730.0),
        shares=(shares,),
        losses=more.pop("losses", Losses(0.0, pue, 0.0)),
        existing=existing is not None,
        **more,
    )


def parts(site, given) -> dict[str, np.ndarray]:
    """Amounts by key; parts of one key are added."""
    found: dict[str, np.ndarray] = {}
    for part in site_bill(site, given, lambda price: np.full(len(site.hours), price.value)):
        found[part.key] = found.get(part.key, 0.0) + part.usd
    return found


def test_pue_1_without_demand_on_a_flat_tariff_is_kwh_times_the_rate() -> None:
    """Invariant 3: 100 kW x 730 h x 0.10 = 7,300 USD, and nothing else."""
    found = parts(load(), tariff())
    assert set(found) == {"electricity_energy"}
    assert found["electricity_energy"] == pytest.approx(np.full(12, 7_300.0))


def test_pue_is_in_a_kilowatt_hour_once() -> None:
    """Invariant 7: without it, energy and demand are divided by it exactly."""
    charged = tariff(demand=(PEAK,))
    with_it, without = parts(load(pue=1.3), charged), parts(load(), charged)
    for key in ("electricity_energy", "electricity_demand"):
        assert with_it[key] / 1.3 == pytest.approx(without[key], rel=1e-12)


def test_each_hour_has_the_price_of_its_period() -> None:
    """Weekday evenings at 0.30, else 0.10: 4 of 24 hours on 5 of 7 days.

    730 h x 4/24 x 5/7 = 86.905 h at 0.30, 643.095 h at 0.10: 100 kW cost 9,038.10 USD.
    """
    evening = Window(days="weekday", from_hour=17, to_hour=21)
    rest = Window(days="weekday", from_hour=21, to_hour=17)
    periods = tuple(
        EnergyPeriod(name, window, (Tier(figure(usd, "USD/kWh")),))
        for name, window, usd in (
            ("evening", evening, 0.30),
            ("day", rest, 0.10),
            ("weekend", Window(days="weekend"), 0.10),
        )
    )
    found = parts(load(), tariff(periods=periods))
    assert found["electricity_energy"][0] == pytest.approx(9_038.0952, abs=1e-3)


def test_tiers_price_each_kilowatt_hour_once() -> None:
    """REopt.jl PR 229: 73,000 kWh at 0.12, 0.10 and 0.08 to 20,000, to 50,000, above.

    20,000 x 0.12 + 30,000 x 0.10 + 23,000 x 0.08 = 7,240 USD; the tiers' kWh are the meter's.
    """
    tiers = (
        Tier(figure(0.12, "USD/kWh"), 20_000.0),
        Tier(figure(0.10, "USD/kWh"), 50_000.0),
        Tier(figure(0.08, "USD/kWh")),
    )
    given = tariff(periods=(EnergyPeriod("all", Window(), tiers),))
    site = load()
    found = site_bill(site, given, lambda price: np.full(12, price.value))
    assert [part.usd[0] for part in found] == pytest.approx([2_400.0, 3_000.0, 1_840.0])
    kwh = sum(amount for part in found for name, amount, _ in part.quantities)
    assert kwh == pytest.approx(float(np.sum(energy_of(site, given).added_kwh)))
    assert kwh == pytest.approx(100 * 8760)


def test_demand_is_the_peak_of_its_window_not_of_the_month() -> None:
    """REopt_API PR 323: 300 kW at night, 200 kW by day; the on-peak charge sees 200 kW."""
    mean = [250.0] * 8 + [150.0] * 12 + [250.0] * 4
    peak = [300.0] * 8 + [200.0] * 12 + [300.0] * 4
    charges = (
        DemandCharge("on-peak", Window(from_hour=8, to_hour=20), figure(12, "USD/kW-month")),
        DemandCharge("any time", Window(), figure(3, "USD/kW-month")),
    )
    found = parts(load(mean, peak), tariff(demand=charges))
    assert found["electricity_demand"][0] == pytest.approx(200 * 12 + 300 * 3)


def test_a_typical_day_holds_no_peak_so_it_stands_beside_it() -> None:
    """Means of 100 kW, quarter-hours of 130 kW: billed are 130 kW."""
    found = parts(load(peak_kw=(130.0,) * 24), tariff(demand=(PEAK,)))
    assert found["electricity_demand"][0] == pytest.approx(1_300.0)


def test_a_ratchet_bills_the_highest_month_of_the_lookback() -> None:
    """Shares 1, 2, 1 ...: 80 % of 200 kW is billed for three months, then 100 kW.

    Of it 100 kW are metered and 60 kW are the ratchet's excess, a line of its own.
    """
    charge = DemandCharge(
        "peak", Window(), figure(10, "USD/kW-month"), figure(0.8, "fraction"), lookback_months=4
    )
    found = parts(load(shares=[1, 2, 1, 1, 1, 1], months=6), tariff(demand=(charge,)))
    assert found["electricity_demand"].tolist() == [1_000, 2_000, 1_000, 1_000, 1_000, 1_000]
    assert found["electricity_ratchet"] == pytest.approx([0, 0, 600, 600, 600, 0])


def test_a_contract_is_billed_from_the_first_month_of_service() -> None:
    """Contract 150 kW, nothing drawn in the first month, then 100 kW: 50 kW on top."""
    charge = DemandCharge(
        "peak", Window(), figure(10, "USD/kW-month"), contract_kw=figure(150, "kW")
    )
    found = parts(load(shares=[0, 1, 1], months=3), tariff(demand=(charge,)))
    assert found["electricity_contract"].tolist() == [0, 500, 500]


def test_a_coincident_peak_is_the_mean_of_its_hour() -> None:
    """40 kW at 18:00, 100 kW else: billed are 40 kW; those of July stand until July comes again."""
    mean = [100.0] * 18 + [40.0] + [100.0] * 5
    each = DemandCharge("grid", Window(), figure(8, "USD/kW-month"), at_hour=18)
    assert parts(load(mean), tariff(demand=(each,)))["electricity_demand"][0] == 320.0
    july = DemandCharge("grid", Window(), figure(8, "USD/kW-month"), at_hour=18, at_month=7)
    shares = [1] * 7 + [2] * 12
    found = parts(load(mean, months=19, shares=shares), tariff(demand=(july,)))
    assert found["electricity_demand"].tolist() == [0] * 6 + [320] * 12 + [640]


def test_power_factor_minimum_levy_and_tax_come_in_this_order() -> None:
    """7,300 + 1,000 demand + 1,000 x (0.95/0.76 - 1) + 200 fixed = 8,750; topped up to 9,000.

    73,000 kWh x 0.01 = 730 levy; 10 % tax on 9,730 = 973: 10,703 USD.
    """
    given = tariff(
        demand=(PEAK,),
        fixed_usd_per_month=figure(200, "USD/month"),
        minimum_usd_per_month=figure(9_000, "USD/month"),
        power_factor=figure(0.76, "ratio"),
        power_factor_floor=figure(0.95, "ratio"),
        levy_usd_per_kwh=figure(0.01, "USD/kWh"),
        tax_fraction=figure(0.10, "fraction"),
    )
    found = {key: usd[0] for key, usd in parts(load(), given).items()}
    assert found["electricity_power_factor"] == pytest.approx(250)
    assert found["electricity_minimum"] == pytest.approx(250)
    assert found["electricity_levy"] == pytest.approx(730)
    assert found["electricity_tax"] == pytest.approx(973)
    assert sum(found.values()) == pytest.approx(10_703)


def test_own_generation_lowers_energy_and_is_sent_out_but_cuts_no_peak() -> None:
    """100 kW, 130 kW from 10 to 14: 20 hours drawn, 4 hours of 30 kW sent out, peak 100 kW."""
    own = [0.0] * 10 + [130.0] * 4 + [0.0] * 10
    given = tariff(demand=(PEAK,), export_usd_per_kwh=figure(0.05, "USD/kWh"))
    found = parts(load(generation_kw=tuple(own)), given)
    assert found["electricity_energy"][0] == pytest.approx(7_300 * 20 / 24)
    assert found["electricity_export"][0] == pytest.approx(-30 * 730 * 4 / 24 * 0.05)
    assert found["electricity_demand"][0] == pytest.approx(1_000)


def test_beside_an_existing_load_the_increment_is_paid() -> None:
    """F4.6: 900 kW there, peak 1,000 kW; the new 100 kW add energy, demand, no fixed charge.

    With tiers the new kWh cost the price of the last tier, not the first.
    """
    tiers = (Tier(figure(0.20, "USD/kWh"), 100_000.0), Tier(figure(0.05, "USD/kWh")))
    given = tariff(
        periods=(EnergyPeriod("all", Window(), tiers),),
        demand=(PEAK,),
        fixed_usd_per_month=figure(500, "USD/month"),
        minimum_usd_per_month=figure(1_000, "USD/month"),
    )
    there = ExistingLoad(average_kw=figure(900, "kW"), peak_kw=figure(1_000, "kW"))
    found = {key: usd[0] for key, usd in parts(load(existing=there), given).items()}
    assert found["electricity_energy"] == pytest.approx(73_000 * 0.05)
    assert found["electricity_demand"] == pytest.approx(1_000)
    assert found["electricity_fixed"] == found["electricity_minimum"] == 0.0


def test_a_load_within_the_ratchet_of_the_site_adds_no_demand() -> None:
    """A plant of 1,000 kW by day; servers of 100 kW that run at night only: no kW more."""
    plant = ExistingLoad(typical_day_kw=(300.0,) * 8 + (1_000.0,) * 12 + (300.0,) * 4)
    night = [100.0] * 8 + [0.0] * 12 + [100.0] * 4
    found = parts(load(night, existing=plant), tariff(demand=(PEAK,)))
    assert found["electricity_demand"] == pytest.approx(np.zeros(12))
    assert found["electricity_energy"][0] == pytest.approx(7_300 / 2)


def test_the_year_before_fills_the_lookback_of_an_existing_site() -> None:
    """A summer plant: in January the ratchet still stands on last July, with servers and without.

    July 1,000 kW, else 100 kW, ratchet 0.8: 800 kW are billed in January either way.
    """
    year = np.full(8760, 100.0)
    year[24 * 181 : 24 * 212] = 1_000.0
    charge = DemandCharge("peak", Window(), figure(10, "USD/kW-month"), figure(0.8, "fraction"))
    there = ExistingLoad(year_kw=tuple(year))
    found = parts(load((50.0,) * 24, existing=there, months=3), tariff(demand=(charge,)))
    total = found["electricity_demand"] + found["electricity_ratchet"]
    assert total == pytest.approx(np.zeros(3), abs=1e-9)


def test_a_year_of_quarter_hours_has_the_mean_of_the_servers_and_its_own_peaks() -> None:
    """A shape of 1 with one quarter-hour of 3 in March: 100 kW mean, 300 kW in March."""
    shape = np.ones(35_040)
    shape[4 * 24 * 60 + 40] = 3.0
    found = parts(load(shape=tuple(shape)), tariff(demand=(PEAK,)))
    billed = found["electricity_demand"] / 10
    level = 100 / shape.mean()
    assert billed == pytest.approx([level, level, 3 * level, *[level] * 9])
    energy = found["electricity_energy"]
    assert energy.sum() == pytest.approx(100 * 8760 * 0.10, rel=1e-4)
    assert energy[2] > energy[3]


def test_a_hall_at_part_load_pays_for_what_does_not_follow_the_load() -> None:
    """12 kW fixed, 1.1 of the load: 100 kW are 122, 200 kW are 232; demand sees the same."""
    found = parts(
        load(shares=[1, 2], months=2, losses=Losses(12.0, 1.1, 0.0)), tariff(demand=(PEAK,))
    )
    assert found["electricity_energy"] == pytest.approx([122 * 73.0, 232 * 73.0])
    assert found["electricity_demand"] == pytest.approx([1_220, 2_320])


def test_zero_servers_cost_nothing() -> None:
    """Invariant 12: no load, no fixed charge, no minimum, no contract."""
    charge = DemandCharge(
        "peak", Window(), figure(10, "USD/kW-month"), contract_kw=figure(150, "kW")
    )
    given = tariff(
        demand=(charge,),
        fixed_usd_per_month=figure(500, "USD/month"),
        minimum_usd_per_month=figure(900, "USD/month"),
    )
    found = parts(load(shares=[0] * 12, losses=Losses(12.0, 1.1, 0.0)), given)
    assert all(np.array_equal(usd, np.zeros(12)) for usd in found.values())


@pytest.mark.parametrize(
    ("windows", "message"),
    [
        ((Window(), Window(months=(7,))), "'b' and 'a' both hold Jul, weekday, 00:00"),
        ((Window(to_hour=23),), "no period holds Jan, weekday, 23:00"),
        ((Window(days="weekday"),), "no period holds Jan, weekend, 00:00"),
    ],
)
def test_an_hour_with_two_prices_or_none_is_an_error(windows, message) -> None:
    """Every hour has one price; the first that has not is named."""
    listed = [(f"tariff.periods[{i}]", "ab"[i], window) for i, window in enumerate(windows)]
    with pytest.raises(InputError) as caught:
        period_of_hour(listed)
    assert caught.value.message == message
    assert caught.value.field.startswith("tariff.periods")
    assert caught.value.mend


@pytest.mark.parametrize(
    ("shape", "existing", "field"),
    [
        ((1.0,) * 100, None, "load_shape"),
        ((0.0,) * 8760, None, "load_shape"),
        ((-1.0,) * 8760, None, "load_shape"),
        (None, ExistingLoad(year_kw=(1.0,) * 8784), "existing_load.year_kw"),
    ],
)
def test_a_series_that_is_no_year_is_an_error(shape, existing, field) -> None:
    """8,760 or 35,040 numbers of 0 or more, not all 0."""
    with pytest.raises(InputError) as caught:
        load_year([FleetDay((1.0,) * 24, (1.0,) * 24)], shape=shape, existing=existing)
    assert caught.value.field == field


def test_a_window_over_midnight_holds_both_ends() -> None:
    """22 to 6 is eight hours of each day it is meant for."""
    mask = window_mask(Window(from_hour=22, to_hour=6))
    assert mask[0, 0].sum() == 8
    assert mask[0, 0, [22, 23, 0, 5]].all()
    assert not mask[0, 0, [6, 21]].any()

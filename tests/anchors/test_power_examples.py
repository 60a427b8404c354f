"""Worked examples of electricity, feeds and slots: WE20, WE31, WE32, WE36."""

from __future__ import annotations

from dataclasses import replace

from tco.facility.feeds import breaker_kva, feed_kva, utilisation_fraction
from tco.facility.slots import slot_fit
from tco.inputs import CapPoint, Device, Tariff
from tco.power.facility_load import facility_kw
from tco.tariff.bill import monthly_bill
from tests.anchors.examples import EXAMPLES, expected, given
from tests.engine.power.power_fleets import feed, figure, h100_server


def test_we20_a_year_of_energy_and_demand() -> None:
    """1,000 kW flat at PUE 1.3: 911,040 energy, 234,000 demand, 0.1005 USD/kWh blended."""
    kw = facility_kw(given("WE20", "it_load"), given("WE20", "pue"))
    tariff = Tariff(
        energy_usd_per_kwh=figure(given("WE20", "energy_rate"), "USD/kWh"),
        demand_usd_per_kw_month=figure(given("WE20", "demand_rate"), "USD/kW"),
    )
    bills = [
        monthly_bill(
            average_facility_kw=kw,
            peak_facility_kw=kw,
            hours=given("WE20", "hours") / 12,
            tariff=tariff,
        )
        for _ in range(12)
    ]
    total_usd = sum(bill.total_usd for bill in bills)
    assert sum(bill.energy_usd for bill in bills) == expected("WE20", "energy")
    assert sum(bill.demand_usd for bill in bills) == expected("WE20", "demand")
    assert total_usd == expected("WE20", "bill")
    assert total_usd / sum(bill.energy_kwh for bill in bills) == expected("WE20", "blended")
    assert bills[0].blended_usd_per_kwh == expected("WE20", "blended")


def test_we31_a_single_phase_feed_at_80_percent() -> None:
    """120 V x 15 A x 0.8 is 1,440 VA; 400 VA of it is 27.8 %, rounded late."""
    single = feed(
        voltage_v=given("WE31", "voltage"),
        breaker_a=given("WE31", "current"),
        phases=given("WE31", "phases"),
        voltage_reference="LN",
        usable_fraction=figure(given("WE31", "max_utilization"), "fraction"),
    )
    used = utilisation_fraction(single, given("WE31", "allocated") / 1000)
    assert feed_kva(single) * 1000 == expected("WE31", "available")
    assert used * 100 == expected("WE31", "utilization_percent")


def test_we32_line_to_line_and_line_to_neutral() -> None:
    """Four three-phase feeds; 230 V line to neutral read as line to line is 42 % too low."""
    feeds = [
        feed(
            voltage_v=volts,
            breaker_a=amperes,
            voltage_reference=reference,
            usable_fraction=figure(usable, "fraction"),
        )
        for volts, amperes, reference, usable in given("WE32", "cases")
    ]
    assert [feed_kva(each) for each in feeds] == expected("WE32", "kva")
    misread = replace(feeds[3], voltage_reference="LL")
    assert breaker_kva(misread) == expected("WE32", "wrong_if_LN_treated_as_LL")


def test_we36_the_200_w_slot() -> None:
    """72 W and 150 W fit, 350 W and 300 W do not; a measured cap makes 8 boards worth 5.6."""
    slot_w = figure(given("WE36", "slot_limit"), "W")
    slots = given("WE36", "slots")
    cards = {
        name: h100_server(
            device=Device(name, name, "", "gpu", board_w=figure(board_w, "W")),
            device_count=slots,
        )
        for name, board_w in given("WE36", "cards")
    }
    fits = [slot_fit(server, slot_w).fits for server in cards.values()]
    assert fits == EXAMPLES["WE36"]["expected"]["fits"]["value"]
    point = CapPoint(slot_w, figure(given("WE36", "cap_perf_at_200W"), "fraction"))
    l40s = cards["L40S"]
    capped = slot_fit(replace(l40s, device=replace(l40s.device, cap_points=(point,))), slot_w)
    assert capped.fits is EXAMPLES["WE36"]["expected"]["l40s_capped_fits"]["value"]
    assert capped.capped
    assert capped.cap_w == 200
    assert slots * capped.throughput_fraction == expected("WE36", "l40s_effective_cards")

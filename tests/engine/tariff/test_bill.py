"""The flat bill: energy, demand, fixed charge, ratchet (F4)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.errors import InputError
from tco.inputs import Tariff
from tco.power.facility_load import annual_pue, facility_kw
from tco.tariff.bill import monthly_bill
from tests.engine.power.power_fleets import figure

TARIFF = Tariff(
    energy_usd_per_kwh=figure(0.10, "USD/kWh"),
    demand_usd_per_kw_month=figure(12.0, "USD/kW"),
    fixed_usd_per_month=figure(500.0, "USD"),
)


def test_energy_demand_and_fixed_add_up() -> None:
    """100 kW mean, 150 kW peak, 730 h: 7,300 + 1,800 + 500 = 9,600 USD, 0.1315 USD/kWh."""
    bill = monthly_bill(average_facility_kw=100, peak_facility_kw=150, hours=730, tariff=TARIFF)
    assert bill.energy_kwh == pytest.approx(73_000)
    assert bill.energy_usd == pytest.approx(7_300)
    assert bill.demand_usd == pytest.approx(1_800)
    assert bill.fixed_usd == 500
    assert bill.total_usd == pytest.approx(9_600)
    assert bill.blended_usd_per_kwh == pytest.approx(9_600 / 73_000)


def test_demand_already_in_the_price_is_not_added() -> None:
    """An average price that holds the demand charge stops it (F4.5a)."""
    included = Tariff(
        energy_usd_per_kwh=TARIFF.energy_usd_per_kwh,
        demand_usd_per_kw_month=TARIFF.demand_usd_per_kw_month,
        demand_included=True,
    )
    bill = monthly_bill(average_facility_kw=100, peak_facility_kw=150, hours=730, tariff=included)
    assert bill.demand_usd == 0
    assert bill.total_usd == pytest.approx(7_300)


@pytest.mark.parametrize(
    ("ratchet", "lookback", "billed_kw"),
    [
        (0.8, (200.0, 400.0), 320.0),
        (0.8, (100.0,), 150.0),
        (0.0, (400.0,), 150.0),
        (1.0, (), 150.0),
    ],
)
def test_ratchet_bills_a_share_of_the_highest_earlier_peak(
    ratchet: float, lookback: tuple[float, ...], billed_kw: float
) -> None:
    """Billed kW = max(this month's peak, ratchet x the highest of the lookback) (F4.3)."""
    bill = monthly_bill(
        average_facility_kw=100,
        peak_facility_kw=150,
        hours=730,
        tariff=TARIFF,
        ratchet_fraction=ratchet,
        lookback_peaks_kw=lookback,
    )
    assert bill.demand_usd == pytest.approx(12 * billed_kw)


def test_nothing_drawn_costs_nothing() -> None:
    """Zero load costs zero, fixed charge included, and has no price per kWh: never NaN."""
    bill = monthly_bill(average_facility_kw=0, peak_facility_kw=0, hours=730, tariff=TARIFF)
    assert (bill.energy_kwh, bill.energy_usd, bill.demand_usd, bill.fixed_usd) == (0, 0, 0, 0)
    assert bill.total_usd == 0
    assert bill.blended_usd_per_kwh is None


@pytest.mark.parametrize(
    ("average_kw", "peak_kw", "hours", "field"),
    [
        (-1.0, 10.0, 730.0, "average_facility_kw"),
        (math.nan, 10.0, 730.0, "average_facility_kw"),
        (1.0, math.inf, 730.0, "peak_facility_kw"),
        (1.0, 10.0, -730.0, "hours"),
        (20.0, 10.0, 730.0, "peak_facility_kw"),
    ],
)
def test_bad_numbers_name_their_field(
    average_kw: float, peak_kw: float, hours: float, field: str
) -> None:
    """Negative, NaN, infinite, or a peak below the average: refused, naming the field."""
    with pytest.raises(InputError) as caught:
        monthly_bill(
            average_facility_kw=average_kw, peak_facility_kw=peak_kw, hours=hours, tariff=TARIFF
        )
    assert caught.value.field == field


@settings(deadline=None)
@given(
    it_kw=st.floats(0, 1e5),
    spread=st.floats(1, 3),
    pue=st.floats(1, 2.5),
    more=st.floats(0, 1),
)
def test_raising_pue_never_lowers_the_bill(
    it_kw: float, spread: float, pue: float, more: float
) -> None:
    """More facility energy for the same IT load costs as much or more."""

    def total_usd(ratio: float) -> float:
        return monthly_bill(
            average_facility_kw=facility_kw(it_kw, ratio),
            peak_facility_kw=facility_kw(it_kw * spread, ratio),
            hours=730,
            tariff=TARIFF,
        ).total_usd

    assert total_usd(pue + more) >= total_usd(pue)


def test_annual_pue_is_a_ratio_of_sums() -> None:
    """A month of little load with a bad PUE hardly moves the year; the mean of ratios would."""
    assert annual_pue((900.0, 100.0), (1080.0, 200.0)) == pytest.approx(1.28)
    assert annual_pue((0.0, 0.0), (0.0, 0.0)) is None


@pytest.mark.parametrize("pue", [0.99, math.nan, math.inf])
def test_a_pue_below_one_is_refused(pue: float) -> None:
    """A facility never draws less than its IT load."""
    with pytest.raises(InputError, match=r"site\.pue"):
        facility_kw(100, pue)

"""Flow, part-load PUE, ITUE, spare units, degraded servers, density steps (F3)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hardware_catalog.seed.to_engine.catalog import SeedCatalog
from tco.cooling.degraded import supplies_lost
from tco.cooling.density import least_design
from tco.cooling.flow import flow_litres_per_min
from tco.cooling.plant import facility_load, itue, ups_loss_kw
from tco.cooling.spare_units import lose, units_needed
from tco.errors import InputError
from tco.facility.packing import rack_layout
from tco.inputs import CapPoint, Cooling, CoolingPlant, Units
from tco.power.part_load import Losses
from tests.engine.power.power_fleets import figure, fleet, fleet_result, h100_server, site

PLANT = CoolingPlant(
    air_kw_per_kw=figure(0.25, "kW/kW"),
    captured_fraction=figure(0.8, "fraction"),
    liquid_kw_per_kw=figure(0.05, "kW/kW"),
    fixed_kw=figure(20.0, "kW"),
    ups_rated_kw=figure(1000.0, "kW"),
    ups_a0_fraction=0.01,
    ups_a1_fraction=0.01,
    ups_a2_fraction=0.02,
)


def test_flow_by_hand() -> None:
    """120 kW at 10 K: 171.6 L/min of water, 178.8 of PG25 (F3.6)."""
    assert flow_litres_per_min(120, 10) == pytest.approx(171.6)
    assert flow_litres_per_min(120, 10, "pg25") == pytest.approx(178.8)
    assert flow_litres_per_min(0, 10) == 0


@pytest.mark.parametrize(
    ("kw", "rise", "fluid", "field"),
    [(1, 0, "water", "delta_t_k"), (-1, 5, "water", "heat_kw"), (1, 5, "oil", "fluid")],
)
def test_flow_names_what_is_wrong(kw, rise, fluid, field) -> None:
    """No rise, negative heat, an unknown fluid."""
    with pytest.raises(InputError) as error:
        flow_litres_per_min(kw, rise, fluid)
    assert error.value.field == field
    assert error.value.mend


def test_facility_power_by_hand() -> None:
    """500 kW: 400 liquid x 0.05 + 100 air x 0.25 = 45; UPS 1000 x 0.02 = 20; fixed 20."""
    found = facility_load(PLANT, 500.0)
    assert (found.liquid_kw, found.air_kw) == pytest.approx((400.0, 100.0))
    assert found.cooling_kw == pytest.approx(45.0)
    assert found.ups_loss_kw == pytest.approx(20.0)
    assert found.facility_kw == pytest.approx(585.0)


def pue(plant, *hours):
    """PUE of a day by the curve that makes every PUE (F3.3)."""
    losses = Losses.of_plant(plant)
    return sum(losses.facility_kw(kw) for kw in hours) / sum(hours)


def test_pue_is_energy_over_energy_and_rises_at_part_load() -> None:
    """Full and tenth load: the sum is 1.215, the mean of the two ratios 1.35."""
    assert pue(PLANT, 500.0) == pytest.approx(585 / 500)
    assert pue(PLANT, 50.0) == pytest.approx(1 + 0.09 + (10 + 0.5 + 0.05 + 20) / 50)
    both = pue(PLANT, 500.0, 50.0)
    assert both == pytest.approx((585 + 50 * pue(PLANT, 50.0)) / 550)
    assert both < (pue(PLANT, 500.0) + pue(PLANT, 50.0)) / 2


@settings(max_examples=100, deadline=None)
@given(st.floats(0, 1000), st.floats(0, 1), st.booleans())
def test_parts_add_up_to_the_curve(kw, share, peak) -> None:
    """What the parts come to is what the PUE is made of, also in the hottest hour."""
    plant = replace(
        PLANT,
        captured_fraction=figure(share, "fraction"),
        peak_air_kw_per_kw=figure(0.4, "kW/kW"),
    )
    parts = facility_load(plant, kw, peak=peak)
    curve = Losses.of_plant(plant, peak=peak).facility_kw(kw)
    assert parts.facility_kw == pytest.approx(curve)


@settings(max_examples=100, deadline=None)
@given(st.floats(1, 1000), st.floats(1, 1000), st.floats(0, 1))
def test_part_load_never_has_the_better_pue(low, high, share) -> None:
    """Without a loss by the square, less load never has a lower PUE."""
    low, high = sorted((low, high))
    plant = replace(PLANT, captured_fraction=figure(share, "fraction"), ups_a2_fraction=0.0)
    assert pue(plant, low) >= pue(plant, high) - 1e-12 >= 1 - 1e-12


def test_peak_takes_the_design_wet_bulb() -> None:
    """Air at 0.4 kW per kW on the hottest hour."""
    hot = replace(PLANT, peak_air_kw_per_kw=figure(0.4, "kW/kW"))
    assert facility_load(hot, 500.0, peak=True).cooling_kw == pytest.approx(20 + 40)
    assert facility_load(hot, 500.0).cooling_kw == pytest.approx(45)


@pytest.mark.parametrize(
    ("plant", "field"),
    [
        (replace(PLANT, captured_fraction=figure(1.2, "fraction")), "captured_fraction"),
        (replace(PLANT, liquid_kw_per_kw=None), "liquid_kw_per_kw"),
        (replace(PLANT, ups_rated_kw=figure(100.0, "kW")), "ups_rated_kw"),
    ],
)
def test_a_plant_that_cannot_be_is_named(plant, field) -> None:
    """More captured than there is, liquid without a figure, a UPS below its load."""
    with pytest.raises(InputError) as error:
        facility_load(plant, 500.0)
    assert error.value.field == field


def test_ups_and_itue() -> None:
    """Loss at no load is a0 of the rating; fans of 15 % make 1.176."""
    assert ups_loss_kw(0, 800, 0.01, 0.01, 0.02) == pytest.approx(8)
    assert itue(0.15) == pytest.approx(1 / 0.85)
    with pytest.raises(InputError):
        itue(1.0)


def test_spare_units_carry_one_loss() -> None:
    """1,000 kW on 400 kW units: 3 and a spare; one lost sheds nothing, two shed 200 kW."""
    units = Units(figure(400.0, "kW"), spare=1)
    assert units_needed(1000.0, units) == 4
    assert lose(1000.0, units).shed_kw == 0
    two = lose(1000.0, units, lost=2, thermal_mass_kj_per_k=60_000.0, allowed_rise_k=4.0)
    assert (two.shed_kw, two.minutes) == (200.0, 20.0)
    assert lose(1000.0, replace(units, spare=0)).shed_kw == 200.0
    assert units_needed(1200.0, Units(figure(400.0, "kW"), spare=0)) == 3
    with pytest.raises(InputError):
        units_needed(10.0, Units(figure(0.0, "kW")))


def test_two_supplies_lost_lower_the_clocks() -> None:
    """4 x 3 kW less two: the boards share what the host leaves of 6 kW; without any it is down."""
    server = h100_server(
        psu_count=4,
        psu_w_each=figure(3000.0, "W"),
        device=replace(
            h100_server().device,
            cap_points=(CapPoint(figure(300.0, "W"), figure(0.6, "fraction")),),
        ),
    )
    up, two, all_gone = (supplies_lost(server, lost) for lost in (0, 2, 4))
    assert (up.state, up.throughput_fraction) == ("up", 1.0)
    assert two.state == "degraded"
    # straight between 0.6 at 300 W and 1 at the board's 700 W
    assert two.throughput_fraction == pytest.approx(0.6 + 0.4 * (two.device_w - 300) / 400)
    assert 0.6 < two.throughput_fraction < 1
    assert (all_gone.state, all_gone.throughput_fraction) == ("down", 0.0)
    with pytest.raises(InputError):
        supplies_lost(server, 5)
    with pytest.raises(InputError, match="not known"):
        supplies_lost(replace(server, psu_count=0), 1)


def test_density_forces_the_design_the_server_allows() -> None:
    """Air to 20 kW, a rear door to 40, cold plates beyond, where the server has them."""
    air, both = h100_server(cooling="air"), h100_server(cooling="air or liquid")
    assert [least_design(both, kw) for kw in (20, 21, 41)] == ["air", "rear_door", "direct_to_chip"]
    assert least_design(h100_server(cooling="liquid"), 5) == "direct_to_chip"
    with pytest.raises(InputError, match="takes no liquid"):
        least_design(air, 41)
    with pytest.raises(InputError, match="more than the 400"):
        least_design(both, 401)


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 200),
    st.floats(2, 40),
    st.floats(1, 100),
    st.floats(1, 4),
    st.sampled_from(["air", "rear_door", "direct_to_chip", "immersion"]),
)
def test_better_cooling_never_takes_more_racks(servers, kw, most, better, kind) -> None:
    """More kilowatts of heat a rack, same design: never a rack more."""
    server = h100_server(cooling="air or liquid")

    def racks(limit: float) -> int:
        at = site(cooling=Cooling(kind, kind, kind, figure(limit, "kW")))
        found = rack_layout(fleet(server, site=at), fleet_result(servers), server_provisioned_kw=kw)
        assert found is not None
        return found.racks if found.servers_per_rack else 10**9

    assert racks(most * better) <= racks(most)


def test_catalog_designs_are_usable() -> None:
    """Every cooling design of the catalog resolves to a kind that packing knows."""
    catalog = SeedCatalog()
    kinds = {found.kind for key in catalog.keys("cooling") if (found := catalog.cooling(key))}
    assert kinds == {"air", "rear_door", "direct_to_chip", "immersion"}

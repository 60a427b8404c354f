"""What people complain of in rack and capacity tools (UP41 to UP48), each with the right value."""

from __future__ import annotations

import pytest

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document import resolve
from tco.projection import project
from tests.engine.mix.test_best_mix import document


@pytest.fixture(scope="module")
def halls():
    """The halls of the old-hall example with air, by site."""
    found = project(resolve(document("hall"), SeedCatalog())).options
    option = next(one for one in found if one.key == "air")
    return {hall.site: hall for hall in option.halls}


def rack_of(hall, key):
    """One rack of a hall."""
    return next(rack for rack in hall.racks if rack.key == key)


def limits(rack):
    """The bars of a rack by name."""
    return {limit.name: limit for limit in rack.limits}


def test_up41_a_placed_device_counts_at_once_without_any_cable(halls):
    """The rack with three storage shelves draws their watts, though no cable is described."""
    rack = rack_of(halls["old"], "a-01")
    shelves = [device for device in rack.devices if device.kit == "storage"]
    assert len(shelves) >= 3
    bars = limits(rack)
    assert bars["power"].used >= sum(device.kw for device in shelves) > 0
    assert bars["units"].used >= sum(device.height_u for device in shelves)


def test_up42_nameplate_expected_and_measured_stand_side_by_side(halls):
    """Three numbers of one kind; what is provisioned says which one it takes."""
    kinds = {kind.key: kind for kind in halls["old"].kits}
    storage = kinds["storage"]
    assert (storage.nameplate_kw, storage.expected_kw, storage.measured_kw) == (1.4, 1.0, 1.1)
    assert storage.provisioned_kw == 1.4
    assert storage.average_kw == 0.95


def test_up42_a_lost_feed_is_looked_at_and_not_counted_twice(halls):
    """A 2N rack's load is its devices' once; each board's loss says what goes dark."""
    hall = halls["old"]
    for rack in hall.racks:
        bars = limits(rack)
        assert bars["power"].used == pytest.approx(sum(device.kw for device in rack.devices))
    assert {"row-a1", "row-a2"} <= {loss.key for loss in hall.losses}


def test_up44_a_share_is_what_is_computed():
    """400 VA of 1,440 VA are 27.8 %, not 28.0 %."""
    from planner.templatetags.units import percent

    assert percent(400 / 1440) == "27.8 %"


def test_up46_heat_and_the_split_of_air_and_liquid_are_given_for_each_rack(halls):
    """Every watt is heat; what the loop does not take the air does."""
    for hall in halls.values():
        for rack in hall.racks:
            assert rack.air_kw + rack.liquid_kw == pytest.approx(rack.heat_kw, abs=1e-9)
            bars = limits(rack)
            # the bar is that of the medium nearest to its limit, or of the whole rack
            taken = [rack.heat_kw, rack.air_kw, rack.liquid_kw]
            assert any(bars["cooling"].used == pytest.approx(kw, abs=1e-9) for kw in taken)
    nvl72 = [rack for hall in halls.values() for rack in hall.racks if rack.liquid_kw > 100]
    assert all(rack.air_kw == pytest.approx(0.15 * rack.heat_kw, rel=0.2) for rack in nvl72)


def test_up48_kw_kg_units_ports_and_cooling_are_all_hard_and_the_first_is_named(halls):
    """Five bars for every rack; none is above its limit; what stops the rest has a name."""
    hall = halls["old"]
    for rack in hall.racks:
        bars = limits(rack)
        assert {"power", "cooling", "weight", "units", "ports"} <= set(bars)
        for bar in bars.values():
            assert bar.available is None or bar.used <= bar.available + 1e-9
    assert hall.placed < hall.wanted
    assert "cooling" in hall.binds

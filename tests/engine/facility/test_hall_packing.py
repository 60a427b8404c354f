"""Packing a hall: what fits, what binds, what would make the rest fit (F2.7)."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.errors import InputErrors
from tco.facility.hall.blockers import binding, blockers, rack_fit
from tco.facility.hall.exact import exact, packed
from tco.facility.hall.first_fit import Demand, first_fit
from tco.facility.hall.relax import gains, relaxed, room_for, smallest_relaxations
from tco.facility.hall.state import Hall, Shared
from tests.engine.facility.halls import broken_limits, feed, kind, rack, random_hall


def hall(racks: int = 1, *shared: Shared, **more: object) -> Hall:
    """Racks that are alike."""
    return Hall.of([rack(**more)], [0] * racks, shared)


def test_nameplate_and_measured_maximum_give_three_and_four_a_rack():
    """34.5 kW: 3 servers of 10.2 kW, 4 of 8.5 (WE35)."""
    assert rack_fit(hall(), kind(kw=10.2), 0).count == 3
    measured = rack_fit(hall(), kind(kw=8.5), 0)
    assert (measured.count, measured.binds) == (4, "power")
    assert measured.stranded_kw == pytest.approx(0.5)
    assert measured.stranded_u == 48 - 32
    assert measured.next_needs[0] == ("power", pytest.approx(8.0), "kW")


def test_30_kw_in_a_rack_cooled_to_15_is_refused_by_cooling():
    """Power alone would say yes (netbox 15006): the bar is 200 %, the limit is told."""
    small = hall(cooling_kw=15.0)
    big = kind(kw=30.0)
    found = packed(small, [Demand(big, 1)])
    assert found.unplaced == {"s": 1}
    (blocker,) = blockers(found.hall, big)
    assert (blocker.limit, blocker.short_units, blocker.unit) == ("cooling", 15.0, "kW")
    (fix, *_) = smallest_relaxations(small, [Demand(big, 1)], [big], found.hall)
    assert fix.raised == (("cooling", 15.0, "kW"),)


def test_the_racks_own_mass_counts_on_the_floor():
    """1,000 kg of floor less 150 of rack: 6 servers of 130 kg; not 7 (opendcim 1235)."""
    heavy = kind(kw=1.0, kg=130.0, half_units=4)
    found = rack_fit(hall(floor_kg=1000.0 - 150.0, own_kg=150.0), heavy, 0)
    assert (found.count, found.binds) == (6, "floor")


def test_half_units_shelves_and_half_depth():
    """A 3.5 U device leaves half a unit; two half-depth ones share a unit, front and rear."""
    tight = hall(half_units=8)
    odd = packed(tight, [Demand(kind("odd", half_units=7, kw=0.1), 1)])
    assert odd.unplaced == {}
    assert packed(odd.hall, [Demand(kind("half", half_units=1, kw=0.1), 2)]).unplaced == {"half": 1}
    flat = kind("flat", half_units=2, kw=0.1, full_depth=False)
    both = first_fit(hall(half_units=2), [Demand(flat, 2)])
    assert [item.face for item in both.placed] == ["front", "rear"]


def test_children_and_side_mounted_devices_take_no_units():
    """A chassis of 10 U and eight children of 0 U: 10 U, all their watts (netbox 532, 368)."""
    chassis = kind("chassis", half_units=20, kw=1.0)
    child = kind("child", half_units=0, kw=2.0)
    found = packed(hall(half_units=20), [Demand(chassis, 1), Demand(child, 8)])
    assert found.unplaced == {}
    assert found.hall.spaces[0].free_halves() == 0
    assert found.hall.room[0, 0] == pytest.approx(34.5 - 17.0)


def test_a_rack_scale_system_takes_one_place_and_its_frame_with_it():
    """NVL72: as tall as the rack, one a place, never beside another device."""
    oberon = kind("nvl72", half_units=96, kw=132.0, kg=1360.0, liquid_fraction=0.85, own_rack=True)
    place = hall(
        3,
        power_kw=140.0,
        circuit_kva=140.0,
        cooling_kw=None,
        air_kw=20.0,
        liquid_kw=140.0,
        load_kg=1000.0,
        own_kg=150.0,
        floor_kg=1350.0,
    )
    found = packed(place, [Demand(oberon, 3), Demand(kind("cpu", half_units=2, kw=0.5), 1)])
    assert found.unplaced == {"cpu": 1}
    assert blockers(found.hall, oberon)[0].racks == 3
    light = replace(place.classes[0], floor_kg=1000.0)
    refused = packed(Hall.of([light], [0]), [Demand(oberon, 1)])
    assert blockers(refused.hall, oberon)[0].limit == "floor"
    assert blockers(refused.hall, oberon)[0].short_units == pytest.approx(1360 - 150 - 1000)


def test_liquid_needs_liquid_and_reach_needs_reach():
    """Refusals of a kind by its nature, with the reason."""
    wet = kind(liquid_fraction=0.8)
    assert "takes liquid" in rack_fit(hall(), wet, 0).reason
    far = kind(reach_m=3.0)
    assert "needs 9 m of cable" in rack_fit(hall(cable_m=9.0), far, 0).reason
    tall = kind(half_units=100)
    assert "2 U taller than R" in rack_fit(hall(), tall, 0).reason
    slot = kind(refused="350 W board in a slot of 200 W")
    assert rack_fit(hall(), slot, 0).binds == "slot"


def test_circuits_are_not_one_pool():
    """Eight sockets of 1.44 kVA: a server of 3 kVA on two of them is refused (F2.6)."""
    sockets = feed(voltage_v=120.0, phases=1, breaker_a=15.0, feeds_per_rack=8, redundancy="N")
    small = hall(feed=sockets, power_kw=11.52, circuit_kva=1.44)
    found = rack_fit(small, kind(kw=3.0, supplies=2, half_units=4), 0)
    assert (found.count, found.binds) == (0, "circuits")
    assert rack_fit(small, kind(kw=2.8, supplies=2, half_units=4), 0).count == 4


def test_a_shared_limit_binds_before_the_racks_do():
    """A row of four racks on 50 kW holds 4 servers of 10.2, though each rack holds 3."""
    row = Shared("Row A", "kW", "power", 50.0, {0: 1.0, 1: 1.0})
    found = packed(hall(4, row), [Demand(kind(), 12)])
    assert found.unplaced == {"s": 2}
    assert binding(found.hall, [kind()]) in {"power", "Row A"}
    assert "Row A" in {each.limit for each in blockers(found.hall, kind())}


def test_infeasible_names_the_smallest_relaxation_or_the_fewest_together():
    """Seven servers in two racks of three: 6.3 kW a rack, or one more rack; both limits at once."""
    two = hall(2, cooling_kw=None)
    found = packed(two, [Demand(kind(), 7)])
    ways = smallest_relaxations(two, [Demand(kind(), 7)], [kind()], found.hall)
    raised = {way.raised[0][0]: way.raised[0][1] for way in ways}
    assert raised["racks"] == 1.0
    assert raised["power"] == pytest.approx(40.8 - 34.5, abs=0.1)
    assert not packed(relaxed(two, "power", raised["power"]), [Demand(kind(), 7)]).unplaced
    both = hall(cooling_kw=34.5, half_units=48)
    stuck = packed(both, [Demand(kind(), 4)])
    way = smallest_relaxations(both, [Demand(kind(), 4)], [kind()], stuck.hall)
    assert ("racks", 1.0, "racks") in way[0].raised or len(way[0].raised) >= 2


def test_what_one_more_buys():
    """A hall bound by cooling gains by cooling alone, one bound by both by both together."""
    cold = hall(4, cooling_kw=20.0)
    bought = {gain.limits: gain.more for gain in gains(cold, kind(kw=10.2))}
    assert bought[("cooling",)] == 4
    assert bought[("power",)] == 0
    even = hall(4, cooling_kw=34.5)
    bought = {gain.limits: gain.more for gain in gains(even, kind(kw=8.8))}
    assert (bought[("cooling",)], bought[("power",)], bought[("power", "cooling")]) == (0, 0, 4)
    assert room_for(even, kind(kw=8.8)) == 12


def test_impossible_limits_are_said_at_once():
    """Negative limits of racks and of shared parts."""
    with pytest.raises(InputErrors) as caught:
        hall(1, Shared("hall", "kW", "power", -1.0, {0: 1.0}), power_kw=-5.0, ports=-1)
    assert len(caught.value.errors) == 3


@pytest.mark.parametrize("start", range(0, 500, 100))
def test_500_small_halls_stay_within_limits_and_one_rack_of_the_exact_solve(start):
    """First fit against HiGHS: as much placed but for one, in as many racks but for one."""
    for seed in range(start, start + 100):
        small, demands = random_hall(seed)
        found = first_fit(small, demands)
        assert broken_limits(small, demands, found) == [], seed
        solved = exact(small, demands)
        if solved is None:
            continue
        assert broken_limits(small, demands, solved) == [], seed
        left, least = sum(found.unplaced.values()), sum(solved.unplaced.values())
        assert least <= left <= least + 1, seed
        if not left and not least:
            assert found.bound <= solved.racks_used <= found.racks_used, seed
            assert found.racks_used <= solved.racks_used + 1, seed


def test_10_000_servers_of_6_kinds_take_under_two_seconds():
    """Processor seconds on 3,300 racks of two classes; no limit is passed."""
    racks = [rack("air", load_kg=1300.0, ports=64), rack("cold", power_kw=69.0, liquid_kw=140.0)]
    large = Hall.of([replace(racks[0], air_kw=40.0), racks[1]], [0] * 2600 + [1] * 700, ())
    demands = [
        Demand(kind("h100", kg=130.0, ports=8), 2000),
        Demand(kind("l4", half_units=4, kw=1.2, kg=30.0, ports=2), 1500),
        Demand(kind("cpu", half_units=2, kw=0.6, kg=18.0, ports=2), 3000),
        Demand(kind("b200", half_units=20, kw=14.3, kg=142.0, ports=8), 1000),
        Demand(kind("plates", half_units=8, kw=12.0, liquid_fraction=0.85), 1500),
        Demand(kind("store", half_units=8, kw=1.5, kg=60.0, ports=2), 1000),
    ]
    start = time.process_time()
    found = first_fit(large, demands)
    took_s = time.process_time() - start
    assert broken_limits(large, demands, found) == []
    assert len(found.placed) == 10_000
    assert took_s < 2.0


def test_the_exact_solve_agrees_with_every_way_tried_by_hand():
    """Tiny halls: the fewest racks over all assignments of servers to racks, one by one."""
    from itertools import product

    kws = [3.0, 3.0, 4.0, 5.0, 6.0, 9.0]
    least = 99
    for ways in product(range(4), repeat=len(kws)):
        drawn = [sum(kw for kw, to in zip(kws, ways, strict=True) if to == one) for one in range(4)]
        if max(drawn) <= 10.0:
            least = min(least, sum(1 for each in drawn if each))
    kinds = [kind(f"k{index}", kw=kw, half_units=2) for index, kw in enumerate(kws)]
    small = hall(4, power_kw=10.0)
    solved = exact(small, [Demand(each, 1) for each in kinds])
    assert solved is not None
    assert (solved.racks_used, solved.bound) == (least, least)


sizes = st.integers(min_value=1, max_value=5000)


@settings(max_examples=60, deadline=None)
@given(st.integers(0, 10_000), st.floats(1.01, 1.5))
def test_more_watts_never_need_fewer_racks(seed, factor):
    """The racks that are needed at least grow with the watts; so do the full racks of one kind."""
    small, demands = random_hall(seed)
    hotter = [Demand(replace(each.kind, kw=each.kind.kw * factor), each.count) for each in demands]
    for one, other in zip(demands, hotter, strict=True):
        for index in range(len(small.classes)):
            cool = rack_fit(small, one.kind, index).count
            assert rack_fit(small, other.kind, index).count <= cool


@settings(max_examples=60, deadline=None)
@given(st.floats(1.0, 12.0), st.floats(0.5, 1.0), st.floats(0.5, 1.0), st.integers(1, 40))
def test_a_lower_usable_fraction_never_needs_fewer_racks_nor_a_better_feed_more(
    kw, first, second, count
):
    """Servers of one kind in racks that are alike, exactly packed."""
    low, high = sorted((first, second))
    each = kind(kw=kw)
    needed = []
    for share in (low, high):
        racks = hall(count, power_kw=43.1 * share, circuit_kva=43.1 * share, cooling_kw=None)
        found = packed(racks, [Demand(each, count)])
        assert not found.unplaced
        needed.append(found.racks_used)
    assert needed[0] >= needed[1]

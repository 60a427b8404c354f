"""Servers per rack, the limit that binds, the drawing (F2.7, F3.5)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tco.errors import InputError
from tco.facility.packing import rack_layout
from tco.inputs import Cooling, Rack, Server, Site
from tco.results import RackLayout
from tests.engine.power.power_fleets import feed, figure, fleet, fleet_result, h100_server, site


def layout(
    servers: int, kw: float, *, server: Server | None = None, at: Site | None = None
) -> RackLayout:
    """Layout of an owned fleet of 8 x H100 servers."""
    own = fleet(server or h100_server(), site=at or site())
    result = rack_layout(own, fleet_result(servers), server_provisioned_kw=kw)
    assert result is not None
    return result


def cooled(kind: str, kw: float) -> Site:
    """The test's site under another cooling design."""
    return site(cooling=Cooling(kind, kind, kind, figure(kw, "kW")))


def test_power_binds_on_the_nameplate_and_units_below() -> None:
    """34.5 kW: 3 servers of 10.2 kW by power, 4 of 8.5 kW measured; 46 U of 48 U hold 5."""
    by_nameplate = layout(7, 10.2)
    assert (by_nameplate.servers_per_rack, by_nameplate.binds) == (3, "power")
    assert (by_nameplate.racks, by_nameplate.servers_in_last_rack) == (3, 1)
    assert by_nameplate.stranded_kw == pytest.approx(34.502 - 30.6, abs=1e-3)
    assert by_nameplate.stranded_units == 46 - 24
    measured = layout(8, 8.5)
    assert (measured.servers_per_rack, measured.racks) == (4, 2)
    assert measured.servers_in_last_rack == 4
    small = layout(11, 4.0)
    assert (small.servers_per_rack, small.binds) == (5, "units")
    assert small.stranded_kw == pytest.approx(34.502 - 20, abs=1e-3)
    assert small.stranded_units == 6


def test_cooling_binds_below_the_feed() -> None:
    """30 kW of servers do not go where 15 kW can be cooled: one of 10.2 kW."""
    result = layout(3, 10.2, at=cooled("air", 15))
    assert (result.servers_per_rack, result.binds, result.racks) == (1, "cooling", 3)
    limit = next(limit for limit in result.limits if limit.name == "cooling")
    assert (limit.used, limit.available) == (10.2, 15)


def test_static_load_binds() -> None:
    """1,360 kg hold two servers of 500 kg."""
    result = layout(4, 5.0, server=h100_server(weight_kg=figure(500, "kg")))
    assert (result.servers_per_rack, result.binds, result.racks) == (2, "weight", 2)


def test_unknown_height_and_weight_do_not_bind_and_say_so() -> None:
    """Power alone decides; both blanks are named; no elevation of unknown heights is drawn."""
    result = layout(3, 10.2, server=h100_server(rack_units=None, weight_kg=None))
    assert (result.servers_per_rack, result.binds) == (3, "power")
    assert "height of 8 x H100 unknown" in result.reason
    assert "weight of 8 x H100 unknown" in result.reason
    assert {limit.name for limit in result.limits if limit.available is None} == {
        "weight",
        "units",
    }
    assert result.placed == ()


def test_unknown_rack_load_does_not_bind() -> None:
    """A rack without a stated load is not checked for weight, and the limit says so."""
    unknown = site(rack=Rack("r", "Bare rack", 48))
    result = layout(3, 10.2, server=h100_server(weight_kg=figure(5_000, "kg")), at=unknown)
    assert result.servers_per_rack == 3
    assert "load of Bare rack unknown" in result.reason


@pytest.mark.parametrize(
    ("server_cooling", "kind", "per_rack", "binds"),
    [
        ("liquid", "air", 0, "cooling type"),
        ("liquid", "rear_door", 0, "cooling type"),
        ("liquid (cold plates) + air", "air", 0, "cooling type"),
        ("liquid", "direct_to_chip", 3, "power"),
        ("air or liquid", "air", 3, "power"),
        ("air or liquid", "direct_to_chip", 3, "power"),
        ("liquid (5U) or air (6U)", "air", 3, "power"),
        ("air", "direct_to_chip", 1, "cooling"),
        ("air", "immersion", 3, "power"),
    ],
)
def test_the_servers_own_cooling_decides_first(
    server_cooling: str, kind: str, per_rack: int, binds: str
) -> None:
    """Liquid-only has no place with air; air gains nothing from cold plates: 20 kW (F3.5)."""
    result = layout(6, 10.2, server=h100_server(cooling=server_cooling), at=cooled(kind, 120))
    assert (result.servers_per_rack, result.binds) == (per_rack, binds)
    if per_rack == 0:
        assert (result.racks, result.servers_in_last_rack, result.placed) == (0, 0, ())
        assert "takes liquid only" in result.reason


def test_a_server_over_the_feed_gets_no_rack_and_the_reason() -> None:
    """A 10.2 kW server on a 208 V 30 A single-phase feed of 4.99 kW."""
    small = site(feed=feed(voltage_v=208, breaker_a=30, phases=1))
    result = layout(2, 10.2, at=small)
    assert (result.servers_per_rack, result.racks, result.binds) == (0, 0, "power")
    assert "8 x H100 takes 10.2 kW and a rack has 4.992 kW (power)" in result.reason
    assert result.stranded_kw == 0


def test_servers_stand_from_the_bottom_up_and_evenly() -> None:
    """Three 8 U servers in 46 usable units: units 1, 16 and 31; the last rack's one at 1."""
    full = layout(7, 10.2)
    assert [(place.unit, place.height_u) for place in full.placed] == [(1, 8), (16, 8), (31, 8)]
    assert [place.unit for place in layout(1, 10.2).placed] == [1]


def test_a_height_in_half_units_takes_whole_ones() -> None:
    """A 2.5 U server takes 3 U: 15 in 46 U, none above unit 46."""
    result = layout(20, 0.5, server=h100_server(rack_units=figure(2.5, "U"), weight_kg=None))
    assert (result.servers_per_rack, result.binds) == (15, "units")
    assert max(place.unit + place.height_u - 1 for place in result.placed) <= 46


def test_a_rack_scale_system_is_a_rack_of_its_own() -> None:
    """48 U and 1,360 kg in a place of a 42 U rack: one per place where 132 kW are fed."""
    system = h100_server(
        rack_units=figure(48, "U"), weight_kg=figure(1_361, "kg"), cooling="liquid"
    )
    place = site(
        rack=Rack("42u", "42U rack", 42, static_load_kg=figure(1_000, "kg")),
        cooling=Cooling("d2c", "D2C", "direct_to_chip", figure(140, "kW")),
        feed=feed(feeds_per_rack=8),
    )
    result = layout(3, 132, server=system, at=place)
    assert (result.servers_per_rack, result.racks, result.binds) == (1, 3, "units")
    assert result.servers_in_last_rack == 1
    assert (result.rack_units, result.stranded_units) == (48, 0)
    assert [(item.unit, item.height_u) for item in result.placed] == [(1, 48)]
    starved = layout(3, 132, server=system, at=replace(place, feed=feed()))
    assert (starved.servers_per_rack, starved.binds) == (0, "power")


def test_a_server_taller_than_the_usable_units_does_not_fit() -> None:
    """47 U in a 48 U rack with 2 reserved: not a rack of its own, and no room."""
    result = layout(1, 10, server=h100_server(rack_units=figure(47, "U")))
    assert (result.servers_per_rack, result.binds) == (0, "units")


def test_no_servers_take_no_racks() -> None:
    """Zero servers: zero racks, nothing drawn, no NaN."""
    result = layout(0, 10.2)
    assert (result.racks, result.servers_in_last_rack, result.placed) == (0, 0, ())
    assert layout(0, 0).racks == 0


def test_rented_fleets_have_no_racks() -> None:
    """The provider's racks are not the scenario's."""
    assert rack_layout(fleet(None), fleet_result(3), server_provisioned_kw=0) is None


@pytest.mark.parametrize("kw", [0.0, -1.0, float("nan"), float("inf")])
def test_a_server_without_watts_is_refused(kw: float) -> None:
    """Servers that draw nothing would fill a rack without end."""
    with pytest.raises(InputError, match="server_provisioned_kw"):
        layout(1, kw)


@settings(deadline=None)
@given(
    servers=st.integers(1, 500),
    kw=st.floats(0.3, 15),
    usable=st.floats(0.4, 1),
    less=st.floats(0.5, 1),
)
def test_a_lower_usable_fraction_never_cuts_racks(
    servers: int, kw: float, usable: float, less: float
) -> None:
    """Less of each feed needs as many racks or more, as long as one server fits."""

    def racks(fraction: float) -> RackLayout:
        return layout(servers, kw, at=site(feed=feed(usable_fraction=figure(fraction, "fraction"))))

    wide, narrow = racks(usable), racks(usable * less)
    assert narrow.servers_per_rack <= wide.servers_per_rack
    assume(narrow.servers_per_rack > 0)
    assert narrow.racks >= wide.racks


@settings(deadline=None)
@given(servers=st.integers(1, 300), kw=st.floats(0.2, 17), more=st.floats(1.0, 2.0))
def test_more_watts_never_need_fewer_racks_for_all_servers(
    servers: int, kw: float, more: float
) -> None:
    """The racks that a packing takes, as long as one server fits."""
    light, heavy = layout(servers, kw), layout(servers, kw * more)
    assert heavy.servers_per_rack <= light.servers_per_rack
    assume(heavy.servers_per_rack > 0)
    assert heavy.racks >= light.racks


@settings(deadline=None)
@given(servers=st.integers(1, 300), kw=st.floats(0.2, 17), better=st.floats(1.0, 3.0))
def test_a_better_feed_never_needs_more_racks(servers: int, kw: float, better: float) -> None:
    """More amperes behind each rack: as many racks or fewer."""

    def racks(amperes: float) -> RackLayout:
        return layout(servers, kw, at=site(feed=feed(breaker_a=amperes)))

    small, large = racks(60.0), racks(60.0 * better)
    assume(small.servers_per_rack > 0)
    assert large.racks <= small.racks


@settings(deadline=None)
@given(servers=st.integers(1, 300), kw=st.floats(0.2, 34), height=st.integers(1, 46))
def test_racks_hold_every_server_and_no_limit_is_passed(
    servers: int, kw: float, height: int
) -> None:
    """Full racks plus the last are all servers; limits hold; drawings do not overlap."""
    result = layout(servers, kw, server=h100_server(rack_units=figure(height, "U")))
    per_rack = result.servers_per_rack
    assert (result.racks - 1) * per_rack + result.servers_in_last_rack == servers
    assert 1 <= result.servers_in_last_rack <= per_rack
    for limit in result.limits:
        assert limit.available is not None
        assert limit.used <= limit.available * (1 + 1e-6)
    one_more = [
        limit.used / per_rack * (per_rack + 1) > limit.available * (1 - 1e-6)
        for limit in result.limits
        if limit.available is not None
    ]
    assert any(one_more)
    tops = [place.unit + place.height_u for place in result.placed]
    assert all(top <= place.unit for top, place in zip(tops, result.placed[1:], strict=False))
    assert tops[-1] <= 47


def small_circuits(**changes: object) -> Site:
    """Eight circuits of 120 V and 15 A: 1.44 kVA each (WE31), 11.52 kVA together, N."""
    given = {"voltage_v": 120, "voltage_reference": "LN", "breaker_a": 15, "phases": 1}
    return site(feed=feed(**given, feeds_per_rack=8, redundancy="N", **changes))


def test_a_server_does_not_draw_more_than_its_circuits_carry() -> None:
    """9 kW through six supplies are 1.5 kVA a circuit: over 1.44, though eight have 11.52 kVA."""
    result = layout(2, 9.0, server=h100_server(psu_count=6), at=small_circuits())
    assert (result.servers_per_rack, result.binds, result.racks) == (0, "circuits", 0)
    for words in ("9.00 kVA", "6 circuits", "1.50 kVA each", "one has 1.44 kVA"):
        assert words in result.reason
    eight = layout(2, 9.0, server=h100_server(psu_count=8), at=small_circuits())
    assert (eight.servers_per_rack, eight.racks) == (1, 2)


def test_power_factor_counts_in_the_circuit() -> None:
    """1.4 kW at 0.95 are 1.47 kVA: one supply, one circuit of 1.44 kVA."""
    place = small_circuits(power_factor=figure(0.95, "fraction"))
    result = layout(1, 1.4, server=h100_server(psu_count=1), at=place)
    assert (result.servers_per_rack, result.binds) == (0, "circuits")
    assert "1.47 kVA" in result.reason


def test_circuits_are_not_one_pool() -> None:
    """1 kW on one supply: a circuit of 1.44 kVA takes one, so eight a rack, not the pool's 11."""
    small = h100_server(psu_count=1, rack_units=figure(1, "U"), weight_kg=None)
    result = layout(20, 1.0, server=small, at=small_circuits())
    assert (result.servers_per_rack, result.binds, result.racks) == (8, "circuits", 3)
    both = layout(20, 1.0, server=replace(small, psu_count=2), at=small_circuits())
    assert both.servers_per_rack == 8  # two halves a circuit: 16 halves on 8 circuits


@pytest.mark.parametrize(
    ("redundancy", "feeds", "supplies", "carries"),
    [
        ("2N", 2, 6, 10.2),  # either side alone: one circuit of 34.5 kVA
        ("2N", 2, 6, 34.5),
        ("2N", 4, 4, 60.0),  # two circuits a side
        ("N+1", 3, 3, 60.0),  # two are left
    ],
)
def test_what_is_left_carries_the_server(
    redundancy: str, feeds: int, supplies: int, carries: float
) -> None:
    """Redundant feeds: the circuits that remain carry all of it; 10 % over their sum, none."""
    place = site(
        feed=feed(feeds_per_rack=feeds, redundancy=redundancy),
        cooling=Cooling("x", "X", "immersion", figure(300, "kW")),
    )
    box = h100_server(psu_count=supplies)
    assert layout(1, carries, server=box, at=place).servers_per_rack >= 1
    left = 34.502 * (feeds // 2 if redundancy == "2N" else feeds - 1)
    assert layout(1, left * 1.1, server=box, at=place).servers_per_rack == 0


def test_one_supply_on_many_feeds_uses_one() -> None:
    """40 kW on one supply is over 34.5 kVA, whatever hangs beside it; with two it fits (N)."""
    place = site(
        feed=feed(feeds_per_rack=4, redundancy="N"),
        cooling=Cooling("x", "X", "immersion", figure(300, "kW")),
    )
    assert layout(1, 40.0, server=h100_server(psu_count=1), at=place).binds == "circuits"
    assert layout(1, 40.0, server=h100_server(psu_count=2), at=place).servers_per_rack >= 1


def test_unknown_supplies_over_a_circuit_are_said() -> None:
    """9 kW with supplies that nobody counted: not refused, and the reason says so."""
    result = layout(1, 9.0, at=small_circuits())
    assert result.servers_per_rack == 1
    assert "supplies of 8 x H100 unknown: circuits not checked" in result.reason
    assert "circuits" not in layout(1, 1.4, at=small_circuits()).reason

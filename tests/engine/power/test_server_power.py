"""Two numbers per server, and the fleet (F2.3-F2.5)."""

from __future__ import annotations

import math
import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.errors import InputError
from tco.inputs import CapPoint, Fleet, Purchase, Server, Status
from tco.power.server_power import fleet_power, server_power
from tco.results import FleetPower, FleetResult, HourLoad
from tests.engine.power.power_fleets import (
    busy_w,
    figure,
    fleet,
    fleet_result,
    h100,
    h100_server,
    hour,
    load_point,
    site,
)

HOURS_PER_YEAR = 8_760.0
USUAL_HOST_W = 2 * 189.5715 + 0.2371 * 5_600  # two sockets, and what follows 5,600 W of boards
BUSY_DC_KW = (8 * busy_w(devices=8) + 2_000) / 1_000
FRACTION = st.floats(0, 1)
DAY = st.lists(st.tuples(FRACTION, FRACTION, FRACTION), min_size=24, max_size=24)


def power(own: Fleet, result: FleetResult, *, hours_per_year: float = HOURS_PER_YEAR) -> FleetPower:
    """Power of an owned fleet."""
    found = fleet_power(own, result, hours_per_year=hours_per_year)
    assert found is not None
    return found


def day(shares: list[tuple[float, float, float]], servers: int) -> tuple[HourLoad, ...]:
    """Twenty-four hours of (busy, compute, memory)."""
    return tuple(hour(b, c, m, servers_on=servers) for b, c, m in shares)


def test_one_server_by_hand() -> None:
    """Busy all day: 8 boards and 2,000 W of host, DC; AC at 94 %; PUE 1.3 once."""
    result = power(fleet(h100_server()), fleet_result(2, (hour(1.0, servers_on=2),) * 24))
    each_kw = BUSY_DC_KW / 0.94
    assert result.server_average_kw == pytest.approx(each_kw)
    assert result.it_average_kw == pytest.approx(2 * each_kw)
    assert result.hourly_kw == pytest.approx((2 * each_kw,) * 24)
    assert result.facility_average_kw == pytest.approx(2 * each_kw * 1.3)
    assert result.kwh_per_year == pytest.approx(2 * each_kw * 1.3 * 8_760)
    assert result.facility_peak_kw == pytest.approx(2 * each_kw * 1.3)
    assert result.server_provisioned_kw == pytest.approx(10.2)
    assert result.it_provisioned_kw == pytest.approx(20.4)
    assert result.server_idle_kw == pytest.approx((8 * 70 + 0.69 * 2_000) / 0.94 / 1_000)
    assert result.pue == 1.3


def test_the_peak_is_a_busy_window_of_the_highest_hour() -> None:
    """Hours are means: at 40 % busy a 15-minute window may be busy throughout."""
    hours = (hour(0.4),) + (hour(0.0),) * 23
    result = power(fleet(h100_server()), fleet_result(1, hours))
    assert result.facility_peak_kw == pytest.approx(BUSY_DC_KW / 0.94 * 1.3)
    idle_w = 8 * 70 + 0.69 * 2_000
    mean_w = 8 * (0.6 * 70 + 0.4 * busy_w(devices=8)) + (0.69 + 0.31 * 0.4) * 2_000
    assert result.server_average_kw * 940 * 24 == pytest.approx(23 * idle_w + mean_w)


def test_carbon_is_facility_energy_by_the_grid() -> None:
    """400 g on every kWh of the facility, in tonnes; without a grid figure none, not 0."""
    hours = (hour(1.0),) * 24
    green = site(grid_gco2_per_kwh=figure(400, "g/kWh"))
    result = power(fleet(h100_server(), site=green), fleet_result(1, hours))
    kwh = BUSY_DC_KW / 0.94 * 1.3 * 8_760
    assert result.kwh_per_year == pytest.approx(kwh)
    assert result.tco2e_per_year == pytest.approx(kwh * 0.4 / 1_000)
    assert power(fleet(h100_server()), fleet_result(1, hours)).tco2e_per_year is None


def test_network_watts_join_the_fleet_not_the_server() -> None:
    """350 W of switches per server add to IT power all day, and not to the rack's server."""
    wired = fleet(
        h100_server(),
        purchase=Purchase(
            server_usd=None,
            discount_fraction=figure(0, "fraction"),
            network_w_per_server=figure(350, "W"),
        ),
    )
    sized = fleet_result(3, (hour(0.5, servers_on=3),) * 24)
    bare, with_network = power(fleet(h100_server()), sized), power(wired, sized)
    assert with_network.it_average_kw - bare.it_average_kw == pytest.approx(1.05)
    assert with_network.it_provisioned_kw - bare.it_provisioned_kw == pytest.approx(1.05)
    assert with_network.facility_peak_kw - bare.facility_peak_kw == pytest.approx(1.05 * 1.3)
    assert with_network.server_average_kw == bare.server_average_kw
    assert with_network.server_provisioned_kw == bare.server_provisioned_kw


def test_average_follows_the_servers_of_the_first_year() -> None:
    """Two servers now and five at the end: energy for two, breakers for five."""
    result = power(fleet(h100_server()), fleet_result(5, (hour(1.0, servers_on=2),) * 24))
    assert result.it_average_kw == pytest.approx(2 * BUSY_DC_KW / 0.94)
    assert result.it_provisioned_kw == pytest.approx(51)


def test_rented_fleets_have_no_power_of_their_own() -> None:
    """Rented watts are the provider's."""
    assert fleet_power(fleet(None), fleet_result(3), hours_per_year=HOURS_PER_YEAR) is None


def test_an_owned_fleet_needs_a_site() -> None:
    """Without a site there is no PUE to count with."""
    with pytest.raises(InputError, match=r"fleets\[own\]\.site"):
        fleet_power(fleet(h100_server(), site=None), fleet_result(1), hours_per_year=HOURS_PER_YEAR)


def test_zero_servers_draw_zero() -> None:
    """No server: zeros and no NaN in the fleet; the server's own rating stays."""
    result = power(fleet(h100_server()), fleet_result(0))
    assert result.it_average_kw == result.it_provisioned_kw == result.kwh_per_year == 0
    assert result.facility_peak_kw == result.facility_average_kw == 0
    assert result.hourly_kw == (0.0,) * 24
    assert result.server_average_kw == 0
    assert result.server_provisioned_kw == pytest.approx(10.2)


def test_without_hours_full_power_is_assumed_and_said() -> None:
    """An unknown load is not a zero load: 8 x 700 W + 2,000 W all day, status assumed."""
    result = power(fleet(h100_server()), fleet_result(1))
    assert result.server_average_kw == pytest.approx(7.6 / 0.94)
    assert result.status is Status.ASSUMED
    assert "no hourly load" in result.reason


@pytest.mark.parametrize(
    ("changes", "host_w"),
    [
        ({"host_w": figure(2_000, "W")}, 2_000),
        # 7,000 W typical x 0.94 less 8 x 560 W
        ({"typical_load_w": figure(7_000, "W")}, 2_100),
        # the nameplate holds margin: it is a ceiling, 9,588 - 5,600 = 3,988, and does not bind
        ({}, USUAL_HOST_W),
        # nameplate 7,000 W x 0.94 less 5,600 W binds below the usual host
        ({"max_system_w": figure(7_000, "W")}, 980),
        # a nameplate below its boards is not used
        ({"max_system_w": figure(5_000, "W")}, USUAL_HOST_W),
        ({"max_system_w": None}, USUAL_HOST_W),
        # typical load that does not even cover the boards
        ({"typical_load_w": figure(4_000, "W")}, USUAL_HOST_W),
    ],
)
def test_host_watts_by_what_is_known(changes: dict[str, object], host_w: float) -> None:
    """Known; typical less devices; else sockets and a share, held to the nameplate (F2.3)."""
    changes = {"host_w": None, **changes}
    model = server_power(h100_server(**changes))
    assert model.host.load_w == pytest.approx(host_w, rel=1e-6)
    known = changes["host_w"] is not None
    assert any("host power unknown" in reason for reason in model.reasons) is not known


def test_the_default_host_reproduces_a_measured_server() -> None:
    """8 x H100 with nothing but a nameplate of 10.2 kW: 7.75 kW in training, 8.4 kW at most."""
    model = server_power(h100_server(host_w=None))
    assert 7_600 < model.full_ac_w < 8_500
    assert model.provisioned_w() == pytest.approx(10_200)


def test_a_measured_idle_lifts_an_estimated_host() -> None:
    """3,000 W at rest less 8 x 70 W: the host draws 2,260 W at least, whatever typical says."""
    model = server_power(
        h100_server(host_w=None, typical_load_w=figure(6_160, "W"), idle_w=figure(3_000, "W"))
    )
    assert model.host.load_w == model.host.idle_w == pytest.approx(2_260)
    assert model.idle_ac_w == pytest.approx(3_000)


def test_a_measured_idle_is_met_and_an_impossible_one_named() -> None:
    """2,000 W at rest comes back as 2,000 W; 400 W is below eight idle boards of 70 W."""
    assert server_power(h100_server(idle_w=figure(2_000, "W"))).idle_ac_w == pytest.approx(2_000)
    below = server_power(h100_server(idle_w=figure(400, "W")))
    assert below.idle_ac_w == pytest.approx((560 + 1_380) / 0.94)
    assert "below its idle devices" in " ".join(below.reasons)


def test_an_unknown_nameplate_is_full_load_and_a_tenth_within_the_supplies() -> None:
    """5,600 / 0.7 x 1.1 / 0.94 = 9,362 W; with 3 kW of host 8,600 x 1.1 / 0.94; 7 kW supplies."""
    free = server_power(h100_server(max_system_w=None))
    assert free.nameplate_w == pytest.approx(9_361.7, rel=1e-4)
    assert "nameplate unknown" in " ".join(free.reasons)
    heavy = server_power(h100_server(max_system_w=None, host_w=figure(3_000, "W")))
    assert heavy.nameplate_w == pytest.approx(10_063.8, rel=1e-4)
    bound = server_power(h100_server(max_system_w=None, psu_count=2, psu_w_each=figure(3_500, "W")))
    assert bound.nameplate_w == pytest.approx(7_000 / 0.89)
    assert "held to what the supplies deliver" in " ".join(bound.reasons)


def test_nothing_known_is_assumed_with_reasons_never_zero() -> None:
    """A device and a server without one watt figure: planning values, each named."""
    bare = Server("x", "X", "", replace(h100(), board_w=None, idle_w=None), 8, slot_w=None)
    result = power(fleet(bare), fleet_result(1, (hour(1.0),) * 24))
    assert result.server_average_kw > 4
    assert result.server_idle_kw > 0.5
    assert result.status is Status.ASSUMED
    for words in ("board power", "idle power", "host power", "nameplate", "supply efficiency"):
        assert f"{words} " in result.reason
    sources = {term.source for term in result.terms if term.status is Status.ASSUMED}
    assert any("planning value" in source for source in sources)


def test_two_numbers_measured_or_nameplate() -> None:
    """max(p99.9 x 1.1, nameplate x 0.8): 8,160 W against 8,800 W; never below the peak (F2.5)."""
    model = server_power(h100_server())
    assert model.provisioned_w(provisioning_fraction=0.8) == pytest.approx(8_160)
    assert model.provisioned_w(
        provisioning_fraction=0.8, measured_p999_w=figure(8_000, "W"), margin_fraction=0.1
    ) == pytest.approx(8_800)
    assert model.provisioned_w(provisioning_fraction=0.5, expected_peak_w=6_774) == pytest.approx(
        6_774
    )


def test_a_cap_lowers_nameplate_and_energy() -> None:
    """450 W of 700 W: 2,000 W DC less, 10,200 - 2,128 = 8,072 W; price and energy use it (F2.2)."""
    point = CapPoint(figure(450, "W"), figure(0.88, "fraction"))
    server = h100_server(device=replace(h100(), cap_points=(point,)))
    sized = fleet_result(1, (hour(1.0, 1.0, 1.0),) * 24)
    capped = power(fleet(server, site=site(slot_w=figure(500, "W"))), sized)
    free = power(fleet(server), sized)
    assert capped.server_provisioned_kw == pytest.approx(10.2 - 2.0 / 0.94)
    assert free.server_average_kw - capped.server_average_kw == pytest.approx(2.0 / 0.94, rel=0.03)


def test_cpu_servers_use_the_share_of_capacity() -> None:
    """At the peak's 50 % utilisation and half the load, u = 0.25: the CPU curve, not busy time."""
    cpu = replace(h100(), kind="cpu", board_w=figure(400, "W"), idle_w=figure(100, "W"))
    hours = (hour(1.0, requests_per_s=20),) + (hour(1.0, requests_per_s=10),) * 23
    server = h100_server(device=cpu, device_count=2, host_w=figure(200, "W"))
    result = power(fleet(server), fleet_result(1, hours, at_peak=load_point(0.5)))
    quarter_w = 2 * (100 + 300 * (0.5 - 0.25**1.4)) + 200
    assert result.hourly_kw[1] == pytest.approx(quarter_w / 940)
    half_w = 2 * (100 + 300 * (1 - 0.5**1.4)) + 200
    assert result.hourly_kw[0] == pytest.approx(half_w / 940)


@settings(deadline=None)
@given(shares=DAY, servers=st.integers(1, 50), with_host=st.booleans(), nameplate=st.booleans())
def test_average_never_exceeds_provisioned(
    shares: list[tuple[float, float, float]], servers: int, with_host: bool, nameplate: bool
) -> None:
    """Idle <= average <= provisioned, for the server, the fleet and the facility."""
    server = h100_server(
        host_w=figure(6_000, "W") if with_host else None,
        max_system_w=figure(7_000, "W") if nameplate else None,
    )
    result = power(fleet(server), fleet_result(servers, day(shares, servers)))
    slack = 1 + 1e-9
    assert result.server_idle_kw <= result.server_average_kw * slack
    assert result.server_average_kw <= result.server_provisioned_kw * slack
    assert result.it_average_kw <= result.it_provisioned_kw * slack
    assert result.facility_average_kw <= result.facility_peak_kw * slack
    assert result.facility_peak_kw <= result.it_provisioned_kw * result.pue * slack
    assert all(math.isfinite(kw) for kw in result.hourly_kw)


@settings(deadline=None)
@given(shares=DAY, seed=st.integers(0, 1_000))
def test_order_of_the_hours_does_not_matter(
    shares: list[tuple[float, float, float]], seed: int
) -> None:
    """The same hours in another order: the same energy, peak and provisioned watts."""
    mixed = shares.copy()
    random.Random(seed).shuffle(mixed)
    one = power(fleet(h100_server()), fleet_result(2, day(shares, 2)))
    other = power(fleet(h100_server()), fleet_result(2, day(mixed, 2)))
    assert one.kwh_per_year == other.kwh_per_year
    assert one.facility_peak_kw == other.facility_peak_kw
    assert one.it_provisioned_kw == other.it_provisioned_kw


@settings(deadline=None)
@given(shares=DAY, pue=st.floats(1, 3))
def test_pue_touches_a_kilowatt_hour_once(
    shares: list[tuple[float, float, float]], pue: float
) -> None:
    """Facility energy over PUE is the IT energy exactly; IT figures do not move with PUE."""
    at_pue = fleet(h100_server(), site=site(pue=figure(pue, "ratio")))
    at_one = fleet(h100_server(), site=site(pue=figure(1.0, "ratio")))
    sized = fleet_result(2, day(shares, 2))
    high, one = power(at_pue, sized), power(at_one, sized)
    assert high.kwh_per_year / pue == pytest.approx(one.kwh_per_year, rel=1e-12)
    assert high.it_average_kw == one.it_average_kw
    assert high.it_provisioned_kw == one.it_provisioned_kw

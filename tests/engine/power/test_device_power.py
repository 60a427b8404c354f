"""Watts of a device by its load (F2.1, P14), and what stands in for blanks."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.inputs import CapPoint, MeasuredPoint, MeasuredService, Status
from tco.power.activity import Work
from tco.power.device_power import DevicePower, device_power
from tco.power.psu import PowerSupplies
from tests.engine.power.power_fleets import busy_w, figure, h100, h100_server, hour, site

FRACTION = st.floats(0, 1)

# Llama-3.1-70B bf16 on 4 x H100 SXM, chat (ML.ENERGY benchmark): watts per board, share of the
# dense peak (2 x parameters x output tokens), share of bandwidth (weights read per step).
MEASURED_70B = (
    (0.63, 0.017, 0.61),
    (0.64, 0.031, 0.56),
    (0.64, 0.053, 0.49),
    (0.71, 0.089, 0.41),
    (0.75, 0.115, 0.35),
    (0.78, 0.137, 0.32),
    (0.82, 0.158, 0.24),
    (0.84, 0.174, 0.20),
    (0.84, 0.188, 0.15),
    (0.89, 0.209, 0.12),
    (0.91, 0.230, 0.09),
    (0.91, 0.242, 0.08),
)


def of(
    server_changes: dict[str, object],
    device_changes: dict[str, object],
    work: Work | None = None,
) -> DevicePower:
    """Device power of a changed 8 x H100 server."""
    server = h100_server(**server_changes, device=replace(h100(), **device_changes))
    return device_power(server, PowerSupplies.of(server), work=work)


def measured_service(
    server: str, points: tuple[tuple[float, float | None], ...]
) -> MeasuredService:
    """A load test: (requests per second, watts per device)."""
    rows = tuple(
        MeasuredPoint(float(i), rate, 1, 2, 3, device_w=watts)
        for i, (rate, watts) in enumerate(points)
    )
    return MeasuredService("chat", server, rows, "load test", "2026-10-01")


def test_one_request_in_flight_draws_443_w_not_170() -> None:
    """Decode of one request on a 700 W H100 was measured at 443 W, far over the CPU curve."""
    device = of({}, {})
    watts = device.watts(hour(1.0, compute=0.005, memory=0.6), utilisation_fraction=0.05)
    assert watts == pytest.approx(443, rel=0.08)


def test_active_watts_agree_with_measured_rows() -> None:
    """Twelve loads of a 70B model: mean error under 8 %, none over 17 %."""
    device = of({}, {}, Work(devices=4))
    errors = [
        abs(device.active_w(compute, memory) / 700 - share) / share
        for share, compute, memory in MEASURED_70B
    ]
    assert sum(errors) / len(errors) < 0.08
    assert max(errors) < 0.17


def test_prefill_nears_the_cap_and_decode_stays_below() -> None:
    """Half the dense peak: within 5 % of 700 W. Memory alone: 60 to 75 % of it."""
    device = of({}, {})
    assert 665 < device.active_w(0.5, 0.2) <= 700
    assert 0.6 * 700 < device.active_w(0.0, 0.9) < 0.75 * 700


def test_busy_watts_are_clocks_bytes_and_flops_bent_into_the_cap() -> None:
    """The formula written out once more gives the same watts, free and capped at 450 W."""
    device = of({}, {})
    for compute, memory in ((0.0, 0.3), (0.1, 0.5), (0.4, 0.2), (1.0, 1.0)):
        assert device.active_w(compute, memory) == pytest.approx(busy_w(compute, memory))
        capped = replace(device, cap_w=450).active_w(compute, memory)
        assert capped == pytest.approx(busy_w(compute, memory, cap_w=450))


@pytest.mark.parametrize(
    "work", [Work("fp8"), Work("bf16", experts_per_token=8), Work("bf16", devices=8), Work("int4")]
)
def test_narrow_weights_experts_and_more_devices_draw_more_for_the_same_bytes(work: Work) -> None:
    """Equal shares in use: unpacking, padded tiles and collectives cost watts."""
    assert of({}, {}, work).active_w(0.02, 0.3) > of({}, {}).active_w(0.02, 0.3)


def test_intervals_hold_the_estimate_and_widen_with_ignorance() -> None:
    """A device with rows of its own, one of the family, and one without rates: wider each."""
    wide: dict[str, object] = {"memory_bandwidth_gb_s": None, "peak_tflops": ()}
    widths = []
    for device in (of({}, {}), of({}, {"key": "other"}), of({}, {"key": "other", **wide})):
        low, high = device.active_range_w(0.05, 0.4)
        assert 70 < low < device.active_w(0.05, 0.4) < high < 700
        widths.append(high / low)
    assert widths[1] > 0.95 * widths[0]
    assert widths[2] > 1.3 * widths[1]


def test_busy_share_mixes_idle_and_active() -> None:
    """Busy 25 % of the time, else 70 W idle."""
    device = of({}, {})
    mixed = 0.75 * 70 + 0.25 * busy_w()
    assert device.watts(hour(0.25), utilisation_fraction=0) == pytest.approx(mixed)
    assert device.watts(hour(0.0), utilisation_fraction=0) == 70


@pytest.mark.parametrize(("u", "watts"), [(0.0, 100.0), (1.0, 400.0), (0.5, 286.32), (1.7, 400.0)])
def test_cpus_follow_their_own_curve(u: float, watts: float) -> None:
    """idle + (cap - idle)(2u - u^1.4): 100 + 300 x (1 - 0.5^1.4 = 0.6211) at half capacity."""
    cpu = of({}, {"kind": "cpu", "board_w": figure(400, "W"), "idle_w": figure(100, "W")})
    assert cpu.watts(hour(1.0), utilisation_fraction=u) == pytest.approx(watts, rel=1e-3)


def test_three_measured_points_are_interpolated() -> None:
    """Idle 70 W at no load, 300 W at 2/s, 500 W at 6/s, 600 W at 10/s; held beyond."""
    service = measured_service("8xh100", ((10, 600), (2, 300), (6, 500)))
    server = h100_server()
    device = device_power(server, PowerSupplies.of(server), service=service)

    def watts(requests_per_s: float, servers: int = 1) -> float:
        load = hour(1.0, requests_per_s=requests_per_s, servers_on=servers)
        return device.watts(load, utilisation_fraction=0)

    assert [watts(0), watts(1), watts(4), watts(10), watts(50)] == [70, 185, 400, 600, 600]
    assert watts(8, servers=2) == 400
    assert any(term.status is Status.MEASURED for term in device.terms)


@pytest.mark.parametrize(
    ("server", "points"),
    [
        ("8xh100", ((2, 300), (6, 500))),
        ("8xh100", ((2, 300), (6, None), (10, 600))),
        ("other", ((2, 300), (6, 500), (10, 600))),
    ],
)
def test_fewer_than_three_points_or_another_server_is_not_a_curve(
    server: str, points: tuple[tuple[float, float | None], ...]
) -> None:
    """Two points, or watts of another machine, leave the model in place (F2.1)."""
    own = h100_server()
    device = device_power(own, PowerSupplies.of(own), service=measured_service(server, points))
    assert device.measured == ()


def test_a_measured_cap_replaces_the_board() -> None:
    """In a 500 W slot a 700 W board with a point at 450 W runs, and draws, at 450 W."""
    point = CapPoint(figure(450, "W"), figure(0.88, "fraction"))
    server = h100_server(device=replace(h100(), cap_points=(point,)))
    device = device_power(server, PowerSupplies.of(server), site=site(slot_w=figure(500, "W")))
    assert (device.cap_w, device.board_w) == (450, 700)
    assert device.active_w(1.0, 1.0) == pytest.approx(450, rel=2e-3)
    assert "capped at 450 W" in " ".join(device.reasons)


def test_an_unknown_idle_is_a_share_of_the_board() -> None:
    """12 % of 700 W is 84 W, estimated; 30 % for a CPU, assumed. Named either way."""
    gpu = of({}, {"idle_w": None})
    assert gpu.idle_w == pytest.approx(84)
    assert "idle power of H100 SXM unknown" in " ".join(gpu.reasons)
    assert max(term.status.rank for term in gpu.terms) == Status.ESTIMATED.rank
    cpu = of({}, {"idle_w": None, "kind": "cpu"})
    assert cpu.idle_w == pytest.approx(210)
    assert any(term.status is Status.ASSUMED for term in cpu.terms)


def test_an_unknown_board_comes_from_the_nameplate_then_the_slot_then_a_default() -> None:
    """10,200 W x 0.94 x 0.7 / 8 = 839 W; else the slot's 650 W; else 700 W assumed: never 0."""
    blank: dict[str, object] = {"board_w": None}
    nameplate = of({}, blank)
    assert nameplate.cap_w == pytest.approx(838.95)
    slot = of({"max_system_w": None, "slot_w": figure(650, "W")}, blank)
    assert slot.cap_w == 650
    nothing = of({"max_system_w": None}, blank)
    assert nothing.cap_w == 700
    assert any(term.status is Status.ASSUMED for term in nothing.terms)
    for device in (nameplate, slot, nothing):
        assert "board power of H100 SXM unknown" in " ".join(device.reasons)


def test_an_idle_above_the_cap_is_named() -> None:
    """A contradiction in the figures neither raises nor passes unseen."""
    device = of({}, {"idle_w": figure(900, "W")})
    assert device.idle_w == 700
    assert "above its cap" in " ".join(device.reasons)


@settings(deadline=None)
@given(FRACTION, FRACTION, FRACTION, FRACTION)
def test_watts_stay_between_idle_and_cap_and_rise_with_load(
    busy: float, compute: float, memory: float, more: float
) -> None:
    """Any load: within idle and cap; busier or harder work never draws less."""
    device = of({}, {})
    watts = device.watts(hour(busy, compute, memory), utilisation_fraction=0)
    assert 70 <= watts <= 700 + 1e-9
    busier = hour(busy + (1 - busy) * more, compute + (1 - compute) * more, memory)
    assert device.watts(busier, utilisation_fraction=0) >= watts - 1e-9

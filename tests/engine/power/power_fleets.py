"""Figures, servers, sites and results for the tests of power, facility and tariff."""

from __future__ import annotations

import math
from dataclasses import replace

from tco.inputs import (
    Cooling,
    Device,
    Feed,
    Figure,
    Fleet,
    Rack,
    Server,
    Site,
    Status,
    Tariff,
    Workload,
)
from tco.power.activity import fitted
from tco.results import FleetResult, HourLoad, LoadPoint


def figure(value: float, unit: str) -> Figure:
    """A published figure of the test."""
    return Figure(value, unit, Status.PUBLISHED, "test")


def h100() -> Device:
    """700 W board, 70 W idle, 3,350 GB/s, 989.4 TFLOP/s dense at 16 bits."""
    return Device(
        key="h100-sxm",
        name="H100 SXM",
        vendor="NVIDIA",
        kind="gpu",
        memory_bandwidth_gb_s=figure(3_350, "GB/s"),
        peak_tflops=(("bf16", figure(989.4, "TFLOP/s")),),
        board_w=figure(700, "W"),
        idle_w=figure(70, "W"),
    )


def busy_w(
    compute: float = 0.1, memory: float = 0.5, *, cap_w: float = 700.0, devices: int = 1
) -> float:
    """Busy watts of `h100` by P14, written out once more: a dense 16-bit model."""
    factors = fitted().factors
    running = 1 - math.exp(-2 * memory - 2 * compute - 0.1 * math.log2(devices))
    asked = factors.clocks_fraction * 630 * running
    asked += factors.memory_j_per_tb * 3.35 * memory
    asked += factors.compute_j_per_tflop * 989.4 * compute
    share = dict(factors.device)["h100-sxm"] * asked / (cap_w - 70)
    return 70 + (cap_w - 70) / (1 + share**-4) ** (1 / 4)


def h100_server(**changes: object) -> Server:
    """8 x H100: 10.2 kW nameplate, 2 kW host, 94 % supplies, 8 U, 130 kg, air."""
    server = Server(
        key="8xh100",
        name="8 x H100",
        vendor="Vendor",
        device=h100(),
        device_count=8,
        rack_units=figure(8, "U"),
        max_system_w=figure(10_200, "W"),
        host_w=figure(2_000, "W"),
        psu_efficiency_fraction=figure(0.94, "fraction"),
        weight_kg=figure(130, "kg"),
    )
    return replace(server, **changes)  # type: ignore[arg-type]


def feed(**changes: object) -> Feed:
    """415 V line to line, three phases, 60 A, 80 %: 34.5 kVA; two of them, 2N."""
    base = Feed(
        key="415-60",
        name="415 V 60 A",
        voltage_v=415,
        voltage_reference="LL",
        phases=3,
        breaker_a=60,
        usable_fraction=figure(0.8, "fraction"),
        power_factor=figure(1.0, "fraction"),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def site(**changes: object) -> Site:
    """48 U racks, 34.5 kW, air to 40 kW, PUE 1.3, 1,000 W slots."""
    base = Site(
        key="hall",
        name="Hall",
        region="US-VA",
        country="US",
        tariff=Tariff(energy_usd_per_kwh=figure(0.08, "USD/kWh")),
        pue=figure(1.3, "ratio"),
        cooling=Cooling("air", "Air", "air", figure(40, "kW")),
        rack=Rack("48u", "48U rack", 48, static_load_kg=figure(1_360, "kg")),
        feed=feed(),
        slot_w=figure(1_000, "W"),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def workload(**changes: object) -> Workload:
    """A serving workload: only its place in the fleet matters here."""
    base = Workload(
        key="chat",
        name="Chat",
        kind="serving",
        model=None,
        service=None,
        training=None,
        peak_requests_per_s=figure(100, "1/s"),
        daily_shape=(1.0,) * 24,
        growth_fraction_per_year=figure(0, "fraction"),
        input_tokens=figure(1_000, "tokens"),
        output_tokens=figure(250, "tokens"),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def fleet(server: Server | None, **changes: object) -> Fleet:
    """An owned fleet at the test's site."""
    base = Fleet(
        key="own",
        name="Own",
        workload=workload(),
        share_fraction=1.0,
        server=server,
        site=None if server is None else site(),
    )
    return replace(base, **changes)  # type: ignore[arg-type]


def hour(
    busy: float,
    compute: float = 0.1,
    memory: float = 0.5,
    *,
    servers_on: int = 1,
    requests_per_s: float = 10.0,
) -> HourLoad:
    """One hour of load."""
    return HourLoad(requests_per_s, servers_on, busy, compute, memory)


def load_point(utilisation: float) -> LoadPoint:
    """A point of the load-latency curve; only its utilisation matters here."""
    return LoadPoint(10.0, utilisation, {}, {}, {}, False, True)


def fleet_result(
    servers: int,
    hours: tuple[HourLoad, ...] = (),
    *,
    at_peak: LoadPoint | None = None,
) -> FleetResult:
    """A fleet of so many servers under the given hours."""
    return FleetResult(
        fleet="own",
        name="Own",
        workload="chat",
        owned=True,
        feasible=True,
        servers=servers,
        servers_by_month=(servers,),
        replicas=servers,
        tensor_parallel=8,
        device_count=servers * 8,
        binds="",
        at_peak=at_peak,
        curve=(),
        targets=(),
        memory=(),
        memory_capacity_gb=None,
        status=Status.PUBLISHED,
        hours=hours,
    )

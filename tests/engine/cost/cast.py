"""Fleets, sites and scenarios for the tests of money; round numbers, every one made up."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from tco.cost.case import Calendar, FleetCase
from tco.inputs import (
    CloudOffer,
    Colocation,
    Cooling,
    Device,
    Feed,
    Figure,
    Finance,
    Fleet,
    LanguageModel,
    LatencyTarget,
    Option,
    Purchase,
    Rack,
    Rental,
    ScenarioInputs,
    Server,
    Site,
    Status,
    Tariff,
    Workload,
)
from tco.results import FleetPower, FleetResult, HourLoad, RackLayout


def fig(value: float, unit: str = "USD", **more: Any) -> Figure:
    """Published figure without a date, so that no price ages."""
    return Figure(value, unit, Status.PUBLISHED, "test", **more)


def finance(**more: Any) -> Finance:
    """Sixty months at 10 %, nothing escalated."""
    given: dict[str, Any] = {
        "valuation_date": "2026-12-01",
        "horizon_months": 60,
        "discount_rate_fraction": fig(0.10, "1/yr"),
    }
    return Finance(**{**given, **more})


def device(key: str = "card", **more: Any) -> Device:
    """A card of 700 W."""
    given: dict[str, Any] = {
        "key": key,
        "name": key.upper(),
        "vendor": "Maker",
        "kind": "gpu",
        "memory_gb": fig(80, "GB"),
        "memory_bandwidth_gb_s": fig(3350, "GB/s"),
        "peak_tflops": (("bf16", fig(989, "TFLOP/s")), ("fp8", fig(1979, "TFLOP/s"))),
        "board_w": fig(700, "W"),
        "idle_w": fig(80, "W"),
        "scaleup_gb_s": fig(450, "GB/s"),
        "scaleup_domain": 8,
        "features": frozenset({"secure_boot"}),
    }
    return Device(**{**given, **more})


def server(card: Device | None = None, **more: Any) -> Server:
    """Eight cards in a server of 200,000 USD."""
    given: dict[str, Any] = {
        "key": "box",
        "name": "Box",
        "vendor": "Maker",
        "device": card or device(),
        "device_count": 8,
        "rack_units": fig(8, "U"),
        "max_system_w": fig(10_000, "W"),
        "psu_count": 6,
        "psu_w_each": fig(3000, "W"),
        "weight_kg": fig(130, "kg"),
        "price_usd": fig(200_000),
    }
    return Server(**{**given, **more})


def site(**more: Any) -> Site:
    """PUE 1.25, 0.10 USD/kWh, air, 40 kW racks."""
    given: dict[str, Any] = {
        "key": "hall",
        "name": "Hall",
        "region": "XX",
        "country": "US",
        "tariff": Tariff(fig(0.10, "USD/kWh")),
        "pue": fig(1.25, "ratio"),
        "cooling": Cooling("air", "Air", "air", fig(40, "kW")),
        "rack": Rack("rack", "Rack", 48, fig(1500, "kg")),
        "feed": Feed("feed", "Feed", 415, "LL", 3, 100, fig(0.8, "fraction"), fig(1.0, "ratio")),
        "slot_w": fig(1000, "W"),
    }
    return Site(**{**given, **more})


def model() -> LanguageModel:
    """A 70B shape."""
    return LanguageModel(
        "m70", "M70", 80, 8192, 64, 8, 128, 28672, 128256, False, 131072, "bf16", fig(70.6, "10^9")
    )


def workload(**more: Any) -> Workload:
    """Ten requests a second at peak, half of it at night."""
    given: dict[str, Any] = {
        "key": "chat",
        "name": "Chat",
        "kind": "serving",
        "model": model(),
        "service": None,
        "training": None,
        "peak_requests_per_s": fig(10, "requests/s"),
        "daily_shape": (0.5,) * 12 + (1.0,) * 12,
        "growth_fraction_per_year": fig(0.0, "1/yr"),
        "input_tokens": fig(1000, "tokens"),
        "output_tokens": fig(250, "tokens"),
        "targets": (LatencyTarget("ttft", 95, 1000), LatencyTarget("tpot", 95, 50)),
        "weight_dtype": "fp8",
        "kv_dtype": "fp8",
    }
    return Workload(**{**given, **more})


def purchase(**more: Any) -> Purchase:
    """No discount, nothing beside the server."""
    return Purchase(**{"server_usd": None, "discount_fraction": fig(0.0, "fraction"), **more})


def owned(key: str = "own", **more: Any) -> Fleet:
    """Bought boxes for the chat."""
    given: dict[str, Any] = {
        "key": key,
        "name": f"Own {key}",
        "workload": workload(),
        "share_fraction": 1.0,
        "server": server(),
        "site": site(),
        "purchase": purchase(),
    }
    return Fleet(**{**given, **more})


def offer(**more: Any) -> CloudOffer:
    """Eight cards for 50 USD an hour."""
    given: dict[str, Any] = {
        "key": "cloud-big",
        "provider": "Cloud",
        "instance_type": "big",
        "region": "us-east-1",
        "device": device(),
        "device_count": 8,
        "on_demand_usd_per_hour": fig(50, "USD/h"),
        "reserved_3y_usd_per_hour": fig(25, "USD/h"),
    }
    return CloudOffer(**{**given, **more})


def rented(key: str = "rent", **more: Any) -> Fleet:
    """Rented instances for the chat."""
    given: dict[str, Any] = {
        "key": key,
        "name": f"Rent {key}",
        "workload": workload(),
        "share_fraction": 1.0,
        "offer": offer(),
        "rental": Rental(),
    }
    return Fleet(**{**given, **more})


def result_of(
    fleet: Fleet, servers: int | Sequence[int], *, months: int = 60, **more: Any
) -> FleetResult:
    """A sizing with this many servers, all targets met."""
    by_month = (servers,) * months if isinstance(servers, int) else tuple(servers)
    last = by_month[-1] if by_month else 0
    machine = fleet.server or fleet.offer
    count = machine.device_count if machine else 0
    first = next((n for n in by_month if n), 0)
    given: dict[str, Any] = {
        "fleet": fleet.key,
        "name": fleet.name,
        "workload": fleet.workload.key,
        "owned": fleet.owned,
        "feasible": True,
        "servers": last,
        "servers_by_month": by_month,
        "replicas": last,
        "tensor_parallel": count,
        "device_count": last * count,
        "binds": "throughput",
        "at_peak": None,
        "curve": (),
        "targets": (),
        "memory": (),
        "memory_capacity_gb": 80.0,
        "status": Status.ESTIMATED,
        "hours": tuple(HourLoad(1.0, first, 0.5, 0.1, 0.5) for _ in range(24)),
    }
    return FleetResult(**{**given, **more})


def power_of(fleet: Fleet, servers: int, *, provisioned_kw: float = 10.0, average_kw: float = 6.0):
    """Two numbers per server, the same number of servers all day."""
    pue = fleet.site.pue.value if fleet.site else 1.0
    return FleetPower(
        fleet=fleet.key,
        server_provisioned_kw=provisioned_kw,
        server_average_kw=average_kw,
        server_idle_kw=2.0,
        it_provisioned_kw=servers * provisioned_kw,
        it_average_kw=servers * average_kw,
        facility_peak_kw=servers * provisioned_kw * pue,
        facility_average_kw=servers * average_kw * pue,
        pue=pue,
        kwh_per_year=servers * average_kw * pue * 8760,
        tco2e_per_year=None,
        hourly_kw=(servers * average_kw,) * 24,
        status=Status.ESTIMATED,
    )


def racks_of(fleet: Fleet, servers: int, per_rack: int = 3) -> RackLayout:
    """Racks of so many servers."""
    racks = math.ceil(servers / per_rack)
    return RackLayout(
        fleet.key, "hall", "Rack", 48, racks, per_rack, servers % per_rack, "power", (), (), 0, 0
    )


def case_of(
    fleet: Fleet,
    servers: int | Sequence[int] = 4,
    *,
    money: Finance | None = None,
    bound: str = "value",
    **more: Any,
) -> FleetCase:
    """A fleet as the cost lines see it."""
    money = money or finance()
    result = result_of(fleet, servers, months=money.horizon_months, **more)
    power = power_of(fleet, result.servers) if fleet.owned else None
    racks = racks_of(fleet, result.servers) if fleet.owned else None
    return FleetCase.of(fleet, result, power, racks, Calendar.of(money), bound)


def scenario(*options: Option, money: Finance | None = None, name: str = "Test") -> ScenarioInputs:
    """A scenario of these options; sites and workloads are those of the fleets."""
    fleets = [fleet for option in options for fleet in option.fleets]
    sites = {fleet.site.key: fleet.site for fleet in fleets if fleet.site is not None}
    loads = {fleet.workload.key: fleet.workload for fleet in fleets}
    return ScenarioInputs(
        name, money or finance(), tuple(sites.values()), tuple(loads.values()), tuple(options)
    )


def option(key: str, *fleets: Fleet) -> Option:
    """An option named after its key."""
    return Option(key, f"Option {key}", fleets)


def own_against_rent(money: Finance | None = None) -> ScenarioInputs:
    """The plainest comparison, through every room."""
    own = replace(
        owned(),
        purchase=purchase(
            network_usd_per_server=fig(25_000),
            support_fraction_per_year=fig(0.05, "fraction"),
            staff_usd_per_server_year=fig(6_000),
        ),
        site=site(colocation=Colocation(fig(150, "USD/kW-month"))),
    )
    return scenario(
        option("own", own),
        option("rent", rented(rental=Rental(scaling="hourly"))),
        money=money,
    )

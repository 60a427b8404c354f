"""Worked examples as scenarios: those whose formula is one that a scenario carries (F6 to F13).

An example whose formula stands alone, a factor or a ratio without servers, rent or electricity,
has no scenario: its sheet shows inputs, formula and figures.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tco.examples.example import Example
from tco.examples.example_document import (
    Document,
    ExampleScenario,
    Maker,
    Part,
    joined,
    servers_for,
)
from tco.examples.given import Given
from tco.units import MONTHS_PER_YEAR

Build = Callable[[Maker], ExampleScenario]
# What marks the shape of an example, and what makes a scenario of it.
_SHAPES: list[tuple[tuple[str, ...], Build]] = []
_CLOUD = "aws-p5-48xlarge-us-east-1"


def example_scenario(example: Example) -> ExampleScenario | None:
    """The example as a scenario; None where its formula is none that a scenario carries.

    Chosen by the inputs that the example has, so that further examples of the same shape open too.

    Raises
    ------
    InputError
        An input of another unit or outside its limits.
    """
    for needs, build in _SHAPES:
        if all(name in example.inputs for name in needs):
            return build(Maker(example, Given(example.path, example.inputs)))
    return None


def _shape(*needs: str) -> Callable[[Build], Build]:
    def enter(build: Build) -> Build:
        _SHAPES.append((needs, build))
        return build

    return enter


def _hours_mode(hours_per_month: float) -> str:
    return "720" if abs(hours_per_month - 720.0) < 1e-6 else "730"


@_shape("onprem_capex", "onprem_opex_rate", "cloud_rate", "horizon")
def _buy_or_rent(make: Maker) -> ExampleScenario:
    """F20.1: a server bought, with its running cost by the hour, against an instance."""
    given = make.given
    years = given.whole("horizon", "yr", least=1, most=20)
    hours = given.number("hours_per_year", "h", default=8760.0)
    running = make.published(given.number("onprem_opex_rate", "USD/h") * hours)
    purchase: Document = {
        "server_usd": make.published(given.number("onprem_capex", "USD")),
        "staff_usd_per_server_year": running,
        "life_months": MONTHS_PER_YEAR * years,
    }
    rental = {"usd_per_hour": make.published(given.number("cloud_rate", "USD/h"))}
    document = make.document(
        [
            make.owned("own", "Own", "example-server", 1, purchase),
            make.rented("rent", "Rent", _CLOUD, rental),
        ],
        months=MONTHS_PER_YEAR * years,
        sites=(make.site(),),
        catalog=make.flat_server("example-server", 8.0),
        hours=_hours_mode(hours / MONTHS_PER_YEAR),
    )
    own, rent = Part("own", "undiscounted_usd"), Part("rent", "undiscounted_usd")
    return ExampleScenario(
        document,
        {
            f"onprem_{years}yr": (own,),
            f"cloud_{years}yr": (rent,),
            f"saving_{years}yr": (rent, Part("own", "undiscounted_usd", -1.0)),
            "cloud_year": (Part("rent", "undiscounted_usd", 1.0 / years),),
        },
    )


@_shape("it_load", "pue", "energy_rate", "demand_rate", "hours")
def _flat_bill(make: Maker) -> ExampleScenario:
    """F4.2, F4.3: a flat load for a year, energy and demand."""
    given = make.given
    count, server_kw = servers_for(given.number("it_load", "kW", above=0.0))
    site = make.site(
        energy_usd_per_kwh=make.published(given.number("energy_rate", "USD/kWh")),
        demand_usd_per_kw_month=make.published(given.number("demand_rate", "USD/kW/month")),
        demand_included=False,
        pue=make.published(given.number("pue", "ratio")),
    )
    document = make.document(
        [make.owned("load", "The load", "example-server", count, {"server_usd": make.none()})],
        months=MONTHS_PER_YEAR,
        sites=(site,),
        catalog=make.flat_server("example-server", server_kw),
    )
    energy, demand = Part("load", "electricity_energy"), Part("load", "electricity_demand")
    return ExampleScenario(
        document, {"energy": (energy,), "demand": (demand,), "bill": (energy, demand)}
    )


@_shape("kw", "base_rate", "kwh", "electricity", "pue")
def _colocation(make: Maker) -> ExampleScenario:
    """F5.4: rented space for a month, and its metered energy."""
    given = make.given
    load_kw = given.number("kw", "kW", above=0.0)
    count, server_kw = servers_for(load_kw)
    hours = given.number("kwh", "kWh/month", also="kWh") / load_kw
    site = make.site(
        energy_usd_per_kwh=make.published(given.number("electricity", "USD/kWh")),
        pue=make.published(given.number("pue", "ratio")),
        colocation={"usd_per_kw_month": make.published(given.number("base_rate", "USD/kW/month"))},
    )
    document = make.document(
        [make.owned("colo", "Colocation", "example-server", count, {"server_usd": make.none()})],
        months=1,
        sites=(site,),
        catalog=make.flat_server("example-server", server_kw),
        hours=_hours_mode(hours),
    )
    space, power = Part("colo", "colocation"), Part("colo", "electricity_energy")
    return ExampleScenario(
        document, {"space": (space,), "power": (power,), "total": (space, power)}
    )


@_shape("basis", "class", "tax_rate")
def _macrs(make: Maker) -> ExampleScenario:
    """F12.6: relief on the depreciation of one server, five-year class."""
    given = make.given
    rate = given.number("tax_rate", "fraction", above=0.0)
    document = make.document(
        [
            make.owned(
                "server",
                "The server",
                "example-server",
                1,
                {
                    "server_usd": make.published(given.number("basis", "USD", above=0.0)),
                    "life_months": 72,
                },
            )
        ],
        months=72,
        sites=(make.site(),),
        catalog=make.flat_server("example-server", 8.0),
        finance={
            "tax": {"rate_fraction": make.published(rate), "depreciation": "macrs_5"},
            "discount_basis": "nominal_after_tax",
        },
    )
    shield = Part("server", "tax_shield_depreciation", -1.0 / rate)
    return ExampleScenario(document, {"sum": (shield,)})


@_shape("gpus", "hours", "gpu_rate")
def _devices_by_the_hour(make: Maker) -> ExampleScenario:
    """F13.1: devices rented for a month."""
    given = make.given
    count = given.whole("gpus", "count", least=1, most=1024)
    rate = given.number("gpu_rate", "USD/GPU/h")
    offer = {
        **{"key": "example-offer", "provider": "Provider", "instance_type": f"{count} devices"},
        **{"country": "US", "device": "l4", "device_count": count},
    }
    document = make.document(
        [
            make.rented(
                "rent",
                f"{count} devices",
                "example-offer",
                {"usd_per_hour": make.published(rate * count)},
            )
        ],
        months=1,
        hours=_hours_mode(given.number("hours", "h/month", also="h")),
        catalog={"offers": [offer]},
    )
    return ExampleScenario(document, {"gpu_cost": (Part("rent", "instances"),)})


@_shape("nodes", "cards_per_node", "price_cut", "power_rise", "case1_price", "facility")
def _cheaper_card(make: Maker) -> ExampleScenario:
    """F21.4, F25: a card that is cheaper and draws more, for each of the cases."""
    given = make.given
    years = given.whole("years", "yr", least=1, most=20)
    cards = given.whole("cards_per_node", "count", least=1, most=64)
    nodes = given.whole("nodes", "count", least=1, most=1_000_000)
    cut, rise = given.number("price_cut", "fraction"), given.number("power_rise", "fraction")
    site = make.site(
        energy_usd_per_kwh=make.published(given.number("electricity", "USD/kWh")),
        pue=make.published(given.number("pue", "ratio")),
        build={
            "usd_per_kw": make.published(given.number("facility", "USD/W of IT") * 1000.0),
            "charge": "whole",
        },
    )
    options: list[Document] = []
    catalog: list[Document] = []
    results: dict[str, tuple[Part, ...]] = {}
    for case in given.names(r"(case\d+)_price"):
        price = given.number(f"{case}_price", "USD/card")
        watts = given.number(f"{case}_power", "W/card")
        for suffix, name, usd, each_w in (
            ("", "dear card", price, watts),
            ("-cheap", "cheaper card", price * (1 - cut), watts * (1 + rise)),
        ):
            key = f"{case}{suffix}"
            server = f"server-{key}"
            catalog.append(make.flat_server(server, cards * each_w / 1000.0, cards * usd))
            terms = {"life_months": MONTHS_PER_YEAR * years}
            options.append(make.owned(key, f"{case}, {name}", server, nodes, terms))
        dear, cheap = case, f"{case}-cheap"
        results |= {
            f"{case}_capex_saving": _less(dear, cheap, "servers"),
            f"{case}_extra_facility": _less(cheap, dear, "facility_build"),
            f"{case}_extra_energy": _less(cheap, dear, "electricity_energy"),
            f"{case}_net": _less(dear, cheap, "undiscounted_usd"),
        }
    document = make.document(
        options, months=MONTHS_PER_YEAR * years, sites=(site,), catalog=joined(*catalog)
    )
    return ExampleScenario(document, results)


@_shape("capex_incumbent", "capex_saving", "base_engineering", "factor", "engineer_month")
def _porting(make: Maker) -> ExampleScenario:
    """F9.1: cheaper servers whose software takes longer to port."""
    given = make.given
    capex, cut = given.number("capex_incumbent", "USD"), given.number("capex_saving", "fraction")
    work: Document = {
        "engineer_months": make.published(given.number("base_engineering", "engineer-month")),
        "usd_per_engineer_month": make.published(given.number("engineer_month", "USD")),
    }
    late = {
        "factor": make.published(given.number("factor", "x")),
        "delay_months": make.published(given.number("delay", "month", default=0.0)),
        "benefit_usd_per_month": make.published(
            given.number("benefit_delayed", "USD/month", default=0.0)
        ),
    }
    options: list[Any] = []
    for key, name, usd, move in (
        ("stay", "Stay", capex, work),
        ("port", "Port", capex * (1 - cut), work | late),
    ):
        option = make.owned(key, name, "example-server", 1, {"server_usd": make.published(usd)})
        option["fleets"][0]["migration"] = move
        options.append(option)
    document = make.document(
        options,
        months=60,
        sites=(make.site(),),
        catalog=make.flat_server("example-server", 8.0),
    )
    return ExampleScenario(
        document,
        {
            "saving": _less("stay", "port", "servers"),
            "extra_engineering": _less("port", "stay", "migration"),
            "delay_cost": (Part("port", "migration_delay"),),
            "net": _less("stay", "port", "undiscounted_usd"),
        },
    )


def _less(more: str, fewer: str, key: str) -> tuple[Part, ...]:
    return Part(more, key), Part(fewer, key, -1.0)

"""Examples of feeds, racks, slots, watts and halls (F2, F4.2, F5.2, F5.3)."""

from __future__ import annotations

from dataclasses import replace

from tco.errors import InputError
from tco.examples.given import Given
from tco.examples.sheet import Sheet
from tco.facility.density_cost import density_capex_ratio
from tco.facility.feeds import breaker_kva, feed_kva, utilisation_fraction
from tco.facility.slots import SlotFit, slot_fit
from tco.facility.stranded import Hall, fitting
from tco.inputs import CapPoint, Device, Feed, Server, Tariff, assumed
from tco.power.facility_load import facility_kw
from tco.power.node_budget import node_kw
from tco.power.utilisation_curve import EXPONENT, fan_w, linear_w
from tco.tariff.bill import monthly_bill

_VA_PER_KVA = 1000.0


def _feed(volts: float, amperes: float, phases: int, reference: str, usable: float) -> Feed:
    return Feed(
        key="example",
        name="example",
        voltage_v=volts,
        voltage_reference=reference,
        phases=phases,
        breaker_a=amperes,
        usable_fraction=assumed(usable, "fraction", "example"),
        power_factor=assumed(1.0, "fraction", "example"),
        feeds_per_rack=1,
        redundancy="N",
    )


# --- feeds ---------------------------------------------------------------------------------------

ONE_FEED = Sheet("Feeds and racks", ("F2.6",), ("voltage", "current", "phases"))


def _one(given: Given) -> Feed:
    return _feed(
        given.number("voltage", "V", above=0.0),
        given.number("current", "A", above=0.0),
        given.whole("phases", "count"),
        given.text("reference", default="LL"),
        given.number("max_utilization", "fraction", default=1.0, above=0.0),
    )


@ONE_FEED.gives("available", "VA")
def _(given: Given) -> float:
    return feed_kva(_one(given)) * _VA_PER_KVA


@ONE_FEED.gives("utilization_percent", "%")
def _(given: Given) -> float:
    return utilisation_fraction(_one(given), given.number("allocated", "kVA")) * 100.0


FEEDS = Sheet("Feeds and racks", ("F2.6",), ("cases",))


def _cases(given: Given) -> list[Feed]:
    feeds = []
    for index, row in enumerate(given.rows("cases", 4)):
        volts, amperes, usable = (given.cell(row[i], "cases", index) for i in (0, 1, 3))
        feeds.append(_feed(volts, amperes, 3, str(row[2]), usable))
    return feeds


@FEEDS.gives("kva", "kVA")
def _(given: Given) -> list[float]:
    return [feed_kva(feed) for feed in _cases(given)]


@FEEDS.gives("wrong_if_(LN|LL)_treated_as_(LN|LL)", "kVA")
def _(given: Given, written: str, read: str) -> float | list[float]:
    found = [
        breaker_kva(replace(feed, voltage_reference=read)) * feed.usable_fraction.value
        for feed in _cases(given)
        if feed.voltage_reference == written
    ]
    if not found:
        raise InputError(f"{given.path}.inputs.cases", f"none is {written}", f"give one {written}")
    return found[0] if len(found) == 1 else found


# --- watts of nodes and racks --------------------------------------------------------------------

BUDGET = Sheet("Power", ("F2.3",), ("gpu", "gpus_per_node", "node_static"))


def _node(given: Given, static: float) -> float:
    devices = (given.number("gpus_per_node", "count"), given.number("gpu", "kW"))
    processors = (given.number("cpus_per_node", "count", default=1.0), given.number("cpu", "kW"))
    return node_kw([devices, processors], static)


@BUDGET.gives("managed_node", "kW")
def _(given: Given) -> float:
    return _node(given, 0.0)


@BUDGET.gives("node", "kW")
def _(given: Given) -> float:
    return _node(given, given.number("node_static", "kW"))


@BUDGET.gives("rack", "kW")
def _(given: Given) -> float:
    node = _node(given, given.number("node_static", "kW"))
    return node_kw([(given.number("nodes", "count"), node)])


MEASURED = Sheet("Power", ("F2.1", "F2.5", "F4.2"), ("nameplate", "measured_mean"))
_MEANS = {"nameplate": "nameplate", "measured": "measured_mean"}


@MEASURED.gives("energy_cost_(nameplate|measured)", "USD/yr")
def _(given: Given, which: str) -> float:
    kw = facility_kw(given.number(_MEANS[which], "kW"), given.number("pue", "ratio"))
    price = assumed(given.number("electricity", "USD/kWh"), "USD/kWh", "example")
    return monthly_bill(
        average_facility_kw=kw,
        peak_facility_kw=kw,
        hours=given.number("hours", "h", also="h/yr", most=8784.0),
        tariff=Tariff(price),
    ).energy_usd


@MEASURED.gives("overstatement", "fraction")
def _(given: Given) -> float:
    return given.number("nameplate", "kW") / given.number("measured_mean", "kW", above=0.0) - 1.0


@MEASURED.gives("nodes_per_rack_(nameplate|measured_max)", "count")
def _(given: Given, which: str) -> int:
    return fitting(given.number("rack_feed", "kW"), given.number(which, "kW", above=0.0))


CURVE = Sheet("Power", ("F2.1",), ("idle", "max", "u"))


@CURVE.gives("linear", "W")
def _(given: Given) -> list[float]:
    idle, most = given.number("idle", "W"), given.number("max", "W")
    return [linear_w(idle, most, u) for u in given.numbers("u", "fraction")]


@CURVE.gives("fan", "W")
def _(given: Given) -> list[float]:
    idle, most = given.number("idle", "W"), given.number("max", "W")
    exponent = given.number("h", "exponent", default=EXPONENT, above=0.0)
    return [fan_w(idle, most, u, exponent) for u in given.numbers("u", "fraction")]


# --- slots ---------------------------------------------------------------------------------------

SLOTS = Sheet("Feeds and racks", ("F2.2",), ("slot_limit", "cards"))


def _servers(given: Given) -> dict[str, Server]:
    count = given.whole("slots", "count", least=1)
    servers = {}
    for index, (name, watts) in enumerate(given.rows("cards", 2)):
        board = assumed(given.cell(watts, "cards", index), "W", "example")
        device = Device(str(name), str(name), "", "gpu", board_w=board)
        servers[str(name)] = Server(str(name), str(name), "", device, count)
    return servers


def _fit(given: Given, server: Server) -> SlotFit:
    return slot_fit(server, assumed(given.number("slot_limit", "W"), "W", "example"))


def _capped(given: Given, card: str) -> SlotFit:
    """The card named, with the caps that were measured."""
    named = {name.lower(): server for name, server in _servers(given).items()}
    if card.lower() not in named:
        raise InputError(
            f"{given.path}.inputs.cards", f"has no {card}", f"use one of {', '.join(named)}"
        )
    server = named[card.lower()]
    points = tuple(
        CapPoint(
            assumed(float(watts), "W", "example"),
            assumed(given.number(f"cap_perf_at_{watts}W", "fraction"), "fraction", "example"),
        )
        for watts in given.names(r"cap_perf_at_(\d+)W")
    )
    return _fit(given, replace(server, device=replace(server.device, cap_points=points)))


@SLOTS.gives("fits", "bool")
def _(given: Given) -> list[bool]:
    return [_fit(given, server).fits for server in _servers(given).values()]


@SLOTS.gives(r"(\w+)_capped_fits", "bool")
def _(given: Given, card: str) -> bool:
    return _capped(given, card).fits


@SLOTS.gives(r"(\w+)_effective_cards", "card")
def _(given: Given, card: str) -> float:
    return given.whole("slots", "count") * _capped(given, card).throughput_fraction


# --- halls ---------------------------------------------------------------------------------------

HALL = Sheet("Facility", ("F2.7", "F5.2"), ("facility", "racks", "actual_density"))


def _hall(given: Given) -> Hall:
    built = given.number("facility", "kW", above=0.0)
    racks = given.whole("racks", "count")
    planned = given.number("planned_density", "kW/rack", default=built / max(racks, 1))
    if planned * racks > built * (1.0 + 1e-9):
        raise InputError(
            f"{given.path}.inputs.planned_density",
            f"{planned:g} kW in {racks} racks are more than {built:g} kW",
            "make the plan fit the facility",
        )
    return Hall(built, racks, given.number("actual_density", "kW/rack", above=0.0))


@HALL.gives("(used|stranded)", "kW")
def _(given: Given, part: str) -> float:
    return float(getattr(_hall(given), f"{part}_kw"))


@HALL.gives("capex_multiplier_per_used_kw", "x")
def _(given: Given) -> float:
    return _hall(given).capex_factor_per_used_kw


DENSITY = Sheet("Facility", ("F5.3",), ("density",))


@DENSITY.gives("capex_relative", "ratio")
def _(given: Given) -> list[float]:
    """The study is of one size (2 MW); another `capacity` reads the same table."""
    return [density_capex_ratio(kw) for kw in given.numbers("density", "kW/rack")]


SHEETS = (ONE_FEED, FEEDS, BUDGET, MEASURED, CURVE, SLOTS, HALL, DENSITY)

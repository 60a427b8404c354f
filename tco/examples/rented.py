"""Examples of clouds, spot machines and builds held against them (F1.2, F13, F20.1)."""

from __future__ import annotations

import re

from tco.cost.build_case import BuildCase
from tco.cost.cluster_quote import ClusterQuote
from tco.cost.egress import egress_usd
from tco.cost.rental import both_ways_usd, rental_usd, tier_bounds
from tco.cost.spot import SpotRun, spot_run
from tco.errors import InputError
from tco.examples.given import Given
from tco.examples.sheet import Sheet
from tco.performance.plain_sizing import plain_nodes

# --- clusters as quoted --------------------------------------------------------------------------

QUOTES = Sheet("Cloud", ("F13.6", "F10.4"), (r"\w+_gpu_month", "term"))


def _quote(given: Given, who: str) -> ClusterQuote:
    def monthly(name: str) -> float:
        return given.number(f"{who}_{name}", "USD/month", default=0.0)

    return ClusterQuote(
        devices_usd=given.number(f"{who}_gpu_month", "USD/month"),
        storage_usd=monthly("storage"),
        network_usd=monthly("network"),
        cpu_usd=monthly("cpu"),
        support_fraction=given.number(f"{who}_support_uplift", "fraction", default=0.0),
        goodput_usd=monthly("goodput"),
        debugging_usd=monthly("debugging"),
        setup_once_usd=given.number(f"{who}_setup_once", "USD", default=0.0),
    )


def _term(given: Given) -> float:
    return given.number("term", "month", above=0.0)


@QUOTES.gives("ratio", "x")
def _(given: Given) -> float:
    offers = given.names(r"(\w+)_gpu_month")
    if len(offers) != 2:
        raise InputError(
            f"{given.path}.inputs", f"{len(offers)} offers make no ratio", "give two offers"
        )
    first, second = (_quote(given, who).term_usd(_term(given)) for who in offers)
    return second / first


@QUOTES.gives(r"(\w+)_gpu_hour", "USD/GPU/h")
def _(given: Given, who: str) -> float:
    hours = given.number("hours_per_month", "h", also="h/month", above=0.0, most=744.0)
    return _quote(given, who).usd_per_device_hour(given.number("gpus", "count"), hours)


@QUOTES.gives(r"(\w+)_support", "USD/month")
def _(given: Given, who: str) -> float:
    return _quote(given, who).support_usd


@QUOTES.gives(r"(\w+)_month", "USD/month")
def _(given: Given, who: str) -> float:
    return _quote(given, who).month_usd(_term(given))


@QUOTES.gives(r"(\w+)_(\d+)", "USD")
def _(given: Given, who: str, months: str) -> float:
    given.same("term", "month", f"{who}_{months}", float(months))
    return _quote(given, who).term_usd(_term(given))


# --- hours, traffic ------------------------------------------------------------------------------

HOURS = Sheet("Cloud", ("F13.1",), ("hours", r"\w+_rate"))


@HOURS.gives("gpu_hours", "GPU*h")
def _(given: Given) -> float:
    return rental_usd(
        given.number("gpus", "count"), given.number("hours", "h/month", also="h"), 1.0
    )


@HOURS.gives("gpu_cost", "USD/month")
def _(given: Given) -> float:
    return rental_usd(
        given.number("gpus", "count"),
        given.number("hours", "h/month", also="h"),
        given.number("gpu_rate", "USD/GPU/h"),
    )


@HOURS.gives(r"(\w+)_month", "USD/month")
def _(given: Given, what: str) -> float:
    return rental_usd(
        1, given.number("hours", "h/month", also="h"), given.number(f"{what}_rate", "USD/h")
    )


TRAFFIC = Sheet("Cloud", ("F13.4",), ("internet_out", "tiers"))


def _internet(given: Given) -> float:
    rows = given.rows("tiers", 2)
    widths = [
        float("inf") if row[0] == "rest" else given.cell(row[0], "tiers", index)
        for index, row in enumerate(rows)
    ]
    rates = [given.cell(row[1], "tiers", index) for index, row in enumerate(rows)]
    bounds, gb = tier_bounds(widths), given.number("internet_out", "GB")
    free = given.number("free_allowance", "GB", default=0.0)
    if gb - free > bounds[-1]:
        raise InputError(
            f"{given.path}.inputs.tiers",
            f"{gb:g} GB are beyond the last tier at {bounds[-1]:g} GB",
            'end with ["rest", USD/GB]',
        )
    return egress_usd(gb, tuple(zip(bounds, rates, strict=True)), free)


def _intra(given: Given) -> float:
    if not given.has("intra_region"):
        return 0.0
    return both_ways_usd(
        given.number("intra_region", "GB"), given.number("intra_region_rate", "USD/GB")
    )


def _priced(given: Given) -> dict[str, float]:
    """Traffic whose unit holds its price: ``GB at 0.02``."""
    found = {}
    for name, one in given.inputs.items():
        match = re.fullmatch(r"\s*GB at (\d+(?:\.\d+)?)(?:\s*USD/GB)?\s*", one.unit)
        if match:
            found[name] = given.number(name, "GB") * float(match.group(1))
    return found


@TRAFFIC.gives("internet", "USD")
def _(given: Given) -> float:
    return _internet(given)


@TRAFFIC.gives("intra_region", "USD")
def _(given: Given) -> float:
    return _intra(given)


@TRAFFIC.gives("total", "USD")
def _(given: Given) -> float:
    return _internet(given) + _intra(given) + sum(_priced(given).values())


@TRAFFIC.gives(r"(\w+)", "USD")
def _(given: Given, name: str) -> float:
    priced = _priced(given)
    found = [usd for of, usd in priced.items() if of == name or of.startswith(f"{name}_to_")]
    if len(found) != 1:
        raise InputError(
            f"{given.path}.expected.{name}",
            f"{len(found)} inputs are priced under that name",
            f"use one of {', '.join(priced) or 'the inputs with a unit like GB at 0.02'}",
        )
    return found[0]


# --- machines that may be taken away -------------------------------------------------------------

SPOT = Sheet(
    "Failures and spot",
    ("F13.3", "F10.4"),
    ("checkpoint", "mean_time_between_interruptions", "restart"),
)


def _spot(given: Given) -> SpotRun:
    return spot_run(
        given.number("useful_hours", "GPU*h", default=0.0),
        given.number("spot_rate", "USD/GPU/h", default=0.0),
        between_interruptions_hours=given.number("mean_time_between_interruptions", "h", above=0.0),
        checkpoint_hours=given.number("checkpoint", "h"),
        restart_hours=given.number("restart", "h"),
        interval_hours=given.number("interval", "h", above=0.0) if given.has("interval") else None,
    )


@SPOT.gives("checkpoint_interval", "h")
def _(given: Given) -> float:
    return _spot(given).goodput.interval_hours


@SPOT.gives("overhead", "fraction")
def _(given: Given) -> float:
    return _spot(given).overhead_fraction


@SPOT.gives("wall_clock_stretch", "x")
def _(given: Given) -> float:
    return _spot(given).goodput.factor


@SPOT.gives("goodput", "fraction")
def _(given: Given) -> float:
    return _spot(given).goodput.fraction


@SPOT.gives("spot_cost", "USD")
def _(given: Given) -> float:
    for name in ("useful_hours", "spot_rate"):
        given.quantity(name)
    return _spot(given).cost_usd


@SPOT.gives("on_demand_cost", "USD")
def _(given: Given) -> float:
    hours = given.number("useful_hours", "GPU*h")
    return rental_usd(1, hours, given.number("on_demand_rate", "USD/GPU/h"))


# --- a build held against the cloud --------------------------------------------------------------

BUILD = Sheet(
    "Breakeven", ("F1.2", "F5.1", "F20.1"), ("demand", "throughput", "node_price", "node_power")
)


def _nodes(given: Given) -> int:
    return plain_nodes(
        given.number("demand", "tok/s"),
        tokens_per_s_per_device=given.number("throughput", "tok/s/GPU", above=0.0),
        devices_per_node=given.whole("gpus_per_node", "count", least=1),
        utilisation_limit_fraction=given.number("util_target", "fraction", above=0.0),
    )


def _case(given: Given) -> BuildCase:
    return BuildCase(
        nodes=_nodes(given),
        node_usd=given.number("node_price", "USD"),
        shared_usd=given.number("network_storage", "USD", default=0.0),
        node_kw=given.number("node_power", "kW"),
        pue=given.number("pue", "ratio"),
        usd_per_kwh=given.number("electricity", "USD/kWh"),
        colo_usd_per_kw_month=given.number("colo", "USD/kW/month", default=0.0),
        maintenance_fraction_per_year=given.number(
            "maintenance", "1/yr", also="fraction", default=0.0
        ),
        people=given.number("fte", "count", default=0.0),
        usd_per_person_year=given.number("fte_cost", "USD/yr", default=0.0),
        spares_usd=given.number("spares", "USD", default=0.0),
        horizon_years=given.number("horizon", "yr", above=0.0),
    )


def _spanned(given: Given, name: str, years: str) -> BuildCase:
    given.same("horizon", "yr", f"{name}_{years}yr", float(years))
    return _case(given)


@BUILD.gives("nodes", "node")
def _(given: Given) -> int:
    return _nodes(given)


@BUILD.gives("gpus", "GPU")
def _(given: Given) -> int:
    return _nodes(given) * given.whole("gpus_per_node", "count")


@BUILD.gives(r"onprem_(\d+)yr", "USD")
def _(given: Given, years: str) -> float:
    return _spanned(given, "onprem", years).total_usd


@BUILD.gives(r"electricity_(\d+)yr", "USD")
def _(given: Given, years: str) -> float:
    return _spanned(given, "electricity", years).electricity_usd


@BUILD.gives(r"colo_(\d+)yr", "USD")
def _(given: Given, years: str) -> float:
    return _spanned(given, "colo", years).colo_usd


def _cloud(given: Given) -> tuple[float, float]:
    uplift = given.number("egress_uplift", "fraction", default=0.0)
    return given.number("cloud_rate", "USD/node/h"), uplift


@BUILD.gives(r"payg_(\d+)yr", "USD")
def _(given: Given, years: str) -> float:
    return _spanned(given, "payg", years).rented_usd(*_cloud(given))


@BUILD.gives("breakeven_months_payg", "month")
def _(given: Given) -> float | None:
    return _case(given).breakeven_months(*_cloud(given))


SHEETS = (QUOTES, HOURS, TRAFFIC, SPOT, BUILD)

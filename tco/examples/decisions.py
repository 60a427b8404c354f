"""Examples of choices: cards, porting, zones, latency, failures (F1.5, F9, F10, F17, F21)."""

from __future__ import annotations

from tco.cost.cheaper_device import CheaperDevice, Watt
from tco.cost.demand import in_flight
from tco.cost.failures import device_hours_per_failure, failures_per_device_year
from tco.cost.porting import Porting
from tco.cost.sovereignty import isolated_nodes, overhead_fraction, zone_nodes
from tco.errors import InputError
from tco.examples.given import Given
from tco.examples.sheet import Sheet
from tco.performance.training.goodput import time_between_failures
from tco.units import HOURS_PER_DAY

# --- a cheaper card that draws more --------------------------------------------------------------

CHEAPER = Sheet("Choices", ("F21.4", "F25"), ("price_cut", "power_rise"))


def _watt(given: Given) -> Watt:
    if given.text("performance", default="equal") != "equal":
        raise InputError(
            f"{given.path}.inputs.performance",
            f"{given.text('performance')!r} is not equal",
            "this comparison is for cards of equal speed",
        )
    years = given.number("years", "yr", above=0.0, most=1000.0)
    facility = given.number("facility", "USD/W")
    if given.has("facility_life"):  # by share of life (F25); without it, the whole facility
        facility *= min(1.0, years / given.number("facility_life", "yr", above=0.0))
    return Watt(
        horizon_years=years,
        pue=given.number("pue", "ratio"),
        usd_per_kwh=given.number("electricity", "USD/kWh"),
        facility_usd_per_w=facility,
        discount_fraction=given.number("discount", "1/yr", also="fraction", default=0.0),
    )


def _swap(given: Given, case: str) -> CheaperDevice:
    cards = given.whole("nodes", "count") * given.whole("cards_per_node", "count")
    return CheaperDevice(
        devices=cards,
        price_usd=given.number(f"{case}_price", "USD/card"),
        board_w=given.number(f"{case}_power", "W/card"),
        price_cut_fraction=given.number("price_cut", "fraction"),
        power_rise_fraction=given.number("power_rise", "fraction", most=10.0),
        watt=_watt(given),
    )


@CHEAPER.gives("threshold_price_per_watt", "USD/W")
def _(given: Given) -> float:
    cut, rise = given.number("price_cut", "fraction", above=0.0), given.number("power_rise", "x")
    return CheaperDevice(1, 1.0, 1.0, cut, rise, _watt(given)).threshold_usd_per_board_w


@CHEAPER.gives(r"(\w+)_extra_power", "kW")
def _(given: Given, case: str) -> float:
    return _swap(given, case).extra_kw


@CHEAPER.gives(r"(\w+)_(capex_saving|extra_energy|extra_facility|net)", "USD")
def _(given: Given, case: str, part: str) -> float:
    return float(getattr(_swap(given, case), f"{part}_usd"))


# --- porting -------------------------------------------------------------------------------------

MOVE = Sheet("Choices", ("F9.1",), ("capex_incumbent", "capex_saving", "base_engineering"))
_PARTS = {"saving": "saving", "delay_cost": "delay", "net": "net"}


def _porting(given: Given) -> Porting:
    return Porting(
        capex_usd=given.number("capex_incumbent", "USD"),
        price_cut_fraction=given.number("capex_saving", "fraction"),
        engineer_months=given.number("base_engineering", "engineer-month", also="month"),
        factor=given.number("factor", "x"),
        usd_per_engineer_month=given.number("engineer_month", "USD", also="USD/engineer-month"),
        delay_months=given.number("delay", "month", default=0.0),
        benefit_usd_per_month=given.number("benefit_delayed", "USD/month", default=0.0),
    )


@MOVE.gives("(saving|extra_engineering|delay_cost|net|breakeven_capex)", "USD")
def _(given: Given, part: str) -> float:
    return float(getattr(_porting(given), f"{_PARTS.get(part, part)}_usd"))


# --- zones ---------------------------------------------------------------------------------------

ZONES = Sheet("Choices", ("F17.1", "F17.4"), ("demand_nodes", "regions", "spare_per_pool"))


def _zones(given: Given) -> list[float]:
    regions = given.whole("regions", "count", least=1, most=100_000)
    return [given.number("demand_nodes", "node") / regions] * regions


@ZONES.gives("pooled", "node")
def _(given: Given) -> int:
    return zone_nodes(given.number("demand_nodes", "node"), given.whole("spare_per_pool", "node"))


@ZONES.gives("isolated", "node")
def _(given: Given) -> int:
    return isolated_nodes(_zones(given), given.whole("spare_per_pool", "node"))


@ZONES.gives("overhead", "fraction")
def _(given: Given) -> float:
    return overhead_fraction(_zones(given), given.whole("spare_per_pool", "node"))


# --- requests in flight, failures ----------------------------------------------------------------

LITTLE = Sheet("Choices", ("F1.5",), ("extra_latency", "rate"))


@LITTLE.gives("extra_in_flight", "req")
def _(given: Given) -> float:
    return in_flight(given.number("rate", "req/s"), given.number("extra_latency", "s"))


@LITTLE.gives("extra_busy_seconds_per_second", "s/s")
def _(given: Given) -> float:
    return in_flight(given.number("rate", "req/s"), given.number("extra_latency", "s"))


SEEN = Sheet("Failures and spot", ("F10.1",), ("gpus", "days", "unexpected_interruptions"))


def _rate(given: Given) -> float:
    return failures_per_device_year(
        given.number("unexpected_interruptions", "count"),
        given.number("gpus", "count"),
        given.number("days", "day", above=0.0) * HOURS_PER_DAY,
    )


@SEEN.gives("annual_rate_per_gpu", "1/yr")
def _(given: Given) -> float:
    return _rate(given)


@SEEN.gives("gpu_hours_per_interruption", "GPU*h")
def _(given: Given) -> float:
    return device_hours_per_failure(_rate(given))


@SEEN.gives("mean_time_between_interruptions", "h")
def _(given: Given) -> float:
    return time_between_failures(given.number("gpus", "count"), _rate(given))


SHEETS = (CHEAPER, MOVE, ZONES, LITTLE, SEEN)

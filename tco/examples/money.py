"""Examples of breakeven, unit costs and training runs (F19, F20)."""

from __future__ import annotations

import csv
import math
from functools import lru_cache
from importlib import resources

from tco.cost.breakeven import breakeven_hours, breakeven_months, breakeven_years
from tco.cost.rental import rental_usd
from tco.cost.token_price import (
    cost_ratio,
    load_penalty,
    saving_fraction,
    tokens_per_s_per_mw,
    training_run_usd,
    usd_per_1000_requests,
    usd_per_mtok,
)
from tco.errors import InputError
from tco.examples.given import Given
from tco.examples.sheet import Sheet

# --- own machine against a rented one ------------------------------------------------------------

OWN = Sheet("Breakeven", ("F20.1",), ("onprem_capex", "onprem_opex_rate", "cloud_rate"))


def _own_hours(given: Given) -> float | None:
    return breakeven_hours(
        given.number("onprem_capex", "USD"),
        given.number("onprem_opex_rate", "USD/h"),
        _cloud_rate(given),
    )


def _cloud_rate(given: Given) -> float:
    """Of one machine: more than a rack of devices costs an hour was meant a month."""
    return given.number("cloud_rate", "USD/h", most=10_000.0)


def _paid_hours(given: Given) -> float:
    return given.number("hours_per_year", "h", also="h/yr", most=8784.0) * given.number(
        "utilization", "fraction", default=1.0
    )


@OWN.gives("breakeven_hours", "h")
def _(given: Given) -> float | None:
    return _own_hours(given)


@OWN.gives(r"breakeven_months_(\d+)h", "month")
def _(given: Given, hours_per_month: str) -> float | None:
    hours = _own_hours(given)
    return None if hours is None else breakeven_months(hours, float(hours_per_month))


@OWN.gives("cloud_year", "USD")
def _(given: Given) -> float:
    return rental_usd(1, _paid_hours(given), _cloud_rate(given))


def _cloud(given: Given, years: str) -> float:
    given.same("horizon", "yr", f"cloud_{years}yr", float(years))
    hours = _paid_hours(given) * float(years)
    return rental_usd(1, hours, _cloud_rate(given))


def _onprem(given: Given, years: str) -> float:
    given.same("horizon", "yr", f"onprem_{years}yr", float(years))
    hours = _paid_hours(given) * float(years)
    running = rental_usd(1, hours, given.number("onprem_opex_rate", "USD/h"))
    return given.number("onprem_capex", "USD") + running


OWN.gives(r"cloud_(\d+)yr", "USD")(_cloud)
OWN.gives(r"onprem_(\d+)yr", "USD")(_onprem)


@OWN.gives(r"saving_(\d+)yr", "USD")
def _(given: Given, years: str) -> float:
    return _cloud(given, years) - _onprem(given, years)


DAILY = Sheet("Breakeven", ("F20.2",), ("breakeven_hours_full", "daily_use"))


@DAILY.gives("breakeven_years", "yr")
def _(given: Given) -> list[float | None]:
    hours = given.number("breakeven_hours_full", "h")
    days = given.number("days_per_year", "day", also="day/yr", default=365.0, above=0.0, most=366.0)
    return [
        breakeven_years(hours, use, days) for use in given.numbers("daily_use", "h/day", also="h")
    ]


# --- cost of a token -----------------------------------------------------------------------------

QUOTED = Sheet("Unit costs", ("F19.1", "F19.6"), (r"cloud_\w+", r"onprem_\w+"))


@QUOTED.gives(r"ratio_(\w+)", "x")
def _(given: Given, what: str) -> float:
    return cost_ratio(
        given.number(f"cloud_{what}", "USD/Mtok"), given.number(f"onprem_{what}", "USD/Mtok")
    )


@QUOTED.gives(r"saving_(\w+)", "fraction")
def _(given: Given, what: str) -> float:
    return saving_fraction(
        given.number(f"onprem_{what}", "USD/Mtok"), given.number(f"cloud_{what}", "USD/Mtok")
    )


LOADS = Sheet("Unit costs", ("F19.1", "F19.2", "F19.5"), ("gpu_rate", "offered_load"))


def _group_rate(given: Given) -> float:
    return given.number("gpu_rate", "USD/GPU/h") * given.number("gpus", "GPU", above=0.0)


@LOADS.gives("usd_per_mtok_output", "USD/Mtok")
def _(given: Given) -> list[float]:
    rate = _group_rate(given)
    return [usd_per_mtok(rate, each) for each in given.numbers("output_throughput", "tok/s")]


@LOADS.gives("usd_per_1000_requests", "USD")
def _(given: Given) -> list[float]:
    rate = _group_rate(given)
    return [usd_per_1000_requests(rate, each) for each in given.numbers("offered_load", "req/s")]


@LOADS.gives(r"penalty_at_([\d.]+)rps", "x")
def _(given: Given, load: str) -> float:
    loads = given.numbers("offered_load", "req/s")
    speeds = given.numbers("output_throughput", "tok/s")
    if float(load) not in loads or len(loads) != len(speeds):
        raise InputError(
            f"{given.path}.inputs.offered_load",
            f"{load} req/s has no throughput",
            "give a throughput for each load, this one among them",
        )
    return load_penalty(max(speeds), speeds[loads.index(float(load))])


ENDS = Sheet("Unit costs", ("F19.1", "F19.2"), (r"\w+_group_rate", r"\w+_tps"))


@ENDS.gives(r"(\w+)_config_own_penalty", "x")
def _(given: Given, end: str) -> float:
    return load_penalty(_best_of_configuration(given, end), given.number(f"{end}_tps", "tok/s"))


@ENDS.gives(r"(\w+)", "USD/Mtok")
def _(given: Given, end: str) -> float:
    rate = given.number(f"{end}_group_rate", "USD/h")
    return usd_per_mtok(rate, given.number(f"{end}_tps", "tok/s"))


def _best_of_configuration(given: Given, end: str) -> float:
    """Highest throughput of the configuration: as given, or that of the published runs."""
    name = f"{end}_best_tps"
    if given.has(name):
        return given.number(name, "tok/s")
    devices, speed = given.number(f"{end}_gpus", "GPU"), given.number(f"{end}_tps", "tok/s")
    runs = measured_loads()
    for configuration, count, tokens_per_s in runs:
        if count == devices and math.isclose(tokens_per_s, speed, rel_tol=1e-6):
            return max(best for other, _, best in runs if other == configuration)
    raise InputError(
        f"{given.path}.inputs.{name}",
        f"is missing, and no published run of {devices:g} devices made {speed:g} tok/s",
        "give the highest throughput of the same configuration",
    )


@lru_cache(maxsize=1)
def measured_loads() -> tuple[tuple[str, int, float], ...]:
    """Published runs: configuration, devices, output tokens a second."""
    text = resources.files("tco.examples").joinpath("tables/measured_loads.csv").read_text("utf-8")
    lines = [line for line in text.splitlines() if not line.startswith("#")]
    return tuple(
        (row["configuration"], int(row["devices"]), float(row["output_tokens_per_s"]))
        for row in csv.DictReader(lines)
    )


RATES = Sheet("Unit costs", ("F19.1", "F19.4"), ("throughput", r"\w+_power"))


@RATES.gives(r"(\w+)_tok_s_per_mw", "tok/s/MW")
def _(given: Given, device: str) -> float:
    return tokens_per_s_per_mw(
        given.number("throughput", "tok/s/GPU"), given.number(f"{device}_power", "kW/GPU", above=0)
    )


@RATES.gives(r"(\w+)", "USD/Mtok")
def _(given: Given, name: str) -> float:
    return usd_per_mtok(
        given.number(name, "USD/GPU/h"), given.number("throughput", "tok/s/GPU", above=0.0)
    )


# --- a training run ------------------------------------------------------------------------------

RUN = Sheet("Unit costs", ("F19.3",), ("gpu_hours", r"(instance_rate|gpu_rate)"))


@RUN.gives("cost", "USD")
def _(given: Given) -> float:
    if given.has("gpu_rate"):
        rate = given.number("gpu_rate", "USD/GPU/h")
    else:
        devices = given.number("gpus_per_instance", "GPU", above=0.0)
        rate = given.number("instance_rate", "USD/h") / devices
    return training_run_usd(
        given.number("gpu_hours", "GPU*h"),
        rate,
        goodput_fraction=given.number("goodput", "fraction", default=1.0, above=0.0),
        other_usd=sum(
            given.number(name, "USD", default=0.0) for name in ("storage", "egress", "people")
        ),
    )


SHEETS = (OWN, DAILY, QUOTED, LOADS, ENDS, RATES, RUN)

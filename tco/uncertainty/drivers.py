"""What is uncertain: every figure with a range that the ledger reads, and the speed of devices.

A figure that stands in the same field of several fleets, sites or workloads with the same value,
range and source is one statement: it is drawn once, and every option gets the same draw (F21.2).
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from tco.cost import cloud
from tco.cost.case import FleetCase
from tco.cost.ledger import OptionCase
from tco.inputs import CloudOffer, Figure, Finance, Site, Status, Workload

# The count of machines follows demand and speed; what else of a workload has a range is named.
_SIZES = ("peak_requests_per_s", "growth_fraction_per_year", "headroom_fraction")
# What an API by token is paid for.
_BY_TOKEN = (*("peak_requests_per_s", "input_tokens", "output_tokens", "cached_input_fraction"),)
# What a fleet that is down sometimes costs.
_DOWN = ("downtime_usd_per_hour", "downtime_usd_per_event")
# Racks, feeds and slots decide what fits, not what it costs.
_SITE_READ = ("tariff", "pue", "part_load", "colocation", "build")
_PUE_PARTS = frozenset(
    {"air_kw_per_kw", "liquid_kw_per_kw", "captured_fraction", "fixed_kw", "ups_rated_kw"}
)


Statement = tuple[str, Figure]  # name of the field, what it holds
Ranged = tuple[str, Statement, bool]  # label, statement, whether the ledger follows it


@dataclass(frozen=True, slots=True)
class Driver:
    """One uncertain input."""

    label: str
    unit: str
    value: float
    low: float
    high: float
    shape: str  # pert | triangular | uniform | lognormal | empirical
    status: Status
    source: str
    field: str = ""  # the name of the field that holds it
    figure: Figure | None = None  # None: speed of a device
    samples: tuple[float, ...] = ()
    fleets: frozenset[str] = frozenset()  # whose speed it is

    @property
    def identity(self) -> str:
        """What its draws hang on: not on the other drivers, so that a new one moves none."""
        parts = (self.field or self.label, self.unit, self.value, self.low, self.high, self.source)
        return "|".join(map(str, parts))


def find_drivers(
    cases: Sequence[OptionCase], finance: Finance
) -> tuple[tuple[Driver, ...], tuple[str, ...]]:
    """Return the drivers, and the labels of ranged inputs whose effect is not carried.

    Drivers come in the order of their first place: finance, then option by option.
    """
    found: dict[Statement, Driver] = {}
    left: dict[str, None] = {}
    for label, statement, carried in _ranged(cases, finance):
        if not carried:
            left.setdefault(label)
        elif statement not in found:
            found[statement] = _driver(label, *statement)
    return (*found.values(), *_speeds(cases)), tuple(left)


def every_input(cases: Sequence[OptionCase]) -> tuple[Driver, ...]:
    """Return every figure above 0 that the ledger reads, with or without a range.

    To look for a turn around its own value: low and high are that value where it has no range.
    """
    found: dict[Statement, Driver] = {}
    for case in cases:
        for label, statement, carried in _ranged((case,), case.calendar.finance, every=True):
            if carried and statement not in found and statement[1].value > 0:
                found[statement] = _driver(label, *statement)
    return tuple(found.values())


def ranged_inputs(cases: Sequence[OptionCase], finance: Finance) -> Iterator[Ranged]:
    """Yield every figure that the ledger reads, with or without a range, and whether it follows."""
    return _ranged(cases, finance, every=True)


def _driver(label: str, name: str, figure: Figure) -> Driver:
    low = figure.value if figure.low is None else figure.low
    high = figure.value if figure.high is None else figure.high
    return Driver(
        label=label,
        unit=figure.unit,
        value=figure.value,
        low=low,
        high=high,
        shape=figure.shape or "pert",
        status=figure.status,
        source=figure.source,
        field=name,
        figure=figure,
        samples=figure.samples,
    )


def _ranged(
    cases: Sequence[OptionCase], finance: Finance, *, every: bool = False
) -> Iterator[Ranged]:
    """Every figure with a range, or every figure."""
    for label, statement, carried in _walked(cases, finance):
        figure = statement[1]
        if every or figure.low is not None or figure.high is not None or figure.samples:
            yield label, statement, carried


def _walked(cases: Sequence[OptionCase], finance: Finance) -> Iterator[Ranged]:
    yield from _walk(finance, "", "finance")
    for case in cases:
        for fleet_case in case.fleets:
            yield from _of_fleet(fleet_case)
        yield from _walk(case.option.staffing, "staffing", "Run staff")


def _of_fleet(case: FleetCase) -> Iterator[Ranged]:
    fleet, site, server = case.fleet, case.fleet.site, case.fleet.server
    for name in (
        "purchase",
        "zone",
        "availability",
        "rental",
        "api",
        "migration",
        "exit",
        "retraining",
    ):
        yield from _walk(getattr(fleet, name), name, f"{fleet.name}, {name}")
    yield from _walk(fleet.canary_fraction, "canary_fraction", fleet.name)
    if server is not None and (fleet.purchase is None or fleet.purchase.server_usd is None):
        yield from _walk(server.price_usd, "price_usd", server.name)
    if fleet.offer is not None:
        rate = cloud.hourly_rate(case)
        for name in _names(CloudOffer):
            if rate is not None and getattr(fleet.offer, name) is rate:
                yield from _walk(rate, name, fleet.offer.instance_type)
    for fabric in fleet.fabrics:
        yield from _around(fabric, f"{fleet.name}, {fabric.role} network")
    yield from _around(fleet.store, f"{fleet.name}, shared storage")
    if site is not None:
        for name in _SITE_READ:
            if name == "pue" and site.plant is not None:
                continue  # follows from the plant
            yield from _walk(getattr(site, name), name, site.name)
        yield from _carbon(site)
        for label, statement, _ in _walk(site.existing_load, "existing_load", site.name):
            yield label, statement, False
        yield from _around(site.plant, f"{site.name}, plant")
        yield from _walk(site.rack.price_usd, "price_usd", site.rack.name)
    sized, work = case.result.count_rule is not None, fleet.workload
    for name in _names(Workload):
        # egress follows the growth even where the count does not
        follows = name == "growth_fraction_per_year" or (name in _SIZES and sized)
        follows = follows or (name in _BY_TOKEN and fleet.api is not None)
        follows = follows or (name in _DOWN and fleet.availability is not None)
        if name not in ("model", "service"):
            for label, statement, _ in _walk(getattr(work, name), name, work.name):
                yield label, statement, follows


def _carbon(site: Site) -> Iterator[Ranged]:
    """Carbon as far as it is paid for, and heat."""
    around = site.around
    yield from _walk(around.heat_reuse, "heat_reuse", site.name)
    if around.carbon_usd_per_t is not None and not around.carbon_included:
        yield from _walk(around.carbon_usd_per_t, "carbon_usd_per_t", site.name)
        name = "market_gco2_per_kwh"
        if around.carbon_basis == "market":
            yield from _walk(around.market_gco2_per_kwh, name, site.name)
        elif around.grid_gco2_by_hour is None:
            yield from _walk(site.grid_gco2_per_kwh, "grid_gco2_per_kwh", site.name)


def _around(value: Any, owner: str) -> Iterator[Ranged]:
    """Networks, store and plant: prices and what makes the PUE are carried, counts are not."""
    for label, statement, _ in _walk(value, "", owner):
        name, figure = statement
        carried = "USD" in figure.unit or name in _PUE_PARTS or name == "support_fraction_per_year"
        yield label, statement, carried


def _walk(value: Any, name: str, owner: str) -> Iterator[Ranged]:
    if isinstance(value, Figure):
        yield f"{owner}: {_words(name)}", (name, value), True
    elif isinstance(value, tuple):
        for item in () if value and isinstance(value[0], (int, float)) else value:
            yield from _walk(item, name, owner)
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        for inner in _names(type(value)):
            part = getattr(value, inner)
            nested = dataclasses.is_dataclass(part) and not isinstance(part, Figure)
            yield from _walk(part, inner, f"{owner}, {inner}" if nested else owner)


def _words(name: str) -> str:
    """A field's name as words, its unit left to the unit's own place."""
    if name.startswith("usd_per_"):
        return name.replace("usd_per_", "price per ").replace("_", " ")
    cut = name.split("_usd")[0] if "_usd" in name else name
    return cut.replace("_fraction_per_year", "").removesuffix("_fraction").replace("_", " ")


def _speeds(cases: Sequence[OptionCase]) -> tuple[Driver, ...]:
    """How fast each device is, by the 80 % interval of its predicted time (P13.3)."""
    held: dict[tuple[str, float, float], set[str]] = {}
    for case in cases:
        for fleet_case in case.fleets:
            ratio = speed_range(fleet_case)
            if ratio is not None:
                held.setdefault((_device(fleet_case), *ratio), set()).add(_place(case, fleet_case))
    return tuple(
        Driver(
            label=f"Speed of {name}",
            unit="ratio",
            value=1.0,
            low=low,
            high=high,
            shape="lognormal",
            status=Status.ESTIMATED,
            source="80 % interval of the predicted time at the peak (P13.3)",
            fleets=frozenset(fleets),
        )
        for (name, low, high), fleets in held.items()
    )


def speed_range(case: FleetCase) -> tuple[float, float] | None:
    """Slow and fast end of a fleet's speed over the predicted one; None without an interval."""
    point = case.result.at_peak
    if point is None or case.result.count_rule is None:
        return None
    for metric in ("tpot", "e2e"):
        if metric in point.interval_ratio:
            below, above = point.interval_ratio[metric]
            return 1.0 / above, 1.0 / below
    return None


def _device(case: FleetCase) -> str:
    machine = case.fleet.server or case.fleet.offer
    return machine.device.name if machine else case.fleet.name


def _place(case: OptionCase, fleet_case: FleetCase) -> str:
    return place_of(case.option.key, fleet_case.fleet.key)


def place_of(option: str, fleet: str) -> str:
    """Name of a fleet within a scenario."""
    return f"{option}/{fleet}"


def substitute(
    value: Any,
    drawn: Mapping[Statement, Figure],
    known: dict[tuple[int, str], Any],
    name: str = "",
) -> Any:
    """Return `value` with the statements of `drawn` replaced; what holds none is returned itself.

    `name` is that of the field that holds `value`; `known` remembers what was seen.
    """
    if isinstance(value, Figure):
        return drawn.get((name, value), value)
    place = id(value), name
    if place in known:
        return known[place]
    result = value
    if isinstance(value, tuple):
        if value and isinstance(value[0], (int, float)):  # a year of hours holds no figure
            return value
        items = tuple(substitute(item, drawn, known, name) for item in value)
        if any(new is not old for new, old in zip(items, value, strict=True)):
            result = items
    elif dataclasses.is_dataclass(value) and not isinstance(value, type):
        changed = {}
        for inner in _names(type(value)):
            old = getattr(value, inner)
            new = substitute(old, drawn, known, inner)
            if new is not old:
                changed[inner] = new
        if changed:
            result = dataclasses.replace(value, **changed)
    known[place] = result
    return result


def ratio_of(drawn: Any, base: float) -> Any:
    """A drawn value over its own base; 1 where the base is 0."""
    return np.asarray(drawn) / base if base else 1.0


@lru_cache(maxsize=64)
def _names(kind: type) -> tuple[str, ...]:
    return tuple(item.name for item in dataclasses.fields(kind))

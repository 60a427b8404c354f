"""Rules between fields: what must be unique, what belongs together, what excludes what."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from tco.document.availability import broken_availability
from tco.document.financing import broken_purchase
from tco.document.hall_rules import broken_hall
from tco.document.local_model import broken_shape
from tco.document.mixing import broken_mix
from tco.document.moving import broken_move
from tco.document.nearest import suggestion
from tco.document.networks import broken_networks, broken_plant
from tco.document.parse import path_to
from tco.document.renting import broken_api, broken_rental
from tco.document.stages import broken_stage_fleets, broken_stages
from tco.document.tariff import broken_tariff
from tco.document.values import number, plain_number, shown
from tco.document.zones import broken_zone_option, broken_zones
from tco.errors import InputError
from tco.fields import section

Member = tuple[str, Mapping[str, Any]]
SHARE_TOLERANCE = 1e-9


def members(parent: Any, name: str, path: str = "") -> list[Member]:
    """Mappings of the list `name` with their paths; what is no mapping is told elsewhere."""
    value = parent.get(name) if isinstance(parent, Mapping) else None
    if not isinstance(value, list):
        return []
    place = path_to(path, name)
    return [
        (path_to(place, index), item)
        for index, item in enumerate(value)
        if isinstance(item, Mapping)
    ]


def broken_rules(document: Mapping[str, Any]) -> Iterator[InputError]:
    """Yield every rule between fields that a document breaks; it may be of any shape."""
    for name in ("sites", "workloads", "options", "zones"):
        yield from _unique(members(document, name), name)
    own = document.get("catalog")
    for name in section("catalog"):
        yield from _unique(members(own, name, "catalog"), name)
    for path, site in members(document, "sites"):
        yield from _site(path, site)
    for path, workload in members(document, "workloads"):
        yield from _workload(path, workload)
    for path, server in members(own, "servers", "catalog"):
        yield from _server(path, server)
    for path, model in members(own, "models", "catalog"):
        yield from broken_shape(path, model)
    for path, option in members(document, "options"):
        yield from _option(path, option, document)
    yield from broken_zones(document, members(document, "zones"))
    yield from _correlations(members(document, "correlations"))
    yield from broken_mix(document)


def _correlations(listed: list[Member]) -> Iterator[InputError]:
    """A pair of different inputs, each pair once; whether they have ranges is told on drawing."""
    first: dict[frozenset[str], str] = {}
    for path, item in listed:
        names = [item.get(name) for name in ("first", "second")]
        if not all(isinstance(name, str) for name in names):
            continue
        pair = frozenset(map(str, names))
        if len(pair) == 1:
            message = f"{shown(names[0])} is correlated with itself"
            yield InputError(path_to(path, "second"), message, "name another input")
        elif pair in first:
            message = f"the same two inputs stand in {first[pair]}"
            yield InputError(path_to(path, "second"), message, "give each pair once")
        first.setdefault(pair, path)


def _unique(listed: Iterable[Member], name: str) -> Iterator[InputError]:
    first: dict[str, str] = {}
    for path, item in listed:
        key = item.get("key")
        if not isinstance(key, str):
            continue
        if key in first:
            message = f"{shown(key)} is already the key of {first[key]}"
            yield InputError(path_to(path, "key"), message, f"give each of the {name} its own")
        first.setdefault(key, path)


def _site(path: str, site: Mapping[str, Any]) -> Iterator[InputError]:
    if "region" not in site:
        for name in ("country", "energy_usd_per_kwh"):
            if name not in site and not (name == "energy_usd_per_kwh" and "tariff" in site):
                mend = "enter it, or a region of the catalog to take it from"
                yield InputError(path_to(path, name), "is missing", mend)
    yield from broken_tariff(path, site)
    redundancy, feeds = site.get("feed_redundancy", "2N"), site.get("feeds_per_rack", 2)
    if redundancy in ("2N", "N+1") and feeds == 1:
        message = f"one feed cannot give {redundancy}"
        yield InputError(path_to(path, "feeds_per_rack"), message, "enter 2 or more, or use N")
    yield from broken_plant(path, site)
    if "colocation" in site and "build" in site:
        message = "the space is both rented and built"
        yield InputError(path_to(path, "build"), message, "leave out colocation or build")
    if isinstance(site.get("hall"), Mapping):
        yield from broken_hall(path_to(path, "hall"), site["hall"])


def _workload(path: str, workload: Mapping[str, Any]) -> Iterator[InputError]:
    needed: tuple[str, ...]
    barred: tuple[str, ...]
    if "training" in workload:
        needed, barred = ("model",), ("service", "requests_per_minute", "targets", "daily_shape")
        what = "a training run"
    elif "stages" in workload:
        needed = ("requests_per_minute",)
        barred = ("model", "service", "batch_inference", "input_tokens", "output_tokens")
        what = "a pipeline"
        place = path_to(path, "stages")
        stages = members(workload, "stages", path)
        yield from _unique(stages, "stages")
        yield from broken_stages(stages)
        if not stages and isinstance(workload["stages"], list):
            yield InputError(place, "the list is empty", "enter at least one stage")
    elif "batch_inference" in workload:
        needed, barred = ("model", "requests_per_minute"), ("input_tokens", "output_tokens")
        what = "a model that answers in one pass"
    elif "service" in workload:
        needed, barred = ("requests_per_minute",), ("model",)
        what = "a measured service"
    else:
        needed, barred = ("model", "requests_per_minute", "input_tokens", "output_tokens"), ()
        what = "serving a model"
    for name in needed:
        if name not in workload:
            label = section("workload")[name].label
            mend = f"enter {label[0].lower()}{label[1:]}: {what} needs it"
            yield InputError(path_to(path, name), "is missing", mend)
    for name in barred:
        if name in workload:
            yield InputError(path_to(path, name), f"does not go with {what}", "leave it out")
    shape = workload.get("daily_shape")
    if isinstance(shape, list) and shape and all(hour in (0, 0.0) for hour in shape):
        message = "no hour of the day has any load"
        yield InputError(path_to(path, "daily_shape"), message, "set the busiest hour to 1")
    if isinstance(workload.get("service"), Mapping):
        place = path_to(path, "service")
        yield from _points(place, members(workload["service"], "points", place))


def _points(path: str, points: list[Member]) -> Iterator[InputError]:
    if len(points) == 1:
        message = "one point gives no curve"
        yield InputError(path_to(path, "points"), message, "enter at least two")
    before: float | None = None
    for place, point in points:
        found = {name: _size(point.get(name), unit) for name, unit in _POINT_UNITS.items()}
        concurrency = found.pop("concurrency")
        if concurrency is not None:
            if before is not None and concurrency <= before:
                yield InputError(
                    path_to(place, "concurrency"),
                    f"{plain_number(concurrency)} does not rise above {plain_number(before)}",
                    "order the points by concurrency, each once",
                )
            before = concurrency
        ladder = [(name, size) for name, size in found.items() if size is not None]
        for (lower, low), (upper, high) in itertools.pairwise(ladder):
            if high < low:
                message = f"{plain_number(high)} ms is below {lower} of {plain_number(low)} ms"
                yield InputError(path_to(place, upper), message, "check the two percentiles")


_POINT_UNITS = {"concurrency": "request", "p50_ms": "ms", "p95_ms": "ms", "p99_ms": "ms"}


def _size(value: Any, unit: str) -> float | None:
    try:
        return number(value, unit)
    except ValueError:
        return None


def _server(path: str, server: Mapping[str, Any]) -> Iterator[InputError]:
    if "like" in server:
        return
    for name in ("device", "device_count"):
        if name not in server:
            mend = "enter it, or name a server of the catalog in `like`"
            yield InputError(path_to(path, name), "is missing", mend)


def _option(
    path: str, option: Mapping[str, Any], document: Mapping[str, Any]
) -> Iterator[InputError]:
    fleets = members(option, "fleets", path)
    yield from _unique(fleets, "fleets")
    apart = isinstance(option.get("zones"), list)
    for place, fleet in fleets:
        yield from _fleet(place, fleet, document, apart=apart)
    yield from broken_zone_option(path, option, document, fleets)
    known = {item["key"]: item for _, item in members(document, "workloads") if _has_key(item)}
    yield from broken_stage_fleets(fleets, known)
    shares: dict[tuple[str, str], list[tuple[str, float | None]]] = {}
    for place, fleet in fleets:
        workload = fleet.get("workload")
        here = fleet.get("zones", option["zones"]) if apart else [""]  # shares are of each zone
        if isinstance(workload, str) and "stages" not in known.get(workload, {}):
            size = _size(fleet.get("share_fraction"), "1")
            for zone in here if isinstance(here, list) else ():
                shares.setdefault((workload, str(zone)), []).append((place, size))
    for (workload, _), listed in shares.items():
        yield from _shares(workload, listed)


def _shares(workload: str, listed: list[tuple[str, float | None]]) -> Iterator[InputError]:
    total = sum(share for _, share in listed if share is not None)
    open_ended = any(share is None for _, share in listed)
    off = total - 1.0
    if off > SHARE_TOLERANCE or (off < -SHARE_TOLERANCE and not open_ended):
        message = f"the shares of {shown(workload)} add up to {plain_number(round(total, 9))}"
        yield InputError(path_to(listed[-1][0], "share_fraction"), message, "make them add up to 1")
    elif open_ended and off > -SHARE_TOLERANCE:
        idle = next(place for place, share in listed if share is None)
        message = f"the other fleets leave nothing of {shown(workload)}"
        yield InputError(path_to(idle, "share_fraction"), message, "lower their shares")


def _fleet(
    path: str, fleet: Mapping[str, Any], document: Mapping[str, Any], *, apart: bool = False
) -> Iterator[InputError]:
    for name, plural in (("workload", "workloads"), ("site", "sites")):
        key = fleet.get(name)
        known = [item["key"] for _, item in members(document, plural) if _has_key(item)]
        if isinstance(key, str) and key not in known:
            mend = suggestion(key, known) or f"add it to {plural}"
            yield InputError(path_to(path, name), f"no {name} has the key {shown(key)}", mend)
    named = [name for name in ("server", "offer", "api") if name in fleet]
    if len(named) > 1:
        what = "both owned and rented" if named == ["server", "offer"] else "served in two ways"
        message = f"the fleet is {what}"
        yield InputError(path_to(path, named[-1]), message, f"leave out {' or '.join(named)}")
    elif not named:
        mend = "enter a server to own or an offer to rent"
        yield InputError(path_to(path, "server"), "is missing", mend)
    elif "server" in fleet:
        if "site" not in fleet and not apart:
            yield InputError(path_to(path, "site"), "is missing", "enter where the servers stand")
        if "rental" in fleet:
            yield InputError(path_to(path, "rental"), "does not go with a server", "leave it out")
    elif "api" in fleet:
        loads = members(document, "workloads")
        served = next((load for _, load in loads if load.get("key") == fleet.get("workload")), None)
        yield from broken_api(path, fleet, served)
    else:
        for name in ("site", "device", "purchase"):
            if name in fleet:
                message = "does not go with a cloud offer"
                yield InputError(path_to(path, name), message, "leave it out")
    yield from broken_rental(path, fleet)
    yield from broken_purchase(path, fleet)
    yield from broken_availability(path, fleet)
    finance = document.get("finance")
    months = finance.get("horizon_months") if isinstance(finance, Mapping) else None
    months = (
        months if isinstance(months, int) else int(section("finance")["horizon_months"].default)
    )
    yield from broken_move(path, fleet, months)
    yield from broken_networks(path, fleet)
    start = fleet.get("start_month")
    if isinstance(start, int) and not isinstance(start, bool) and start >= months:
        message = f"month {start} is after the horizon of {months} months"
        yield InputError(path_to(path, "start_month"), message, "months count from 0")


def _has_key(item: Mapping[str, Any]) -> bool:
    return isinstance(item.get("key"), str)

"""Legal zones: what goes together, and fleets that stand in each of them (F17)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any

from tco.document.nearest import suggestion
from tco.document.parse import path_to
from tco.document.values import number, plain_number, shown, values
from tco.errors import InputError
from tco.inputs import Fleet, Transfer, Workload, Zone, ZoneFleet, Zoning

Member = tuple[str, Mapping[str, Any]]
_MAY = ("allowed", "allowed_with_cost")
_COSTS = ("usd_per_month", "usd_per_gb_moved", "gb_per_month")
SHARE_TOLERANCE = 1e-6  # thirds are written with six digits


def zones_of(document: Mapping[str, Any], option: Mapping[str, Any]) -> dict[str, Zone]:
    """Zones of a valid document by key, as this option places them."""
    found = [Zone(**_named(values("zone", item), item)) for item in document.get("zones", ())]
    placed = {item["zone"]: values("placement", item) for item in option.get("placements", ())}
    for terms in placed.values():
        del terms["zone"]
    return {zone.key: dataclasses.replace(zone, **placed.get(zone.key, {})) for zone in found}


def _named(found: dict[str, Any], given: Mapping[str, Any]) -> dict[str, Any]:
    return found | {"name": found["name"] or given["key"]}


def zoned(
    given: Mapping[str, Any],
    document: Mapping[str, Any],
    shares_of: Callable[[list[Mapping[str, Any]]], list[float]],
    fleet_of: Callable[[int, str], Fleet],
) -> tuple[tuple[Fleet, ...], Zoning]:
    """Fleets of an option, one for each fleet as written and zone that it stands in (F17.1).

    Parameters
    ----------
    shares_of
        Shares of the workloads of a list of fleets as written.
    fleet_of
        The fleet with this index as written, at a site.

    Notes
    -----
    A zone takes the demand of the zones that are served in it. Spares are the zone's own; a zone
    that fails over to another keeps none.
    """
    known = zones_of(document, given)
    sites = {item["key"]: item.get("site", "") for item in document["zones"]}
    zones = [known[key] for key in given["zones"]]
    total = sum(zone.demand_fraction for zone in zones)
    ways = tuple(Transfer(**values("transfer", item)) for item in document.get("transfers", ()))
    fleets: list[Fleet] = []
    most = 0
    for zone in zones:
        served = [one for one in zones if (one.served_in or one.key) == zone.key]
        if not served:
            continue
        demand = sum(one.demand_fraction for one in served) / total
        here = [
            index
            for index, item in enumerate(given["fleets"])
            if zone.key in item.get("zones", given["zones"])
        ]
        shares = shares_of([given["fleets"][index] for index in here])
        terms = ZoneFleet(
            zone,
            tuple(one.key for one in served),
            demand,
            0,
            tuple(_used(ways, zone, served)),
        )
        for index, share in zip(here, shares, strict=True):
            fleet = fleet_of(index, sites[zone.key])
            spare = _spare(zone, fleet.workload)
            most = max(most, spare)
            fleets.append(
                _placed(
                    fleet,
                    dataclasses.replace(terms, template_index=index),
                    share * demand,
                    0 if zone.failover_to else spare,
                )
            )
    return tuple(fleets), Zoning(tuple(zones), ways, most)


def _used(ways: Iterable[Transfer], zone: Zone, served: Sequence[Zone]) -> Iterator[Transfer]:
    pairs = [(one.key, zone.key) for one in served if one.key != zone.key]
    if zone.failover_to:
        pairs.append((zone.key, zone.failover_to))
    return (way for way in ways if (way.from_zone, way.to_zone) in pairs)


def _spare(zone: Zone, workload: Workload) -> int:
    return workload.replicas_lost if zone.spare_replicas is None else zone.spare_replicas


def _placed(fleet: Fleet, terms: ZoneFleet, share: float, spare: int) -> Fleet:
    zone, purchase = terms.zone, fleet.purchase
    if purchase is not None:
        own = {
            name: value
            for name in ("sales_tax_fraction", "duty_fraction")
            if (value := getattr(zone, name)) is not None
        }
        purchase = dataclasses.replace(purchase, **own)
    return dataclasses.replace(
        fleet,
        key=f"{fleet.key}-{zone.key}",
        name=f"{fleet.name}, {zone.name}",
        workload=dataclasses.replace(fleet.workload, replicas_lost=spare),
        purchase=purchase,
        share_fraction=share,
        zone=terms,
    )


def broken_zones(document: Mapping[str, Any], zones: list[Member]) -> Iterator[InputError]:
    """Yield what is wrong with zones and transfers; the document may be of any shape."""
    keys = [str(item["key"]) for _, item in zones if _text(item.get("key"))]
    seen: dict[tuple[str, str], str] = {}
    for path, item in _members(document.get("transfers"), "transfers"):
        yield from _transfer(path, item, keys, seen)
    for (a, b), where in seen.items():
        if (b, a) not in seen and a in keys and b in keys and a != b:
            message = f"the way back from {b} to {a} is not given"
            yield InputError(where, message, "add it; forbidden where nothing may come back")
    sites = [str(x["key"]) for _, x in _members(document.get("sites")) if _text(x.get("key"))]
    for path, zone in zones:
        if _text(zone.get("site")) and zone["site"] not in sites:
            message = f"no site has the key {shown(zone['site'])}"
            mend = suggestion(zone["site"], sites) or "add it to sites"
            yield InputError(path_to(path, "site"), message, mend)
        if _size(zone.get("demand_fraction")) == 0.0:
            mend = "enter its part of the demand, or leave the zone out"
            yield InputError(path_to(path, "demand_fraction"), "the zone has no demand", mend)


def _transfer(
    path: str, item: Mapping[str, Any], keys: list[str], seen: dict[tuple[str, str], str]
) -> Iterator[InputError]:
    ends = item.get("from_zone"), item.get("to_zone")
    for name, end in zip(("from_zone", "to_zone"), ends, strict=True):
        if _text(end) and end not in keys:
            mend = suggestion(str(end), keys) or "add it to zones"
            yield InputError(path_to(path, name), f"no zone has the key {shown(end)}", mend)
    if not (_text(ends[0]) and _text(ends[1])):
        return
    pair = str(ends[0]), str(ends[1])
    if pair[0] == pair[1]:
        message = f"{shown(pair[0])} to itself needs no transfer"
        yield InputError(path_to(path, "to_zone"), message, "leave the line out")
    if pair in seen:
        message = f"{pair[0]} to {pair[1]} is given twice"
        yield InputError(path_to(path, "to_zone"), message, "keep one of them")
    rule = str(item.get("rule"))
    seen.setdefault(pair, path)
    costs = [name for name in _COSTS if name in item]
    if rule == "allowed_with_cost" and not {"usd_per_month", "usd_per_gb_moved"} & set(costs):
        mend = "enter what it costs, or set rule to allowed"
        yield InputError(path_to(path, "usd_per_month"), "is missing", mend)
    if rule != "allowed_with_cost":
        for name in costs:
            message = f"does not go with rule {shown(rule)}"
            yield InputError(path_to(path, name), message, "leave it out")
    for name, other in (("usd_per_gb_moved", "gb_per_month"), ("gb_per_month", "usd_per_gb_moved")):
        if name in costs and other not in costs:
            yield InputError(path_to(path, other), "is missing", f"{name} needs it")


def _placements(
    path: str, listed: Any, chosen: list[str], rules: Mapping[tuple[str, str], str]
) -> Iterator[InputError]:
    """Where zones are served and fail over to: known, allowed, and not through a third one."""
    placed = _members(listed, path_to(path, "placements"))
    served = {str(item.get("zone")): item.get("served_in") for _, item in placed}
    failing = {str(item.get("zone")) for _, item in placed if _text(item.get("failover_to"))}
    seen: set[str] = set()
    for where, item in placed:
        own, to, over = item.get("zone"), item.get("served_in"), item.get("failover_to")
        if not _text(own):
            continue
        if own not in chosen:
            mend = suggestion(str(own), chosen) or "name a zone of the option"
            message = f"{shown(own)} is not a zone of this option"
            yield InputError(path_to(where, "zone"), message, mend)
            continue
        if own in seen:
            message = f"{shown(own)} is placed twice"
            yield InputError(path_to(where, "zone"), message, "keep one of them")
        seen.add(str(own))
        for name, other in (("served_in", to), ("failover_to", over)):
            wrong = _wrong_way(str(own), str(other), chosen, rules) if _text(other) else None
            if wrong is not None:
                yield InputError(path_to(where, name), *wrong)
        if _text(to) and _text(over):
            message = f"{own} has no machines of its own: it is served in {to}"
            yield InputError(path_to(where, "failover_to"), message, "leave it out")
        if _text(to) and _text(served.get(str(to))):
            message = f"{own} is served in {to}, which is itself served in {served[str(to)]}"
            yield InputError(path_to(where, "served_in"), message, f"let {to} serve itself")
        if _text(over) and over in failing:
            message = f"{over} keeps no spares itself: it fails over to another zone"
            mend = "name a zone with spares of its own"
            yield InputError(path_to(where, "failover_to"), message, mend)
        elif _text(over) and _text(served.get(str(over))):
            message = f"{over} has no machines: it is served in {served[str(over)]}"
            yield InputError(path_to(where, "failover_to"), message, "name a zone with machines")


def _wrong_way(
    own: str, to: str, chosen: list[str], rules: Mapping[tuple[str, str], str]
) -> tuple[str, str] | None:
    if to == own:
        return f"{shown(own)} cannot stand in for itself", "leave it out"
    if to not in chosen:
        mend = suggestion(to, chosen) or "name a zone of the option"
        return f"{shown(to)} is not a zone of this option", mend
    rule = rules.get((own, to), "")
    if rule in _MAY:
        return None
    how = rule or "not given"
    return (
        f"data of {own} may not go to {to}: the transfer is {how}",
        "leave it out, or allow the pair in transfers",
    )


def broken_zone_option(
    path: str, option: Mapping[str, Any], document: Mapping[str, Any], fleets: list[Member]
) -> Iterator[InputError]:
    """Yield what is wrong with the zones of one option; it may be of any shape."""
    named, place = option.get("zones"), path_to(path, "zones")
    if not isinstance(named, list):
        for where, fleet in fleets:
            if "zones" in fleet:
                message = "the option names no zones"
                yield InputError(path_to(where, "zones"), message, f"add zones to {path}")
        if "placements" in option:
            message = "the option names no zones"
            yield InputError(path_to(path, "placements"), message, f"add zones to {path}")
        return
    zones = {z["key"]: z for _, z in _members(document.get("zones")) if _text(z.get("key"))}
    chosen = [key for key in named if _text(key)]
    for key in chosen:
        if key not in zones:
            mend = suggestion(key, zones) or "add it to zones"
            yield InputError(place, f"no zone has the key {shown(key)}", mend)
    if len(set(chosen)) < len(chosen):
        yield InputError(place, "a zone is named twice", "keep one of them")
    if not chosen:
        yield InputError(place, "the list is empty", "name the zones, or leave the line out")
    known = [zones[key] for key in dict.fromkeys(chosen) if key in zones]
    sizes = [_size(zone.get("demand_fraction")) for zone in known]
    if known and len(known) == len(chosen) and None not in sizes:
        total = sum(size for size in sizes if size is not None)
        if abs(total - 1.0) > SHARE_TOLERANCE:
            message = f"the zones' parts of the demand add up to {plain_number(round(total, 9))}"
            yield InputError(place, message, "make them add up to 1: all demand is served")
    rules = {
        (str(way.get("from_zone")), str(way.get("to_zone"))): str(way.get("rule"))
        for _, way in _members(document.get("transfers"))
    }
    yield from _placements(path, option.get("placements"), chosen, rules)
    moved = {
        str(item.get("zone"))
        for _, item in _members(option.get("placements"))
        if _text(item.get("served_in"))
    }
    serving = {key for key in chosen if key not in moved and key in zones}
    yield from _zone_fleets(place, chosen, sorted(serving), zones, fleets)


def _zone_fleets(
    place: str,
    chosen: list[str],
    serving: list[str],
    zones: Mapping[str, Mapping[str, Any]],
    fleets: list[Member],
) -> Iterator[InputError]:
    standing: dict[tuple[str, str], bool] = {}
    loads = {str(fleet.get("workload")) for _, fleet in fleets if _text(fleet.get("workload"))}
    for where, fleet in fleets:
        own = fleet.get("zones", chosen)
        for key in own if isinstance(own, list) else ():
            if _text(key) and key not in chosen:
                mend = suggestion(key, chosen) or "name a zone of the option"
                message = f"{shown(key)} is not a zone of this option"
                yield InputError(path_to(where, "zones"), message, mend)
            standing[(str(key), str(fleet.get("workload")))] = True
            if "server" in fleet and key in serving and "site" not in zones.get(str(key), {}):
                message = f"{key} has no site, where servers of this fleet would stand"
                yield InputError(path_to(where, "zones"), message, f"add a site to zone {key}")
        if "site" in fleet:
            message = "a fleet in zones stands at the zones' sites"
            yield InputError(path_to(where, "site"), message, "leave it out")
    for key in serving:
        for load in sorted(loads):
            if (key, load) not in standing:
                message = f"no fleet may serve {load} in {key}"
                mend = f"add {key} to the zones of a fleet, or let another zone serve it"
                yield InputError(place, message, mend)


def _members(listed: Any, path: str = "") -> list[Member]:
    """Mappings of a list with their paths; what is no mapping is told elsewhere."""
    named = enumerate(listed if isinstance(listed, list) else ())
    return [(path_to(path, index), item) for index, item in named if isinstance(item, Mapping)]


def _size(value: Any) -> float | None:
    try:
        return number(value, "fraction")
    except ValueError:
        return None


def _text(value: Any) -> bool:
    return isinstance(value, str)

"""A site's hall: names to figures, and what only shows once heights are known."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tco.document.local_catalog import LocalCatalog, server_device_error, unknown
from tco.document.parse import path_to
from tco.document.values import shown, values
from tco.errors import InputError
from tco.inputs import (
    CoolingUnitPart,
    Feed,
    Hall,
    HallDevice,
    HallNeed,
    HallPool,
    HallRacks,
    HallWindow,
    Kit,
    PowerPart,
    Rack,
    Server,
    rack_names,
)

Refuse = Callable[[InputError], None]
_INVENTORY = {"site", "location", "status", "role", "rack_type", "facility_id", "serial"}
_RACK_ONLY = _INVENTORY | {
    *("asset_tag", "width", "weight_unit", "description", "comments", "tags"),
    *("units", "load_kg", "feeds_per_rack", "feed_redundancy"),
}
_DEVICE_ONLY = {"bay", "status", "role", "site", "location", "platform", "serial", "asset_tag"} | {
    *("airflow", "description", "comments", "tags"),
}


def hall_of(
    site_path: str,
    site: Mapping[str, Any],
    catalog: LocalCatalog,
    rack: Rack,
    feed: Feed,
    say: Refuse,
) -> Hall | None:
    """Return the hall of a valid site; `rack` and `feed` are the site's. Errors go to `say`."""
    if "hall" not in site:
        return None
    path, given = path_to(site_path, "hall"), site["hall"]
    kit = tuple(
        _kit(f"{path}.kit[{index}]", item, catalog, say)
        for index, item in enumerate(given.get("kit", []))
    )
    racks = tuple(
        _racks(f"{path}.racks[{index}]", item, catalog, rack, feed, say)
        for index, item in enumerate(given["racks"])
    )
    devices = tuple(_device(item) for item in given.get("devices", []))
    hall = Hall(
        **values("hall", given),
        power=tuple(_part(item) for item in given.get("power", [])),
        racks=racks,
        kit=kit,
        devices=devices,
        needs=tuple(HallNeed(**_named("hall_need", item)) for item in given.get("needs", [])),
        windows=tuple(
            HallWindow(**_named("hall_window", item)) for item in given.get("windows", [])
        ),
        cooling_units=tuple(
            CoolingUnitPart(
                **{**_named("cooling_unit", item), "racks": tuple(item.get("racks", ()))}
            )
            for item in given.get("cooling_units", [])
        ),
        pools=tuple(HallPool(**values("hall_pool", item)) for item in given.get("pools", [])),
    )
    for error in _standing_errors(path, hall):
        say(error)
    return hall


def _named(section: str, given: Mapping[str, Any]) -> dict[str, Any]:
    found = values(section, given)
    if "from" in found:
        found["available_from"] = found.pop("from")
    if "name" in found:
        found["name"] = found["name"] or given.get("key", "")
    return found


def _part(given: Mapping[str, Any]) -> PowerPart:
    return PowerPart(**_named("power_part", given))


def _racks(
    path: str,
    given: Mapping[str, Any],
    catalog: LocalCatalog,
    site_rack: Rack,
    site_feed: Feed,
    say: Refuse,
) -> HallRacks:
    found = _named("hall_rack", given)
    rack, feed = site_rack, site_feed
    if "rack" in given:
        own = catalog.rack(given["rack"])
        if own is None:
            say(unknown(path_to(path, "rack"), "rack", given["rack"], catalog))
        rack = own or rack
    if found["units"] is not None:
        rack = dataclasses.replace(rack, rack_units=found["units"])
    if found["load_kg"] is not None:
        rack = dataclasses.replace(rack, static_load_kg=found["load_kg"])
    count = found["feeds_per_rack"] or site_feed.feeds_per_rack
    redundancy = found["feed_redundancy"] or site_feed.redundancy
    if "feed" in given:
        chosen = catalog.feed(given["feed"])
        if chosen is None:
            say(unknown(path_to(path, "feed"), "feed", given["feed"], catalog))
        feed = chosen or feed
    if redundancy in ("2N", "N+1") and count < 2:
        message = f"one feed cannot give {redundancy}"
        say(InputError(path_to(path, "feeds_per_rack"), message, "enter 2 or more, or use N"))
        count = 2
    feed = dataclasses.replace(feed, feeds_per_rack=count, redundancy=redundancy)
    kept = {name: value for name, value in found.items() if name not in _RACK_ONLY}
    if kept["reserved_units"] is None:
        kept["reserved_units"] = rack.reserved_units
    return HallRacks(**kept, rack=rack, feed=feed)


def _kit(path: str, given: Mapping[str, Any], catalog: LocalCatalog, say: Refuse) -> Kit:
    found = values("hall_kit", given)
    server: Server | None = None
    if "server" in given:
        device = given.get("device")
        try:
            server = catalog.server(given["server"], device)
        except InputError as error:
            say(InputError(path_to(path, "server"), error.message, error.mend))
        if server is None:
            taken = catalog.devices_of(given["server"])
            say(server_device_error(path_to(path, "device"), given["server"], device, taken))
    named = " ".join(part for part in (found.pop("manufacturer"), found.pop("model")) if part)
    found["name"] = found["name"] or (server.name if server else named or given["key"])
    return Kit(**found, server=server)


def _device(given: Mapping[str, Any]) -> HallDevice:
    found = values("hall_device", given)
    kept = {name: value for name, value in found.items() if name not in _DEVICE_ONLY}
    return HallDevice(**kept)


def height_u(hall: Hall, device: HallDevice) -> float | None:
    """Units that a device takes; None where nobody says, 0 beside the rails and in a chassis."""
    kit = next((item for item in hall.kit if item.key == device.kit), None)
    if kit is None:
        return device.height_u
    if kit.mount in {"zero_u", "child"} or device.parent:
        return 0.0
    if kit.units is not None:
        return kit.units
    if kit.server is not None and kit.server.rack_units is not None:
        return kit.server.rack_units.value
    return device.height_u


def _standing_errors(path: str, hall: Hall) -> Iterator[InputError]:
    """Yield devices above their rack, over each other, and kinds of unknown height or watts."""
    for index, kit in enumerate(hall.kit):
        place = f"{path}.kit[{index}]"
        server = kit.server
        tall = kit.units is not None or (server is not None and server.rack_units is not None)
        if not tall and kit.mount == "rail":
            yield InputError(path_to(place, "units"), "is missing", "enter the height in U")
        watts = (kit.provisioned_w, kit.nameplate_w, kit.measured_w)
        if all(each is None for each in watts) and (server is None or server.max_system_w is None):
            mend = "enter nameplate_w, measured_w or provisioned_w: unknown watts are not 0"
            yield InputError(path_to(place, "nameplate_w"), "is missing", mend)
    heights = {
        name: group.rack.rack_units
        for group in hall.racks
        for name in rack_names(group.key, group.count)
    }
    depth = {kit.key: kit.depth for kit in hall.kit}
    taken: dict[tuple[str, str, int], str] = {}
    for index, device in enumerate(hall.devices):
        place = f"{path}.devices[{index}]"
        tall_u = height_u(hall, device)
        if not device.rack or device.unit is None or not tall_u:
            continue
        top = device.unit + tall_u - 1
        most = heights.get(device.rack)
        if most is None:
            continue
        if tall_u > most:
            message = f"{shown(device.name)} of {tall_u:g} U is taller than its rack of {most} U"
            yield InputError(path_to(place, "unit"), message, "choose a taller rack")
            continue
        if top > most:
            message = f"{shown(device.name)} reaches unit {top:g} of a rack of {most}"
            yield InputError(
                path_to(place, "unit"), message, f"enter {most - tall_u + 1:g} or less"
            )
            continue
        faces = ("front", "rear") if depth.get(device.kit, "full") == "full" else (device.face,)
        halves = range(round(2 * (device.unit - 1)), round(2 * (device.unit - 1 + tall_u)))
        others = {
            other
            for face in faces
            for half in halves
            if (other := taken.get((device.rack, face, half)))
        }
        for other in sorted(others):
            message = f"unit {device.unit:g} of {device.rack} holds {shown(other)} already"
            yield InputError(path_to(place, "unit"), message, "give each its own units")
        for face in faces:
            for half in halves:
                taken.setdefault((device.rack, face, half), device.name)

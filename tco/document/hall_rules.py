"""Rules within a hall: keys, references, loops, places; nothing here needs the catalog."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import Any

from tco.document.nearest import suggestion
from tco.document.parse import path_to
from tco.document.values import plain_number, shown
from tco.errors import InputError
from tco.inputs import rack_names

Member = tuple[str, Mapping[str, Any]]
_CIRCUITS = {"pdu", "branch"}


def _members(parent: Mapping[str, Any], name: str, path: str) -> list[Member]:
    value = parent.get(name)
    if not isinstance(value, list):
        return []
    place = path_to(path, name)
    return [
        (path_to(place, index), item)
        for index, item in enumerate(value)
        if isinstance(item, Mapping)
    ]


def broken_hall(path: str, hall: Mapping[str, Any]) -> Iterator[InputError]:
    """Yield every rule that a hall breaks; it may be of any shape."""
    lists = {name: _members(hall, name, path) for name in _LISTS}
    for name in _LISTS:
        yield from _unique(lists[name], "name" if name == "devices" else "key", name)
    yield from _power(lists["power"])
    yield from _racks(lists["racks"], _keys(lists["power"]))
    names = _rack_names(lists["racks"])
    kits = _keys(lists["kit"])
    for place, kit in lists["kit"]:
        yield from _kit(place, kit)
    yield from _devices(lists["devices"], kits, names)
    for name in ("needs", "pools"):
        for place, item in lists[name]:
            yield from _known(place, "kit", item.get("kit"), kits, "kind of device")
    groups = {*_keys(lists["racks"]), *names}
    for place, unit in lists["cooling_units"]:
        served = unit.get("racks")
        for index, key in enumerate(served if isinstance(served, list) else []):
            yield from _known(f"{place}.racks", index, key, groups, "racks")
    parts = {*_keys(lists["power"]), *_keys(lists["cooling_units"]), *groups}
    for place, window in lists["windows"]:
        if ("part" in window) == ("kit" in window):
            yield InputError(path_to(place, "part"), "a window takes out a part or a kind", _ONE)
        yield from _known(place, "part", window.get("part"), parts, "part of the hall")
        yield from _known(place, "kit", window.get("kit"), kits, "kind of device")
    fabric = hall.get("fabric_rack")
    yield from _known(path, "fabric_rack", fabric, groups, "racks")


_ONE = "enter one of part and kit"
_LISTS = ("power", "racks", "kit", "devices", "needs", "windows", "cooling_units", "pools")


def _keys(listed: Iterable[Member], name: str = "key") -> set[str]:
    return {item[name] for _, item in listed if isinstance(item.get(name), str)}


def _count(item: Mapping[str, Any]) -> int:
    count = item.get("count", 1)
    whole = isinstance(count, int) and not isinstance(count, bool)
    return count if whole and 1 <= count <= 2000 else 1


def _rack_names(listed: Iterable[Member]) -> set[str]:
    return {
        name
        for _, item in listed
        if isinstance(item.get("key"), str)
        for name in rack_names(item["key"], _count(item))
    }


def _unique(listed: list[Member], name: str, what: str) -> Iterator[InputError]:
    first: dict[str, str] = {}
    for path, item in listed:
        key = item.get(name)
        if not isinstance(key, str):
            continue
        if key in first:
            message = f"{shown(key)} is already the {name} of {first[key]}"
            yield InputError(path_to(path, name), message, f"give each of the {what} its own")
        first.setdefault(key, path)


def _known(
    path: str, name: str | int, value: Any, keys: Collection[str], what: str
) -> Iterator[InputError]:
    if isinstance(value, str) and value not in keys:
        mend = suggestion(value, sorted(keys)) or f"add it, or name a {what} of this hall"
        yield InputError(path_to(path, name), f"the hall has no {what} {shown(value)}", mend)


def _power(listed: list[Member]) -> Iterator[InputError]:
    keys = _keys(listed)
    parents: dict[str, str] = {}
    for path, part in listed:
        yield from _known(path, "parent", part.get("parent"), keys, "part of the power tree")
        if part.get("kind") in _CIRCUITS and "breaker_a" not in part:
            message = "a feed without a breaker"
            yield InputError(path_to(path, "breaker_a"), message, "enter its rating in amperes")
        rated = [name for name in ("breaker_a", "plug_a", "cord_a") if name in part]
        if rated and "voltage_v" not in part:
            yield InputError(path_to(path, "voltage_v"), "is missing", "amperes need the voltage")
        if rated and "breaker_a" not in rated and part.get("kind") not in _CIRCUITS:
            message = "a plug or cord without a breaker"
            yield InputError(path_to(path, "breaker_a"), message, "enter its rating in amperes")
        if part.get("phases") == 2:
            yield InputError(path_to(path, "phases"), "2 is not 1 or 3", "enter 1 or 3")
        if isinstance(part.get("key"), str) and isinstance(part.get("parent"), str):
            parents[part["key"]] = part["parent"]
    looped: set[str] = set()
    for path, part in listed:
        key = part.get("key")
        seen: list[str] = []
        here = key
        while isinstance(here, str) and here in parents and here not in seen:
            seen.append(here)
            here = parents[here]
        if here in seen and here not in looped:
            circle = seen[seen.index(here) :]
            looped.update(circle)
            message = f"the power runs in a loop: {' > '.join([*circle, here])}"
            yield InputError(path_to(path, "parent"), message, "end the tree at the utility")


def _racks(listed: list[Member], parts: set[str]) -> Iterator[InputError]:
    places: dict[tuple[str, int], str] = {}
    names: dict[str, str] = {}
    for path, racks in listed:
        sources = racks.get("sources")
        for index, key in enumerate(sources if isinstance(sources, list) else []):
            yield from _known(f"{path}.sources", index, key, parts, "part of the power tree")
        key = racks.get("key")
        if isinstance(key, str):
            for name in rack_names(key, _count(racks)):
                if name in names and names[name] != path:
                    message = f"a rack is called {shown(name)} already, by {names[name]}"
                    yield InputError(path_to(path, "key"), message, "give the racks other keys")
                names.setdefault(name, path)
        first, row = racks.get("first_place"), racks.get("row", "")
        if isinstance(first, int) and isinstance(row, str):
            for place in range(first, first + _count(racks)):
                if (row, place) in places:
                    message = f"place {place} of row {shown(row)} holds {places[(row, place)]}"
                    mend = "give each rack its own place"
                    yield InputError(path_to(path, "first_place"), message, mend)
                    break
            for place in range(first, first + _count(racks)):
                places.setdefault((row, place), str(key))


def _kit(path: str, kit: Mapping[str, Any]) -> Iterator[InputError]:
    units = kit.get("units")
    yield from _halves(path, "units", units)
    mount = kit.get("mount", "rail")
    if units == 0 and mount == "rail":
        mend = "enter its units, or mount zero_u or child"
        yield InputError(path_to(path, "units"), "a device on rails takes units", mend)


def _halves(path: str, name: str, value: Any) -> Iterator[InputError]:
    number = isinstance(value, (int, float)) and not isinstance(value, bool)
    if number and (2 * value) % 1:
        message = f"{plain_number(value)} U is no half unit"
        yield InputError(path_to(path, name), message, "enter units or halves, such as 3.5")


def _devices(listed: list[Member], kits: set[str], racks: set[str]) -> Iterator[InputError]:
    names = _keys(listed, "name")
    parents = {
        item["name"]: item["parent"]
        for _, item in listed
        if isinstance(item.get("name"), str) and isinstance(item.get("parent"), str)
    }
    bays: dict[tuple[str, str], str] = {}
    for path, device in listed:
        yield from _known(path, "kit", device.get("kit"), kits, "kind of device")
        yield from _known(path, "rack", device.get("rack"), racks, "rack")
        yield from _known(path, "parent", device.get("parent"), names, "device")
        yield from _halves(path, "unit", device.get("unit"))
        yield from _halves(path, "height_u", device.get("height_u"))
        state = device.get("state", "installed")
        if "kit" not in device and state not in {"reserved", "blocked"}:
            mend = "enter its kind, or the state reserved or blocked"
            yield InputError(path_to(path, "kit"), "is missing", mend)
        if "kit" not in device and "height_u" not in device:
            yield InputError(path_to(path, "height_u"), "is missing", "enter the units it takes")
        if "unit" in device and "rack" not in device:
            yield InputError(path_to(path, "rack"), "is missing", "a position needs its rack")
        if "parent" in device and "unit" in device:
            message = "a child stands where its parent does"
            yield InputError(path_to(path, "unit"), message, "leave the position out")
        here, steps = device.get("name"), 0
        while isinstance(here, str) and here in parents and steps <= len(parents):
            here, steps = parents[here], steps + 1
        if steps > len(parents):
            yield InputError(path_to(path, "parent"), "devices hold each other", "mend the parent")
        bay = (device.get("parent"), device.get("bay"))
        if isinstance(bay[0], str) and isinstance(bay[1], str):
            if bay in bays:
                message = f"bay {shown(bay[1])} of {shown(bay[0])} holds {shown(bays[bay])}"
                yield InputError(path_to(path, "bay"), message, "give each child its own bay")
            bays.setdefault((bay[0], bay[1]), str(device.get("name")))

"""What stands in a hall, out of files and into files; what is planned, into files (F2.7)."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping, Sequence
from typing import Any

from tco.document.inventory.kubernetes import read_nodes, write_pools
from tco.document.inventory.netbox import (
    DEVICE_COLUMNS,
    maker_and_model,
    read_devices,
    read_racks,
    write_devices,
    write_racks,
    written,
)
from tco.errors import InputError, InputErrors
from tco.inputs import Fleet, rack_names

FILES = ("racks", "devices", "nodes")
FILE_NAMES = {"racks": "racks.csv", "devices": "devices.csv", "nodes": "nodes.json"}
# What Kubernetes calls a device of each vendor; a kind of the hall may say its own.
RESOURCES = {
    "nvidia": "nvidia.com/gpu",
    "amd": "amd.com/gpu",
    "intel": "habana.ai/gaudi",
    "aws": "aws.amazon.com/neuron",
    "google": "google.com/tpu",
}


def hall_at(document: Mapping[str, Any], site: str | None) -> dict[str, Any]:
    """Return the hall of a site, or of the first site that has one; an empty one where named.

    Raises
    ------
    InputError
        No such site, or none with a hall.
    """
    sites = [item for item in document.get("sites", []) if isinstance(item, dict)]
    chosen = [item for item in sites if (item.get("key") == site if site else "hall" in item)]
    if not chosen:
        keys = ", ".join(str(item.get("key")) for item in sites)
        raise InputError("site", f"no site with a hall is {site or 'there'}", f"use {keys}")
    hall = chosen[0].setdefault("hall", {"racks": []})
    assert isinstance(hall, dict)
    return hall


def taken(
    document: Mapping[str, Any],
    site: str | None,
    files: Mapping[str, str],
    names: Mapping[str, str] = FILE_NAMES,
) -> dict[str, Any]:
    """Return a copy of the document with what the files say stands in its hall.

    What a file does not know of a rack or a place stays. `files` holds texts of ``racks`` and
    ``devices`` (CSV as NetBox exports them) and ``nodes`` (``kubectl get nodes -o json``).

    Raises
    ------
    InputErrors
        Every error of every file, with row and column or item; nothing is taken then.
    """
    found = copy.deepcopy(dict(document))
    hall = hall_at(found, site)
    errors: list[InputError] = []
    for name in FILES:
        if name not in files:
            continue
        try:
            _take(hall, name, files[name], names.get(name, FILE_NAMES[name]))
        except InputErrors as error:
            errors.extend(error.errors)
    if errors:
        raise InputErrors(tuple(errors))
    return found


def _take(hall: dict[str, Any], name: str, text: str, file: str) -> None:
    kit = hall.get("kit", [])
    if name == "nodes":
        hall["pools"] = read_nodes(text, kit, file)
    elif name == "racks":
        _take_racks(hall, read_racks(text, file))
    else:
        places = [device for device in hall.get("devices", []) if "kit" not in device]
        racks = [rack for group in hall["racks"] for rack in one_by_one(group)]
        hall["devices"] = [*read_devices(text, racks, kit, file), *places]


def _take_racks(hall: dict[str, Any], given: list[dict[str, Any]]) -> None:
    """Put racks into the hall; a group whose racks are all as they were stays a group."""
    by_key = {rack["key"]: rack for rack in given}
    kept: list[dict[str, Any]] = []
    apart: dict[str, list[str]] = {}
    for group in hall.get("racks", []):
        members = one_by_one(group)
        same = {rack["key"]: rack for rack in read_racks(write_racks([group]))}
        if len(members) > 1 and all(by_key.get(key) == rack for key, rack in same.items()):
            kept.append(group)
            for key in same:
                del by_key[key]
            continue
        if len(members) > 1:
            apart[group["key"]] = [rack["key"] for rack in members if rack["key"] in by_key]
        for rack in members:
            if rack["key"] in by_key:
                kept.append({**rack, **by_key.pop(rack["key"])})
    hall["racks"] = [*kept, *by_key.values()]
    for unit in hall.get("cooling_units", []):
        if "racks" in unit:  # they named the group
            unit["racks"] = [one for key in unit["racks"] for one in apart.get(key, [key])]


def one_by_one(group: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the racks of a group, each with what the group says.

    Examples
    --------
    >>> one_by_one({"key": "a", "row": "A", "count": 2, "ports": 16})[1]
    {'key': 'a-02', 'row': 'A', 'ports': 16}
    """
    count = int(group.get("count", 1))
    if count == 1:
        return [dict(group)]
    own = {name: value for name, value in group.items() if name not in ("count", "name")}
    found = []
    for number, key in enumerate(rack_names(group["key"], count)):
        rack = {**own, "key": key}
        if "first_place" in own:
            rack["first_place"] = int(own["first_place"]) + number
        found.append(rack)
    return found


def standing_files(document: Mapping[str, Any], site: str | None) -> dict[str, str]:
    """Return what stands: racks and devices as NetBox imports them, node pools of Kubernetes."""
    hall = hall_at(copy.deepcopy(dict(document)), site)
    kit, racks = hall.get("kit", []), hall.get("racks", [])
    return {
        "racks.csv": write_racks(racks),
        "devices.csv": write_devices(hall.get("devices", []), racks, kit),
        "node_pools.json": write_pools(hall.get("pools", []), hall.get("needs", []), kit),
    }


def planned_files(
    document: Mapping[str, Any],
    site: str,
    placed: Sequence[Mapping[str, Any]],
    fleets: Sequence[Fleet],
) -> dict[str, str]:
    """Return the plan of one option: packed servers for NetBox, node pools for Kubernetes.

    Parameters
    ----------
    placed
        Racks of the hall's result as JSON: each with its devices where they were packed.
    fleets
        Of the option, for makers, devices and their number.
    """
    hall = hall_at(copy.deepcopy(dict(document)), site)
    kinds: dict[str, Mapping[str, Any]] = {item["key"]: item for item in hall.get("kit", [])}
    own = {f"fleet:{fleet.key}": fleet for fleet in fleets if fleet.server is not None}
    names = _rack_names(hall.get("racks", []))
    rows = []
    counts: dict[str, int] = {}
    for rack in placed:
        for device in rack["devices"]:
            if device["state"] != "planned" or device["parent"]:
                continue
            kind, fleet = kinds.get(device["kit"]), own.get(device["kit"])
            counts[device["kit"]] = counts.get(device["kit"], 0) + 1
            row = {
                "name": device["name"],
                "role": "server" if fleet is not None else "equipment",
                "manufacturer": _maker(kind, fleet),
                "device_type": _model(kind, fleet, device["kit"]),
                "site": site,
                "rack": names.get(rack["key"], rack["key"]),
                "status": "planned",
            }
            if device["unit"] is not None:
                row |= {"position": f"{float(device['unit']):.1f}", "face": device["face"]}
            rows.append(row)
    return {
        "planned_devices.csv": written(DEVICE_COLUMNS, rows),
        "planned_node_pools.json": _planned_pools(counts, own),
    }


def _rack_names(racks: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    return {
        str(rack["key"]): str(rack.get("name", rack["key"]))
        for rack in racks
        if int(rack.get("count", 1)) == 1
    }


def _maker(kind: Mapping[str, Any] | None, fleet: Fleet | None) -> str:
    if kind is not None:
        return maker_and_model(kind)[0]
    return fleet.server.vendor if fleet is not None and fleet.server is not None else ""


def _model(kind: Mapping[str, Any] | None, fleet: Fleet | None, key: str) -> str:
    if kind is not None:
        return maker_and_model(kind)[1]
    return fleet.server.name if fleet is not None and fleet.server is not None else key


def _planned_pools(counts: Mapping[str, int], own: Mapping[str, Fleet]) -> str:
    pools = []
    for key, count in counts.items():
        fleet = own.get(key)
        if fleet is None or fleet.server is None:
            continue
        server = fleet.server
        resource = RESOURCES.get(server.device.vendor.lower())
        pools.append(
            {
                "name": fleet.key,
                "count": count,
                "planned": True,
                "resources": {resource: server.device_count} if resource else {},
                "labels": {
                    "tco/fleet": fleet.key,
                    "tco/workload": fleet.workload.key,
                    "tco/device": server.device.key,
                },
            }
        )
    return json.dumps({"nodePools": pools}, indent=2) + "\n"

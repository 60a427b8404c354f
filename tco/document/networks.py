"""Networks, store and cooling plant of a document as the engine takes them (F3, F7)."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from tco.document.catalog import Catalog
from tco.document.parse import path_to
from tco.document.values import number, shown, values
from tco.errors import InputError
from tco.fields import field
from tco.inputs import (
    CollectivePoint,
    CoolingPlant,
    Fabric,
    Figure,
    Storage,
    Switch,
    Units,
)

GBIT_PER_GB = 8
_SWITCH_FIELDS = ("switch_ports", "switch_w", "switch_rack_units", "switch_usd", "links_per_cage")


def fabrics_of(
    path: str,
    given: Mapping[str, Any],
    catalog: Catalog,
    refuse: Callable[[InputError], None],
) -> tuple[Fabric, ...]:
    """Return the networks of a valid fleet; a switch too slow for its links is refused."""
    found = []
    for index, item in enumerate(given.get("fabrics", ())):
        place = path_to(path_to(path, "fabrics"), index)
        read = values("fabric", item)
        own = {name: read.pop(name) for name in _SWITCH_FIELDS}
        rate: Figure = read.pop("link_gbps")
        switch = None
        if item["topology"] != "torus":
            switch = _switch(place, item, own, rate, catalog, refuse)
            if switch is None:
                continue
        read["all_reduce"] = tuple(
            CollectivePoint(**values("collective", row)) for row in item.get("all_reduce", ())
        )
        found.append(Fabric(**read, switch=switch, link_gb_s=_gb_s(rate)))
    return tuple(found)


def _gb_s(rate: Figure) -> Figure:
    """The same rate in bytes: a unit changed, nothing estimated."""
    low, high = (None if x is None else x / GBIT_PER_GB for x in (rate.low, rate.high))
    value = rate.value / GBIT_PER_GB
    return dataclasses.replace(rate, value=value, unit="GB/s", low=low, high=high)


def _switch(
    path: str,
    given: Mapping[str, Any],
    own: Mapping[str, Any],
    rate: Figure,
    catalog: Catalog,
    refuse: Callable[[InputError], None],
) -> Switch | None:
    """The catalog's switch with what the scenario sets of it, at the rate of the links."""
    key = given.get("switch")
    base = catalog.switch(key) if key is not None else None
    if base is None:
        ports, split = int(own["switch_ports"]), 1
        switch = Switch("switch", ports)
    else:
        split = int(base.port_gbps / rate.value + 1e-9)
        if split < 1:
            message = (
                f"{base.name} has ports of {base.port_gbps:g} Gbit/s, the links {rate.value:g}"
            )
            refuse(InputError(path_to(path, "link_gbps"), message, "take a faster switch"))
            return None
        switch = dataclasses.replace(
            base, ports=base.ports * split, links_per_cage=base.links_per_cage * split
        )
    changed = {
        "ports": own["switch_ports"],
        "typical_w": own["switch_w"],
        "rack_units": own["switch_rack_units"],
        "price_usd": own["switch_usd"],
        "links_per_cage": own["links_per_cage"],
    }
    known = {name: value for name, value in changed.items() if value is not None}
    return dataclasses.replace(switch, **known)


def store_of(given: Mapping[str, Any] | None) -> Storage | None:
    """Return the store of a valid mapping, or None where there is none."""
    return Storage(**values("store", given)) if given else None


def plant_of(given: Mapping[str, Any] | None) -> CoolingPlant | None:
    """Return the cooling plant of a valid mapping, or None where there is none."""
    if not given:
        return None
    return CoolingPlant(
        **values("plant", given),
        cdus=Units(**values("cooling_units", given["cdus"])) if "cdus" in given else None,
        chillers=Units(**values("cooling_units", given["chillers"]))
        if "chillers" in given
        else None,
    )


def broken_networks(path: str, fleet: Mapping[str, Any]) -> Iterator[InputError]:
    """Yield what does not go together in a fleet's networks; it may be of any shape."""
    fabrics = fleet.get("fabrics")
    if "fabrics" not in fleet and "store" not in fleet:
        return
    if "server" not in fleet:
        for name in ("fabrics", "store"):
            if name in fleet:
                message = "only own servers have one of their own"
                yield InputError(path_to(path, name), message, "leave it out, or name a server")
    purchase = fleet.get("purchase")
    if isinstance(purchase, Mapping) and fabrics:
        for name in ("network_usd_per_server", "network_w_per_server"):
            if name in purchase:
                message = "the network is given per server and switch by switch"
                where = path_to(path_to(path, "purchase"), name)
                yield InputError(where, message, "leave one of the two out")
    if not isinstance(fabrics, list):
        return
    first: dict[str, str] = {}
    for index, item in enumerate(fabrics):
        if not isinstance(item, Mapping):
            continue
        place = path_to(path_to(path, "fabrics"), index)
        role = item.get("role")
        if isinstance(role, str) and role in first:
            message = f"{shown(role)} is already the role of {first[role]}"
            yield InputError(path_to(place, "role"), message, "give each role once")
        elif isinstance(role, str):
            first[role] = place
        yield from _broken_switch(place, item)


def _broken_switch(path: str, item: Mapping[str, Any]) -> Iterator[InputError]:
    if item.get("topology") == "torus":
        for name in ("switch", *_SWITCH_FIELDS):
            if name in item:
                yield InputError(path_to(path, name), "a torus has no switch", "leave it out")
    elif "switch" not in item and "switch_ports" not in item:
        mend = "name a switch of the catalog, or enter the ports of one"
        yield InputError(path_to(path, "switch"), "is missing", mend)


def broken_plant(path: str, site: Mapping[str, Any]) -> Iterator[InputError]:
    """Yield what does not go together in a site's cooling plant; it may be of any shape."""
    plant = site.get("plant")
    if not isinstance(plant, Mapping):
        return
    place = path_to(path, "plant")
    captured = plant.get("captured_fraction", 0)
    try:
        value = captured.get("value") if isinstance(captured, Mapping) else captured
        share = number(value, field("plant", "captured_fraction").unit)
    except ValueError:
        return  # told with the field
    if share > 0 and "liquid_kw_per_kw" not in plant:
        message = f"is missing, and {share:g} of the heat goes into liquid"
        mend = "enter the kW of pumps and heat rejection for a kW of heat"
        yield InputError(path_to(place, "liquid_kw_per_kw"), message, mend)

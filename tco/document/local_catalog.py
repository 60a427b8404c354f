"""A scenario's own catalog entries, in front of the shared catalog."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from tco.document.catalog import Catalog
from tco.document.local_model import local_model
from tco.document.moving import support_cell
from tco.document.nearest import suggestion
from tco.document.parse import path_to
from tco.document.price_book import AgreedPrice
from tco.document.rules import members
from tco.document.values import shown, values
from tco.errors import InputError
from tco.fields import section
from tco.inputs import (
    CapPoint,
    CloudOffer,
    Cooling,
    Device,
    ExchangeRate,
    Feed,
    Figure,
    LanguageModel,
    Lifecycle,
    Rack,
    Region,
    Server,
    Support,
    Switch,
)

_LIFECYCLE = ("release_date", "end_of_sale", "end_of_support")


def unknown(field: str, kind: str, key: str, catalog: Catalog) -> InputError:
    """Error for a name the catalog does not have, with the nearest ones."""
    mend = (
        suggestion(key, catalog.keys(kind)) or f"add it to the scenario's own catalog, or a {kind}"
    )
    return InputError(field, f"the catalog has no {kind} {shown(key)}", mend)


class LocalCatalog:
    """Entries of one document before those of `base`.

    An own device of a key that the shared catalog has too keeps the rates measured under that key:
    figures assumed by a scenario do not hide a measurement. `errors` holds what could not be built.
    """

    def __init__(self, document: Mapping[str, Any], base: Catalog) -> None:
        self._base = base
        self.errors: list[InputError] = []
        own = document.get("catalog", {})
        self._like: dict[str, str] = {}
        self._devices: dict[str, Device] = {}
        self._servers: dict[str, Server] = {}
        self._offers: dict[str, CloudOffer] = {}
        self._models = {given["key"]: local_model(given) for _, given in members(own, "models")}
        self._cooling = _entries(own, "cooling", "cooling", _cooling)
        self._racks = _entries(own, "racks", "rack", _rack)
        self._feeds = _entries(own, "feeds", "feed", _feed)
        self._regions = _entries(own, "regions", "region", _region)
        self._support = [support_cell(given) for _, given in members(own, "support")]
        for path, given in members(own, "devices", "catalog"):
            self._devices[given["key"]] = self._device(path, given)
        for path, given in members(own, "servers", "catalog"):
            if (server := self._server(path, given)) is not None:
                self._servers[server.key] = server
        for path, given in members(own, "offers", "catalog"):
            if (device := self._known_device(path, given["device"])) is not None:
                self._offers[given["key"]] = CloudOffer(**values("offer", given), device=device)

    def device(self, key: str) -> Device | None:
        """Return the own device, else the catalog's."""
        return self._devices.get(key) or self._base.device(key)

    def server(self, key: str, device_key: str | None = None) -> Server | None:
        """Return the own server, else the catalog's; own devices fit into both."""
        own = self._servers.get(key)
        if own is not None:
            if device_key is None or device_key == own.device.key:
                return own
            device = self.device(device_key)
            return _refitted(own, device) if device is not None else None
        if device_key in self._devices:
            return self._with_own_device(key, self._devices[device_key])
        found = self._base.server(key, device_key)
        if found is not None and found.device.key in self._devices:
            return dataclasses.replace(found, device=self._devices[found.device.key])
        return found

    def _with_own_device(self, key: str, device: Device) -> Server | None:
        """A server of the catalog with an own device: its price holds only for one it is like."""
        twin = self._like.get(device.key, device.key)
        if (found := self._base.server(key, twin)) is not None:
            return dataclasses.replace(found, device=device)
        found = self._base.server(key)
        if found is None:
            taken = self.devices_of(key)
            found = self._base.server(key, taken[0]) if taken else None
        return _refitted(found, device) if found is not None else None

    def devices_of(self, server_key: str) -> tuple[str, ...]:
        """Devices of the shared catalog that a server takes; slow, for messages."""
        return tuple(
            device
            for device in self._base.keys("device")
            if self._base.server(server_key, device) is not None
        )

    def offer(self, key: str) -> CloudOffer | None:
        """Return the own offer, else the catalog's."""
        found = self._offers.get(key) or self._base.offer(key)
        if found is not None and found.device.key in self._devices:
            return dataclasses.replace(found, device=self._devices[found.device.key])
        return found

    def model(self, key: str) -> LanguageModel | None:
        """Return the own model, else the catalog's."""
        return self._models.get(key) or self._base.model(key)

    def region(self, key: str) -> Region | None:
        """Return the own region, else the catalog's."""
        return self._regions.get(key) or self._base.region(key)

    def cooling(self, key: str) -> Cooling | None:
        """Return the own cooling design, else the catalog's."""
        return self._cooling.get(key) or self._base.cooling(key)

    def rack(self, key: str) -> Rack | None:
        """Return the own rack type, else the catalog's."""
        return self._racks.get(key) or self._base.rack(key)

    def feed(self, key: str) -> Feed | None:
        """Return the own feed, else the catalog's."""
        return self._feeds.get(key) or self._base.feed(key)

    def switch(self, key: str) -> Switch | None:
        """Return the catalog's switch."""
        return self._base.switch(key)

    def egress(self, provider: str, region: str) -> tuple[float, tuple[tuple[float, Figure], ...]]:
        """Return the catalog's egress prices."""
        return self._base.egress(provider, region)

    def support(self, device: str, framework: str) -> tuple[Support, ...]:
        """Return the own cells, then those of the catalog about other features."""
        own = [x for x in self._support if (x.device, x.framework) == (device, framework)]
        told = {cell.feature for cell in own}
        base = self._base.support(device, framework)
        return (*own, *(cell for cell in base if cell.feature not in told))

    def exchange_rates(self) -> tuple[ExchangeRate, ...]:
        """Return the catalog's exchange rates; a document's own are part of its finance."""
        return self._base.exchange_rates()

    def agreed_prices(self) -> tuple[AgreedPrice, ...]:
        """Return the price book, without entries for the document's own machines."""
        own = {("server", key) for key in self._servers} | {("offer", key) for key in self._offers}
        return tuple(
            entry for entry in self._base.agreed_prices() if (entry.kind, entry.key) not in own
        )

    def keys(self, kind: str) -> tuple[str, ...]:
        """Own keys first, then the catalog's."""
        every: dict[str, Mapping[str, object]] = {
            "device": self._devices,
            "server": self._servers,
            "offer": self._offers,
            "model": self._models,
            "region": self._regions,
            "cooling": self._cooling,
            "rack": self._racks,
            "feed": self._feeds,
        }
        if kind in ("framework", "feature"):
            listed = [getattr(cell, kind) for cell in self._support]
            return tuple(dict.fromkeys((*listed, *self._base.keys(kind))))
        own = every.get(kind, {})
        return (*own, *(key for key in self._base.keys(kind) if key not in own))

    def _known_device(self, path: str, key: str) -> Device | None:
        found = self.device(key)
        if found is None:
            self.errors.append(unknown(path_to(path, "device"), "device", key, self))
        return found

    def _device(self, path: str, given: Mapping[str, Any]) -> Device:
        key = given["key"]
        twin = self._base.device(given["like"]) if "like" in given else None
        if "like" in given:
            self._like[key] = given["like"]
            if twin is None:
                field = path_to(path, "like")
                self.errors.append(unknown(field, "device", given["like"], self._base))
        found = values("device", given, defaults=twin is None)
        lifecycle = {name: found.pop(name) for name in _LIFECYCLE if name in found}
        if "features" in found:
            found["features"] = frozenset(found["features"])
        if "cap_points" in given:
            found["cap_points"] = tuple(
                CapPoint(**values("cap_point", point)) for point in given["cap_points"]
            )
        if twin is None:
            found["name"] = found["name"] or key
            device = Device(**found, lifecycle=Lifecycle(**lifecycle))
        else:
            device = dataclasses.replace(
                twin, **found, lifecycle=dataclasses.replace(twin.lifecycle, **lifecycle)
            )
        known = self._base.device(key)
        if known is not None and known.measured is not None:
            device = dataclasses.replace(device, measured=known.measured, pending=known.pending)
        return device

    def _server(self, path: str, given: Mapping[str, Any]) -> Server | None:
        device = self._known_device(path, given["device"]) if "device" in given else None
        if "device" in given and device is None:
            return None
        twin: Server | None = None
        if "like" in given:
            twin = self.server(given["like"], device.key if device else None)
            if twin is None and device is not None:  # another device in the same box
                twin = self._with_own_device(given["like"], device)
            if twin is None:
                self.errors.append(self._no_twin(path, given["like"]))
                return None
        found = values("server", given, defaults=twin is None)
        lifecycle = {name: found.pop(name) for name in _LIFECYCLE if name in found}
        if "features" in found:
            found["features"] = frozenset(found["features"])
        if twin is not None:
            return dataclasses.replace(
                twin, **found, lifecycle=dataclasses.replace(twin.lifecycle, **lifecycle)
            )
        if device is None:  # a valid document names one where the server is like no other
            return None
        found["name"] = found["name"] or given["key"]
        return Server(**found, device=device, lifecycle=Lifecycle(**lifecycle))

    def _no_twin(self, path: str, like: str) -> InputError:
        if like not in self.keys("server"):
            return unknown(path_to(path, "like"), "server", like, self)
        return server_device_error(path_to(path, "device"), like, None, self.devices_of(like))


def server_device_error(
    field: str, server: str, device: str | None, taken: tuple[str, ...]
) -> InputError:
    """Error for a server whose device is not chosen, or does not fit."""
    mend = f"use one of {', '.join(taken)}" if taken else "name a device it takes"
    if device is None:
        return InputError(field, f"the server {shown(server)} takes several devices", mend)
    return InputError(field, f"the server {shown(server)} does not take {shown(device)}", mend)


def _refitted(server: Server, device: Device) -> Server:
    # a price of the whole server, and loads measured on it, belong to the device it came with
    if device.key == server.device.key:
        return server
    return dataclasses.replace(
        server, device=device, price_usd=None, max_system_w=None, typical_load_w=None, idle_w=None
    )


def _entries(own: Any, plural: str, kind: str, build: Any) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for _, given in members(own, plural, "catalog"):
        entry = values(kind, given)
        if "name" in section(kind):
            entry["name"] = entry["name"] or given["key"]
        found[given["key"]] = build(entry)
    return found


def _cooling(entry: dict[str, Any]) -> Cooling:
    return Cooling(**entry)


def _rack(entry: dict[str, Any]) -> Rack:
    return Rack(**entry)


def _feed(entry: dict[str, Any]) -> Feed:
    return Feed(**{**entry, "phases": int(entry["phases"])})


def _region(entry: dict[str, Any]) -> Region:
    return Region(**entry)

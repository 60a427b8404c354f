"""A search request from a file: every field that cannot be used is named."""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Mapping
from typing import Any

from hardware_catalog.seed.to_engine import SeedCatalog
from tco.document.catalog import Catalog
from tco.errors import InputError, InputErrors
from tco.inputs import Device, LatencyTarget, Parallel, Server
from tco.search.price import owned_usd_per_hour
from tco.search.request import BATCH_LIMITS, CACHES, WEIGHTS, Configuration, Request

_SERVER = {"server", "device", "devices", "usd_per_hour", "price_usd", "life_years", "power_kw"}
_KNOWN = {
    *_SERVER,
    *("model", "servers", "input_tokens", "output_tokens", "targets", "concurrency"),
    *("requests_per_s", "requests_per_minute", "cached_tokens", "cached_fraction", "split"),
    *("weight_dtypes", "kv_dtypes", "batch_limits", "max_model_len", "max_batched_tokens"),
    *("engine", "configuration", "usd_per_kwh", "pue", "catalog"),
}
_DEGREES = ("tensor", "pipeline", "expert", "attention_data")
_CONFIGURATION = {*_DEGREES, "weight_dtype", "kv_dtype", "batch_limit", "split"}


def requests_of(document: Mapping[str, Any]) -> list[Request]:
    """Return one request for each server that the document names.

    Raises
    ------
    InputError, InputErrors
        The field, what is wrong with it, and what to enter.
    """
    _only("", document, _KNOWN)
    catalog = _catalog(document)
    key = document.get("model", "")
    model = catalog.model(str(key))
    if model is None:
        said = f"{key!r} is not in the catalog"
        raise InputError("model", said, "see `tco catalog models`, or describe it under catalog:")
    arrivals = _optional(document, "requests_per_s")
    minute = _optional(document, "requests_per_minute")
    if arrivals is not None and minute is not None:
        raise InputError("requests_per_minute", "requests_per_s is given too", "give one of them")
    input_tokens = _number(document, "input_tokens")
    cached = _optional(document, "cached_tokens")
    share = _optional(document, "cached_fraction")
    if cached is not None and share is not None:
        raise InputError("cached_fraction", "cached_tokens is given too", "give one of them")
    plain = Request(
        model=model,
        device=Device(key="", name="", vendor="", kind="other"),
        devices=1,
        input_tokens=input_tokens,
        output_tokens=_number(document, "output_tokens"),
        requests_per_s=arrivals if minute is None else minute / 60,
        concurrency=_optional(document, "concurrency"),
        targets=tuple(
            _target(row, place) for place, row in enumerate(_list(document, "targets", ()))
        ),
        cached_tokens=cached if cached is not None else (share or 0.0) * input_tokens,
        weight_dtypes=tuple(map(str, _list(document, "weight_dtypes", WEIGHTS))),
        kv_dtypes=tuple(map(str, _list(document, "kv_dtypes", CACHES))),
        batch_limits=tuple(
            _whole({"batch_limits": one}, "batch_limits")
            for one in _list(document, "batch_limits", BATCH_LIMITS)
        ),
        split=_flag(document, "split"),
        max_model_len=_optional_whole(document, "max_model_len"),
        max_batched_tokens=_optional_whole(document, "max_batched_tokens"),
        stack=str(document.get("engine", "vllm")),
    )
    if "servers" not in document:
        return [_on_server(document, plain, document, catalog, "")]
    twice = sorted(document.keys() & _SERVER)
    if twice:
        raise InputError(twice[0], "is given beside servers", "move it into a row of servers")
    rows = _list(document, "servers", ())
    if not rows:
        raise InputError("servers", "is empty", "name one server or more")
    found: list[Request] = []
    names: Counter[str] = Counter()
    for place, row in enumerate(rows):
        path = f"servers[{place}]."
        if not isinstance(row, Mapping):
            raise InputError(path[:-1], "is not a server", "give server: or device: and devices:")
        _only(path, row, _SERVER)
        one = _on_server(row, plain, document, catalog, path)
        names[one.server] += 1
        if names[one.server] > 1:  # the same server at another price
            one = dataclasses.replace(one, server=f"{one.server} ({names[one.server]})")
        found.append(one)
    return found


def _on_server(
    row: Mapping[str, Any],
    plain: Request,
    document: Mapping[str, Any],
    catalog: Catalog,
    path: str,
) -> Request:
    """Put a request on the server of a row."""
    device_key = row.get("device")
    server: Server | None = None
    if "server" in row:
        key = str(row["server"])
        server = catalog.server(key, None if device_key is None else str(device_key))
        if server is None:
            raise InputError(
                f"{path}server",
                f"{key!r} with device {device_key!r} is not in the catalog",
                "see `tco catalog servers`; name the device of one that takes several",
            )
        if "devices" in row:
            said = f"a {server.name} has {server.device_count}"
            raise InputError(f"{path}devices", said, "leave it out, or name a device alone")
        device, devices = server.device, server.device_count
        name = f"{server.name} with {devices} x {device.name}"
    else:
        found = catalog.device(str(device_key or ""))
        if found is None:
            mend = "name a server, or a device of `tco catalog devices`"
            raise InputError(f"{path}device", f"{device_key!r} is not in the catalog", mend)
        device, devices = found, _whole(row, "devices", 1, path)
        name = f"{devices} x {found.name}"
    return dataclasses.replace(
        plain,
        device=device,
        devices=devices,
        server=name,
        usd_per_hour=_usd_per_hour(row, document, server, path),
    )


def _usd_per_hour(
    row: Mapping[str, Any], document: Mapping[str, Any], server: Server | None, path: str
) -> float | None:
    """A rent, or what an owned server costs; None where neither is given."""
    rent = _optional(row, "usd_per_hour", path)
    life = _optional(row, "life_years", path)
    if rent is not None:
        if life is not None:
            raise InputError(f"{path}life_years", "usd_per_hour is given too", "give one of them")
        return rent
    if life is None:
        if "price_usd" in row:
            raise InputError(f"{path}life_years", "is missing", "enter the years of use")
        return None
    price = _optional(row, "price_usd", path)
    if price is None and server is not None and server.price_usd is not None:
        price = server.price_usd.value
    if price is None:
        raise InputError(f"{path}price_usd", "is not in the catalog", "enter the server's price")
    kw = _optional(row, "power_kw", path)
    rate = _optional(document, "usd_per_kwh")
    if kw is None and rate is not None:
        figure = server and (server.typical_load_w or server.max_system_w)
        if not figure:
            mend = "enter the server's kW under load, or leave out usd_per_kwh"
            raise InputError(f"{path}power_kw", "is not in the catalog", mend)
        kw = figure.value / 1e3
    if kw is not None and rate is None:
        raise InputError("usd_per_kwh", "is missing", "enter the price of electricity")
    return owned_usd_per_hour(
        price,
        life,
        power_kw=kw or 0.0,
        usd_per_kwh=rate or 0.0,
        pue=_number(document, "pue", 1.0),
    )


def configuration_of(document: Mapping[str, Any]) -> Configuration:
    """Return the configuration that a document names, for `--point`."""
    given = document.get("configuration")
    if not isinstance(given, Mapping):
        mend = f"name {', '.join(sorted(_CONFIGURATION))}"
        raise InputError("configuration", "is missing", mend)
    path = "configuration."
    _only(path, given, _CONFIGURATION)
    workers = str(given.get("split", "0:0")).split(":")
    if len(workers) != 2 or not all(one.isdecimal() for one in workers):
        said = f"{given.get('split')!r} is not a split"
        raise InputError(f"{path}split", said, "write '2:6' for 2 prefill and 6 decode workers")
    return Configuration(
        Parallel(*(_whole(given, name, 1, path) for name in _DEGREES)),
        str(given.get("weight_dtype", "bf16")),
        str(given.get("kv_dtype", "bf16")),
        _whole(given, "batch_limit", 256, path),
        *(int(one) for one in workers),
    )


def _catalog(document: Mapping[str, Any]) -> Catalog:
    """The shipped catalog, behind the document's own entries."""
    base = SeedCatalog()
    if "catalog" not in document:
        return base
    from tco.document import validate
    from tco.document.local_catalog import LocalCatalog

    only = {"catalog": document["catalog"]}
    wrong = [error for error in validate(only) if error.field.startswith("catalog")]
    if wrong:
        raise InputErrors(tuple(wrong))
    local = LocalCatalog(only, base)
    if local.errors:
        raise InputErrors(tuple(local.errors))
    return local


def _only(path: str, given: Mapping[str, Any], known: set[str]) -> None:
    unknown = sorted(str(name) for name in given if name not in known)
    if unknown:
        raise InputError(f"{path}{unknown[0]}", "is not a field", f"use {', '.join(sorted(known))}")


def _number(
    document: Mapping[str, Any], name: str, default: float | None = None, path: str = ""
) -> float:
    value = document.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        said = "is missing" if value is None else f"{value!r} is not a number"
        raise InputError(f"{path}{name}", said, "enter a number")
    return float(value)


def _optional(document: Mapping[str, Any], name: str, path: str = "") -> float | None:
    return None if document.get(name) is None else _number(document, name, path=path)


def _whole(
    document: Mapping[str, Any], name: str, default: float | None = None, path: str = ""
) -> int:
    value = _number(document, name, default, path)
    if value != int(value) or value < 1:
        raise InputError(f"{path}{name}", f"{value:g} is no count", "enter a whole number from 1")
    return int(value)


def _optional_whole(document: Mapping[str, Any], name: str) -> int | None:
    return None if document.get(name) is None else _whole(document, name)


def _list(document: Mapping[str, Any], name: str, default: tuple[Any, ...]) -> list[Any]:
    value = document.get(name, list(default))
    if not isinstance(value, list):
        raise InputError(name, f"{value!r} is not a list", "write it as a list")
    return value


def _flag(document: Mapping[str, Any], name: str) -> bool:
    value = document.get(name, True)
    if not isinstance(value, bool):
        raise InputError(name, f"{value!r} is not true or false", "write true or false")
    return value


def _target(row: Any, place: int) -> LatencyTarget:
    path = f"targets[{place}]"
    if not isinstance(row, Mapping) or set(row) != {"metric", "percentile", "limit_ms"}:
        mend = "give metric (ttft, tpot, e2e), percentile and limit_ms"
        raise InputError(path, "is not a latency target", mend)
    percentile = _number(row, "percentile", path=f"{path}.")
    return LatencyTarget(str(row["metric"]), percentile, _number(row, "limit_ms", path=f"{path}."))

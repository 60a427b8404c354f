"""Reads a search request, runs it, prints the ranking and what excluded the rest."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Mapping
from typing import Any

from cli.text_table import text_table
from hardware_catalog.seed.to_engine import SeedCatalog
from tco.errors import InputError
from tco.inputs import LatencyTarget, Parallel, plain
from tco.search.rank import point, search
from tco.search.request import (
    BATCH_LIMITS,
    CACHES,
    WEIGHTS,
    Configuration,
    Excluded,
    Found,
    Request,
    SearchResult,
)

OK, FINDING = 0, 1
Reader = Callable[[str], dict[str, Any]]
_KNOWN = {
    *("model", "server", "device", "devices", "input_tokens", "output_tokens", "targets"),
    *("requests_per_minute", "cached_tokens", "weight_dtypes", "kv_dtypes", "batch_limits"),
    *("split", "usd_per_hour", "engine", "configuration"),
}
_METRIC_KEYS = {"metric", "percentile", "limit_ms"}


def run(options: argparse.Namespace, read: Reader) -> int:
    """Print the ranking and return the exit code: 1 where nothing is feasible."""
    document = read(options.file)
    request = request_of(document)
    if options.point:
        one = point(request, configuration_of(document))
        if options.json:
            print(json.dumps(plain(one), indent=1))
        elif isinstance(one, Found):
            print(_table(request, [one]))
        else:
            print(f"{one.configuration.label}: {one.reason}, {one.detail}")
        return OK if isinstance(one, Found) else FINDING
    if options.top < 1:
        raise InputError("--top", f"{options.top} is below 1", "print at least one row")
    result = search(request)
    if options.json:
        print(json.dumps(_json(request, result), indent=1))
    else:
        print(_text(request, result, options.top))
    return OK if result.found else FINDING


def _number(document: Mapping[str, Any], name: str, default: float | None = None) -> float:
    value = document.get(name, default)
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        said = "is missing" if value is None else f"{value!r} is not a number"
        raise InputError(name, said, "enter a number")
    return float(value)


def request_of(document: Mapping[str, Any]) -> Request:
    """Return the request of a document; every field that cannot be used is named."""
    unknown = sorted(document.keys() - _KNOWN)
    if unknown:
        raise InputError(unknown[0], "is not a field", f"use {', '.join(sorted(_KNOWN))}")
    catalog = SeedCatalog()
    key = document.get("model", "")
    model = catalog.model(str(key))
    if model is None:
        raise InputError("model", f"{key!r} is not in the catalog", "see `tco catalog models`")
    device_key = document.get("device")
    if "server" in document:
        server = catalog.server(str(document["server"]), device_key)
        if server is None:
            taken = ", ".join(catalog.server_devices(str(document["server"]))) or "none"
            raise InputError(
                "server",
                f"{document['server']!r} with device {device_key!r} is not in the catalog",
                f"see `tco catalog servers`; devices it takes: {taken}",
            )
        device, devices = server.device, server.device_count
    else:
        found = catalog.device(str(device_key or ""))
        if found is None:
            mend = "name a server, or a device of `tco catalog devices`"
            raise InputError("device", f"{device_key!r} is not in the catalog", mend)
        device, devices = found, int(_number(document, "devices", 1))
    load = document.get("requests_per_minute")
    cost = document.get("usd_per_hour")
    return Request(
        model=model,
        device=device,
        devices=devices,
        input_tokens=_number(document, "input_tokens"),
        output_tokens=_number(document, "output_tokens"),
        requests_per_s=None if load is None else _number(document, "requests_per_minute") / 60,
        targets=tuple(_target(row, place) for place, row in enumerate(document.get("targets", ()))),
        cached_tokens=_number(document, "cached_tokens", 0.0),
        weight_dtypes=_words(document, "weight_dtypes", WEIGHTS),
        kv_dtypes=_words(document, "kv_dtypes", CACHES),
        batch_limits=tuple(int(n) for n in document.get("batch_limits", BATCH_LIMITS)),
        split=bool(document.get("split", True)),
        usd_per_hour=None if cost is None else _number(document, "usd_per_hour"),
        stack=str(document.get("engine", "vllm")),
    )


def _words(document: Mapping[str, Any], name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    from tco.performance.dtypes import BYTES

    words = tuple(str(word) for word in document.get(name, default))
    wrong = [word for word in words if word not in BYTES]
    if wrong:
        raise InputError(name, f"{wrong[0]!r} is not a number format", f"use {', '.join(BYTES)}")
    return words


def _target(row: Any, place: int) -> LatencyTarget:
    if not isinstance(row, Mapping) or set(row) != _METRIC_KEYS:
        mend = "give metric (ttft, tpot, e2e), percentile and limit_ms"
        raise InputError(f"targets[{place}]", "is not a latency target", mend)
    return LatencyTarget(str(row["metric"]), _number(row, "percentile"), _number(row, "limit_ms"))


def configuration_of(document: Mapping[str, Any]) -> Configuration:
    """Return the configuration that a document names, for `--point`."""
    given = document.get("configuration")
    if not isinstance(given, Mapping):
        mend = "name tensor, pipeline, expert, attention_data, weight_dtype, kv_dtype, batch_limit"
        raise InputError("configuration", "is missing", mend)

    def degree(name: str) -> int:
        return int(_number(given, name, 1))

    return Configuration(
        Parallel(degree("tensor"), degree("pipeline"), degree("expert"), degree("attention_data")),
        str(given.get("weight_dtype", "bf16")),
        str(given.get("kv_dtype", "bf16")),
        int(_number(given, "batch_limit", 256)),
    )


def _json(request: Request, result: SearchResult) -> dict[str, Any]:
    return {
        "schema": "tco-serve-configs/1",
        "model": request.model.key,
        "device": request.device.key,
        "devices": request.devices,
        "tried": result.tried,
        "found": [{"label": one.configuration.label, **plain(one)} for one in result.found],
        "excluded": [
            {"label": one.configuration.label, "reason": one.reason, "detail": one.detail}
            for one in result.excluded
        ],
        "counts": result.counts,
        "unpriced": result.unpriced,
    }


def _copies(request: Request, one: Found) -> str:
    """Replicas times devices; what was asked and what they carry."""
    devices = one.configuration.devices
    if one.copies is None:
        return f"{one.copies_per_server} x {devices} on a server"
    return f"{one.copies * devices} = {one.copies} x {devices}"


def _table(request: Request, found: list[Found]) -> str:
    rows = []
    for one in found:
        cost = "-" if one.usd_per_mtok is None else f"{one.usd_per_mtok:,.3f}"
        rows.append(
            [
                one.configuration.label,
                cost,
                f"{one.output_tokens_per_s_per_device:,.0f}",
                f"{one.requests_per_s:,.2f}",
                f"{one.ttft_ms:,.0f}",
                f"{one.tpot_ms:,.1f}",
                f"{one.batch:,.0f}",
                f"{one.memory_gb_per_device:,.0f}",
                _copies(request, one),
                one.binds + ("" if one.verified else " *"),
            ]
        )
    head = [
        "configuration (weights/cache)",
        "USD/Mtok out",
        "tok/s/device",
        "requests/s",
        "TTFT ms",
        "TPOT ms",
        "batch",
        "GB/device",
        "devices = copies x devices",
        "binds",
    ]
    return text_table(head, rows, left=(0, 8, 9))


def _text(request: Request, result: SearchResult, top: int) -> str:
    capacity = request.device.memory_gb
    held = "unknown" if capacity is None else f"{capacity.value:,.0f} GB"
    lines = [
        f"{request.model.name} on {request.devices} x {request.device.name}: "
        f"{request.input_tokens:,.0f} tokens in, {request.output_tokens:,.0f} out; "
        f"{result.tried:,} configurations, {len(result.found):,} feasible",
        f"memory of a device {held}; an engine may use 90 % of it",
    ]
    if result.unpriced:
        lines.append(result.unpriced)
    lines.append("")
    if result.found:
        lines += [_table(request, list(result.found[:top])), ""]
        lines.append(
            "largest load of one copy within every target; mean TTFT and TPOT at that load. "
            "* means with stated tails, not yet held against the closed form"
        )
        best = result.found[0]
        if request.requests_per_s is not None and best.copies is not None:
            carried = best.copies * best.requests_per_s
            lines.append(
                f"asked {request.requests_per_s:,.2f} requests/s; {best.copies} x "
                f"{best.configuration.devices} devices carry {carried:,.2f} within the targets"
            )
    else:
        lines.append("nothing is feasible; the reasons below name the smallest change")
    lines += ["", *_reasons(result)]
    return "\n".join(lines)


def _reasons(result: SearchResult) -> list[str]:
    """Counts by reason, with the example that comes nearest."""
    first: dict[str, Excluded] = {}
    for one in result.excluded:
        first.setdefault(one.reason, one)
    return [
        f"excluded by {reason}: {count:,}, such as {first[reason].configuration.label}: "
        f"{first[reason].detail}"
        for reason, count in sorted(result.counts.items(), key=lambda pair: -pair[1])
    ]

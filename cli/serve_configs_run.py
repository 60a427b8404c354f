"""Runs a configuration search, prints the ranking and what excluded the rest."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from typing import Any

from cli.serve_configs_request import configuration_of, requests_of
from cli.text_table import text_table
from tco.errors import InputError
from tco.inputs import plain
from tco.search.fitting import mend
from tco.search.rank import point, search_servers
from tco.search.request import TOP, Excluded, Found, Request, SearchResult

OK, FINDING = 0, 1
Reader = Callable[[str], dict[str, Any]]


def run(options: argparse.Namespace, read: Reader) -> int:
    """Print the ranking and return the exit code: 1 where nothing is feasible."""
    document = read(options.file)
    requests = requests_of(document)
    if options.point:
        return _point(options, document, requests)
    if options.top < 1:
        raise InputError("--top", f"{options.top} is below 1", "print at least one row")
    result = search_servers(requests, top=max(options.top, TOP))
    if options.json:
        print(json.dumps(_json(requests, result), indent=1, allow_nan=False))
    else:
        print(_text(requests, result, options.top))
    return OK if result.found else FINDING


def _point(
    options: argparse.Namespace, document: dict[str, Any], requests: Sequence[Request]
) -> int:
    configuration = configuration_of(document)
    answers = [(request, point(request, configuration)) for request in requests]
    if options.json:
        print(json.dumps([_one(request, one) for request, one in answers], indent=1))
    else:
        found = [one for _, one in answers if isinstance(one, Found)]
        if found:
            print(_table(found, several=len(requests) > 1))
            print()
            print("\n".join(_asked(requests[0], one) for one in found))
        for request, one in answers:
            if isinstance(one, Excluded):
                print(f"{request.server}: {_reason(request, one)}")
    return OK if all(isinstance(one, Found) for _, one in answers) else FINDING


def _one(request: Request, one: Found | Excluded) -> dict[str, Any]:
    more = {"mend": mend(request, one)} if isinstance(one, Excluded) else {}
    return {"label": one.configuration.label, **plain(one), **more}


def _json(requests: Sequence[Request], result: SearchResult) -> dict[str, Any]:
    by_server = {request.server: request for request in requests}
    return {
        "schema": "tco-serve-configs/2",
        "model": requests[0].model.key,
        "servers": [
            {
                "name": request.server,
                "device": request.device.key,
                "devices": request.devices,
                "usd_per_hour": request.usd_per_hour,
            }
            for request in requests
        ],
        "capacity": result.capacity,
        "tried": result.tried,
        "found": [_one(by_server[one.server], one) for one in result.found],
        "excluded": [_one(by_server[one.server], one) for one in result.excluded],
        "counts": result.counts,
        "unpriced": result.unpriced,
    }


def _copies(one: Found) -> str:
    """Replicas times devices, as they are bought: 40 = 5 replicas x 8."""
    devices = one.configuration.devices
    word = "split" if one.configuration.prefill_workers else "replica"
    count = one.copies_per_server if one.copies is None else one.copies
    word += "s" if count != 1 else ""
    if one.copies is None:
        return f"{one.copies_per_server} {word} x {devices} on a server"
    return f"{one.copies * devices:,} = {one.copies:,} {word} x {devices}"


def _pair(mean: float | None, tail: float | None, digits: int) -> str:
    if mean is None:
        return "-"
    return f"{mean:,.{digits}f} / " + ("-" if tail is None else f"{tail:,.{digits}f}")


def _table(found: Sequence[Found], *, several: bool) -> str:
    rows = []
    for one in found:
        cost = "-" if one.usd_per_mtok is None else f"{one.usd_per_mtok:,.3f}"
        rows.append(
            [
                f"{one.server}: " * several + one.configuration.label,
                cost,
                f"{one.output_tokens_per_s_per_device:,.0f}",
                f"{one.requests_per_s:,.2f}",
                _pair(one.ttft_ms, one.ttft_p95_ms, 0),
                _pair(one.tpot_ms, one.tpot_p95_ms, 1),
                _pair(one.e2e_ms, one.e2e_p95_ms, 0),
                f"{one.utilisation_fraction:.0%}",
                f"{one.batch:,.0f} of {one.kv_sequences:,.0f}",
                "no limit" if one.kv_room_tokens == float("inf") else f"{one.kv_room_tokens:,.0f}",
                f"{one.memory_gb_per_device:,.1f}",
                _copies(one),
                one.binds + ("" if one.refined else " *"),
            ]
        )
    head = [
        "configuration (weights/cache)",
        "USD/Mtok out",
        "tok/s/device",
        "requests/s",
        "TTFT ms mean / p95",
        "TPOT ms",
        "e2e ms",
        "used",
        "batch of room",
        "KV tokens",
        "GB/device",
        "devices",
        "binds",
    ]
    return text_table(head, rows, left=(0, 11, 12))


def _asked(request: Request, one: Found) -> str:
    """What was asked beside what the copies carry."""
    ways = f"{_copies(one)} devices"
    if one.copies is None or one.carried_requests_per_s is None:
        return f"no load asked; {one.configuration.label}: {ways}"
    servers = f"{one.servers:,} server{'s' if one.servers != 1 else ''} of {one.server}"
    if request.concurrency is not None:
        held = one.copies * one.requests_per_s * one.e2e_ms / 1e3
        said = f"asked {request.concurrency:,.0f} requests in flight; {ways} hold {held:,.0f}"
    else:
        said = f"asked {request.requests_per_s or 0:,.2f} requests/s; "
        said += f"{ways} carry {one.carried_requests_per_s:,.2f}"
    said += f" within the targets, on {servers}"
    if one.usd_per_mtok_asked is not None:
        said += f"; {one.usd_per_mtok_asked:,.3f} USD/Mtok at the load asked, whole servers paid"
    return said


def _text(requests: Sequence[Request], result: SearchResult, top: int) -> str:
    first = requests[0]
    lines = [
        f"{first.model.name}: {first.input_tokens:,.0f} tokens in, {first.output_tokens:,.0f} out; "
        f"{result.tried:,} configurations, {len(result.found):,} feasible"
    ]
    for request in requests:
        memory = request.device.memory_gb
        held = "unknown" if memory is None else f"{memory.value:,.0f} GB"
        hourly = request.usd_per_hour
        cost = "no price" if hourly is None else f"{hourly:,.2f} USD/h"
        lines.append(f"{request.server}: memory of each {held}, {cost}")
    lines += [said for said in (result.capacity, result.unpriced) if said]
    lines.append("")
    if result.found:
        shown = result.found[:top]
        lines += [_table(shown, several=len(requests) > 1), ""]
        lines.append("each at the largest load of one copy within every target, in that state")
        if not all(one.refined for one in shown):
            lines.append("* a load within the targets; the largest was not looked for")
        lines.append(_asked(first, result.found[0]))
    else:
        lines.append("nothing is feasible; the reasons below name the smallest change")
    lines += ["", *_reasons(requests, result)]
    return "\n".join(lines)


def _reason(request: Request, one: Excluded) -> str:
    change = mend(request, one)
    return f"{one.configuration.label}: {one.detail}" + (f"; {change}" if change else "")


def _reasons(requests: Sequence[Request], result: SearchResult) -> list[str]:
    """Counts by reason, with the one that comes nearest."""
    by_server = {request.server: request for request in requests}
    nearest: dict[str, Excluded] = {}
    for one in result.excluded:
        known = nearest.get(one.reason)
        if known is None or one.distance < known.distance:
            nearest[one.reason] = one
    return [
        f"excluded by {reason}: {count:,}; nearest "
        f"{_reason(by_server[nearest[reason].server], nearest[reason])}"
        for reason, count in sorted(result.counts.items(), key=lambda pair: -pair[1])
    ]

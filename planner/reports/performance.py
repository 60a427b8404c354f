"""How each fleet serves, as rows: the one source of the sheet and of the CSV."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from planner.projections.interval import degrees_in_words, devices_of_a_copy, interval_of

_WORDS = {
    "ttft": "time to first token",
    "tpot": "time per output token",
    "e2e": "end to end",
}
_PERCENTILES = ("mean", "p50", "p90", "p95", "p99")
HEAD = (
    *("Option", "Fleet", "Workload", "At", "Figure", "Value", "Unit"),
    *("80 % interval, from", "80 % interval, to", "Remark"),
)
Row = tuple[str | float | None, ...]


def performance_rows(result: Mapping[str, Any]) -> list[Row]:
    """Return a row for each figure of each fleet: latencies with interval, batch, cache, evidence.

    A figure that is not known has a blank value and says why in the remark.
    """
    rows: list[Row] = []
    for option in result["options"]:
        for fleet in result["latency"].get(option["key"], []):
            place = (option["name"], fleet["name"], fleet["workload"])
            rows += [(*place, *rest) for rest in _of_fleet(fleet)]
    return rows


def _of_fleet(fleet: Mapping[str, Any]) -> Iterator[Row]:
    label = fleet.get("parallel", "")
    blank: tuple[None, None] = (None, None)
    binds = fleet["binds"]
    yield ("sizing", "servers", float(fleet["servers"]), "servers", *blank, f"sized by {binds}")
    yield ("sizing", "copies of the model", float(fleet["replicas"]), "copies", *blank, "")
    devices = float(devices_of_a_copy(label, fleet["tensor_parallel"]))
    yield ("sizing", "devices of a copy", devices, "devices", *blank, degrees_in_words(label))
    peak = fleet["at_peak"]
    for target in fleet["targets"]:
        value = target["predicted_ms"]
        low, high = interval_of(peak, target["metric"], value) or blank
        name = f"{_WORDS[target['metric']]}, p{target['percentile']:g}"
        word = "met" if target["met"] else "missed"
        remark = f"target {target['limit_ms']:g} ms: {word}"
        yield ("design load", name, value, "ms", low, high, remark)
    if peak is not None:
        yield from _at_peak(peak)
    if fleet["training_days"] is not None:
        yield ("a run", "training time", float(fleet["training_days"]), "days", *blank, "")
    if fleet.get("evidence"):
        yield ("", "what the speed rests on", None, "", *blank, fleet["evidence"])


def _at_peak(peak: Mapping[str, Any]) -> Iterator[Row]:
    blank: tuple[None, None] = (None, None)
    yield ("peak", "offered load", peak["requests_per_s"], "requests/s", *blank, "")
    yield ("peak", "load of a copy", peak["utilisation_fraction"], "fraction", *blank, "")
    if peak["saturated"]:
        yield ("peak", "latency", None, "ms", *blank, "saturated: arrivals outrun service")
        return
    remark = ""
    if not peak.get("within_model_range", True):
        remark = "outside the model's range"
    elif not peak["measured_range"]:
        remark = "outside the measured range"
    for metric, word in _WORDS.items():
        for name in _PERCENTILES:
            value = peak[f"{metric}_ms"].get(name)
            if value is not None:
                low, high = interval_of(dict(peak), metric, value) or blank
                yield ("peak", f"{word}, {name}", value, "ms", low, high, remark)
    if "batch" in peak:
        yield ("peak", "mean batch of a copy", peak["batch"], "sequences", *blank, "")
        used = peak["kv_fraction"]
        why = "" if used is not None else "the room of a copy is not known"
        yield ("peak", "KV room used", used, "fraction", *blank, why)

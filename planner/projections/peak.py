"""Each serving fleet at its peak: latencies with their interval, batch, cache, evidence (P13)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.charts.theme import colour
from planner.projections.interval import degrees_in_words, interval_of
from planner.projections.places import Places

METRICS = (
    ("ttft", "Time to first token"),
    ("tpot", "Time per output token"),
    ("e2e", "End to end"),
)
PERCENTILE = "p95"


@dataclass(frozen=True, slots=True)
class Latency:
    """A percentile with its 80 % interval, ms."""

    label: str
    value_ms: float
    low_ms: float | None
    high_ms: float | None


@dataclass(frozen=True, slots=True)
class PeakRow:
    """One fleet at its peak, everything working."""

    option: str
    fleet: str
    colour: str
    degrees: str
    latencies: tuple[Latency, ...]
    batch: float
    kv_fraction: float | None
    utilisation_fraction: float
    evidence: str
    caution: str  # outside the range of the model or of what was measured


def peak_rows(result: dict[str, Any], places: Places) -> list[PeakRow]:
    """Return a row for each fleet with a load; results stored before there were any have none."""
    rows = []
    for option in result["options"]:
        for fleet in result["latency"][option["key"]]:
            peak = fleet["at_peak"]
            if peak is None or not fleet.get("evidence"):
                continue
            rows.append(
                PeakRow(
                    option=option["name"],
                    fleet=fleet["name"] if len(result["latency"][option["key"]]) > 1 else "",
                    colour=colour(places.fleets[(option["key"], fleet["fleet"])]),
                    degrees=degrees_in_words(fleet["parallel"]),
                    latencies=tuple(_latencies(peak)),
                    batch=peak["batch"],
                    kv_fraction=peak["kv_fraction"],
                    utilisation_fraction=peak["utilisation_fraction"],
                    evidence=fleet["evidence"],
                    caution=_caution(peak),
                )
            )
    return rows


def _latencies(peak: dict[str, Any]) -> list[Latency]:
    found = []
    for key, label in METRICS:
        value = peak[f"{key}_ms"].get(PERCENTILE)
        if value is None:
            continue
        low, high = interval_of(peak, key, value) or (None, None)
        found.append(Latency(label, value, low, high))
    return found


def _caution(peak: dict[str, Any]) -> str:
    if peak["saturated"]:
        return "saturated: arrivals outrun service"
    if peak["simulated"]:
        return "beyond the closed form's range: simulated request by request"
    if not peak.get("within_model_range", True):
        return "outside the model's range, a rough hint only"
    if not peak["measured_range"]:
        return "outside what was measured on the device"
    return ""


def evidence_groups(rows: list[PeakRow]) -> list[tuple[str, str]]:
    """Return (names, evidence): what is the same for several fleets is said once."""
    groups: dict[str, list[str]] = {}
    for row in rows:
        name = f"{row.option}: {row.fleet}" if row.fleet else row.option
        groups.setdefault(row.evidence, []).append(name)
    return [(", ".join(names), evidence) for evidence, names in groups.items()]

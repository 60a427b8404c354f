"""Answers of the optimiser in the words and numbers of its pages."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest

from planner.mix.charts import closing_chart, front_chart, lines_chart
from planner.models import BackgroundRun, ScenarioRevision
from planner.templatetags.units import percent, si, sig3
from planner.uncertainty.charts import spreads
from tco.mix.front import OWN_ONLY
from tco.results.currency import in_currency
from tco.uncertainty.stored import assessment_of

AXES = {
    "usd": ("Cost", "USD"),
    "carbon_kg": ("Carbon", "kg CO2e"),
    "peak_kw": ("Peak power", "kW"),
    "latency_ms": ("Slowest answer", "ms"),
}
OWN_AXES = ("carbon_kg", "peak_kw")


def best_page(
    request: HttpRequest, run: BackgroundRun, revision: ScenarioRevision
) -> dict[str, Any]:
    """Return what the page of the best mix shows."""
    found = run.result or {}
    code = found["currency"]
    objective = found["objective"]
    drawn = assessment_of(found["robustness"]) if found.get("robustness") else None
    return {
        "run_id": run.pk,
        "code": code,
        "unit": in_currency(found["unit"], code),
        "total": found["totals"].get(objective),
        "sentence": best_sentence(found, code),
        "rows": rows_of(found["mix"], revision.document),
        "limits": limits_of(found),
        "rivals": [
            {
                **rival,
                "point": f"rival-{place}",
                "words": machines_in_words(rival["mix"]),
                "name": names_of(revision.document).get(rival["without"], rival["without"]),
            }
            for place, rival in enumerate(found["rivals"], start=1)
        ],
        "left_out": left_out_of(found, revision.document),
        "closing": closing_chart(found, code),
        "drawn": drawn,
        "spread": None if drawn is None else spreads(drawn),
    }


def front_page(
    request: HttpRequest, run: BackgroundRun, revision: ScenarioRevision
) -> dict[str, Any]:
    """Return what the page of the trade-offs shows: points within the limits asked for."""
    found = run.result or {}
    code = found["currency"]
    axes = [
        {
            "name": axis["name"],
            "label": AXES[axis["name"]][0],
            "unit": in_currency(AXES[axis["name"]][1], code),
            "most": _number(request.GET.get(f"most_{axis['name']}")),
        }
        for axis in found["axes"]
    ]
    points = [
        {
            **point,
            "place": place,
            "number": place + 1,
            "words": machines_in_words(point["mix"]),
            "cells": [
                {
                    "value": point["values"].get(axis["name"]),
                    "plus": point["rents"] and axis["name"] in OWN_AXES,
                }
                for axis in axes
            ],
        }
        for place, point in enumerate(found["points"])
    ]
    shown = [point for point in points if _within(point, axes)]
    return {
        "run_id": run.pk,
        "axes": axes,
        "points": shown,
        "all_points": points,
        "sentence": front_sentence(points, code),
        "own_only": OWN_ONLY if any(point["rents"] for point in shown) else "",
        "front_chart": front_chart(points, axes),
        "lines_chart": lines_chart(shown, axes),
        "left_out": left_out_of(found, revision.document),
    }


def why_not_page(
    request: HttpRequest, run: BackgroundRun, revision: ScenarioRevision
) -> dict[str, Any]:
    """Return what the page of one option in place of the mix shows."""
    found = run.result or {}
    code = found["currency"]
    return {
        "run_id": run.pk,
        "code": code,
        "unit": in_currency(found["unit"], code),
        "sentence": in_currency(found["sentence"], code, [found["name"]]),
        "rows": rows_of(found["mix"], revision.document),
    }


def _number(text: str | None) -> float | None:
    try:
        value = float(text) if text else None
    except ValueError:
        return None
    return value if value is not None and value == value else None


def _within(point: dict[str, Any], axes: list[dict[str, Any]]) -> bool:
    for axis in axes:
        value = point["values"].get(axis["name"])
        if axis["most"] is not None and value is not None and value > axis["most"]:
            return False
    return True


def best_sentence(found: dict[str, Any], code: str) -> str:
    """The answer in one sentence, with its proof."""
    if not found["mix"]:
        if found["way_out"] is None:
            return "No mix was found in the time; give it more."
        return "Nothing fits all limits at once."
    objective, unit = found["objective"], in_currency(found["unit"], code)
    total = f"{si(found['totals'][objective])} {unit}"
    gap = found["gap"]
    if gap == 0:
        proof = "no mix of these fleets takes less"
    elif gap is None:
        proof = "no bound was found in the time"
    else:
        proof = f"at most {percent(gap)} more than the least possible"
    words = machines_in_words(found["mix"])
    return f"{words}: {total}, {proof}."


def front_sentence(points: list[dict[str, Any]], code: str) -> str:
    """What the front offers, in one sentence."""
    if not points:
        return "No mix fits the limits; the page Optimise says what would make one fit."
    if len(points) == 1:
        return "One mix is the best in everything."
    low, high = points[0]["values"]["usd"], points[-1]["values"]["usd"]
    return (
        f"{len(points)} mixes, from {si(low)} to {si(high)} {code}: each is the cheapest within "
        "some ceiling on carbon, power or latency."
    )


def machines_in_words(rows: list[dict[str, Any]]) -> str:
    """Machines of a mix: each kind once, owned and rented apart.

    >>> machines_in_words([
    ...     {"name": "A", "tenure": "owned", "count": 2},
    ...     {"name": "B", "tenure": "rented", "count": 1},
    ...     {"name": "A", "tenure": "owned", "count": 3},
    ... ])
    '5 × A and 1 × B rented'
    """
    counts: dict[tuple[str, str], int] = {}
    for row in rows:
        key = (row["name"], row["tenure"])
        counts[key] = counts.get(key, 0) + row["count"]
    parts = [
        f"{count} × {name}{' rented' if tenure == 'rented' else ''}"
        for (name, tenure), count in counts.items()
    ]
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def names_of(document: dict[str, Any]) -> dict[str, str]:
    """Names of sites, workloads and options by their keys."""
    return {
        one["key"]: one.get("name") or one["key"]
        for part in ("sites", "workloads", "options")
        for one in document.get(part) or ()
    }


def rows_of(mix: list[dict[str, Any]], document: dict[str, Any]) -> list[dict[str, Any]]:
    """Rows of a mix by workload, owned before rented, by month; keys in words."""
    names = names_of(document)
    ordered = sorted(
        mix, key=lambda row: (row["workload"], row["tenure"], row["from_month"], row["name"])
    )
    return [
        {
            **row,
            "workload_name": names.get(row["workload"], row["workload"]),
            "site_name": names.get(row["site"], "") or "rented",
            "option_name": names.get(row["option"], row["option"]),
            "phased": row["from_month"] > 0,
        }
        for row in ordered
    ]


def limits_of(found: dict[str, Any]) -> list[dict[str, Any]]:
    """Every limit as a bar with its words; what binds first, with its worth."""
    bound = {one["name"]: one for one in found["binding"]}
    listed = []
    for name, use in found["used"].items():
        binds = bound.get(name)
        share = use["available"] == 0
        room = use["available"] is not None and use["available"] > 0
        listed.append(
            {
                "name": name,
                "binds": binds,
                "text": binds["use_text"]
                if binds
                else f"{sig3(-use['used'])} {use['unit']} below the share"
                if share
                else f"{sig3(use['used'])} of {sig3(use['available'])} {use['unit']}"
                if room
                else f"{sig3(use['used'])} {use['unit']}, no limit",
                "used_percent": min(100, round(100 * use["used"] / use["available"]))
                if room
                else None,
            }
        )
    return sorted(listed, key=lambda one: one["binds"] is None)


def left_out_of(found: dict[str, Any], document: dict[str, Any]) -> list[dict[str, str]]:
    """Fleets that were no candidates and why, options in words."""
    names = names_of(document)
    listed = []
    for key, why in found.get("left_out", {}).items():
        option, _, fleet = key.partition("/")
        listed.append({"option": names.get(option, option), "fleet": fleet, "why": why})
    return listed

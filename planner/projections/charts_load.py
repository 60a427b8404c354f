"""Latency against the offered load, with the target, the point in use and the measured range."""

from __future__ import annotations

from typing import Any

import numpy as np

from planner.charts.encode import Chart, chart
from planner.charts.theme import (
    FADED,
    TARGET_COLOUR,
    colour,
    end_label,
    layout,
    line,
    plain,
    spread,
    wash,
)
from planner.projections.interval import interval_of
from planner.projections.places import Places
from planner.templatetags.units import sig3

METRIC_NAMES = {
    "ttft": "Time to first token",
    "tpot": "Time per output token",
    "e2e": "Whole answer",
}
SECONDS_PER_MINUTE = 60
HEADROOM = 2.5  # the axis ends at so many times the target


def load_latency(result: dict[str, Any], places: Places) -> list[Chart]:
    """Return one chart for each workload and latency that has a target.

    A workload without targets is drawn with the 95th percentile of the whole answer.
    """
    groups: dict[tuple[str, str, float], float | None] = {}
    fleets = [
        (option["key"], fleet)
        for option in result["options"]
        for fleet in result["latency"][option["key"]]
        if fleet["curve"]
    ]
    for _, fleet in fleets:
        for target in fleet["targets"]:
            groups[(fleet["workload"], target["metric"], target["percentile"])] = target["limit_ms"]
    wanted = {workload for workload, _, _ in groups}
    for _, fleet in fleets:
        if fleet["workload"] not in wanted:
            groups.setdefault((fleet["workload"], "e2e", 95.0), None)
    charts = []
    for number, ((workload, metric, percentile), limit) in enumerate(groups.items()):
        own = [(option, fleet) for option, fleet in fleets if fleet["workload"] == workload]
        made = _one(number, own, metric, percentile, limit, places)
        if made is not None:
            charts.append(made)
    return charts


def _latency_ms(point: dict[str, Any] | None, metric: str, percentile: float) -> float | None:
    if point is None or point["saturated"]:
        return None
    value: float | None = point[f"{metric}_ms"].get(f"p{percentile:g}")
    return value


def _design(
    fleet: dict[str, Any], metric: str, percentile: float, xs: list[float], ys: list[float]
) -> tuple[float, float] | None:
    """Return where the fleet's target is judged: the load on its curve, and the latency."""
    for target in fleet["targets"]:
        same = target["metric"] == metric and target["percentile"] == percentile
        ms: float | None = target["predicted_ms"]
        if same and ms is not None and ys[0] <= ms <= ys[-1]:
            return float(np.interp(ms, ys, xs)), ms
    return None


def _one(
    number: int,
    fleets: list[tuple[str, dict[str, Any]]],
    metric: str,
    percentile: float,
    limit: float | None,
    places: Places,
) -> Chart | None:
    data: list[dict[str, Any]] = []
    bands: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    rows: list[tuple[Any, ...]] = []
    in_use: list[tuple[str, float, float]] = []
    measured: list[float] = []
    outside = banded = False
    for option, fleet in fleets:
        index = places.fleets[(option, fleet["fleet"])]
        name = places.fleet_label(option, fleet["fleet"])
        drawn = [
            (
                point["requests_per_s"] * SECONDS_PER_MINUTE,
                ms,
                point["measured_range"],
                point.get("within_model_range", True),  # stored results may lack it
                interval_of(point, metric, ms),
            )
            for point in fleet["curve"]
            if (ms := _latency_ms(point, metric, percentile)) is not None
        ]
        if not drawn:
            continue
        xs, ys = [row[0] for row in drawn], [row[1] for row in drawn]
        kept = sum(1 for row in drawn if row[3])  # the curve rises: those outside come last
        # outside the model's range the curve itself is a hint only: it gets no band
        ends = [row[4] for row in drawn[:kept] if row[4] is not None]
        if len(ends) == kept > 1:
            banded = True
            bands.append(_band(name, xs[:kept], ends, index, len(fleets)))
        data.append(line(name, xs[:kept], ys[:kept], index, "ms"))
        if kept < len(drawn):
            outside = True
            data.append(_faded(name, xs[max(kept - 1, 0) :], ys[max(kept - 1, 0) :], index))
        shown = [(x, y) for x, y in zip(xs, ys, strict=True) if not limit or y < HEADROOM * limit]
        notes.append(end_label(name, *(shown or [(xs[0], ys[0])])[-1], index))
        tested = any(term["status"] == "measured" for term in fleet["terms"])
        if tested:
            measured += [row[0] for row in drawn if row[2]]
        at = fleet["at_peak"]
        ms = _latency_ms(at, metric, percentile)
        if at is not None and ms is not None:
            x = at["requests_per_s"] * SECONDS_PER_MINUTE
            data.append(_point(f"{name}, peak", x, ms, index, hollow=limit is not None))
            if limit is None:
                in_use.append((name, x, ms))
        design = _design(fleet, metric, percentile, xs, ys)
        if design is not None:
            in_use.append((name, *design))
            data.append(_point(f"{name}, design load", *design, index))
        for x, y, inside, valid, interval in drawn:
            word = ("yes" if inside else "no") if tested else "not measured"
            numbers = [round(end, 3) for end in interval] if interval else ["not known"] * 2
            rows.append((name, round(x, 3), round(y, 3), *numbers, word, "yes" if valid else "no"))
    if not data:
        return None
    if measured:
        shapes.append(_shade(min(measured), max(measured)))
    label = f"{METRIC_NAMES[metric]}, p{percentile:g}"
    if limit is not None:
        shapes.append(_target(limit))
        notes.append(_target_label(limit))
    top = HEADROOM * max([limit or 0.0, *(ms for _, _, ms in in_use)])
    return chart(
        f"chart-load-{number}",
        _title(label, limit, in_use),
        (
            "The ring is the peak with every copy working, the dot the design load: headroom "
            "added, the scenario's failures taken off. "
            if limit is not None
            else "The dot is the load at peak. "
        )
        + (
            "Shaded: the range that was measured; elsewhere the model computes."
            if measured
            else "No measurement of your own: the model rests on public ones and on data sheets."
        )
        + (" The faint band is where 80 % of measured runs would lie." if banded else "")
        + (
            " Dotted and faint: outside the range that the model is checked in, a rough hint only."
            if outside
            else ""
        ),
        [*bands, *data],
        layout(
            "requests a minute, whole fleet",
            f"{label}, ms",
            annotations=spread(notes, top),
            shapes=shapes,
            yaxis={"range": [0, top]} if top else {},
        ),
        (
            "Fleet",
            "Requests a minute",
            f"{label}, ms",
            "80 % interval, from ms",
            "to ms",
            "In the measured range",
            "In the model's range",
        ),
        rows,
    )


def _title(label: str, limit: float | None, in_use: list[tuple[str, float, float]]) -> str:
    if not in_use:
        return f"{label}: no fleet carries its peak"
    if limit is None:
        name, _, ms = min(in_use, key=lambda item: item[2])
        return f"{label}: {sig3(ms)} ms at peak with {name}"
    missed = [name for name, _, ms in in_use if ms > limit]
    if missed:
        names = ", ".join(missed)
        return f"{label} at design load is above the target of {sig3(limit)} ms with {names}"
    worst = max(in_use, key=lambda item: item[2])
    target = f"{sig3(limit)} ms at design load"
    if len(in_use) == 1:
        return f"{label} is {sig3(worst[2])} ms, within {target}"
    return f"{label} stays within {target}; slowest is {worst[0]}, {sig3(worst[2])} ms"


def _point(name: str, x: float, y: float, index: int, hollow: bool = False) -> dict[str, Any]:
    return {
        "type": "scatter",
        "mode": "markers",
        "name": plain(name),
        "x": [x],
        "y": [y],
        "marker": {
            "size": 11,
            "symbol": "circle-open" if hollow else "circle",
            "color": colour(index),
            "line": {"width": 2, "color": colour(index) if hollow else "#888"},
        },
        "hovertemplate": f"{plain(name)}: %{{y:,.4~g}} ms<extra></extra>",
    }


def _faded(name: str, x: list[float], y: list[float], index: int) -> dict[str, Any]:
    """Return the part of a curve outside the range stated for the model (P6.3)."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": plain(f"{name}, outside the model's range"),
        "x": x,
        "y": y,
        "opacity": 0.4,
        "line": {"color": colour(index), "width": 2.5, "dash": "dot"},
        "hovertemplate": f"{plain(name)}, outside the model's range: %{{y:,.4~g}} ms"
        "<extra></extra>",
    }


def _band(
    name: str, x: list[float], ends: list[tuple[float, float]], index: int, fleets: int
) -> dict[str, Any]:
    """Return the 80 % interval along a curve as one closed area (P13.3)."""
    return {
        "type": "scatter",
        "mode": "lines",
        "name": plain(f"{name}, 80 % interval"),
        "x": [*x, *reversed(x)],
        "y": [*(low for low, _ in ends), *(high for _, high in reversed(ends))],
        "fill": "toself",
        "fillcolor": wash(index, max(0.05, 0.16 / fleets)),
        "line": {"width": 0},
        "hoverinfo": "skip",
    }


def _shade(low: float, high: float) -> dict[str, Any]:
    return {
        "type": "rect",
        "xref": "x",
        "yref": "paper",
        "x0": low,
        "x1": high,
        "y0": 0,
        "y1": 1,
        "fillcolor": FADED,
        "line": {"width": 0},
        "layer": "below",
    }


def _target(limit: float) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "yref": "y",
        "y0": limit,
        "y1": limit,
        "line": {"color": TARGET_COLOUR, "width": 2, "dash": "dash"},
    }


def _target_label(limit: float) -> dict[str, Any]:
    return {
        "text": f"target {sig3(limit)} ms",
        "xref": "paper",
        "x": 0,
        "y": limit,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
    }

"""Charts of the optimiser: how the gap closed, and mixes against one another."""

from __future__ import annotations

from typing import Any

from planner.charts.encode import Chart, chart
from planner.charts.theme import axis, colour, layout, note
from planner.templatetags.units import percent, si, sig3
from tco.results.currency import in_currency

FEW_STEPS = 3  # a proof that closed at once is no drawing


def closing_chart(found: dict[str, Any], code: str) -> Chart | None:
    """Best mix and bound over the seconds of the search."""
    steps = [
        one
        for one in found["trace"]
        if one["best_units"] is not None and one["bound_units"] is not None
    ]
    if len(steps) < FEW_STEPS:
        return None
    unit = in_currency(found["unit"], code)
    times = [one["seconds"] for one in steps]
    gap = found["gap"]
    title = "The proof closed" if gap == 0 else f"A gap of {percent(gap or 0.0)} is left"
    return chart(
        "chart-closing",
        f"{title} after {sig3(found['seconds'])} s",
        "The best mix found so far (line) and what no mix can be below (dashes).",
        [
            {
                "type": "scatter",
                "mode": "lines",
                "line": {"shape": "hv", "color": colour(place), "dash": style, "width": 2},
                "x": times,
                "y": [one[key] for one in steps],
                "hovertemplate": f"{words}: %{{y:,.5~s}} {unit}<extra></extra>",
            }
            for place, (key, style, words) in enumerate(
                (("best_units", "solid", "best mix"), ("bound_units", "dash", "bound"))
            )
        ],
        layout("seconds", unit, yaxis={"rangemode": "normal"}, height=260),
        ("Seconds", f"Best mix, {unit}", f"Bound, {unit}", "Gap"),
        [
            (
                round(one["seconds"], 1),
                round(one["best_units"]),
                round(one["bound_units"]),
                percent(one["gap_fraction"] or 0.0),
            )
            for one in steps
        ],
    )


def front_chart(points: list[dict[str, Any]], axes: list[dict[str, Any]]) -> Chart | None:
    """Cost against carbon; the size of a ring is its peak power."""
    known = [one for one in points if "carbon_kg" in one["values"]]
    if len(known) < 2:
        return None
    code = axes[0]["unit"]
    most = max((one["values"].get("peak_kw") or 0.0 for one in known), default=0.0) or 1.0
    first, last = known[0], min(known, key=lambda one: one["values"]["carbon_kg"])
    saved = first["values"]["carbon_kg"] - last["values"]["carbon_kg"]
    more = last["values"]["usd"] - first["values"]["usd"]
    per_tonne = f"; {si(more / saved * 1000)} {code} for each tonne less" if saved > 0 else ""
    return chart(
        "chart-front",
        f"The least carbon takes {si(more)} {code} more than the least cost{per_tonne}",
        "Each ring is a mix that no other one beats in everything; the larger, the more peak power "
        "of owned machines. A square rents some of its machines.",
        [
            {
                "type": "scatter",
                "mode": "markers+text",
                "x": [one["values"]["usd"] for one in known],
                "y": [one["values"]["carbon_kg"] / 1000 for one in known],
                "text": [str(one["number"]) for one in known],
                "textposition": "middle right",
                "cliponaxis": False,
                "marker": {
                    "size": [
                        10 + 22 * ((one["values"].get("peak_kw") or 0.0) / most) for one in known
                    ],
                    "symbol": ["square-open" if one["rents"] else "circle-open" for one in known],
                    "color": colour(0),
                    "line": {"width": 2.5},
                },
                "customdata": [one["words"] for one in known],
                "hovertemplate": f"%{{customdata}}<br>%{{x:,.4~s}} {code}, %{{y:,.4~g}} t"
                "<extra></extra>",
            }
        ],
        layout(
            f"total cost, present value, {code}",
            "carbon of owned machines over the horizon, t CO2e",
            xaxis={"rangemode": "normal"},
            hovermode="closest",
            height=380,
            annotations=[
                note(
                    "cheapest",
                    first["values"]["usd"],
                    first["values"]["carbon_kg"] / 1000,
                    ay=36,
                )
            ],
        ),
        ("Mix", *(f"{one['label']}, {one['unit']}" for one in axes), "Machines"),
        [
            (
                str(one["number"]),
                *(_rounded(one["values"].get(item["name"])) for item in axes),
                one["words"],
            )
            for one in known
        ],
    )


def lines_chart(points: list[dict[str, Any]], axes: list[dict[str, Any]]) -> Chart | None:
    """Every mix as a line over all axes, each from its least to its most."""
    if len(points) < 2:
        return None
    spans = []
    for item in axes:
        values = [
            one["values"][item["name"]] for one in points if item["name"] in one["values"]
        ] or [0.0]
        spans.append((min(values), max(values)))
    places = list(range(len(axes)))
    data = [
        {
            "type": "scatter",
            "mode": "lines+markers",
            "x": places,
            "y": [
                _between(one["values"].get(item["name"]), *span)
                for item, span in zip(axes, spans, strict=True)
            ],
            "line": {"color": colour(index), "width": 2},
            "marker": {"size": 7},
            "text": [f"{sig3(one['values'].get(item['name']))} {item['unit']}" for item in axes],
            "hovertemplate": f"mix {one['number']}: %{{text}}<extra></extra>",
        }
        for index, one in enumerate(points)
    ]
    return chart(
        "chart-lines",
        f"{len(points)} mixes over all {len(axes)} measures",
        "Each measure runs from the least (below) to the most (above) of the mixes shown; lower is "
        "better everywhere.",
        data,
        layout(
            "",
            "",
            xaxis=axis(
                "",
                range=[-0.35, len(axes) - 0.65],
                tickvals=places,
                ticktext=[
                    f"{item['label']}<br>{si(low)} to {si(high)} {item['unit']}"
                    for item, (low, high) in zip(axes, spans, strict=True)
                ],
            ),
            yaxis={"tickvals": [0, 1], "ticktext": ["least", "most"]},
            hovermode="closest",
            height=360,
        ),
        ("Mix", *(f"{one['label']}, {one['unit']}" for one in axes)),
        [
            (str(one["number"]), *(_rounded(one["values"].get(item["name"])) for item in axes))
            for one in points
        ],
    )


def _between(value: float | None, low: float, high: float) -> float | None:
    if value is None:
        return None
    return (value - low) / (high - low) if high > low else 0.0


def _rounded(value: float | None) -> float | str:
    return "–" if value is None else float(f"{value:.6g}")

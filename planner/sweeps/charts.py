"""A sweep drawn: a map of who is the cheapest, lines over all axes."""

from __future__ import annotations

from typing import Any

import numpy as np

from planner.charts.encode import Chart, chart
from planner.charts.theme import axis, colour, layout, plain
from planner.sweeps.selectors import FloatArray
from planner.templatetags.units import si, sig3
from tco.sweep.table import cheapest

MOST_CELLS, MOST_LINES = 2_500, 150


def map_chart(
    axes: list[dict[str, Any]], labels: list[str], summary: dict[str, Any], cost: FloatArray
) -> Chart | None:
    """Least cost over the first two axes, the others at the middle of their values."""
    shape = [len(one["values"]) for one in axes]
    wide = [place for place, size in enumerate(shape) if size > 1][:2]
    if len(wide) < 2:
        return None
    index: list[Any] = [size // 2 for size in shape]
    picks = []
    for place in wide:
        most = int(MOST_CELLS**0.5)
        pick = np.unique(np.linspace(0, shape[place] - 1, min(shape[place], most)).astype(int))
        picks.append(pick)
    cells = np.full((len(picks[1]), len(picks[0])), np.nan)
    names = np.full(cells.shape, "", dtype=object)
    first = cheapest(cost)
    for x, column in enumerate(picks[0]):
        for y, row in enumerate(picks[1]):
            index[wide[0]], index[wide[1]] = int(column), int(row)
            point = int(np.ravel_multi_index(index, shape))
            if first[point] >= 0:
                cells[y, x] = cost[point, first[point]]
                names[y, x] = summary["names"][first[point]]
    if np.isnan(cells).all():
        return None
    code = summary["currency"]
    x_values = [axes[wide[0]]["values"][int(at)] for at in picks[0]]
    y_values = [axes[wide[1]]["values"][int(at)] for at in picks[1]]
    winners = sorted({str(name) for name in names.ravel() if name})
    held = ", ".join(
        f"{labels[place]} {_value(axes[place]['values'][shape[place] // 2])}"
        for place in range(len(axes))
        if place not in wide and shape[place] > 1
    )
    return chart(
        "chart-map",
        f"{winners[0]} is the cheapest everywhere on this map"
        if len(winners) == 1
        else f"{' and '.join(winners[:3])} share this map",
        f"Cost of the cheapest option, {code}{f'; {held}' if held else ''}. Which one it is stands "
        "at each cell.",
        [
            {
                "type": "heatmap",
                "x": [_value(value) for value in x_values],
                "y": [_value(value) for value in y_values],
                "z": [[None if np.isnan(v) else float(v) for v in row] for row in cells],
                "customdata": names.tolist(),
                "colorscale": "Cividis",
                "reversescale": True,
                "colorbar": {"title": {"text": code}, "thickness": 12},
                "hovertemplate": f"%{{customdata}}: %{{z:,.4~s}} {code}<extra></extra>",
            }
        ],
        layout(
            labels[wide[0]],
            labels[wide[1]],
            xaxis={"type": "category"},
            yaxis={"type": "category"},
            hovermode="closest",
            height=420,
        ),
        (labels[wide[0]], labels[wide[1]], "Cheapest", f"Cost, {code}"),
        [
            (_value(x_values[x]), _value(y_values[y]), names[y, x], round(float(cells[y, x])))
            for y in range(min(cells.shape[0], 12))
            for x in range(min(cells.shape[1], 12))
            if names[y, x]
        ],
    )


def lines_chart(
    axes: list[dict[str, Any]], labels: list[str], summary: dict[str, Any], cost: FloatArray
) -> Chart | None:
    """Points as lines over all axes and the least cost, coloured by the cheapest option."""
    shape = [len(one["values"]) for one in axes]
    first = cheapest(cost)
    priced = np.flatnonzero(first >= 0)
    if len(priced) < 3:
        return None
    places = priced[np.unique(np.linspace(0, len(priced) - 1, MOST_LINES).astype(int))]
    least = np.nanmin(cost[places], axis=1)
    low, high = float(least.min()), float(least.max())
    data: list[dict[str, Any]] = []
    rows: list[tuple[Any, ...]] = []
    code = summary["currency"]
    for point, usd in zip(places, least, strict=True):
        index = np.unravel_index(int(point), shape)
        ys = [float(at) / max(size - 1, 1) for at, size in zip(index, shape, strict=True)]
        ys.append((float(usd) - low) / (high - low) if high > low else 0.0)
        values = [one["values"][int(at)] for one, at in zip(axes, index, strict=True)]
        winner = int(first[point])
        said = ", ".join(
            f"{label} {_value(value)}" for label, value in zip(labels, values, strict=True)
        )
        data.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": list(range(len(axes) + 1)),
                "y": ys,
                "line": {"color": colour(winner), "width": 1.2},
                "opacity": 0.55,
                "text": [f"{plain(summary['names'][winner])}, {si(usd)} {code}: {plain(said)}"]
                * len(ys),
                "hovertemplate": "%{text}<extra></extra>",
            }
        )
        if len(rows) < 30:
            rows.append((*map(_value, values), summary["names"][winner], round(float(usd))))
    ticks = [
        f"{plain(label)}<br>{_value(one['values'][0])} to {_value(one['values'][-1])}"
        for label, one in zip(labels, axes, strict=True)
    ]
    return chart(
        "chart-parallel",
        f"{len(places)} of the points as lines",
        "Each line is a point: its place among the values of each axis, and what the cheapest "
        "option costs there; a colour for each option.",
        data,
        layout(
            "",
            "",
            xaxis=axis(
                "",
                range=[-0.35, len(axes) + 0.35],
                tickvals=list(range(len(axes) + 1)),
                ticktext=[*ticks, f"least cost<br>{si(low)} to {si(high)} {code}"],
            ),
            yaxis={"tickvals": [0, 1], "ticktext": ["first", "last"]},
            hovermode="closest",
            height=380,
        ),
        (*labels, "Cheapest", f"Cost, {code}"),
        rows,
    )


def _value(value: float | str) -> str:
    return value if isinstance(value, str) else sig3(value)

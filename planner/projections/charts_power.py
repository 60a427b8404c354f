"""Power by the hour, against what has to be provisioned (F2.5)."""

from __future__ import annotations

from typing import Any

from planner.charts.encode import Chart, chart
from planner.charts.theme import colour, end_label, layout, line, plain, spread
from planner.projections.places import Places
from planner.templatetags.units import kw


def power_by_hour(result: dict[str, Any], places: Places) -> Chart | None:
    """Return the IT power of each owned fleet over a typical day, with its provisioned level."""
    data: list[dict[str, Any]] = []
    notes: list[dict[str, Any]] = []
    shapes: list[dict[str, Any]] = []
    rows: list[tuple[Any, ...]] = []
    widest: tuple[float, str, dict[str, Any]] | None = None
    for option in result["options"]:
        for power in result["power"][option["key"]]:
            index = places.fleets[(option["key"], power["fleet"])]
            name = places.fleet_label(option["key"], power["fleet"])
            hourly = power["hourly_kw"]
            hours = list(range(len(hourly)))
            data.append(line(name, hours, hourly, index, "kW", line_shape="hv"))
            if hourly:
                notes.append(end_label(name, hours[-1], hourly[-1], index))
            level = power["it_provisioned_kw"]
            shapes.append(_level(level, index))
            notes.append(_level_label(f"{plain(name)}: {kw(level)} provisioned", level))
            rows += [(name, hour, round(value, 4)) for hour, value in enumerate(hourly)]
            rows.append((name, "provisioned", round(level, 4)))
            gap = level - power["it_average_kw"]
            if widest is None or gap > widest[0]:
                widest = (gap, name, power)
    if widest is None:
        return None
    _, name, power = widest
    highest = max(shape["y0"] for shape in shapes)
    return chart(
        "chart-power",
        f"{name} needs {kw(power['it_provisioned_kw'])} provisioned and draws "
        f"{kw(power['it_average_kw'])} on average",
        "Servers only, without cooling. The level is what breakers and cooling must carry; the "
        "line is what the meter sees in an hour of the typical day.",
        data,
        layout(
            "hour of the day",
            "IT power, kW",
            annotations=spread(notes, 1.15 * highest),
            shapes=shapes,
            xaxis={"dtick": 3, "range": [0, 23.5]},
            yaxis={"range": [0, 1.15 * highest]},
        ),
        ("Fleet", "Hour", "IT power, kW"),
        rows,
    )


def _level(level: float, index: int) -> dict[str, Any]:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "yref": "y",
        "y0": level,
        "y1": level,
        "line": {"color": colour(index), "width": 1.5, "dash": "dash"},
    }


def _level_label(text: str, level: float) -> dict[str, Any]:
    return {
        "text": text,
        "xref": "paper",
        "x": 0,
        "y": level,
        "xanchor": "left",
        "yanchor": "bottom",
        "showarrow": False,
    }

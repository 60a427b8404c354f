"""What knowing each input is worth, as bars."""

from __future__ import annotations

import textwrap
from typing import Any

from planner.charts.encode import Chart, chart
from planner.charts.theme import colour, layout, plain
from planner.templatetags.units import si

TOP, LINE, ROW = 10, 26, 48


def knowing_chart(found: dict[str, Any]) -> Chart | None:
    """Inputs by what knowing them before the choice saves on average, the most on top."""
    rows, code = found["knowing"][:TOP], found["currency"]
    if len(rows) < 2:
        return None
    names = ["<br>".join(map(plain, textwrap.wrap(one["label"], LINE))) for one in rows]
    first = rows[0]
    return chart(
        "chart-knowing",
        f"{first['label']}: knowing it is worth up to {si(first['exact_usd'])} {code}",
        f"What knowing one input exactly before the choice saves on average; everything at once "
        f"{si(found['perfect_usd'])} {code}.",
        [
            {
                "type": "bar",
                "orientation": "h",
                "y": names,
                "x": [one["exact_usd"] for one in rows],
                "marker": {
                    "color": colour(0),
                    "pattern": {"shape": ["/" if one["kind"] == "measure" else "" for one in rows]},
                },
                "hovertemplate": f"%{{x:,.4~s}} {code}<extra></extra>",
            }
        ],
        layout(
            f"saved on average, {code}",
            "",
            yaxis={"autorange": "reversed", "rangemode": "normal"},
            height=90 + ROW * len(rows),
            hovermode="closest",
        ),
        ("Input", f"Exact, {code}", f"Measured by the agent, {code}"),
        [
            (
                one["label"],
                round(one["exact_usd"]),
                "–" if one["measured_usd"] is None else round(one["measured_usd"]),
            )
            for one in found["knowing"]
        ],
    )

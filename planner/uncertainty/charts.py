"""Spreads of the options, and what moves each of them most."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from planner.charts.encode import Chart, chart
from planner.charts.theme import FADED, axis, colour, layout, plain
from planner.templatetags.units import si, sig3
from tco.uncertainty.assess import TOP, Assessment, Spread, Swing

ROW = 56  # px of a bar with its label
LINE, LINES = 22, 3  # letters of a line of an input's name beside its bar, and lines


def spreads(found: Assessment) -> Chart | None:
    """From P10 to P90 of each option, the middle and the cost without uncertainty marked."""
    options, code = found.options, found.currency
    if not options:
        return None
    best = min(options, key=lambda one: one.p50_usd)
    names = ["<br>".join(map(plain, textwrap.wrap(one.name, LINE))) for one in options]
    bars = {
        "type": "bar",
        "orientation": "h",
        "y": names,
        "base": [one.p10_usd for one in options],
        "x": [one.p90_usd - one.p10_usd for one in options],
        "marker": {"color": [colour(place) for place in range(len(options))], "opacity": 0.45},
        "width": 0.5,
        "hoverinfo": "skip",
    }
    return chart(
        "chart-spread",
        f"{best.name} is the cheapest in the middle: {si(best.p50_usd)} {code}",
        "Bars from the tenth to the ninetieth percentile; the line is the middle draw, the ring "
        "the cost with every input at its own value.",
        [
            bars,
            _marks(names, options, "p50_usd", "line-ns", "P50", code),
            _marks(names, options, "base_usd", "circle-open", "without uncertainty", code),
        ],
        layout(
            f"total cost, present value, {code}",
            "",
            xaxis={"rangemode": "tozero"},
            yaxis={"autorange": "reversed", "ticklabelposition": "outside"},
            height=90 + ROW * len(options),
            hovermode="closest",
            bargap=0.4,
        ),
        ("Option", *(f"{x}, {code}" for x in ("P10", "P50", "P90", "Mean", "Without uncertainty"))),
        [
            (
                one.name,
                *map(round, (one.p10_usd, one.p50_usd, one.p90_usd, one.mean_usd, one.base_usd)),
            )
            for one in options
        ],
    )


def _marks(
    names: list[str], options: Sequence[Spread], field: str, symbol: str, label: str, code: str
) -> dict[str, object]:
    return {
        "type": "scatter",
        "mode": "markers",
        "y": names,
        "x": [getattr(one, field) for one in options],
        "marker": {
            "symbol": symbol,
            "size": 22 if symbol == "line-ns" else 11,
            "color": [colour(place) for place in range(len(options))],
            "line": {
                "width": 3 if symbol == "line-ns" else 2,
                "color": [colour(place) for place in range(len(options))],
            },
        },
        "hovertemplate": f"{label}: %{{x:,.4~s}} {code}<extra></extra>",
    }


def tornado(option: Spread, swings: Sequence[Swing], index: int, code: str) -> Chart | None:
    """Cost at both ends of each input, the widest on top (F21.1)."""
    shown = swings[:TOP]
    if not shown:
        return None
    labels = [_label(swing) for swing in shown]
    first = shown[0]
    data = []
    for end, opacity in (("low", 0.45), ("high", 0.9)):
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": f"at the {end} end",
                "y": labels,
                "base": option.base_usd,
                "x": [getattr(swing, f"at_{end}_usd") - option.base_usd for swing in shown],
                "marker": {
                    "color": colour(index),
                    "opacity": opacity,
                    "pattern": {"shape": "/" if end == "high" else ""},
                },
                "customdata": [
                    [
                        f"{sig3(getattr(swing, end))} {swing.unit}",
                        si(getattr(swing, f"at_{end}_usd")),
                    ]
                    for swing in shown
                ],
                "hovertemplate": f"%{{customdata[0]}}: %{{customdata[1]}} {code}<extra></extra>",
            }
        )
    return chart(
        f"chart-tornado-{index}",
        f"{option.name}: {first.label} moves it most, by {si(first.width_usd)} {code}",
        "Each input at the low end (plain) and the high end (hatched) of its range, all others at "
        "their own values.",
        data,
        layout(
            f"total cost, present value, {code}",
            "",
            yaxis=axis("", autorange="reversed", rangemode="normal"),
            xaxis={"zeroline": False},
            barmode="overlay",
            height=90 + ROW * len(shown),
            hovermode="closest",
            shapes=[
                {
                    "type": "line",
                    "x0": option.base_usd,
                    "x1": option.base_usd,
                    "yref": "paper",
                    "y0": 0,
                    "y1": 1,
                    "line": {"color": FADED, "width": 2},
                }
            ],
        ),
        ("Input", "Unit", "Low", "Own value", "High", f"Cost at low, {code}",
         f"Cost at high, {code}", "Rank correlation"),
        [
            (
                swing.label,
                swing.unit,
                swing.low,
                swing.value,
                swing.high,
                round(swing.at_low_usd),
                round(swing.at_high_usd),
                round(swing.rank_correlation, 2),
            )
            for swing in swings
        ],
    )  # fmt: skip


def _label(swing: Swing) -> str:
    return "<br>".join(
        plain(text) for text in textwrap.wrap(swing.label, LINE, max_lines=LINES, placeholder="…")
    )

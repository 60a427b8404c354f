"""Cost over time and by category: views of the stored ledger."""

from __future__ import annotations

import itertools
from typing import Any

from planner.charts.currency import currency_of
from planner.charts.encode import Chart, chart
from planner.charts.theme import PATTERNS, colour, end_label, layout, line, note, plain, spread
from planner.projections.places import Places
from planner.templatetags.units import si

MONTHS_PER_YEAR = 12


def cumulative_pv_usd(ledger: dict[str, Any]) -> list[float]:
    """Return the present value of all that is paid by the end of each month; index 0 is the start.

    A start amount of month m is paid at time m, an end amount at time m + 1 (F0.1).

    >>> line = {"start_usd": [100.0, 0.0], "end_usd": [10.0, 10.0]}
    >>> cumulative_pv_usd({"months": 2, "monthly_rate_fraction": 0.0, "lines": [line]})
    [100.0, 110.0, 120.0]
    """
    months = ledger["months"]
    factor = 1 / (1 + ledger["monthly_rate_fraction"])
    at = [0.0] * (months + 1)
    for entry in ledger["lines"]:
        for month, usd in enumerate(entry["start_usd"]):
            at[month] += usd
        for month, usd in enumerate(entry["end_usd"]):
            at[month + 1] += usd
    return list(itertools.accumulate(usd * factor**time for time, usd in enumerate(at)))


def pv_by_category_usd(ledger: dict[str, Any]) -> dict[str, float]:
    """Return the present value of each category of lines."""
    factor = 1 / (1 + ledger["monthly_rate_fraction"])
    found: dict[str, float] = {}
    for entry in ledger["lines"]:
        start = sum(usd * factor**month for month, usd in enumerate(entry["start_usd"]))
        end = sum(usd * factor ** (month + 1) for month, usd in enumerate(entry["end_usd"]))
        found[entry["category"]] = found.get(entry["category"], 0.0) + start + end
    return found


def cost_over_time(result: dict[str, Any], places: Places) -> Chart | None:
    """Cumulative present value of each option, crossings marked."""
    data, notes, table = [], [], []
    curves: dict[str, list[float]] = {}
    code = currency_of(result)
    for option in result["options"]:
        key = option["key"]
        curve = cumulative_pv_usd(result["ledger"][key])
        curves[key] = curve
        months = list(range(len(curve)))
        index = places.options[key]
        name = option["name"] + ("" if option["complete"] else " (prices missing)")
        data.append(line(name, months, curve, index, code))
        notes.append(end_label(name, months[-1], curve[-1], index))
        years = range(0, len(curve), MONTHS_PER_YEAR)
        table.append((name, *(round(curve[month]) for month in years)))
    if not curves:
        return None
    crossings = [c for c in result["crossings"] if c["what"] == "cumulative_cost_month"]
    sentence = ""
    for crossing in crossings:
        month = crossing["value"]
        if month is None or crossing["between"][0] not in curves:
            continue
        notes.append(note(f"month {month:.0f}", month, _at(curves[crossing["between"][0]], month)))
        sentence = sentence or crossing["sentence"]
    last = {key: curve[-1] for key, curve in curves.items()}
    # An option that does not hold, or lacks prices, wins nothing here either.
    best = result["best_option"]
    title = "No option holds with all its prices: what each would have cost"
    if best in last:
        title = f"{places.names[best]} has cost least by the end: {si(last[best])} {code}"
        if len(last) == 1:
            title = f"{places.names[best]} costs {si(last[best])} {code} by the end"
    months_count = len(next(iter(curves.values()))) - 1
    years = range(0, months_count + 1, MONTHS_PER_YEAR)
    return chart(
        "chart-cost",
        title,
        sentence or "Present value of everything paid up to each month.",
        data,
        layout(
            "months from the decision",
            f"paid so far, present value, {code}",
            annotations=spread(notes, max(max(curve) for curve in curves.values())),
            yaxis={"tickformat": "~s"},
            xaxis={"dtick": MONTHS_PER_YEAR},
        ),
        ("Option", *(f"after {month} months, {code}" for month in years)),
        table,
    )


def _at(curve: list[float], month: float) -> float:
    """Value of a curve between two months."""
    low = max(0, min(int(month), len(curve) - 1))
    high = min(low + 1, len(curve) - 1)
    return curve[low] + (curve[high] - curve[low]) * (month - low)


def cost_breakdown(result: dict[str, Any], places: Places) -> Chart | None:
    """What each option's money goes to, category by category."""
    sums = {
        option["key"]: pv_by_category_usd(result["ledger"][option["key"]])
        for option in result["options"]
    }
    biggest: dict[str, float] = {}
    for found in sums.values():
        for category, usd in found.items():
            biggest[category] = max(biggest.get(category, 0.0), abs(usd))
    categories = sorted((c for c in biggest if biggest[c] > 0), key=lambda c: biggest[c])
    if not categories:
        return None
    data = []
    code = currency_of(result)
    for number, option in enumerate(result["options"]):
        key = option["key"]
        data.append(
            {
                "type": "bar",
                "orientation": "h",
                "name": plain(option["name"]),
                "y": [category.capitalize() for category in categories],
                "x": [sums[key].get(category, 0.0) for category in categories],
                "marker": {
                    "color": colour(places.options[key]),
                    "pattern": {
                        "shape": PATTERNS[number % len(PATTERNS)],
                        "fillmode": "overlay",
                        "fgcolor": "#fff",
                        "fgopacity": 0.55,
                        "size": 6,
                        "solidity": 0.2,
                    },
                },
                "hovertemplate": f"{plain(option['name'])}: %{{x:,.4~s}} {code}<extra></extra>",
            }
        )
    top = categories[-1]
    owner = max(sums, key=lambda key: abs(sums[key].get(top, 0.0)))
    rows = [
        (
            category.capitalize(),
            *(round(sums[o["key"]].get(category, 0.0)) for o in result["options"]),
        )
        for category in reversed(categories)
    ]
    rows.append(("Total", *(round(sum(sums[o["key"]].values())) for o in result["options"])))
    return chart(
        "chart-breakdown",
        f"{top.capitalize()} is the largest part: {si(sums[owner][top])} {code} in "
        f"{places.names[owner]}",
        "Present value by category; resale stands below zero.",
        data,
        layout(
            f"present value, {code}",
            "",
            barmode="group",
            showlegend=True,
            legend={"orientation": "h", "y": -0.2},
            hovermode="closest",
            height=130 + len(categories) * max(26, 12 * len(result["options"])),
            xaxis={"tickformat": "~s"},
        ),
        ("Category", *(f"{option['name']}, {code}" for option in result["options"])),
        rows,
    )

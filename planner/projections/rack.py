"""The rack elevation: coordinates of a front view, and the bars beside it (U16)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from planner.charts.currency import currency_of
from planner.charts.theme import colour
from planner.projections.places import Places
from planner.templatetags.units import percent, si, sig3

UNIT_HEIGHT = 10  # px of one rack unit
RACK_WIDTH = 260
LEGEND_WIDTH = 34  # room for the unit numbers
FRAME = 8
LABEL_EVERY = 2
LIMIT_NAMES = {
    "power": "Power",
    "cooling": "Cooling",
    "weight": "Weight",
    "units": "Units",
    "circuits": "Circuits",
    "ports": "Ports",
}


@dataclass(frozen=True, slots=True)
class Box:
    """A server as it is drawn."""

    x: int
    y: int
    width: int
    height: int
    middle: int
    label: str
    spoken: str


@dataclass(frozen=True, slots=True)
class Bar:
    """One limit of the rack: text first, the drawing repeats it."""

    name: str
    text: str
    used_percent: int | None
    binds: bool


@dataclass(frozen=True, slots=True)
class RackView:
    """One rack with its words."""

    key: str
    title: str
    sentence: str
    colour: str
    width: int
    height: int
    frame_x: int
    frame_width: int
    frame_height: int
    units: tuple[tuple[int, int], ...]  # (unit number, y of its text)
    boxes: tuple[Box, ...]
    bars: tuple[Bar, ...]
    reason: str
    cost: str  # what a full one costs, in a sentence


def rack_views(result: dict[str, Any], places: Places) -> list[RackView]:
    """Return one drawing for each owned fleet that has servers."""
    return [
        _view(option["key"], layout, places, currency_of(result))
        for option in result["options"]
        for layout in result["racks"][option["key"]]
    ]


def _view(option: str, layout: dict[str, Any], places: Places, code: str) -> RackView:
    units = layout["rack_units"]
    height = units * UNIT_HEIGHT
    boxes = tuple(_box(server, units) for server in layout["placed"])
    name = places.fleet_label(option, layout["fleet"])
    index = places.fleets[(option, layout["fleet"])]
    return RackView(
        key=f"rack-{index}",
        title=f"{name}: {layout['rack_name']}",
        sentence=_sentence(layout),
        colour=colour(index),
        width=LEGEND_WIDTH + RACK_WIDTH + 2 * FRAME,
        height=height + 2 * FRAME,
        frame_x=LEGEND_WIDTH,
        frame_width=RACK_WIDTH + 2 * FRAME,
        frame_height=height + 2 * FRAME,
        units=tuple(
            (unit, FRAME + (units - unit) * UNIT_HEIGHT + UNIT_HEIGHT - 2)
            for unit in range(1, units + 1)
            if unit == 1 or unit % LABEL_EVERY == 0
        ),
        boxes=boxes,
        bars=_bars(layout),
        reason=layout.get("reason", ""),
        cost=cost_sentence(layout, code),
    )


def _box(server: dict[str, Any], units: int) -> Box:
    top = server["unit"] + server["height_u"] - 1
    y = FRAME + (units - top) * UNIT_HEIGHT
    height = server["height_u"] * UNIT_HEIGHT
    return Box(
        x=LEGEND_WIDTH + FRAME,
        y=y + 1,
        width=RACK_WIDTH,
        height=height - 2,
        middle=y + height // 2 + 3,
        label=server["name"],
        spoken=f"{server['name']}, units {server['unit']} to {top}",
    )


def _sentence(layout: dict[str, Any]) -> str:
    per_rack, racks = layout["servers_per_rack"], layout["racks"]
    if per_rack == 0:
        return f"No server fits this rack: {layout['binds'] or 'no load'} binds."
    if racks == 0:
        return f"No server is needed; a rack would hold {per_rack}."
    last = layout["servers_in_last_rack"]
    text = f"{_count(racks, 'rack')} of {_count(per_rack, 'server')}"
    if last != per_rack:
        text += f", the last with {last}"
    text += f". {layout['binds'].capitalize()} binds" if layout["binds"] else ""
    unused = f"{sig3(layout['stranded_kw'])} kW and {_count(layout['stranded_units'], 'unit')}"
    return f"{text}; {unused} stay unused in a full rack."


def cost_sentence(layout: dict[str, Any], code: str) -> str:
    """What a full rack costs over the horizon and for what; empty where a price is missing."""
    cost = layout.get("cost")
    if not cost:
        return ""
    parts = [f"{name} {si(usd)}" for name, usd in cost["classes"] if abs(usd) >= 1]
    paid = cost["funding"].replace("_", " ")
    return (
        f"A full rack costs {si(cost['total_usd'])} {code} over the horizon, present value: "
        f"{', '.join(parts)}. {si(cost['depreciation_usd'])} {code} of it are written off; paid by "
        f"{paid}."
    )


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'s' if number != 1 else ''}"


def _bars(layout: dict[str, Any]) -> tuple[Bar, ...]:
    bars = [_bar(limit, layout["binds"]) for limit in layout["limits"]]
    known = {limit["name"] for limit in layout["limits"]}
    if "ports" not in known:
        bars.append(Bar("Ports", "not checked: the scenario names no switch", None, False))
    return tuple(bars)


def _bar(limit: dict[str, Any], binds: str) -> Bar:
    name = LIMIT_NAMES.get(limit["name"], limit["name"].capitalize())
    used, available, unit = limit["used"], limit["available"], limit["unit"]
    if not available:
        return Bar(name, limit.get("reason") or f"{sig3(used)} {unit}, no limit known", None, False)
    share = used / available
    text = f"{sig3(used)} of {sig3(available)} {unit}, {percent(share)}"
    return Bar(name, text, min(100, round(100 * share)), limit["name"] == binds)

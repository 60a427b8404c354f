"""Hall plans and rack elevations as SVG text: states are hatched, never told by colour alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any
from xml.sax.saxutils import escape, quoteattr

UNIT = 16  # px of a rack unit
RACK_WIDTH = 200
LEGEND = 30
GAP = 26  # between front and rear
PLACE = 58  # px of a rack in the plan
ROW = 74
HIDDEN = "hidden"
STATE_WORDS = {
    "installed": "installed",
    "planned": "planned",
    "reserved": "reserved",
    "blocked": "blocked",
    "failed": "failed",
    "offline": "switched off",
    HIDDEN: "not yours to see",
}
LOST_WORDS = {
    "dark": "dark",
    "overloaded": "overloaded",
    "warm": "warm",
    "exposed": "one side left",
}
_LOST_LETTERS = {"dark": "D", "overloaded": "O", "warm": "W", "exposed": "1"}
# Strokes of each state's hatching, in a tile of 8 px; installed is plain.
_HATCHES = {
    "planned": '<path d="M-2,2l4,-4M0,8l8,-8M6,10l4,-4"/>',
    "reserved": '<circle cx="4" cy="4" r="1.3"/>',
    "blocked": '<path d="M0,0l8,8M0,8l8,-8"/>',
    "failed": '<path d="M0,4h8M4,0v8"/>',
    "offline": '<path d="M0,4h8"/>',
    HIDDEN: '<path d="M0,2h8M0,6h8" stroke-width="2"/>',
}


def visible(device: Mapping[str, Any], *, may_see: bool) -> bool:
    """Whether a viewer may see a device: another tenant's is an opaque block."""
    return may_see or not device["tenant"]


def _defs(name: str, states: Iterable[str]) -> str:
    tiles = "".join(
        f'<pattern id="{name}-{state}" width="8" height="8" patternUnits="userSpaceOnUse">'
        f'<g style="stroke:var(--ink-3);fill:var(--ink-3)" stroke-width="1">{_HATCHES[state]}</g>'
        "</pattern>"
        for state in sorted(set(states) & set(_HATCHES))
    )
    return f"<defs>{tiles}</defs>"


def rack_svg(rack: Mapping[str, Any], *, may_see: bool, name: str = "rack") -> str:
    """Front and rear of one rack; every device can be reached by the keyboard.

    Parameters
    ----------
    rack
        A rack of a stored hall.
    may_see
        False: devices of a tenant are drawn as opaque blocks without any word of theirs.
    name
        Start of the ids within the drawing.
    """
    units = rack["rack_units"]
    height = units * UNIT
    width = LEGEND + 2 * RACK_WIDTH + GAP
    devices = [device for device in rack["devices"] if device["unit"] and device["height_u"]]
    states = [_state(device, may_see) for device in devices] + ["reserved"]
    title = f"Rack {rack['key']}, front and rear, {units} units"
    parts = [
        f'<svg viewBox="0 0 {width} {height + 40}" role="group" aria-labelledby="{name}-t"'
        ' font-size="10" font-family="inherit">',
        f'<title id="{name}-t">{escape(title)}</title>',
        _defs(name, states),
    ]
    for index, face in enumerate(("front", "rear")):
        x = LEGEND + index * (RACK_WIDTH + GAP)
        parts.append(
            f'<text x="{x}" y="12" style="fill:var(--ink-2)" font-weight="600">'
            f"{face.capitalize()}</text>"
            f'<rect x="{x}" y="20" width="{RACK_WIDTH}" height="{height}"'
            ' style="fill:var(--sunk);stroke:var(--rule-strong)" stroke-width="1.5"/>'
        )
        reserved = rack["reserved_units"]
        if reserved:
            parts.append(
                f'<rect x="{x}" y="20" width="{RACK_WIDTH}" height="{reserved * UNIT}"'
                f' fill="url(#{name}-reserved)"><title>Reserved for switches and panels</title>'
                "</rect>"
            )
        for device in devices:
            if device["full_depth"] or device["face"] == face:
                parts.append(_device(device, face, x, units, name, may_see=may_see))
    labels = "".join(
        f'<text x="{LEGEND - 6}" y="{20 + (units - unit) * UNIT + 12}">{unit}</text>'
        for unit in range(1, units + 1)
        if unit == 1 or unit % 2 == 0
    )
    parts.append(f'<g aria-hidden="true" style="fill:var(--ink-3)" text-anchor="end">{labels}</g>')
    parts.append("</svg>")
    return "".join(parts)


def _state(device: Mapping[str, Any], may_see: bool) -> str:
    return device["state"] if visible(device, may_see=may_see) else HIDDEN


def device_words(device: Mapping[str, Any], *, may_see: bool) -> str:
    """A device in a line: name, place, watts, state."""
    place = "beside the rails"
    if device["parent"]:
        place = "in a chassis"
    if device["unit"]:
        top = device["unit"] + device["height_u"] - 1
        low = f"{device['unit']:g}"
        place = f"unit {low}" if device["height_u"] == 1 else f"units {low} to {top:g}"
    if not visible(device, may_see=may_see):
        return f"In use, {place}, {STATE_WORDS[HIDDEN]}"
    came = f", from {device['came']}" if device["came"] else ""
    watts = f", {device['kw']:.2f} kW" if device["kw"] else ""
    state = STATE_WORDS.get(device["state"], device["state"])
    return f"{device['name']}, {place}{watts}, {state}{came}"


def _device(
    device: Mapping[str, Any], face: str, x: int, units: int, name: str, *, may_see: bool
) -> str:
    state = _state(device, may_see)
    y = 20 + (units - (device["unit"] - 1) - device["height_u"]) * UNIT
    height = device["height_u"] * UNIT
    words = device_words(device, may_see=may_see)
    label = device["name"] if state != HIDDEN else "in use"
    fill = "var(--accent-wash)" if state in {"installed", "planned"} else "var(--plain-wash)"
    stroke = "var(--bad)" if state == "failed" else "var(--accent)"
    box = f'x="{x + 2}" y="{y + 1:g}" width="{RACK_WIDTH - 4}" height="{height - 2:g}"'
    hatch = f'<rect {box} fill="url(#{name}-{state})"/>' if state in _HATCHES else ""
    plate = len(_short(label, 30)) * 5.6 + 8
    text = (
        f'<rect x="{x + 5}" y="{y + height / 2 - 6.5:g}" width="{plate:g}" height="13"'
        f' style="fill:{fill}"/>'
        f'<text x="{x + 9}" y="{y + height / 2 + 3.5:g}" style="fill:var(--ink)">'
        f"{escape(_short(label, 30))}</text>"
        if height >= UNIT
        else ""
    )
    focus = ' tabindex="0"' if face == device["face"] else ""
    return (
        f'<g role="img"{focus} aria-label={quoteattr(words)}><title>{escape(words)}</title>'
        f'<rect {box} style="fill:{fill};stroke:{stroke}" stroke-width="1.2"/>{hatch}{text}</g>'
    )


def _short(text: str, letters: int) -> str:
    return text if len(text) <= letters else text[: letters - 1] + "…"


def heat_step(share: float | None) -> int:
    """Step of the heat scale, 0 to 5; 5 is above the limit.

    >>> [heat_step(share) for share in (None, 0.0, 0.4, 0.8, 0.95, 1.2)]
    [0, 0, 2, 3, 4, 5]
    """
    if not share:
        return 0
    bounds = (0.25, 0.5, 0.9, 1.0 + 1e-9)
    return 1 + sum(share > bound for bound in bounds)


def _share(rack: Mapping[str, Any], name: str) -> float | None:
    limit = next(item for item in rack["limits"] if item["name"] == name)
    return limit["used"] / limit["available"] if limit["available"] else None


def plan_svg(
    racks: Sequence[Mapping[str, Any]],
    links: Mapping[str, str],
    *,
    chosen: str = "",
    lost: Mapping[str, str] | None = None,
) -> str:
    """The hall from above: a place a rack, its heat as fill and figure, a link to its elevation.

    Parameters
    ----------
    links
        Address of each rack's elevation.
    lost
        State of racks with a part gone: a letter stands on those that are hit.
    """
    rows = list(dict.fromkeys(rack["row"] for rack in racks))
    most = max((rack["place"] for rack in racks), default=1)
    width, height = 40 + most * PLACE + 8, len(rows) * ROW + 4
    parts = [
        f'<svg viewBox="0 0 {width} {height}" style="width:{width}px" role="group"'
        ' aria-label="Plan of the hall" font-size="11" font-family="inherit">'
    ]
    for number, row in enumerate(rows):
        y = number * ROW
        parts.append(
            f'<text x="4" y="{y + 36}" style="fill:var(--ink-2)" font-weight="600">'
            f"{escape(_short(row, 5))}</text>"
        )
    for rack in racks:
        x = 36 + (rack["place"] - 1) * PLACE
        y = rows.index(rack["row"]) * ROW + 2
        parts.append(_place(rack, x, y, links[rack["key"]], chosen, (lost or {}).get(rack["key"])))
    parts.append("</svg>")
    return "".join(parts)


def _place(
    rack: Mapping[str, Any], x: int, y: int, link: str, chosen: str, state: str | None
) -> str:
    share = _share(rack, "cooling")
    step = heat_step(share)
    words = f"{rack['key']}: {rack['heat_kw']:.1f} kW of heat"
    words += f", {share:.0%} of its cooling" if share is not None else ""
    words += f", {len(rack['devices'])} devices"
    words += f", {LOST_WORDS[state]}" if state else ""
    here = ' aria-current="true"' if rack["key"] == chosen else ""
    ring = "var(--ink)" if rack["key"] == chosen else "var(--rule-strong)"
    mark = (
        f'<text x="{x + PLACE - 12}" y="{y + 54}" style="fill:var(--bad)" text-anchor="end"'
        f' font-weight="700">{_LOST_LETTERS[state]}</text>'
        if state
        else ""
    )
    return (
        f"<a href={quoteattr(link)} aria-label={quoteattr(words)}{here}>"
        f"<title>{escape(words)}</title>"
        f'<rect x="{x}" y="{y}" width="{PLACE - 6}" height="{ROW - 10}" rx="3"'
        f' class="heat heat-{step}"'
        f' style="stroke:{ring}" stroke-width="{2.5 if here else 1}"/>'
        f'<text x="{x + 5}" y="{y + 15}" class="heat-ink-{step}">'
        f"{escape(_short(rack['key'], 7))}</text>"
        f'<text x="{x + 5}" y="{y + 38}" class="heat-ink-{step}" font-size="14" font-weight="600">'
        f"{rack['heat_kw']:.1f}</text>"
        f'<text x="{x + 5}" y="{y + 54}" class="heat-ink-{step}">'
        f"{'' if share is None else f'{share:.0%}'}</text>{mark}</a>"
    )


def rows_svg(racks: Sequence[Mapping[str, Any]], row: str, *, may_see: bool, number: int) -> str:
    """The fronts of one row, small: a path for each state, so that a full hall stays light."""
    here = sorted((rack for rack in racks if rack["row"] == row), key=lambda rack: rack["place"])
    tall = max(rack["rack_units"] for rack in here)
    unit, pitch, inner = 4, 40, 34
    name = f"row{number}"
    shapes: dict[str, list[str]] = {}
    frames, labels = [], []
    for index, rack in enumerate(here):
        x, foot = index * pitch + 2, tall * unit + 2
        top = foot - rack["rack_units"] * unit
        frames.append(f"M{x},{top}h{inner}v{foot - top}h-{inner}z")
        labels.append(
            f'<text x="{x + inner / 2:g}" y="{foot + 12}">{escape(_short(rack["key"], 6))}</text>'
        )
        for device in rack["devices"]:
            if not device["unit"] or not device["height_u"] or device["face"] != "front":
                continue
            y = foot - (device["unit"] - 1 + device["height_u"]) * unit
            h = device["height_u"] * unit - 1
            shapes.setdefault(_state(device, may_see), []).append(
                f"M{x + 2},{y + 0.5:g}h{inner - 4}v{h:g}h-{inner - 4}z"
            )
    width, height = len(here) * pitch + 2, tall * unit + 18
    paths = "".join(_shape(name, state, found) for state, found in shapes.items())
    label = f"Fronts of row {row or '1'}: {len(here)} racks"
    return (
        f'<svg viewBox="0 0 {width} {height}" style="width:{width}px" role="img"'
        f' aria-label={quoteattr(label)} font-size="9" font-family="inherit">'
        f"{_defs(name, shapes)}"
        f'<path d="{"".join(frames)}" style="fill:var(--sunk);stroke:var(--rule-strong)"/>{paths}'
        f'<g style="fill:var(--ink-2)" text-anchor="middle">{"".join(labels)}</g></svg>'
    )


def _shape(name: str, state: str, found: Sequence[str]) -> str:
    line = "".join(found)
    fill = "var(--accent-wash)" if state in {"installed", "planned"} else "var(--plain-wash)"
    stroke = "var(--bad)" if state == "failed" else "var(--accent)"
    plain = f'<path d="{line}" style="fill:{fill};stroke:{stroke}"/>'
    if state not in _HATCHES:
        return plain
    return f'{plain}<path d="{line}" fill="url(#{name}-{state})"/>'


def legend(racks: Sequence[Mapping[str, Any]], *, may_see: bool) -> Iterator[tuple[str, str]]:
    """Yield the states drawn, each with a swatch of its hatching."""
    states = {_state(device, may_see) for rack in racks for device in rack["devices"]}
    for state, word in STATE_WORDS.items():
        if state in states:
            name = f"key-{state}"
            yield (
                word,
                f'<svg width="22" height="14" aria-hidden="true">{_defs(name, [state])}'
                '<rect x="1" y="1" width="20" height="12"'
                ' style="fill:var(--accent-wash);stroke:var(--accent)"/>'
                + (
                    f'<rect x="1" y="1" width="20" height="12" fill="url(#{name}-{state})"/>'
                    if state in _HATCHES
                    else ""
                )
                + "</svg>",
            )

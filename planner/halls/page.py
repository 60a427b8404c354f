"""What the page of a hall shows, made from the stored result."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlencode

from django.utils.safestring import SafeString, mark_safe

from planner.halls.svg import (
    LOST_WORDS,
    device_words,
    legend,
    plan_svg,
    rack_svg,
    rows_svg,
    visible,
)
from planner.projections.rack import LIMIT_NAMES, Bar
from planner.templatetags.units import percent, sig3


@dataclass(frozen=True, slots=True)
class Choice:
    """One hall that can be looked at."""

    option: str
    site: str
    name: str
    chosen: bool
    address: str


@dataclass(frozen=True, slots=True)
class RackPage:
    """One rack: drawing, bars, devices."""

    key: str
    drawing: SafeString
    bars: tuple[Bar, ...]
    lines: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class HallPage:
    """One hall for its page."""

    choices: tuple[Choice, ...]
    hall: dict[str, Any]
    option: str
    option_key: str
    plan: SafeString
    rows: tuple[tuple[str, SafeString], ...]
    legend: tuple[tuple[str, SafeString], ...]
    rack: RackPage | None
    losses: tuple[tuple[str, str, bool], ...]  # key, name, chosen
    loss: dict[str, Any] | None
    loss_states: tuple[tuple[str, int], ...]
    hidden: int
    fits: tuple[dict[str, Any], ...]
    room: tuple[str, ...]


def hall_page(
    result: dict[str, Any],
    *,
    may_see: bool,
    option: str = "",
    site: str = "",
    rack: str = "",
    lost: str = "",
) -> HallPage | None:
    """Return the page of a stored projection; None where it has no hall.

    What is asked for and not there is the first of its kind. With `may_see` off, devices of a
    tenant are opaque blocks.
    """
    names = {item["key"]: item["name"] for item in result["options"]}
    found = [
        (key, hall)
        for key, halls in result.get("halls", {}).items()
        for hall in halls
        if key in names
    ]
    if not found:
        return None
    key, hall = next(
        (pair for pair in found if (pair[0], pair[1]["site"]) == (option, site)), found[0]
    )
    loss = next((item for item in hall["losses"] if item["key"] == lost), None)
    racks = hall["racks"]
    chosen = next((item for item in racks if item["key"] == rack), None)
    chosen = chosen or next((item for item in racks if item["devices"]), racks[0])
    base = {"option": key, "site": hall["site"]} | ({"lost": lost} if loss else {})
    links = {
        item["key"]: f"?{urlencode({**base, 'rack': item['key']})}#elevation" for item in racks
    }
    states = (
        {name: state for state, keys in loss["states"].items() for name in keys} if loss else {}
    )
    rows = list(dict.fromkeys(item["row"] for item in racks))
    return HallPage(
        choices=tuple(
            Choice(
                option=names[one],
                site=each["site"],
                name=each["name"],
                chosen=(one, each["site"]) == (key, hall["site"]),
                address=f"?{urlencode({'option': one, 'site': each['site']})}",
            )
            for one, each in found
        ),
        hall=hall,
        option=names[key],
        option_key=key,
        fits=tuple(_fits(hall)),
        room=tuple(_room(hall)),
        plan=mark_safe(plan_svg(racks, links, chosen=chosen["key"], lost=states)),
        rows=tuple(
            (row, mark_safe(rows_svg(racks, row, may_see=may_see, number=number)))
            for number, row in enumerate(rows)
        ),
        legend=tuple((word, mark_safe(swatch)) for word, swatch in legend(racks, may_see=may_see)),
        rack=_rack(chosen, may_see=may_see),
        losses=tuple((item["key"], item["name"], item is loss) for item in hall["losses"]),
        loss=loss,
        loss_states=tuple(
            (LOST_WORDS[state], len(keys))
            for state, keys in (loss or {"states": {}})["states"].items()
        ),
        hidden=sum(
            1
            for item in racks
            for device in item["devices"]
            if not visible(device, may_see=may_see)
        ),
    )


def _fits(hall: dict[str, Any]) -> Iterator[dict[str, Any]]:
    names = {kit["key"]: kit["name"] for kit in hall["kits"]}
    for fit in hall["fits"]:
        more = [
            f"{sig3(size)} {unit}" + ("" if name in {"units", "ports"} else f" of {name}")
            for name, size, unit in fit["next_needs"]
        ]
        yield {
            "name": names[fit["kit"]],
            "racks": fit["racks"],
            "count": fit["count"],
            "binds": fit["binds"],
            "needs": ", ".join(more) or fit["reason"] or "–",
        }


def _room(hall: dict[str, Any]) -> Iterator[str]:
    """Room for more of each kind, and what a step more of a limit buys."""
    names = {kit["key"]: kit["name"] for kit in hall["kits"]}
    for room in hall["room"]:
        name, stops = names[room["kit"]], room["stops"]
        if room["more"]:
            text = f"Room for {room['more']} more {name}"
            text += f"; then {stops} stops." if stops else "."
        else:
            text = f"No room for another {name}: {stops} stops it."
        bought = [
            f"{sig3(step)} {unit} of {what}: {more} more"
            for what, step, unit, more in room["gains"]
            if more
        ]
        if bought:
            text += f" A step more buys: {'; '.join(bought)}."
        elif room["gains"]:
            text += " No single step more buys another."
        yield text


def _rack(rack: dict[str, Any], *, may_see: bool) -> RackPage:
    notes = []
    if rack["legs_a"]:
        legs = ", ".join(f"{amperes:.1f}" for amperes in rack["legs_a"])
        limit = rack["line_limit_a"]
        notes.append(
            f"Lines A, B, C: {legs} A of {limit:.1f} A, imbalance {rack['imbalance_fraction']:.0%}"
        )
    if rack["available_from"]:
        notes.append(f"Delivered and fed from {rack['available_from']}")
    provisioned_kw, average_kw = rack["heat_kw"], rack["average_kw"]
    notes.append(
        f"Provisioned {provisioned_kw:.1f} kW, average {average_kw:.1f} kW, "
        f"gap {provisioned_kw - average_kw:.1f} kW"
    )
    return RackPage(
        key=rack["key"],
        drawing=mark_safe(rack_svg(rack, may_see=may_see)),
        bars=tuple(_bar(limit, rack["binds"]) for limit in rack["limits"]),
        lines=tuple(device_words(device, may_see=may_see) for device in rack["devices"]),
        notes=tuple(notes),
    )


def _bar(limit: dict[str, Any], binds: str) -> Bar:
    name = {"weight": "Mass"}.get(limit["name"]) or LIMIT_NAMES[limit["name"]]
    used, available, unit = limit["used"], limit["available"], limit["unit"]
    reason = f" ({limit['reason']})" if limit["reason"] else ""
    if not available:
        return Bar(name, f"{sig3(used)} {unit}{reason or ', no limit known'}", None, False)
    share = used / available
    text = f"{sig3(used)} of {sig3(available)} {unit}, {percent(share)}{reason}"
    return Bar(name, text, min(100, round(100 * share)), limit["name"] == binds)

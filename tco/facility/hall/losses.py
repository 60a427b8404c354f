"""Parts in their most loaded state, the hall without each of them, and windows (F2.6, F2.8)."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from tco.facility.hall.build import BuiltHall
from tco.facility.hall.failure import DARK, Loss, lose_cooling, lose_node
from tco.facility.hall.tree import loads
from tco.inputs import Hall, HallWindow
from tco.results.hall import HallRackResult, LossResult, PartResult, WindowResult

MOST_LOSSES = 30  # parts whose loss is worked out; those nearest the utility first


def part_results(built: BuiltHall, racks: Sequence[HallRackResult]) -> Iterator[PartResult]:
    """Yield every part of the tree in the failure that loads it most (F2.6)."""
    found = loads(built.tree, built.feeds, _rack_kw(racks), built.shares)
    for key, node in built.tree.nodes.items():
        load = found[key]
        yield PartResult(
            key,
            node.name,
            node.kind,
            node.parent,
            load.kw,
            load.kva,
            load.limit_kw,
            load.limit_kva,
            load.share_fraction,
            node.part,
        )


def loss_results(built: BuiltHall, racks: Sequence[HallRackResult]) -> Iterator[LossResult]:
    """Yield the hall without each cooling unit and each part of the tree."""
    for unit in built.units:
        yield _shown(lose_cooling(built.units, _heat(racks), unit.key), unit.kind)
    nodes = sorted(built.tree.nodes, key=lambda key: len(built.tree.upstream(key)))
    for key in nodes[:MOST_LOSSES]:
        yield _shown(_lost(built, racks, key), built.tree.nodes[key].kind)


def _lost(built: BuiltHall, racks: Sequence[HallRackResult], key: str) -> Loss:
    kva = {
        place.key: built.hall.classes[index].circuit_kva
        for place, index in zip(built.places, built.hall.class_of, strict=True)
    }
    return lose_node(built.tree, built.feeds, _rack_kw(racks), kva, key)


def _rack_kw(racks: Sequence[HallRackResult]) -> dict[str, float]:
    return {rack.key: rack.heat_kw for rack in racks}


def _heat(racks: Sequence[HallRackResult]) -> dict[str, Mapping[str, float]]:
    return {
        "air": {rack.key: rack.air_kw for rack in racks},
        "liquid": {rack.key: rack.liquid_kw for rack in racks},
    }


def _shown(loss: Loss, kind: str) -> LossResult:
    states: dict[str, list[str]] = {}
    for rack, state in loss.states.items():
        states.setdefault(state, []).append(rack)
    return LossResult(
        key=loss.key,
        name=loss.name,
        kind=kind,
        states={state: tuple(keys) for state, keys in sorted(states.items())},
        overloaded=tuple(load.key for load in loss.overloaded),
        left_fraction=loss.left_fraction,
        sentence=_sentence(loss, states),
    )


_STATE_WORDS = {
    "dark": "go dark",
    "overloaded": "are overloaded: breakers open or clocks drop",
    "warm": "warm up",
    "exposed": "run on one side",
}


def _sentence(loss: Loss, states: Mapping[str, Sequence[str]]) -> str:
    said = [
        f"{len(states[state])} rack{'s' if len(states[state]) != 1 else ''} {words}"
        for state, words in _STATE_WORDS.items()
        if state in states
    ]
    if not said:
        return f"Without {loss.name} every rack runs on."
    text = f"Without {loss.name} {', '.join(said)}."
    if loss.left_fraction < 1:
        text += f" {loss.left_fraction:.0%} of the load can still be carried where it is worst."
    return text


def window_results(
    given: Hall, built: BuiltHall, racks: Sequence[HallRackResult]
) -> Iterator[WindowResult]:
    """Yield what each window takes out: racks that go dark with a part, or a share of a kind."""
    for window in given.windows:
        if window.kit:
            yield _kind_window(window, racks)
            continue
        yield _part_window(window, built, racks)


def _kind_window(window: HallWindow, racks: Sequence[HallRackResult]) -> WindowResult:
    here = [device for rack in racks for device in rack.devices if device.kit == window.kit]
    share = 1.0 if window.share_fraction is None else float(window.share_fraction.value)
    out = math.ceil(share * len(here) - 1e-9)
    rounds = math.ceil(len(here) / out) if out else 0
    kw = out * here[0].kw if here else 0.0
    text = f"{out} of {len(here)} at a time, {rounds} round{'s' if rounds != 1 else ''}"
    return WindowResult(
        window.key, window.name, window.start, window.hours, out, kw, 0, f"{text}, {kw:.1f} kW out."
    )


def _part_window(
    window: HallWindow, built: BuiltHall, racks: Sequence[HallRackResult]
) -> WindowResult:
    if window.part in built.tree.nodes:
        loss = _lost(built, racks, window.part)
    elif any(unit.key == window.part for unit in built.units):
        loss = lose_cooling(built.units, _heat(racks), window.part)
    else:
        off = {
            place.key: DARK for place in built.places if window.part in {place.key, place.group.key}
        }
        loss = Loss(window.part, window.part, off, (), 1.0)
    dark = {rack for rack, state in loss.states.items() if state == DARK}
    gone = [device for rack in racks if rack.key in dark for device in rack.devices]
    others = len(loss.states) - len(dark)
    kw = math.fsum(device.kw for device in gone)
    text = f"{len(gone)} devices out, {kw:.1f} kW"
    if others:
        text += f"; {others} racks run on without their reserve or above a limit"
    return WindowResult(
        window.key, window.name, window.start, window.hours, len(gone), kw, others, f"{text}."
    )

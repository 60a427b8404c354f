"""A hall over time: what comes when, what is powered when, what waits (F2.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tco.facility.hall.blockers import binding
from tco.facility.hall.build import BuiltHall
from tco.facility.hall.exact import packed
from tco.facility.hall.first_fit import Demand, Packing
from tco.facility.hall.kinds import Kind
from tco.facility.hall.space import Space
from tco.facility.hall.state import Hall, Placed
from tco.results.hall import EventResult

NOW = ""  # the day of devices and racks that need not wait


@dataclass(frozen=True, slots=True)
class Wanted:
    """Devices of a kind that come on a day."""

    kind: Kind
    count: int
    day: str


@dataclass(frozen=True, slots=True)
class Grown:
    """The hall after its last day: devices with the day on which they are powered."""

    hall: Hall
    placed: tuple[tuple[Placed, str], ...]
    unplaced: dict[str, int]
    events: tuple[EventResult, ...]
    last: Packing | None


def grown(built: BuiltHall, wanted: Sequence[Wanted]) -> Grown:
    """Pack a hall day by day: what stands stays, what finds no place waits for the next day.

    On a day only those racks are open that are delivered and whose whole power path is. Devices
    that wait are tried again on every later day, together with what comes then.
    """
    days = sorted({NOW, *built.delivered, *(item.day for item in wanted)})
    state = built.hall
    placed: list[tuple[Placed, str]] = []
    waiting: dict[str, int] = {}
    kinds = {item.kind.key: item.kind for item in wanted}
    events: list[EventResult] = []
    last: Packing | None = None
    delivered = 0
    for day in days:
        for item in wanted:
            if item.day == day:
                waiting[item.kind.key] = waiting.get(item.kind.key, 0) + item.count
                delivered += item.count
        demands = [Demand(kinds[key], count) for key, count in waiting.items() if count]
        opened = [index for index, when in enumerate(built.delivered) if when <= day]
        last = packed(_opened(state, opened), demands)
        state = state.copy()
        for piece in last.placed:
            state.stand(kinds[piece.kind], piece.rack, piece.half_unit, piece.face)
            placed.append((piece, day))
        waiting = dict(last.unplaced)
        left = sum(waiting.values())
        stuck = [kinds[key] for key in waiting]
        kw = sum(kinds[piece.kind].kw for piece, _ in placed)
        events.append(
            EventResult(
                day=day,
                racks=len(opened),
                delivered=delivered,
                powered=delivered - left,
                waiting=left,
                provisioned_kw=kw,
                binds=binding(_opened(state, opened), stuck) if stuck else "",
            )
        )
    return Grown(state, tuple(placed), waiting, tuple(events), last)


def _opened(state: Hall, opened: Sequence[int]) -> Hall:
    """The hall with every other rack closed: no room, no units."""
    if len(opened) == len(state.class_of):
        return state
    closed = sorted(set(range(len(state.class_of))) - set(opened))
    found = state.copy()
    found.room[closed] = 0.0
    for rack in closed:
        found.spaces[rack] = Space(0, 0)
    return found


def demands_of(wanted: Sequence[Wanted]) -> list[Demand]:
    """All that shall stand at the end, kind by kind."""
    counts: dict[str, int] = {}
    kinds: Mapping[str, Kind] = {item.kind.key: item.kind for item in wanted}
    for item in wanted:
        counts[item.kind.key] = counts.get(item.kind.key, 0) + item.count
    return [Demand(kinds[key], count) for key, count in counts.items() if count]

"""The smallest relaxation that makes everything fit, and what one more of a limit buys (F2.7)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from tco.facility.hall.blockers import blockers
from tco.facility.hall.first_fit import Demand, first_fit
from tco.facility.hall.kinds import LIMITS, UNITS, Kind, RackClass
from tco.facility.hall.space import HALVES_PER_UNIT, run_mask
from tco.facility.hall.state import Hall, touching_of

_WHOLE = {"units", "ports", "racks"}
_FIELDS = {
    **{"power": "power_kw", "cooling": "cooling_kw", "air": "air_kw", "liquid": "liquid_kw"},
    **{"weight": "load_kg", "floor": "floor_kg", "ports": "ports"},
}
_SHARED_STEP = 10.0  # of a limit that racks share, in its unit
# One step of each limit per rack, for "what does one more buy".
STEPS: tuple[tuple[tuple[str, ...], float, str], ...] = (
    (("power",), 1.0, "kW"),
    (("cooling",), 1.0, "kW"),
    (("power", "cooling"), 1.0, "kW"),
    (("units",), 2.0, "U"),
    (("weight",), 100.0, "kg"),
    (("floor",), 100.0, "kg"),
    (("ports",), 8.0, "ports"),
)


@dataclass(frozen=True, slots=True)
class Relaxation:
    """Limits raised together: (limit, by how much, unit). Per rack, or once if it is shared."""

    raised: tuple[tuple[str, float, str], ...]


@dataclass(frozen=True, slots=True)
class Gain:
    """Devices more in the whole hall when these limits are raised by a step in every rack."""

    limits: tuple[str, ...]
    step: tuple[float, str]
    more: int


def relaxed(hall: Hall, limit: str, amount: float) -> Hall:
    """The hall with one limit raised: in every rack, or once where racks share it.

    ``racks`` adds racks like the last one.
    """
    if limit == "racks":
        return _longer(hall, round(amount))
    state = hall.copy()
    state.uses = {}
    for index, item in enumerate(hall.shared):
        if item.name == limit:
            state.shared_room[index] += amount
            return state
    state.classes = tuple(_raised(each, limit, amount) for each in hall.classes)
    if limit == "units":
        halves = round(amount * HALVES_PER_UNIT)
        for rack, space in enumerate(state.spaces):
            added = run_mask(hall.classes[hall.class_of[rack]].half_units, halves)
            space.front |= added
            space.rear |= added
    elif limit in LIMITS and limit != "circuits":
        state.room[:, LIMITS.index(limit)] += amount
        if limit == "cooling":  # whatever carries it: more cooling is more of its medium
            state.room[:, LIMITS.index("air")] += amount
    return state


def _raised(rack: RackClass, limit: str, amount: float) -> RackClass:
    if limit == "units":
        return replace(rack, half_units=rack.half_units + round(amount * HALVES_PER_UNIT))
    if limit == "circuits":
        return replace(rack, circuit_kva=rack.circuit_kva + amount)
    name = _FIELDS.get(limit)
    now = getattr(rack, name) if name else None
    if name is None or now is None:
        return rack
    more = round(now + amount) if limit == "ports" else now + amount
    return replace(rack, **{name: more})


def _longer(hall: Hall, racks: int) -> Hall:
    state = hall.copy()
    last = len(hall.class_of) - 1
    like = hall.class_of[last]
    empty = Hall.of(hall.classes, [like] * racks)
    shared = tuple(
        replace(
            item,
            coefficients={
                **item.coefficients,
                **{
                    last + 1 + added: item.coefficients[last]
                    for added in range(racks)
                    if last in item.coefficients
                },
            },
        )
        for item in hall.shared
    )
    state.class_of = (*hall.class_of, *empty.class_of)
    state.room = np.vstack([state.room, empty.room])
    state.used = np.vstack([state.used, empty.used])
    state.spaces += empty.spaces
    state.legs += empty.legs
    state.occupied += empty.occupied
    state.shared = shared
    state.touching = touching_of(shared, len(state.class_of))
    return state


def smallest_relaxations(
    hall: Hall, demands: Sequence[Demand], stuck: Sequence[Kind], filled: Hall
) -> tuple[Relaxation, ...]:
    """Ways to make everything fit, each as small as first fit finds it (F2.7).

    One limit at a time first, more racks among them; if none alone helps, the fewest together.
    Empty where nothing that can be raised helps (a slot, a reach, a height).

    Parameters
    ----------
    hall
        Before anything was placed.
    demands
        All that shall stand.
    stuck
        Kinds left without a place.
    filled
        The hall after the placing that left them out.
    """
    named = {item.name: item.unit for item in hall.shared}
    names: list[str] = []
    for kind in stuck:
        for blocker in blockers(filled, kind):
            if blocker.limit in _FIELDS or blocker.limit in {"units", "circuits", *named}:
                names.append(blocker.limit)
    families = [*dict.fromkeys(names), "racks"]
    most = {name: _most(name, demands) for name in families}
    units = {**UNITS, **named, "racks": "racks", "circuits": "kVA"}
    found = []
    for name in families:
        if _fits(hall, demands, {name: most[name]}):
            amount = _least(hall, demands, {}, name, most[name])
            found.append(Relaxation(((name, amount, units[name]),)))
    if found:
        return tuple(found)
    for size in range(2, len(families) + 1):
        for group in combinations(families, size):
            amounts = {name: most[name] for name in group}
            if not _fits(hall, demands, amounts):
                continue
            for name in group:
                held = {other: value for other, value in amounts.items() if other != name}
                amounts[name] = _least(hall, demands, held, name, amounts[name])
            raised = tuple((name, amounts[name], units[name]) for name in group)
            found.append(Relaxation(raised))
        if found:
            return tuple(found)
    return ()


def _most(name: str, demands: Sequence[Demand]) -> float:
    """An amount beyond all need."""
    count = sum(demand.count for demand in demands)
    if name == "racks":
        return float(count)
    if name == "units":
        return float(math.ceil(max(demand.kind.half_units for demand in demands) * count / 2))
    if name == "ports":
        return float(sum(demand.count * demand.kind.ports for demand in demands))
    if name in {"weight", "floor"}:
        return math.fsum(demand.count * (demand.kind.kg or 0.0) for demand in demands)
    return 2.0 * math.fsum(demand.count * demand.kind.kw for demand in demands)


def _fits(hall: Hall, demands: Sequence[Demand], amounts: dict[str, float]) -> bool:
    state = hall
    for name, amount in amounts.items():
        state = relaxed(state, name, amount)
    return not first_fit(state, demands, tries=1).unplaced


def _least(
    hall: Hall, demands: Sequence[Demand], held: dict[str, float], name: str, most: float
) -> float:
    """Smallest amount by halving; whole where the limit is counted, else to a part in 500."""
    low, high = 0.0, most
    whole = name in _WHOLE
    for _ in range(40):
        if high - low <= (1.0 if whole else max(1e-3, high / 500)):
            break
        middle = (low + high) / 2
        if whole:
            middle = float(math.floor(middle))
        if _fits(hall, demands, {**held, name: middle}):
            high = middle
        else:
            low = middle
    return high if whole else _rounded_up(hall, demands, held, name, high)


def _rounded_up(
    hall: Hall, demands: Sequence[Demand], held: dict[str, float], name: str, amount: float
) -> float:
    """The amount to one decimal where that fits, else rounded up to one."""
    for digits in (1, 2):
        near = round(amount, digits)
        if near > 0 and _fits(hall, demands, {**held, name: near}):
            return near
    return math.ceil(amount * 10) / 10


def filled_with(hall: Hall, kind: Kind) -> tuple[int, Hall]:
    """How many more of one kind the hall takes beside what stands in it, and the hall with them."""
    found = first_fit(hall, [Demand(kind, _all_that_can(hall, kind))], tries=1)
    return len(found.placed), found.hall


def room_for(hall: Hall, kind: Kind) -> int:
    """How many more of one kind the hall takes, beside what stands in it."""
    return filled_with(hall, kind)[0]


def _all_that_can(hall: Hall, kind: Kind) -> int:
    counts = hall.rack_counts(kind)
    units = np.array(
        [len(hall.spaces) and space.free_halves() for space in hall.spaces], dtype=float
    )
    if kind.own_rack:
        counts = np.minimum(counts, 1.0)
    elif kind.half_units:
        faces = 1.0 if kind.full_depth else 2.0
        counts = np.minimum(counts, np.floor(units * faces / kind.half_units) + 1)
    return int(np.minimum(counts, 500.0).sum())


def gains(hall: Hall, kind: Kind) -> tuple[Gain, ...]:
    """What one step more of each limit in every rack buys, in devices of one kind (F2.7).

    Steps that buy nothing are told too: a hall where power is the limit gains nothing by cooling.
    Limits that racks share and that stop the next device are raised together, by a step once.
    """
    now, full = filled_with(hall, kind)
    named = {item.name: item.unit for item in hall.shared}
    stops = tuple(item.limit for item in blockers(full, kind) if item.limit in named)
    steps = list(STEPS)
    if stops:
        steps.append((stops, _SHARED_STEP, named[stops[0]]))
    found = []
    for names, step, unit in steps:
        if not all(name in named or _has(hall, name) for name in names):
            continue
        state = hall
        for name in names:
            state = relaxed(state, name, step)
        found.append(Gain(names, (step, unit), room_for(state, kind) - now))
    return tuple(found)


def _has(hall: Hall, name: str) -> bool:
    if name == "units":
        return True
    index = LIMITS.index(name)
    return any(math.isfinite(each.caps[index]) for each in hall.classes)

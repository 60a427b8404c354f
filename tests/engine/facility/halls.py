"""Racks, kinds and random small halls for the tests of packing, and a checker of its own."""

from __future__ import annotations

import random
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from tco.facility.hall.first_fit import Demand, Packing
from tco.facility.hall.kinds import Kind, RackClass
from tco.facility.hall.state import Hall, Shared
from tco.inputs import Feed, assumed


def feed(**more: Any) -> Feed:
    """Two sides of 415 V, three phases, 60 A: 34.5 kW a side."""
    given: dict[str, Any] = {
        "key": "f",
        "name": "F",
        "voltage_v": 415.0,
        "voltage_reference": "LL",
        "phases": 3,
        "breaker_a": 60.0,
        "usable_fraction": assumed(0.8, "fraction", "NEC"),
        "power_factor": assumed(1.0, "fraction", "unity"),
    }
    return Feed(**{**given, **more})


def rack(key: str = "r", **more: Any) -> RackClass:
    """48 U, 34.5 kW of power, 40 kW of air."""
    given: dict[str, Any] = {
        "key": key,
        "name": key.upper(),
        "half_units": 96,
        "feed": feed(),
        "power_kw": 34.5,
        "circuit_kva": 34.5,
        "cooling_kw": 40.0,
        "air_kw": None,
        "liquid_kw": 0.0,
    }
    return RackClass(**{**given, **more})


def kind(key: str = "s", **more: Any) -> Kind:
    """8 U, 10.2 kW, nothing else known."""
    given: dict[str, Any] = {"key": key, "name": key.upper(), "half_units": 16, "kw": 10.2}
    return Kind(**{**given, **more})


def random_hall(seed: int) -> tuple[Hall, list[Demand]]:
    """Two to ten racks of up to three classes, up to five kinds, perhaps a limit for them all."""
    chance = random.Random(seed)
    classes = []
    for index in range(chance.randint(1, 3)):
        cooling_kw = chance.choice([8.0, 15.0, 20.0, 40.0])
        classes.append(
            rack(
                f"c{index}",
                half_units=2 * chance.choice([20, 42, 48]),
                power_kw=chance.choice([5.0, 10.0, 17.0, 34.5]),
                cooling_kw=cooling_kw,
                air_kw=cooling_kw,
                liquid_kw=chance.choice([0.0, 0.0, 60.0]),
                load_kg=chance.choice([None, 600.0, 1300.0]),
                own_kg=100.0,
                floor_kg=chance.choice([None, 700.0]),
                ports=chance.choice([None, 16, 48]),
                reserved_half_units=4,
            )
        )
    racks = chance.randint(2, 10)
    class_of = sorted(chance.randrange(len(classes)) for _ in range(racks))
    kinds = [
        kind(
            f"k{index}",
            half_units=chance.choice([1, 2, 2, 4, 8, 12, 16, 3, 7]),
            kw=round(chance.uniform(0.2, 11), 2),
            kg=chance.choice([None, 20.0, 60.0, 130.0]),
            ports=chance.randint(0, 8),
            liquid_fraction=chance.choice([0.0, 0.0, 0.0, 0.8]),
        )
        for index in range(chance.randint(1, 5))
    ]
    shared = ()
    if chance.random() < 0.5:
        every = dict.fromkeys(range(racks), 1.0)
        shared = (Shared("hall", "kW", "power", chance.uniform(10, 150), every),)
    demands = [Demand(each, chance.randint(1, 8)) for each in kinds]
    return Hall.of(classes, class_of, shared), demands


def broken_limits(hall: Hall, demands: Sequence[Demand], packing: Packing) -> list[str]:
    """Limits of an empty hall that a packing breaks, added up anew from what was placed."""
    kinds = {demand.kind.key: demand.kind for demand in demands}
    counted: dict[str, int] = defaultdict(int)
    by_rack: dict[int, list[Any]] = defaultdict(list)
    for item in packing.placed:
        by_rack[item.rack].append(item)
        counted[item.kind] += 1
    wrong = []
    for index, items in by_rack.items():
        limit = hall.classes[hall.class_of[index]]
        here = [kinds[item.kind] for item in items]
        drawn_kw = sum(each.kw for each in here)
        liquid_kw = sum(each.kw * each.liquid_fraction for each in here)
        kg = sum(each.kg or 0.0 for each in here)
        for name, used, most in (
            ("power", drawn_kw, limit.power_kw),
            ("cooling", drawn_kw, limit.cooling_kw),
            ("air", drawn_kw - liquid_kw, limit.air_kw),
            ("liquid", liquid_kw, limit.liquid_kw),
            ("weight", kg, limit.load_kg),
            ("floor", kg, limit.floor_kg),
            ("ports", sum(each.ports for each in here), limit.ports),
        ):
            if most is not None and used > most * (1 + 1e-9) + 1e-9:
                wrong.append(f"rack {index}: {name} {used} of {most}")
        taken: set[int] = set()
        for item in items:
            height = kinds[item.kind].half_units
            cells = set(range(item.half_unit, item.half_unit + height))
            if cells & taken or max(cells) >= limit.half_units - limit.reserved_half_units:
                wrong.append(f"rack {index}: units of {item}")
            taken |= cells
    for item in hall.shared:
        drawn_kw = sum(kinds[each.kind].kw for each in packing.placed)
        if drawn_kw > item.available * (1 + 1e-9) + 1e-9:
            wrong.append(f"{item.name}: {drawn_kw} of {item.available}")
    for demand in demands:
        left = packing.unplaced.get(demand.kind.key, 0)
        if counted[demand.kind.key] + left != demand.count:
            wrong.append(f"{demand.kind.key}: {counted[demand.kind.key]} and {left}")
    return wrong

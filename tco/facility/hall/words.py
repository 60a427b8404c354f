"""The answer in words: what fits, what stops the rest, what would help."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from tco.facility.hall.build import BuiltHall
from tco.facility.hall.growth import Grown
from tco.facility.hall.relax import Relaxation
from tco.results.hall import UnplacedResult

_WORDS = {
    **{"power": "rack power", "cooling": "rack cooling", "air": "rack air cooling"},
    **{"liquid": "rack liquid cooling", "weight": "load of the rack", "floor": "load of the floor"},
    **{"ports": "ports at the rack", "units": "rack units", "circuits": "circuits of a feed"},
    **{"legs": "phase legs", "slot": "watts of the slot", "reach": "reach of the cables"},
    **{"place": "places for whole racks", "racks": "racks"},
}


def limit_words(built: BuiltHall) -> dict[str, str]:
    """Limits as people call them: parts of the tree by their name."""
    words = dict(_WORDS)
    for key, node in built.tree.nodes.items():
        words[key] = f"{node.name} (kW)"
        words[f"{key} kVA"] = f"{node.name} (kVA)"
    return words


def amount_words(
    name: str, amount: float, unit: str, words: Mapping[str, str], *, each: bool
) -> str:
    """One raise in words.

    Examples
    --------
    >>> amount_words("power", 1.5, "kW", {"power": "rack power"}, each=True)
    '1.5 kW more rack power in every rack'
    >>> amount_words("racks", 2.0, "racks", {}, each=True)
    '2 racks more'
    """
    if name == "racks":
        return f"{amount:g} rack{'s' if amount != 1 else ''} more"
    text = f"{amount:g} {unit} more {words.get(name, name)}"
    return f"{text} in every rack" if each else text


def verdict(
    total: int,
    placed: int,
    unplaced: Sequence[UnplacedResult],
    ways: Sequence[Relaxation],
    words: Mapping[str, str],
    after: Grown,
    *,
    binds: str,
) -> str:
    """What fits, and if not all of it, what stops the rest and what would make it fit."""
    racks = after.hall.racks_used()
    if total == 0:
        return f"Nothing is to be placed; {racks} racks hold something."
    if not unplaced:
        bound = after.last.bound if after.last is not None else racks
        least = "no packing needs fewer" if bound >= racks else f"at least {bound} are needed"
        text = f"All {total} fit: {racks} racks hold something, {least}."
        return f"{text} {binds[:1].upper()}{binds[1:]} stops the next." if binds else text
    parts = [f"{placed} of {total} fit."]
    for item in unplaced:
        parts.append(f"{item.count} of {item.of} {item.name} do not: {_why(item, words)}.")
    if ways:
        choices = "; or ".join(
            " and ".join(
                amount_words(name, amount, unit, words, each=name in _WORDS)
                for name, amount, unit in way.raised
            )
            for way in ways
        )
        parts.append(f"It would fit with {choices}.")
    else:
        parts.append("No larger limit makes it fit: choose another device.")
    return " ".join(parts)


def _why(item: UnplacedResult, words: Mapping[str, str]) -> str:
    if not item.short_of:
        return "no rack was open on the day"
    first = item.short_of[0]
    if first.reason:
        return first.reason
    short = f"{first.short_units:.3g} {first.unit}".strip()
    where = f" in {first.racks} rack{'s' if first.racks != 1 else ''}"
    return f"{words.get(first.limit, first.limit)} stops them{where}, {short} short at the least"

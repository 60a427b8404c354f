"""What a lost feed, PDU, UPS or cooling unit does to every rack (F2.6, F3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tco.facility.hall.kinds import LOOSE
from tco.facility.hall.tree import NodeLoad, PowerTree, RackFeeds, loads, rack_shares

OK, EXPOSED, OVERLOADED, DARK, WARM = "ok", "exposed", "overloaded", "dark", "warm"


@dataclass(frozen=True, slots=True)
class CoolingUnit:
    """A CDU, a room cooler or a chiller: what it carries, of which medium, for which racks."""

    key: str
    name: str
    kind: str
    medium: str  # air | liquid
    kw: float
    racks: frozenset[str]


@dataclass(frozen=True, slots=True)
class Loss:
    """The hall with one part gone.

    Parameters
    ----------
    states
        By rack that is not ``ok``: ``exposed`` (fed, but by one side only), ``overloaded`` (what is
        left cannot carry it: breakers open or clocks drop), ``dark`` (no feed left), ``warm`` (heat
        above what is left of the cooling).
    overloaded
        Nodes above their limit, with the load.
    left_fraction
        Least share of its heat, or of its load, that a rack can still have carried.
    """

    key: str
    name: str
    states: Mapping[str, str]
    overloaded: tuple[NodeLoad, ...]
    left_fraction: float


def lose_node(
    tree: PowerTree,
    feeds: Sequence[RackFeeds],
    rack_kw: Mapping[str, float],
    feed_kva: Mapping[str, float],
    key: str,
) -> Loss:
    """The hall without a node of the power tree (F2.6).

    Parameters
    ----------
    rack_kw
        Provisioned kW by rack.
    feed_kva
        What one feed of each rack carries.
    """
    gone = tree.below(key)
    shares = rack_shares(tree, feeds, lost=frozenset({key}))
    states: dict[str, str] = {}
    least = 1.0
    for feed in feeds:
        drawn_kw = rack_kw.get(feed.rack, 0.0)
        left = [source for source in feed.sources if source not in gone]
        if len(left) == len(feed.sources):
            continue
        if not left:
            states[feed.rack] = DARK
            least = 0.0 if drawn_kw else least
            continue
        able_kw = len(left) * feed_kva[feed.rack] * feed.power_factor
        if drawn_kw > able_kw * (1 + LOOSE):
            states[feed.rack] = OVERLOADED
            least = min(least, able_kw / drawn_kw)
        else:
            states[feed.rack] = EXPOSED
    after = loads(tree, feeds, rack_kw, shares)
    over = tuple(load for load in after.values() if (load.share_fraction or 0.0) > 1 + LOOSE)
    for load in over:
        least = min(least, 1.0 / (load.share_fraction or 1.0))
        beneath = tree.below(load.key)
        for feed in feeds:
            if states.get(feed.rack) != DARK and any(
                source in beneath and source not in gone for source in feed.sources
            ):
                states[feed.rack] = OVERLOADED
    return Loss(key, tree.nodes[key].name, states, over, least)


def lose_cooling(
    units: Sequence[CoolingUnit],
    heat_kw: Mapping[str, Mapping[str, float]],
    key: str,
) -> Loss:
    """The hall without a cooling unit: racks warm up where the rest cannot carry the heat (F3).

    Parameters
    ----------
    heat_kw
        By medium, heat of each rack.
    """
    lost = next(unit for unit in units if unit.key == key)
    able, need, share = medium_share([u for u in units if u.key != key], heat_kw, lost)
    states = {}
    if need > able * (1 + LOOSE):
        states = {
            rack: WARM for rack in sorted(lost.racks) if heat_kw[lost.medium].get(rack, 0.0) > 0
        }
    return Loss(key, lost.name, states, (), share if states else 1.0)


def medium_share(
    units: Sequence[CoolingUnit],
    heat_kw: Mapping[str, Mapping[str, float]],
    like: CoolingUnit,
) -> tuple[float, float, float]:
    """What units of one medium carry for the racks of `like`, their heat, and the share carried."""
    peers = [unit for unit in units if unit.medium == like.medium and unit.racks & like.racks]
    served = like.racks.union(*(unit.racks for unit in peers))
    need = sum(kw for rack, kw in heat_kw[like.medium].items() if rack in served)
    able = sum(unit.kw for unit in peers)
    return able, need, min(1.0, able / need) if need else 1.0

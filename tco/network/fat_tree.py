"""Two- and three-tier fat trees from a radix and an oversubscription (F7.2)."""

from __future__ import annotations

import bisect
import math
from dataclasses import dataclass
from functools import lru_cache

from tco.errors import InputError
from tco.network.tiers import Layout, Tier, server_links

LEAST_RADIX = 2
MOST_RADIX = 1024  # ports of one switch; above it a figure is a slip of the pen
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class LeafDesign:
    """How the ports of a leaf are shared out."""

    down: int
    up: int

    @property
    def oversubscription(self) -> float:
        """Ports down over ports up."""
        return self.down / self.up


def even_spines(leaves: int, up: int, radix: int) -> int:
    """Fewest spines that carry the uplinks and divide those of a leaf evenly (F7.2).

    Examples
    --------
    >>> even_spines(32, 32, 64), even_spines(25, 32, 64)
    (16, 16)
    """
    needed = leaves * up / radix
    return next(n for n in range(1, up + 1) if up % n == 0 and n >= needed - _ROUNDING)


@lru_cache(maxsize=128)
def leaf_designs(radix: int) -> tuple[LeafDesign, ...]:
    """Return the ways to share out a leaf, from 1:1 on, each sparer in spines than the one before.

    A share whose uplinks divide badly (29 of them fit 1 or 29 spines) can ask for more spines than
    a less oversubscribed one. Such a share is passed over, so that more oversubscription never
    buys a spine; what a design really has is printed beside what was allowed.
    """
    if not LEAST_RADIX <= radix <= MOST_RADIX:
        raise InputError(
            "radix",
            f"{radix} ports are outside {LEAST_RADIX} to {MOST_RADIX}",
            "enter the ports of a switch at the rate of a link",
        )
    kept = [LeafDesign(radix // 2, radix - radix // 2)]
    rest = [LeafDesign(down, radix - down) for down in range(radix // 2 + 1, radix)]
    # whole ratios first: 3:1 of 64 ports is 48 and 16 wherever it is at all possible
    for design in sorted(rest, key=lambda one: (one.down % one.up != 0, one.down)):
        place = bisect.bisect(kept, design.down, key=lambda one: one.down)
        after = kept[place : place + 1]
        if _never_more_spines(kept[place - 1], design, radix) and all(
            _never_more_spines(design, one, radix) for one in after
        ):
            kept.insert(place, design)
    return tuple(kept)


def _never_more_spines(first: LeafDesign, second: LeafDesign, radix: int) -> bool:
    """Whether the second takes no more spines than the first for any number of leaves."""
    return all(
        even_spines(leaves, second.up, radix) <= even_spines(leaves, first.up, radix)
        for leaves in range(1, radix + 1)
    )


def leaf_design(radix: int, oversubscription: float) -> LeafDesign:
    """Return the leaf with most ports down within the oversubscription (F7.2).

    Raises
    ------
    InputError
        An oversubscription below 1, a radix that no switch has.

    Examples
    --------
    >>> leaf_design(64, 1.0), leaf_design(64, 3.0)
    (LeafDesign(down=32, up=32), LeafDesign(down=48, up=16))
    """
    if not oversubscription >= 1 or math.isinf(oversubscription):
        raise InputError(
            "oversubscription",
            f"{oversubscription:g} is below 1 or no number",
            "enter ports down over ports up, 1 for none",
        )
    return [
        design
        for design in leaf_designs(radix)
        if design.oversubscription <= oversubscription + _ROUNDING
    ][-1]


def fat_tree(
    servers: int,
    ports_per_server: int,
    *,
    radix: int,
    oversubscription: float = 1.0,
    rails: bool = False,
    most_tiers: int = 3,
) -> Layout:
    """Lay out a fat tree for the ports of `servers` (F7.1, F7.2).

    One switch where every port fits it; two tiers up to radix x down ports; else three, pods of
    radix/2 leaves with as many aggregation switches as a leaf has uplinks, under a 1:1 core: up to
    radix^3/4 ports at 1:1.

    Parameters
    ----------
    rails
        Each port of a server goes to the leaves of its own rail: rails x ceil(servers / down)
        leaves.
    most_tiers
        2 for a leaf-spine network.

    Raises
    ------
    InputError
        More ports than so many tiers carry; see `leaf_design`.

    Examples
    --------
    >>> [(tier.name, tier.switches) for tier in fat_tree(100, 8, radix=64, rails=True).tiers]
    [('leaf', 32), ('spine', 16)]
    >>> fat_tree(100, 8, radix=64).tiers[0].switches
    25
    """
    ports = servers * ports_per_server
    design = leaf_design(radix, oversubscription)
    if ports <= 0:
        return Layout((), ())
    ends = server_links(ports)
    if ports <= radix:
        return Layout((Tier("leaf", 1, ports),), (ends,))
    per_rail = math.ceil(servers / design.down) * ports_per_server
    leaves = per_rail if rails else math.ceil(ports / design.down)
    if leaves <= radix:
        spines = even_spines(leaves, design.up, radix)
        links = leaves * design.up
        tiers = (Tier("leaf", leaves, ports + links), Tier("spine", spines, links))
        return Layout(tiers, (ends, ends.trunk("leaf to spine", links)), design.oversubscription)
    return _three_tiers(ports, leaves, design, radix, most_tiers)


def _three_tiers(
    ports: int, leaves: int, design: LeafDesign, radix: int, most_tiers: int
) -> Layout:
    half = radix // 2
    pods = math.ceil(leaves / half) if half else radix + 1
    if most_tiers < 3 or pods > radix:
        most = radix * design.down * (1 if most_tiers < 3 else half)
        tiers = "two" if most_tiers < 3 else "three"
        raise InputError(
            "topology",
            f"{ports:,} ports are more than the {most:,} that {tiers} tiers of {radix}-port"
            " switches carry",
            "take switches with more ports, fewer ports per server, more oversubscription"
            + (" or a fat_tree, which may have three tiers" if most_tiers < 3 else ""),
        )
    aggregation = pods * design.up
    cores = design.up * even_spines(pods, half, radix)
    up, top = leaves * design.up, aggregation * half
    ends = server_links(ports)
    return Layout(
        (
            Tier("leaf", leaves, ports + up),
            Tier("aggregation", aggregation, up + top),
            Tier("core", cores, top),
        ),
        (ends, ends.trunk("leaf to aggregation", up), ends.trunk("aggregation to core", top)),
        design.oversubscription,
    )

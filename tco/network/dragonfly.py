"""Dragonfly (Slingshot) and torus (TPU): networks that are no trees (F7, P4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.errors import InputError
from tco.network.fat_tree import LEAST_RADIX, MOST_RADIX
from tco.network.tiers import Layout, Links, Tier, server_links


@dataclass(frozen=True, slots=True)
class Group:
    """How the ports of a dragonfly switch are shared out, and the switches of a full group."""

    terminals: int  # to servers
    globals: int  # to other groups
    switches: int

    @property
    def most_groups(self) -> int:
        """Groups that each reach every other by one link."""
        return self.switches * self.globals + 1


def group_of(radix: int, oversubscription: float = 1.0) -> Group:
    """Return the balanced share: a = 2h switches a group, p <= s h terminals, one link to each.

    p + (a - 1) + h <= radix. At 1:1 a radix of 63 is filled with p = h = 16 and a = 32.

    Raises
    ------
    InputError
        A switch with fewer than 4 ports, an oversubscription below 1.

    Examples
    --------
    >>> group_of(64), group_of(64).most_groups
    (Group(terminals=16, globals=16, switches=32), 513)
    """
    if not LEAST_RADIX <= radix <= MOST_RADIX:
        raise InputError(
            "radix", f"{radix} ports are outside {LEAST_RADIX} to {MOST_RADIX}", "enter its ports"
        )
    if not oversubscription >= 1 or math.isinf(oversubscription):
        raise InputError("oversubscription", f"{oversubscription:g} is below 1", "enter 1 or more")
    best: Group | None = None
    for out in range(1, radix):
        terminals = min(math.floor(oversubscription * out + 1e-9), radix - 3 * out + 1)
        if terminals >= 1 and (best is None or terminals >= best.terminals):
            best = Group(terminals, out, 2 * out)
    if best is None:
        raise InputError(
            "radix", f"{radix} ports are too few for a dragonfly", "take a switch with 4 or more"
        )
    return best


def dragonfly(
    servers: int, ports_per_server: int, *, radix: int, oversubscription: float = 1.0
) -> Layout:
    """Lay out a dragonfly: equal groups, all switches of a group linked, all groups linked.

    Every pair of groups gets as many links as the global ports allow evenly.

    Raises
    ------
    InputError
        More ports than all groups hold; see `group_of`.

    Examples
    --------
    >>> found = dragonfly(128, 4, radix=64)  # 512 ports: one full group
    >>> found.switches, [(links.name, links.count) for links in found.links]
    (32, [('server to leaf', 512), ('in the group', 496)])
    """
    ports = servers * ports_per_server
    share = group_of(radix, oversubscription)
    if ports <= 0:
        return Layout((), ())
    least = math.ceil(ports / share.terminals)
    groups = math.ceil(least / share.switches)
    if groups > share.most_groups:
        most = share.most_groups * share.switches * share.terminals
        raise InputError(
            "topology",
            f"{ports:,} ports are more than the {most:,} of a dragonfly of {radix}-port switches",
            "take switches with more ports, or fewer ports per server",
        )
    each = math.ceil(least / groups)
    switches = groups * each
    local = groups * each * (each - 1) // 2
    pairs = groups * (groups - 1) // 2
    between = pairs * max(1, each * share.globals // (groups - 1)) if groups > 1 else 0
    links = [server_links(ports)]
    if local:
        links.append(Links("in the group", local, to_server=False))
    if between:
        links.append(Links("between groups", between, to_server=False))
    used = ports + 2 * (local + between)
    return Layout(
        (Tier("switch", switches, used),),
        tuple(links),
        share.terminals / share.globals,
        groups,
    )


def torus_shape(devices: int, dimensions: int) -> tuple[int, ...]:
    """Return the sides of the torus of `devices`, as near to a cube as their factors allow.

    Raises
    ------
    InputError
        Fewer than 1 or more than 6 dimensions.

    Examples
    --------
    >>> torus_shape(64, 3), torus_shape(256, 2), torus_shape(96, 3)
    ((4, 4, 4), (16, 16), (4, 4, 6))
    """
    if not 1 <= dimensions <= 6:
        raise InputError("torus_dimensions", f"{dimensions} is outside 1 to 6", "enter 2 or 3")
    if dimensions == 1:
        return (devices,)
    root = round(devices ** (1 / dimensions)) + 1
    side = max(n for n in range(1, root + 1) if devices % n == 0 and n**dimensions <= devices)
    rest = torus_shape(devices // side, dimensions - 1)
    return tuple(sorted((side, *rest)))


def torus(devices: int, *, dimensions: int = 3) -> Layout:
    """Lay out a torus: no switch, a link to each neighbour, rings closed.

    A side of two has one link a pair, since its ring would run the same way twice.

    Examples
    --------
    >>> torus(64).links[0].count, torus(8).links[0].count, torus(64).switches
    (192, 12, 0)
    """
    if devices <= 0:
        return Layout((), ())
    links = sum(
        devices if side > 2 else devices // 2 if side == 2 else 0
        for side in torus_shape(devices, dimensions)
    )
    return Layout((), (Links("neighbour to neighbour", links, to_server=True),))

"""What a network is made of: switches, modules, cables, watts, units (F7.3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tco.errors import InputError
from tco.inputs import Fabric, Status, weakest
from tco.network.dragonfly import dragonfly, torus
from tco.network.fat_tree import fat_tree
from tco.network.tiers import Layout, Links
from tco.results.networks import FabricResult, NetworkLinks, NetworkTier

TWO_TIERS = 2
THREE_TIERS = 3


@lru_cache(maxsize=4096)
def layout(
    topology: str,
    servers: int,
    ports_per_server: int,
    *,
    radix: int = 0,
    oversubscription: float = 1.0,
    dimensions: int = 3,
) -> Layout:
    """Lay out a network by the name of its topology (F7.2).

    For a torus `ports_per_server` counts the devices of a server, each with its own neighbours.

    Raises
    ------
    InputError
        An unknown topology, with those there are; what the topology itself refuses.

    Examples
    --------
    >>> layout("rail_optimised", 100, 8, radix=64).switches
    48
    """
    tree = {"fat_tree": THREE_TIERS, "rail_optimised": THREE_TIERS, "leaf_spine": TWO_TIERS}
    if servers < 0 or ports_per_server < 1:
        raise InputError(
            "ports_per_server",
            f"{servers} servers of {ports_per_server} ports",
            "enter at least one port",
        )
    if topology in tree:
        return fat_tree(
            servers,
            ports_per_server,
            radix=radix,
            oversubscription=oversubscription,
            rails=topology == "rail_optimised",
            most_tiers=tree[topology],
        )
    if topology == "dragonfly":
        return dragonfly(servers, ports_per_server, radix=radix, oversubscription=oversubscription)
    if topology == "torus":
        return torus(servers * ports_per_server, dimensions=dimensions)
    known = ", ".join((*tree, "dragonfly", "torus"))
    raise InputError("topology", f"{topology!r} is not known", f"known here: {known}")


@dataclass(frozen=True, slots=True)
class Parts:
    """Counts of what is bought."""

    switches: int
    modules: int
    fibres: int
    coppers: int


def layout_of(fabric: Fabric, servers: int) -> Layout:
    """Lay out a scenario's network for so many servers."""
    return layout(
        fabric.topology,
        servers,
        fabric.ports_per_server,
        radix=fabric.switch.ports if fabric.switch else 0,
        oversubscription=fabric.oversubscription,
        dimensions=fabric.torus_dimensions,
    )


def parts_of(fabric: Fabric, servers: int) -> Parts:
    """Count the parts of a network for so many servers (F7.3)."""
    found = layout_of(fabric, servers)
    rows = [_row(fabric, links) for links in found.links]
    return Parts(
        found.switches,
        sum(row.modules for row in rows),
        sum(row.count for row in rows if row.medium == "optical"),
        sum(row.count for row in rows if row.medium == "copper"),
    )


def modules_of(links: int, *, links_per_cage: int, to_server: bool) -> int:
    """Return the optical modules at both ends: link ends over links per cage, each side (F7.3).

    A server's port has a cage of its own; only switches hold two links in one.

    Examples
    --------
    >>> modules_of(1024, links_per_cage=2, to_server=True)
    1536
    >>> modules_of(1024, links_per_cage=2, to_server=False)
    1024
    """
    if links_per_cage < 1:
        raise InputError("links_per_cage", f"{links_per_cage} is below 1", "enter 1 or 2")
    at_switch = math.ceil(links / links_per_cage)
    return at_switch + (links if to_server else at_switch)


def _row(fabric: Fabric, links: Links) -> NetworkLinks:
    length = fabric.server_link_m if links.to_server else fabric.trunk_link_m
    reach = fabric.copper_reach_m
    if length is None or reach is None:
        medium, reason = "optical", "length not given: copper not taken"
    elif np.mean(length.value) <= np.mean(reach.value):  # of draws, the middle
        medium = "copper"
        reason = f"{np.mean(length.value):g} m within the {np.mean(reach.value):g} m of copper"
    else:
        medium = "optical"
        reason = f"{np.mean(length.value):g} m beyond the {np.mean(reach.value):g} m of copper"
    modules = 0
    if medium == "optical":
        if fabric.switch is None:  # a torus: one module at each device
            modules = 2 * links.count
        else:
            modules = modules_of(
                links.count,
                links_per_cage=fabric.switch.links_per_cage,
                to_server=links.to_server,
            )
    return NetworkLinks(links.name, links.count, medium, modules, reason)


def fabric_result(
    fabric: Fabric, servers: int, *, fleet: str = "", devices_per_server: int = 1
) -> FabricResult:
    """Return a network of a fleet with its tiers, links, watts and units (F7.1 to F7.3).

    Watts are typical ones: what the switch draws, and each module on top. A torus stands inside
    its servers and has no switch to count.
    """
    found = layout_of(fabric, servers)
    rows = tuple(_row(fabric, links) for links in found.links)
    switch, modules = fabric.switch, sum(row.modules for row in rows)
    figures = [fabric.link_gb_s]
    reasons: list[str] = []
    watts = 0.0
    for count, figure, what in (
        (found.switches, switch.typical_w if switch else None, "power of the switch"),
        (modules, fabric.module_w, "power of a module"),
    ):
        if figure is not None:
            watts += count * figure.value
            figures.append(figure)
        elif count:
            reasons.append(f"{what} not known: left out of the watts")
    units = None
    if switch is None:
        units = 0
    elif switch.rack_units is not None:
        units = math.ceil(found.switches * switch.rack_units.value)
    if found.oversubscription + 1e-9 < fabric.oversubscription and len(found.tiers) > 1:
        reasons.append(
            f"{fabric.oversubscription:g}:1 allowed, {found.oversubscription:.3g}:1 built:"
            " the uplinks must divide evenly over the spines"
        )
    return FabricResult(
        fleet=fleet,
        role=fabric.role,
        topology=fabric.topology,
        servers=servers,
        ports=servers * fabric.ports_per_server,
        switch=switch.name if switch else "",
        tiers=tuple(NetworkTier(tier.name, tier.switches, tier.ports_used) for tier in found.tiers),
        links=rows,
        oversubscription=found.oversubscription,
        rack_units=units,
        power_w=watts,
        device_gb_s=fabric.device_gb_s(devices_per_server).value,
        status=weakest([Status.ESTIMATED, *(figure.status for figure in figures)]),
        reason="; ".join(reasons),
    )

"""Nodes of one pool against zones that may not help each other (F17.1, F17.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tco.errors import InputError

ROUNDING = 1e-9  # a third of 99 nodes is 33, whatever the last bit says


def zone_nodes(demand_nodes: float, spare_nodes: int) -> int:
    """Nodes of one legal zone: its demand rounded up, and its own spares (F17.1).

    A zone without demand needs nothing.

    Examples
    --------
    >>> zone_nodes(33.4, 1), zone_nodes(0.0, 1)
    (35, 0)
    """
    if not (math.isfinite(demand_nodes) and demand_nodes >= 0.0):
        raise InputError("demand_nodes", f"{demand_nodes} is not 0 or more", "enter 0 or more")
    if spare_nodes < 0:
        raise InputError("spare_nodes", f"{spare_nodes} is below 0", "enter 0 or more")
    return math.ceil(demand_nodes - ROUNDING) + spare_nodes if demand_nodes > 0.0 else 0


def isolated_nodes(demand_nodes_by_zone: Sequence[float], spare_nodes: int) -> int:
    """Nodes of all zones, each rounded up with spares of its own (F17.1).

    Examples
    --------
    >>> isolated_nodes((100 / 3, 100 / 3, 100 / 3), 1)
    105
    """
    return sum(zone_nodes(demand, spare_nodes) for demand in demand_nodes_by_zone)


def overhead_fraction(demand_nodes_by_zone: Sequence[float], spare_nodes: int) -> float:
    """What separation costs over one pool of the same demand, in nodes (F17.4).

    Examples
    --------
    >>> round(overhead_fraction((100 / 3, 100 / 3, 100 / 3), 1), 4)
    0.0396
    """
    pooled = zone_nodes(math.fsum(demand_nodes_by_zone), spare_nodes)
    if pooled == 0:
        return 0.0
    return (isolated_nodes(demand_nodes_by_zone, spare_nodes) - pooled) / pooled

"""Nodes from a demand and a throughput per device, nothing measured (F1.2)."""

from __future__ import annotations

import math

from tco.errors import InputError

ROUNDING = 1e-9  # a demand of exactly 3 nodes is 3, whatever the last bit says


def plain_nodes(
    demand_tokens_per_s: float,
    *,
    tokens_per_s_per_device: float,
    devices_per_node: int,
    utilisation_limit_fraction: float = 1.0,
) -> int:
    """Nodes = ceil(demand / (U_max x theta x devices per node)) (F1.2).

    Parameters
    ----------
    demand_tokens_per_s
        Tokens a second to serve [tok/s].
    tokens_per_s_per_device, devices_per_node
        What a device makes when busy, and devices of a node.
    utilisation_limit_fraction
        Share of that which may be used, above 0 and at most 1.

    Examples
    --------
    >>> plain_nodes(1e7 / 60, tokens_per_s_per_device=1760, devices_per_node=8,
    ...             utilisation_limit_fraction=0.7)
    17
    """
    if not (math.isfinite(demand_tokens_per_s) and demand_tokens_per_s >= 0):
        raise InputError(
            "demand_tokens_per_s", f"{demand_tokens_per_s} is not 0 or more", "enter 0 or more"
        )
    if not 0.0 < utilisation_limit_fraction <= 1.0:
        raise InputError(
            "utilisation_limit_fraction",
            f"{utilisation_limit_fraction} is not above 0 and at most 1",
            "enter 0.7",
        )
    node = tokens_per_s_per_device * devices_per_node * utilisation_limit_fraction
    if not node > 0:
        raise InputError(
            "tokens_per_s_per_device", "a node makes no tokens", "enter numbers above 0"
        )
    return math.ceil(demand_tokens_per_s / node - ROUNDING)

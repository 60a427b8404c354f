"""Shares of a workload among fleets as written."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from tco.document.values import values


def fleet_shares(fleets: list[Mapping[str, Any]]) -> list[float]:
    """Share of each fleet; those that name none part evenly what the others leave."""
    given = [values("fleet", fleet, defaults=False).get("share_fraction") for fleet in fleets]
    shares = []
    for fleet, share in zip(fleets, given, strict=True):
        if share is None:
            beside = [
                other
                for peer, other in zip(fleets, given, strict=True)
                if (peer["workload"], peer.get("stage")) == (fleet["workload"], fleet.get("stage"))
            ]
            left = 1.0 - sum(other for other in beside if other is not None)
            share = left / beside.count(None)
        shares.append(share)
    return shares

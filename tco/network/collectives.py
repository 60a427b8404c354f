"""Measured all-reduces between servers, between their points and never silently beyond (F7.4)."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tco.errors import InputError
from tco.inputs import CollectivePoint


@dataclass(frozen=True, slots=True)
class CollectiveTime:
    """Time of one all-reduce; `reason` says where the measured range was left."""

    seconds: float
    inside: bool
    reason: str = ""


def measured_all_reduce(
    points: Sequence[CollectivePoint], message_bytes: float, servers: int
) -> CollectiveTime:
    """Time of an all-reduce from measured rows, log-log between them (P4.2, F7.4).

    First over the bytes at each measured number of servers, then over the servers. Latency is in
    the rows: nothing is added. Outside the rows the nearest slope goes on, and the result says so.

    Raises
    ------
    InputError
        No rows, rows of no bytes, no time or fewer than 2 servers.

    Examples
    --------
    >>> from tco.inputs import assumed
    >>> rows = [CollectivePoint(n, size, assumed(s, "s", "x")) for n, size, s in (
    ...     (2, 1e6, 1e-3), (2, 1e8, 1e-1), (8, 1e6, 2e-3), (8, 1e8, 2e-1))]
    >>> found = measured_all_reduce(rows, 1e7, 4)
    >>> round(found.seconds, 6), found.inside  # 10 ms at 2, 20 ms at 8
    (0.014142, True)
    """
    if not points:
        raise InputError("all_reduce", "no measured row", "enter at least one")
    by_servers: dict[int, list[tuple[float, float]]] = defaultdict(list)
    for point in points:
        if point.servers < 2 or min(point.message_bytes, point.seconds.value) <= 0:
            raise InputError(
                "all_reduce",
                f"{point.servers} servers, {point.message_bytes:g} bytes,"
                f" {point.seconds.value:g} s",
                "enter rows of 2 or more servers with bytes and seconds above 0",
            )
        by_servers[point.servers].append((point.message_bytes, point.seconds.value))
    if servers < 2 or message_bytes <= 0:
        return CollectiveTime(0.0, True)
    outside = []
    at: list[tuple[float, float]] = []
    for count, rows in sorted(by_servers.items()):
        seconds, within = _log_log(sorted(rows), message_bytes)
        at.append((count, seconds))
        if not within:
            outside.append(f"{message_bytes:,.0f} bytes were not measured at {count} servers")
    seconds, within = _log_log(at, float(servers))
    if not within:
        outside.append(f"{servers} servers were not measured")
    return CollectiveTime(seconds, not outside, "; ".join(outside))


def _log_log(points: Sequence[tuple[float, float]], x: float) -> tuple[float, bool]:
    """Straight in logarithms; whether x lies within the points."""
    within = points[0][0] * (1 - 1e-9) <= x <= points[-1][0] * (1 + 1e-9)
    if len(points) == 1:
        return points[0][1], within
    pairs = list(pairwise(points))
    (x0, y0), (x1, y1) = next((pair for pair in pairs if x <= pair[1][0]), pairs[-1])
    if x1 == x0:
        return y0, within
    slope = (math.log(y1) - math.log(y0)) / (math.log(x1) - math.log(x0))
    return math.exp(math.log(y0) + slope * (math.log(x) - math.log(x0))), within


def bus_gb_s(message_bytes: float, seconds: float, ranks: int, *, in_switch: bool = False) -> float:
    """Bus bandwidth of an all-reduce, for display only (F7.4).

    2 (N-1) / N of the bytes for ring and tree, (N-1) / (N+1) where the switch adds up.

    Examples
    --------
    >>> bus_gb_s(1e9, 0.01, 8), round(bus_gb_s(1e9, 0.01, 8, in_switch=True), 2)
    (175.0, 77.78)
    """
    factor = (ranks - 1) / (ranks + 1) if in_switch else 2 * (ranks - 1) / ranks
    return message_bytes * factor / seconds / 1e9

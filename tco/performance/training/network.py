"""Time of the collectives of a step: alpha-beta, inside and between servers apart (P4.2).

Shares and latencies are read off public nccl-tests tables: 8 x A100, H100, B200 in one server
reach 0.68 to 0.75 of the printed link in large gathers; 80 H100 in 10 servers 0.81 of the NICs of
a server, with 7 us a rank on top of the transfer.
"""

from __future__ import annotations

from tco.defaults import default
from tco.errors import InputError
from tco.inputs import Figure, Fleet
from tco.performance.training.plan import Platform

SCALE_UP_FRACTION = default("training.network.scale_up_fraction")
SCALE_OUT_FRACTION = default("training.network.scale_out_fraction")
SCALE_UP_US = default("training.network.scale_up_us")
SCALE_OUT_US = default("training.network.scale_out_us")
MICRO = 1e-6
GIGA = 1e9


def inside(platform: Platform, ranks: float) -> bool:
    """Whether `ranks` neighbours sit in one scale-up domain."""
    return ranks <= max(platform.scale_up_domain, 1)


def ring_seconds(platform: Platform, total_bytes: float, ranks: float, near: float = 1.0) -> float:
    """Return seconds of one gather or reduce-scatter whose full tensor has `total_bytes` (P4.2).

    `near` neighbours of the group share the server's links to the outside; 1 when each rank of
    the group sits in another server. An all-reduce is two of these.

    Examples
    --------
    >>> h100 = Platform("h", 1, 1, 1, 1, 1, None, 450e9, 8, 50e9, 8)
    >>> round(1e3 * ring_seconds(h100, 17.18e9, 80, near=8), 1)  # measured: 52.3 ms
    52.9
    >>> ring_seconds(h100, 1e9, 1)
    0.0
    """
    if ranks <= 1 or total_bytes <= 0:
        return 0.0
    up = platform.scale_up * SCALE_UP_FRACTION.value
    moved = total_bytes * (ranks - 1) / ranks
    if inside(platform, ranks) and near >= ranks:
        return moved / up + ranks * SCALE_UP_US.value * MICRO
    out = platform.scale_out * SCALE_OUT_FRACTION.value * max(near, 1.0)
    return moved / min(up, out) + ranks * SCALE_OUT_US.value * MICRO


def all_to_all_seconds(platform: Platform, sent_bytes: float, ranks: float) -> float:
    """Return seconds in which every rank sends `sent_bytes`, evenly to all others (P4.1)."""
    if ranks <= 1 or sent_bytes <= 0:
        return 0.0
    moved = sent_bytes * (ranks - 1) / ranks
    if inside(platform, ranks):
        rate = platform.scale_up * SCALE_UP_FRACTION.value
        return moved / rate + ranks * SCALE_UP_US.value * MICRO
    away = moved * (1 - platform.scale_up_domain / ranks)
    return away / (platform.scale_out * SCALE_OUT_FRACTION.value) + ranks * SCALE_OUT_US.value * (
        MICRO
    )


def send_seconds(platform: Platform, sent_bytes: float, *, near: bool) -> float:
    """Return seconds of one send to a neighbour, in the server or over the network."""
    if near:
        rate = platform.scale_up * SCALE_UP_FRACTION.value
        return sent_bytes / rate + SCALE_UP_US.value * MICRO
    rate = platform.scale_out * SCALE_OUT_FRACTION.value
    return sent_bytes / rate + SCALE_OUT_US.value * MICRO


def rate_between_servers(fleet: Fleet) -> Figure | None:
    """Rate of one device to other servers over a fleet's scale-out network; None without one.

    Where all-reduces were measured, it is the rate at which `ring_seconds` gives the time of the
    largest message over the most servers; else that of the links (F7.4).

    Raises
    ------
    InputError
        A measured time shorter than the latency of its ranks alone.
    """
    fabric = next((one for one in fleet.fabrics if one.role == "scale_out"), None)
    if fabric is None or fleet.server is None:
        return None
    devices = fleet.server.device_count
    if not fabric.all_reduce:
        return fabric.device_gb_s(devices)
    row = max(fabric.all_reduce, key=lambda one: (one.servers, one.message_bytes))
    ranks = row.servers * devices
    half = row.seconds.value / 2 - ranks * SCALE_OUT_US.value * MICRO  # a gather and a scatter
    if half <= 0:
        raise InputError(
            "all_reduce",
            f"{row.message_bytes:,.0f} bytes in {row.seconds.value:g} s over {row.servers} servers"
            " are faster than the latency of their ranks",
            "enter a row of a larger message",
        )
    moved = row.message_bytes * (ranks - 1) / ranks
    rate = moved / half / (SCALE_OUT_FRACTION.value * devices) / GIGA
    note = f"all-reduce measured over {row.servers} servers"
    return row.seconds.derived(rate, "GB/s", note)

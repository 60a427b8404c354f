"""Board power against the watts of a slot, with a measured cap where one helps (F2.2)."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs import CapPoint, Device, Figure, Server
from tco.power.cap_curve import transferred_caps


@dataclass(frozen=True, slots=True)
class SlotCheck:
    """How a device stands to its slot.

    `limit` is the lower of the site's and the server's watts per slot; `point` the measured cap
    to run at, None when the board runs at full power or cannot run at all. `suggested` is what
    the curve of other boards says about a cap that was not measured here: worth a measurement,
    not enough to stand in the slot.
    """

    limit: Figure
    fits: bool
    point: CapPoint | None
    reason: str
    suggested: CapPoint | None = None


def best_cap_point(device: Device, limit_w: float) -> CapPoint | None:
    """Measured point at or under `limit_w` that keeps most throughput, then draws least."""
    return _best(device.cap_points, limit_w)


def _best(points: tuple[CapPoint, ...], limit_w: float) -> CapPoint | None:
    usable = [point for point in points if point.cap_w.value <= limit_w]
    return max(
        usable,
        key=lambda point: (point.throughput_fraction.value, -point.cap_w.value),
        default=None,
    )


def slot_check(server: Server, slot_w: Figure) -> SlotCheck:
    """Check the device's board against min(site's slot, server's slot) (F2.2).

    A CPU sits in a socket, not in a slot, and is not limited. An unknown board power cannot be
    checked: it does not bind and the reason says so.
    """
    limit = slot_w
    if server.slot_w is not None and server.slot_w.value < slot_w.value:
        limit = server.slot_w
    device = server.device
    if device.kind == "cpu":
        return SlotCheck(limit, True, None, "a CPU sits in a socket, not in a slot")
    if device.board_w is None:
        point = best_cap_point(device, limit.value)
        reason = f"board power of {device.name} unknown: the slot is not checked"
        if point is not None:
            reason = f"board power of {device.name} unknown: runs at its measured cap"
        return SlotCheck(limit, True, point, reason)
    if device.board_w.value <= limit.value:
        return SlotCheck(
            limit, True, None, f"{device.board_w.value:g} W board in a {limit.value:g} W slot"
        )
    point = best_cap_point(device, limit.value)
    over = f"{device.board_w.value:g} W board over the {limit.value:g} W slot"
    if point is None:
        reason = f"{over}, and no measured cap at or under it"
        suggested = None if device.cap_points else _best(transferred_caps(device), limit.value)
        if suggested is not None:
            left = suggested.throughput_fraction
            reason += (
                f"; other boards keep about {left.value:.0%} at {suggested.cap_w.value:g} W of this"
                " size: measure the cap to use it"
            )
        return SlotCheck(limit, False, None, reason, suggested)
    return SlotCheck(
        limit,
        True,
        point,
        f"{over}; capped at {point.cap_w.value:g} W,"
        f" {point.throughput_fraction.value:.0%} of its throughput left",
    )

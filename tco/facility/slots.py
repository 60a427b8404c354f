"""Does a device fit the watts of a slot (F2.2)?"""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs import Figure, Server
from tco.power.slot_cap import slot_check


@dataclass(frozen=True, slots=True)
class SlotFit:
    """Answer of `slot_fit`.

    Parameters
    ----------
    fits
        False: infeasible at this site.
    capped
        True: it fits only under a measured power cap; price and power then use that point.
    cap_w
        Watts of the cap, None when not capped.
    throughput_fraction
        Share of full throughput left: 1 uncapped, the measured share capped, 0 when it does
        not fit.
    reason
        The check in words.
    """

    fits: bool
    capped: bool
    cap_w: float | None
    throughput_fraction: float
    reason: str


def slot_fit(server: Server, slot_w: Figure) -> SlotFit:
    """Check the server's device against the site's watts per slot (F2.2).

    Fits if board power <= min(`slot_w`, the server's own slot), or if a capped point at or
    under that was measured. The point that keeps most throughput is taken. CPUs sit in sockets
    and always fit; an unknown board power does not bind, and the reason says so.

    Parameters
    ----------
    server
        Server with its devices.
    slot_w
        What the site feeds and cools per slot, in watts.
    """
    check = slot_check(server, slot_w)
    if not check.fits:
        return SlotFit(False, False, None, 0.0, check.reason)
    if check.point is None:
        return SlotFit(True, False, None, 1.0, check.reason)
    return SlotFit(
        True,
        True,
        check.point.cap_w.value,
        check.point.throughput_fraction.value,
        check.reason,
    )

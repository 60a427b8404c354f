"""Between up and down: supplies are lost, clocks drop, the server goes on slower (F2.2, F2.4)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tco.errors import InputError
from tco.inputs import Device, Server, Status
from tco.power.cap_curve import transferred_caps
from tco.power.server_power import server_power


@dataclass(frozen=True, slots=True)
class Degraded:
    """A server with supplies gone."""

    state: str  # up | degraded | down
    left_w: float  # DC, that the remaining supplies deliver
    device_w: float  # for one device; its full power where the server is up
    throughput_fraction: float
    status: Status
    reason: str


def supplies_lost(server: Server, lost: int) -> Degraded:
    """State of a server that has lost supplies: up, degraded or down.

    The host keeps its watts and the devices share what is left. Below their full power they run
    under a cap, with the throughput of the caps measured on the device, else of other boards'
    (F2.2), straight between the points. Less than the lowest known cap is down: nothing says that
    a board holds there.

    Raises
    ------
    InputError
        Supplies that the catalog does not know, or more lost than there are.
    """
    if server.psu_w_each is None or server.psu_count < 1:
        raise InputError(
            "psu_count", f"the supplies of {server.name} are not known", "enter count and watts"
        )
    if not 0 <= lost <= server.psu_count:
        raise InputError(
            "lost", f"{lost} of {server.psu_count} supplies", f"enter 0 to {server.psu_count}"
        )
    model = server_power(server)
    full_w, host_w = model.device.cap_w, model.host.load_w
    left_w = (server.psu_count - lost) * server.psu_w_each.value
    if left_w >= (server.device_count * full_w + host_w) * (1 - 1e-9):
        reason = "the remaining supplies carry full load"
        return Degraded("up", left_w, full_w, 1.0, model.status, reason)
    each_w = max(0.0, (left_w - host_w) / server.device_count)
    points, status = _caps(server.device, full_w)
    said = f"{lost} of {server.psu_count} supplies lost: {each_w:.0f} W of {full_w:.0f} W a device"
    if not points or each_w < points[0][0]:
        why = "no cap is known so low" if points else "no cap of the device is known"
        return Degraded("down", left_w, each_w, 0.0, status, f"{said}; {why}")
    for (w0, speed0), (w1, speed1) in pairwise(points):
        if each_w <= w1:
            speed = speed0 + (speed1 - speed0) * (each_w - w0) / (w1 - w0)
            return Degraded("degraded", left_w, each_w, speed, status, said)
    return Degraded("degraded", left_w, each_w, 1.0, status, said)


def _caps(device: Device, full_w: float) -> tuple[list[tuple[float, float]], Status]:
    """(watts, throughput) rising, up to full power, and how well they are known."""
    caps = device.cap_points or transferred_caps(device)
    points = sorted((cap.cap_w.value, cap.throughput_fraction.value) for cap in caps)
    below = [point for point in points if point[0] < full_w]
    if not below:
        return [], Status.ASSUMED
    status = max((cap.throughput_fraction.status for cap in caps), key=lambda one: one.rank)
    return [*below, (full_w, 1.0)], status

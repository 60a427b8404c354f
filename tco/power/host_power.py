"""Watts of a server beside its devices: CPU, DRAM, NIC, storage, fans (F2.3)."""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass

from tco.inputs import Figure, Server, Status
from tco.power import defaults
from tco.power.activity import table_rows
from tco.power.device_power import DevicePower
from tco.power.psu import PowerSupplies
from tco.results import Term

_USUAL_SOURCE = (
    "fit of tco.power.fit_wall to 98 rows of wall power (MLPerf Inference power rows and two"
    " papers); median error of a device left out 12 %"
)
_CARDS_IN_A_BOX = 20
TYPICAL_BOARD_SHARE = 0.8  # of board power, at the load of a vendor's typical figure


@dataclass(frozen=True, slots=True)
class HostPower:
    """DC watts of the host at load and at rest."""

    load_w: float
    idle_w: float
    terms: tuple[Term, ...] = ()
    reasons: tuple[str, ...] = ()


def host_power(server: Server, device: DevicePower, supplies: PowerSupplies) -> HostPower:
    """Host watts, best knowledge first (F2.3).

    `host_w` if known; else typical load less the devices at 80 % of their board power; else a
    usual: watts per CPU socket and a share of the boards, fitted to wall power. The last two stay
    within the nameplate less the boards: a nameplate holds margin, so it is a ceiling, not the
    estimate. At rest: the server's idle power less its idle devices; else 69 % of the host at load.
    """
    terms: list[Term] = []
    reasons: list[str] = []
    boards_w = server.device_count * device.board_w
    if server.host_w is not None:
        load_w = server.host_w.value
        terms.append(Term.of("host power", server.host_w))
    else:
        load_w = _typical_remainder_w(server, device, supplies, terms, reasons)
        ceiling_w = _nameplate_remainder_w(server, boards_w, supplies)
        if load_w <= 0:
            load_w = _usual_host_w(server.device_count, boards_w)
            terms += [Term.of(name, figure) for name, figure in usual_host().items()]
            reasons.append("host power unknown: watts per CPU socket and a share of the boards")
        if ceiling_w is not None and server.max_system_w is not None:
            terms.append(Term.of("server nameplate", server.max_system_w))
            if ceiling_w <= 0:
                reasons.append("the nameplate is below the boards it holds: not used for the host")
            else:
                load_w = min(load_w, ceiling_w)
    rest_w = _measured_rest_w(server, device, supplies, terms, reasons)
    if rest_w is not None:
        # A host at load draws no less than at rest; only a stated host figure overrules that.
        load_w = load_w if server.host_w is not None else max(load_w, rest_w)
        idle_w = min(rest_w, load_w)
    else:
        terms.append(Term.of("host at rest, share of load", defaults.HOST_IDLE_SHARE))
        idle_w = load_w * defaults.HOST_IDLE_SHARE.value
    return HostPower(load_w, idle_w, tuple(terms), tuple(reasons))


@functools.cache
def usual_host() -> dict[str, Figure]:
    """Fitted parts of a host that nobody described (`tco.power.fit_wall`)."""
    rows = {row["name"]: float(row["value"]) for row in table_rows("wall_factors.csv")}
    return {
        "host power per CPU socket": Figure(rows["socket_w"], "W", Status.ESTIMATED, _USUAL_SOURCE),
        "host power that follows the boards": Figure(
            rows["follow_fraction"], "fraction", Status.ESTIMATED, _USUAL_SOURCE
        ),
    }


def usual_sockets(device_count: int) -> int:
    """CPU sockets of a server or rack nobody described: one device one, a box of cards two.

    Examples
    --------
    >>> usual_sockets(1), usual_sockets(8), usual_sockets(72)
    (1, 2, 18)
    """
    if device_count <= 1:
        return 1
    return 2 if device_count <= _CARDS_IN_A_BOX else 2 * math.ceil(device_count / 8)


def _usual_host_w(device_count: int, boards_w: float) -> float:
    """Watts of the usual sockets and what follows the boards."""
    socket, follow = usual_host().values()
    return usual_sockets(device_count) * socket.value + follow.value * boards_w


def _typical_remainder_w(
    server: Server,
    device: DevicePower,
    supplies: PowerSupplies,
    terms: list[Term],
    reasons: list[str],
) -> float:
    """Typical load in DC watts less the devices; 0 where it does not help."""
    if server.typical_load_w is None:
        return 0.0
    devices_w = server.device_count * device.board_w * TYPICAL_BOARD_SHARE
    remainder_w = supplies.dc_w(server.typical_load_w.value) - devices_w
    if remainder_w <= 0:
        return 0.0
    terms.append(Term.of("server typical load", server.typical_load_w))
    reasons.append("host power unknown: typical load less its devices at 80 % of board power")
    return remainder_w


def _nameplate_remainder_w(
    server: Server, boards_w: float, supplies: PowerSupplies
) -> float | None:
    """Nameplate in DC watts less all boards at full power."""
    if server.max_system_w is None:
        return None
    return supplies.dc_w(server.max_system_w.value) - boards_w


def _measured_rest_w(
    server: Server,
    device: DevicePower,
    supplies: PowerSupplies,
    terms: list[Term],
    reasons: list[str],
) -> float | None:
    """Host at rest: the server's idle power in DC watts less its idle devices; None if unknown."""
    if server.idle_w is None:
        return None
    rest_w = supplies.dc_w(server.idle_w.value) - server.device_count * device.idle_w
    if rest_w <= 0:
        reasons.append("the server's idle power is below its idle devices: not used")
        return None
    terms.append(Term.of("server idle power", server.idle_w))
    return rest_w

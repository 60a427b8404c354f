"""Watts of one device by its load (F2.1, P14)."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from tco.inputs import Device, Figure, MeasuredService, Server, Site, Status
from tco.power import defaults
from tco.power.activity import Board, Work, asked_w, capped_w, fitted
from tco.power.psu import PowerSupplies
from tco.power.slot_cap import slot_check
from tco.power.utilisation_curve import fan_share
from tco.results import HourLoad, Term

DENSE = Work()
FIT_SOURCE = (
    "fit of tco.power.fit to 549 rows of board watts on H100, B200 and A100 (ML.ENERGY"
    " benchmark v3, LLM-Inference-Bench, Splitwise); median error of a device left out 8 %"
)


@dataclass(frozen=True, slots=True)
class DevicePower:
    """Idle watts and cap of one device, and how its load moves it between the two.

    `cap_w` is the board power, or the measured cap where the slot asks for one (F2.2);
    `board_w` is the board power in any case. `measured` holds (requests per second of one
    server, watts of one device), rising, when a load test measured it. `board` and `work` are
    what the formula of `tco.power.activity` needs; a CPU has no board.
    """

    idle_w: float
    cap_w: float
    board_w: float
    cpu: bool
    measured: tuple[tuple[float, float], ...] = ()
    terms: tuple[Term, ...] = ()
    reasons: tuple[str, ...] = ()
    board: Board | None = None
    work: Work = DENSE

    def active_w(self, compute_fraction: float, memory_fraction: float) -> float:
        """Watts while at least one request is in flight (P14), for accelerators.

        Idle, plus clocks, energy per byte and energy per flop, bent into the cap: prefill
        (compute) comes near the cap, decode (memory) stays well below it. A cap takes nothing
        off what the work asks for; it only bends sooner.

        Parameters
        ----------
        compute_fraction, memory_fraction
            Shares of the dense peak and of the memory bandwidth in use while busy, 0..1.
        """
        factors, board = fitted().factors, self._seen()
        asked = asked_w(factors, board, self.work, compute_fraction, memory_fraction)
        return capped_w(asked, idle_w=self.idle_w, cap_w=self.cap_w)

    def active_range_w(
        self, compute_fraction: float, memory_fraction: float
    ) -> tuple[float, float]:
        """80 % interval of `active_w`, from rows of devices or models left out (P13.3)."""
        spread = fitted().spread(self._seen())
        watts = self.active_w(compute_fraction, memory_fraction)
        return spread.around(watts, idle_w=self.idle_w, cap_w=self.cap_w)

    def _seen(self) -> Board:
        """Board of the formula; without one, a board of the same watts and unknown rates."""
        return self.board or Board("", self.board_w, self.idle_w, None, None)

    def watts(self, load: HourLoad, *, utilisation_fraction: float) -> float:
        """Mean watts of one device in an hour (F2.1).

        Accelerators: (1 - p_busy) idle + p_busy active. CPUs: idle + (cap - idle)
        (2u - u^1.4) with `utilisation_fraction` u of capacity. With three or more measured
        points: straight lines between them.
        """
        if self.measured:
            servers = max(load.servers_on, 1)
            return self._measured_w(load.requests_per_s / servers)
        if self.cpu:
            u = min(1.0, max(0.0, utilisation_fraction))
            return self.idle_w + (self.cap_w - self.idle_w) * fan_share(u)
        active_w = self.active_w(load.compute_fraction, load.memory_fraction)
        return (1 - load.busy_fraction) * self.idle_w + load.busy_fraction * active_w

    def range_w(self, load: HourLoad, *, utilisation_fraction: float) -> tuple[float, float]:
        """80 % interval of `watts`; no width for a CPU or where a load test gives the curve."""
        if self.measured or self.cpu:
            watts = self.watts(load, utilisation_fraction=utilisation_fraction)
            return watts, watts
        busy = load.busy_fraction
        low, high = self.active_range_w(load.compute_fraction, load.memory_fraction)
        return (1 - busy) * self.idle_w + busy * low, (1 - busy) * self.idle_w + busy * high

    def _measured_w(self, requests_per_s: float) -> float:
        """Interpolate the measured points; idle at no load, held beyond the last."""
        points = ((0.0, self.idle_w), *self.measured)
        for (x0, y0), (x1, y1) in pairwise(points):
            if requests_per_s <= x1:
                return y0 + (y1 - y0) * (requests_per_s - x0) / (x1 - x0)
        return points[-1][1]


def device_power(
    server: Server,
    supplies: PowerSupplies,
    *,
    site: Site | None = None,
    service: MeasuredService | None = None,
    work: Work | None = None,
) -> DevicePower:
    """Idle watts and cap of the server's device, with what stands in for blanks.

    Board power: the catalog's; else 70 % of the server's nameplate over its devices; else the
    server's watts per slot; else a planning value. Idle: the catalog's; else 12 % of the board
    (30 % for a CPU). Each stand-in is named in `reasons`, and its figure in `terms`. `work` says
    what is served; None stands for a dense 16-bit model on one device.
    """
    device = server.device
    terms: list[Term] = []
    reasons: list[str] = []
    board = _board(server, supplies, reasons)
    terms.append(Term.of("device board power", board))
    cap_w = board.value
    if site is not None:
        check = slot_check(server, site.slot_w)
        if check.point is not None and check.point.cap_w.value < cap_w:
            cap_w = check.point.cap_w.value
            terms.append(Term.of("device power cap", check.point.cap_w))
            reasons.append(check.reason)
    idle = _idle(device, board, reasons)
    terms.append(Term.of("device idle power", idle))
    idle_w = idle.value
    if idle_w > cap_w:
        reasons.append(f"idle power of {device.name} is above its cap: the cap is used for both")
        idle_w = cap_w
    cpu = device.kind == "cpu"
    measured = _measured_points(server, service, idle_w, cap_w)
    if measured and service is not None:
        last = measured[-1][1]
        terms.append(_measured_term(last, service))
    elif not cpu:
        terms += _fitted_terms(device.key)
    seen = None if cpu else Board.of(device, board_w=board.value, idle_w=idle_w)
    return DevicePower(
        idle_w,
        cap_w,
        board.value,
        cpu,
        measured,
        tuple(terms),
        tuple(reasons),
        seen,
        work or DENSE,
    )


def _fitted_terms(key: str) -> list[Term]:
    """Factors of busy watts as terms."""
    factors = fitted().factors
    named = (
        ("clocks while kernels run, share of idle to board", factors.clocks_fraction, "fraction"),
        ("energy per 10^12 bytes of memory", factors.memory_j_per_tb, "J/TB"),
        ("energy per 10^12 flops", factors.compute_j_per_tflop, "J/TFLOP"),
        ("factor of this device on watts above idle", factors.of_device(key), "ratio"),
    )
    return [
        Term(name=name, value=value, unit=unit, status=Status.ESTIMATED, source=FIT_SOURCE)
        for name, value, unit in named
    ]


def _board(server: Server, supplies: PowerSupplies, reasons: list[str]) -> Figure:
    """Board power, or its stand-in with the reason."""
    device = server.device
    if device.board_w is not None:
        return device.board_w
    if server.max_system_w is not None and server.device_count > 0:
        reasons.append(f"board power of {device.name} unknown: share of the server's nameplate")
        share = defaults.DEVICE_SHARE_OF_DC.value
        dc_w = supplies.dc_w(server.max_system_w.value)
        return server.max_system_w.derived(
            share * dc_w / server.device_count, "W", "70 % of the server's DC power per device"
        )
    if server.slot_w is not None and device.kind != "cpu":
        reasons.append(f"board power of {device.name} unknown: the server's slot limit is used")
        return server.slot_w.derived(server.slot_w.value, "W", "the server's watts per slot")
    default = defaults.CPU_W_UNKNOWN if device.kind == "cpu" else defaults.BOARD_W_UNKNOWN
    reasons.append(f"board power of {device.name} unknown: {default.value:g} W assumed")
    return default


def _idle(device: Device, board: Figure, reasons: list[str]) -> Figure:
    """Idle power, or its stand-in with the reason."""
    if device.idle_w is not None:
        return device.idle_w
    share = defaults.CPU_IDLE_SHARE if device.kind == "cpu" else defaults.IDLE_SHARE_OF_BOARD
    reasons.append(f"idle power of {device.name} unknown: {share.value:.0%} of its board power")
    idle = share.derived(share.value * board.value, "W", "share of board power")
    # A share of an assumed board power is no better known than the board power.
    return (
        idle
        if idle.status.rank >= board.status.rank
        else board.derived(idle.value, "W", "share of board power")
    )


def _measured_points(
    server: Server, service: MeasuredService | None, idle_w: float, cap_w: float
) -> tuple[tuple[float, float], ...]:
    """Rising points of a load test on this server or device; none if fewer than three (F2.1)."""
    if service is None or service.server not in (server.key, server.device.key):
        return ()
    points: list[tuple[float, float]] = []
    highest_w = idle_w
    for point in sorted(service.points, key=lambda row: (row.requests_per_s, row.concurrency)):
        if point.device_w is None or point.requests_per_s <= 0:
            continue
        # More load never draws less: noise between repeats is not a falling curve.
        highest_w = min(cap_w, max(highest_w, point.device_w))
        if points and points[-1][0] == point.requests_per_s:
            points[-1] = (point.requests_per_s, highest_w)
        else:
            points.append((point.requests_per_s, highest_w))
    return tuple(points) if len(points) >= 3 else ()


def _measured_term(watts: float, service: MeasuredService) -> Term:
    """Term of a measured load curve: its last point."""
    return Term(
        name="device power at the highest measured load",
        value=watts,
        unit="W",
        status=Status.MEASURED,
        source=service.source,
        as_of=service.as_of,
    )

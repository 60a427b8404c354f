"""Two numbers per server and what a fleet draws (F2.3-F2.5)."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from tco.errors import InputError
from tco.inputs import Figure, Fleet, MeasuredService, Server, Site, Status, weakest
from tco.inputs.workload import DAY_HOURS
from tco.power import defaults
from tco.power.activity import Work
from tco.power.device_power import DevicePower, device_power
from tco.power.facility_load import facility_kw, grid_gco2_of_load, tco2e
from tco.power.host_power import HostPower, host_power
from tco.power.psu import PowerSupplies
from tco.results import FleetPower, FleetResult, HourLoad, Term

W_PER_KW = 1000
DEFAULT_MARGIN_FRACTION = 0.1  # over a measured 99.9th percentile
DEFAULT_PROVISIONING_FRACTION = 1.0  # of the nameplate


@dataclass(frozen=True, slots=True)
class ServerPower:
    """Power model of one server.

    Parameters
    ----------
    nameplate_w
        AC watts, reduced by what a power cap takes off the boards.
    """

    device_count: int
    device: DevicePower
    host: HostPower
    supplies: PowerSupplies
    nameplate_w: float
    terms: tuple[Term, ...]
    reasons: tuple[str, ...]

    @property
    def status(self) -> Status:
        """Weakest of the figures the watts rest on."""
        return weakest(term.status for term in self.terms)

    @property
    def idle_ac_w(self) -> float:
        """AC watts with all devices at rest (F2.3, F2.4)."""
        return self._ac_w(self.device.idle_w, host_load_fraction=0.0)

    @property
    def full_ac_w(self) -> float:
        """AC watts with all devices at their cap and the host at load (F2.3, F2.4)."""
        return self._ac_w(self.device.cap_w, host_load_fraction=1.0)

    def ac_w(self, load: HourLoad, *, utilisation_fraction: float) -> float:
        """Mean AC watts in an hour (F2.1, F2.3, F2.4); the host follows the busy share."""
        device_w = self.device.watts(load, utilisation_fraction=utilisation_fraction)
        return self._ac_w(device_w, host_load_fraction=load.busy_fraction)

    def range_ac_w(self, load: HourLoad, *, utilisation_fraction: float) -> tuple[float, float]:
        """80 % interval of `ac_w` from that of the devices (P13.3)."""
        low, high = self.device.range_w(load, utilisation_fraction=utilisation_fraction)
        return (
            self._ac_w(low, host_load_fraction=load.busy_fraction),
            self._ac_w(high, host_load_fraction=load.busy_fraction),
        )

    def provisioned_w(
        self,
        *,
        expected_peak_w: float = 0.0,
        measured_p999_w: Figure | None = None,
        margin_fraction: float = DEFAULT_MARGIN_FRACTION,
        provisioning_fraction: float = DEFAULT_PROVISIONING_FRACTION,
    ) -> float:
        """AC watts for breakers and cooling (F2.5).

        max(measured p99.9 x (1 + margin), nameplate x provisioning fraction), and never below
        the peak the model itself expects: a breaker must carry it.
        """
        measured_w = 0.0
        if measured_p999_w is not None:
            measured_w = measured_p999_w.value * (1 + margin_fraction)
        return max(measured_w, self.nameplate_w * provisioning_fraction, expected_peak_w)

    def _ac_w(self, device_w: float, *, host_load_fraction: float) -> float:
        host_w = self.host.idle_w + (self.host.load_w - self.host.idle_w) * host_load_fraction
        return self.supplies.ac_w(self.device_count * device_w + host_w)


def server_power(
    server: Server,
    *,
    site: Site | None = None,
    service: MeasuredService | None = None,
    work: Work | None = None,
) -> ServerPower:
    """Power model of a server at a site (F2.1-F2.4).

    Nameplate: `max_system_w`; else the larger of devices over 70 % and devices with host, with
    the margin of a measured maximum (F2.5), within what the supplies can deliver. With a power
    cap (F2.2) the boards' reduction is taken off.
    """
    supplies = PowerSupplies.of(server)
    device = device_power(server, supplies, site=site, service=service, work=work)
    host = host_power(server, device, supplies)
    terms = [*device.terms, *host.terms, *supplies.terms]
    reasons = [*device.reasons, *host.reasons, *supplies.reasons]
    if server.max_system_w is not None:
        nameplate_dc_w = supplies.dc_w(server.max_system_w.value)
        terms.append(Term.of("server nameplate", server.max_system_w))
    else:
        share = defaults.DEVICE_SHARE_OF_DC
        boards_w = server.device_count * device.board_w
        nameplate_dc_w = max(boards_w / share.value, boards_w + host.load_w)
        nameplate_dc_w *= 1 + DEFAULT_MARGIN_FRACTION
        terms.append(Term.of("devices' share of DC power", share))
        reasons.append("nameplate unknown: devices and host at full load, and 10 %")
        if supplies.rated_w is not None and supplies.rated_w < nameplate_dc_w:
            nameplate_dc_w = supplies.rated_w
            reasons.append("nameplate held to what the supplies deliver")
    saved_w = server.device_count * (device.board_w - device.cap_w)
    nameplate_w = supplies.ac_w(max(0.0, nameplate_dc_w - saved_w))
    return ServerPower(
        server.device_count,
        device,
        host,
        supplies,
        nameplate_w,
        tuple(dict.fromkeys(terms)),
        tuple(dict.fromkeys(reasons)),
    )


@dataclass(frozen=True, slots=True)
class _TypicalDay:
    """Hours of a fleet: servers on, mean AC watts of one of them, and the peak window."""

    servers_on: tuple[int, ...]
    server_w: tuple[float, ...]
    peak_w: float  # one server, busy throughout at the highest hour's load
    window_w: tuple[float, ...]  # one server, busy throughout at each hour's load
    ranges_w: tuple[tuple[float, float], ...] = ()  # 80 % interval of `server_w`

    @property
    def average_w(self) -> float:
        """Mean AC watts of a server that is on; 0 when none is."""
        return self._mean_w(self.server_w)

    @property
    def average_range_w(self) -> tuple[float, float] | None:
        """80 % interval of `average_w`: the hours err together, so their ends are averaged."""
        if not self.ranges_w:
            return None
        return (
            self._mean_w(tuple(low for low, _ in self.ranges_w)),
            self._mean_w(tuple(high for _, high in self.ranges_w)),
        )

    def _mean_w(self, watts: tuple[float, ...]) -> float:
        total = sum(self.servers_on)
        if total == 0:
            return 0.0
        return math.fsum(on * w for on, w in zip(self.servers_on, watts, strict=True)) / total


def _typical_day(result: FleetResult, model: ServerPower) -> _TypicalDay:
    """Watts by hour; without hours, full power all day; without servers, nothing."""
    if result.servers == 0:
        return _TypicalDay((0,) * DAY_HOURS, (0.0,) * DAY_HOURS, 0.0, (0.0,) * DAY_HOURS)
    if not result.hours:
        full_w = model.full_ac_w
        full = (full_w,) * DAY_HOURS
        return _TypicalDay((result.servers,) * DAY_HOURS, full, full_w, full)
    highest = max(hour.requests_per_s for hour in result.hours)
    server_w: list[float] = []
    ranges_w: list[tuple[float, float]] = []
    window_w: list[float] = []
    for hour in result.hours:
        u = _utilisation_fraction(hour, result, highest)
        server_w.append(model.ac_w(hour, utilisation_fraction=u))
        ranges_w.append(model.range_ac_w(hour, utilisation_fraction=u))
        window = replace(hour, busy_fraction=1.0) if hour.busy_fraction > 0 else hour
        window_w.append(max(server_w[-1], model.ac_w(window, utilisation_fraction=u)))
    servers_on = tuple(hour.servers_on for hour in result.hours)
    return _TypicalDay(servers_on, tuple(server_w), max(window_w), tuple(window_w), tuple(ranges_w))


def _utilisation_fraction(
    hour: HourLoad, result: FleetResult, highest_requests_per_s: float
) -> float:
    """Share of capacity in use (F1.4): the peak's, scaled by the hour's offered load.

    Without a serving peak (training) the busy share stands in.
    """
    if result.at_peak is None or highest_requests_per_s <= 0:
        return hour.busy_fraction
    return result.at_peak.utilisation_fraction * hour.requests_per_s / highest_requests_per_s


def work_of_fleet(fleet: Fleet, result: FleetResult) -> Work:
    """Kind of serving of a fleet, as far as it moves the watts of a device (P14)."""
    workload = fleet.workload
    experts = workload.model.experts if workload.model is not None else None
    return Work(
        workload.weight_dtype,
        experts.per_token if experts is not None else 0,
        max(1, result.tensor_parallel),
    )


def fleet_power(
    fleet: Fleet,
    result: FleetResult,
    *,
    hours_per_year: float,
    shared_w: float = 0.0,
    shared_terms: tuple[Term, ...] = (),
) -> FleetPower | None:
    """Provisioned and average power of an owned fleet (F2.5, F3.3, F18.1).

    None for a rented fleet: its power is the provider's. Provisioned kW are for all servers at
    the end of the horizon; the average is that of the first year's typical day. Network watts
    per server join the fleet's IT power, not the server's. The facility's peak is a window in
    which every server on is busy throughout at the highest hour's load: a typical day of
    hourly means cannot hold a peak (F4.1).

    `HourLoad.compute_fraction` and `memory_fraction` are read as shares while busy.

    Parameters
    ----------
    fleet, result
        The fleet and how it serves its workload.
    hours_per_year
        12 H (F0.2).
    shared_w, shared_terms
        Watts day and night of the networks and the store of the whole fleet (F7.3).

    Raises
    ------
    InputError
        An owned fleet without a site, or a PUE below 1.
    """
    if fleet.server is None:
        return None
    site = fleet.site
    if site is None:
        raise InputError(f"fleets[{fleet.key}].site", "owned servers need a site", "name a site")
    model = server_power(
        fleet.server, site=site, service=fleet.workload.service, work=work_of_fleet(fleet, result)
    )
    terms, reasons = [*model.terms, Term.of("PUE", site.pue)], list(model.reasons)
    network_w = 0.0
    if fleet.purchase is not None and fleet.purchase.network_w_per_server is not None:
        network_w = fleet.purchase.network_w_per_server.value
        terms.append(Term.of("network power per server", fleet.purchase.network_w_per_server))
    terms += shared_terms
    status = weakest(term.status for term in terms)
    servers = result.servers
    if servers > 0 and not result.hours:
        status = Status.ASSUMED
        reasons.append("no hourly load: every device counted at full power all day")
    day = _typical_day(result, model)
    range_w = day.average_range_w
    provisioned_w = model.provisioned_w(expected_peak_w=day.peak_w)
    provisioned_servers = max(servers, *day.servers_on)
    hourly_w = [
        on * (watts + network_w) + shared_w
        for on, watts in zip(day.servers_on, day.server_w, strict=True)
    ]
    it_average_kw = math.fsum(hourly_w) / len(hourly_w) / W_PER_KW
    peak_kw = (max(day.servers_on) * (day.peak_w + network_w) + shared_w) / W_PER_KW
    hourly_peak_kw = [
        (on * (watts + network_w) + shared_w) / W_PER_KW
        for on, watts in zip(day.servers_on, day.window_w, strict=True)
    ]
    # the highest hour holds the fleet's peak, most servers on at the highest watts
    hourly_peak_kw[hourly_peak_kw.index(max(hourly_peak_kw))] = peak_kw
    kwh_per_year = facility_kw(it_average_kw, site.pue.value) * hours_per_year
    given, by_hour = site.grid_gco2_per_kwh, site.around.grid_gco2_by_hour
    grid = grid_gco2_of_load(hourly_w, given.value if given is not None else None, by_hour)
    if by_hour is not None and grid is not None:
        note = "grid carbon by hour, weighted by the load"
        terms.append(Term(note, grid, "gCO2e/kWh", Status.ASSUMED, "scenario"))
    elif given is not None:
        terms.append(Term.of("grid carbon", given))
    return FleetPower(
        fleet=fleet.key,
        server_provisioned_kw=provisioned_w / W_PER_KW,
        server_average_kw=day.average_w / W_PER_KW,
        server_idle_kw=model.idle_ac_w / W_PER_KW,
        it_provisioned_kw=(provisioned_servers * (provisioned_w + network_w) + shared_w) / W_PER_KW,
        it_average_kw=it_average_kw,
        facility_peak_kw=facility_kw(peak_kw, site.pue.value),
        facility_average_kw=facility_kw(it_average_kw, site.pue.value),
        pue=site.pue.value,
        kwh_per_year=kwh_per_year,
        tco2e_per_year=None if grid is None else tco2e(kwh_per_year, grid),
        hourly_kw=tuple(watts / W_PER_KW for watts in hourly_w),
        status=status,
        terms=tuple(terms),
        reason="; ".join(reasons),
        server_average_range_kw=None
        if range_w is None
        else (range_w[0] / W_PER_KW, range_w[1] / W_PER_KW),
        it_peak_kw=peak_kw,
        hourly_peak_kw=tuple(hourly_peak_kw),
        grid_gco2_per_kwh=grid,
    )

"""An owned fleet cut to fewer servers, each with as much of the load as it holds (F14.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from tco.cost.case import FleetCase, life_months, with_replacements
from tco.cost.finance import FloatArray
from tco.facility.packing import rack_layout
from tco.results import FleetPower, FleetResult


def cut_fleet(own: FleetCase, owned_servers: int, held_per_s: float) -> FleetCase:
    """The fleet with at most so many servers, which carry at most `held_per_s` requests."""
    servers = np.minimum(own.servers, owned_servers)
    bought = with_replacements(np.diff(servers, prepend=0.0), life_months(own.fleet))
    result, power = own.result, own.power
    cut = replace(
        result,
        servers=min(result.servers, owned_servers),
        servers_by_month=tuple(min(n, owned_servers) for n in result.servers_by_month),
        hours=tuple(
            replace(
                hour,
                servers_on=min(hour.servers_on, owned_servers),
                requests_per_s=min(hour.requests_per_s, held_per_s),
            )
            for hour in result.hours
        ),
    )
    racks = own.racks
    if power is not None:
        power = _power(power, result, cut)
        if racks is not None:
            racks = rack_layout(own.fleet, cut, server_provisioned_kw=power.server_provisioned_kw)
    return replace(own, servers=servers, bought=bought, result=cut, power=power, racks=racks)


def _power(power: FleetPower, whole: FleetResult, cut: FleetResult) -> FleetPower:
    """Power of the cut fleet: watts of a server by its load, as on the whole fleet's day."""
    if not whole.hours or not any(hour.servers_on for hour in whole.hours):
        part = cut.servers / max(1, whole.servers)
        hourly = [kw * part for kw in power.hourly_kw]
    else:
        at, kw_each = server_kw(power, whole)
        hourly = [
            hour.servers_on
            * float(np.interp(hour.requests_per_s / max(1, hour.servers_on), at, kw_each))
            for hour in cut.hours
        ]
    return scaled_power(power, whole, cut, hourly)


def scaled_power(
    power: FleetPower, whole: FleetResult, cut: FleetResult, hourly_kw: Sequence[float]
) -> FleetPower:
    """Power of so many servers with these IT kW by hour."""
    provisioned = _most_on(cut) / max(1, _most_on(whole))
    on = max((h.servers_on for h in cut.hours), default=cut.servers)
    peak = on / max(1, max((h.servers_on for h in whole.hours), default=whole.servers))
    average_kw = math.fsum(hourly_kw) / max(1, len(hourly_kw))
    ratio = average_kw / power.it_average_kw if power.it_average_kw else 0.0
    return replace(
        power,
        it_provisioned_kw=power.it_provisioned_kw * provisioned,
        it_average_kw=average_kw,
        facility_average_kw=power.facility_average_kw * ratio,
        facility_peak_kw=power.facility_peak_kw * peak,
        kwh_per_year=power.kwh_per_year * ratio,
        tco2e_per_year=None if power.tco2e_per_year is None else power.tco2e_per_year * ratio,
        hourly_kw=tuple(hourly_kw),
        it_peak_kw=power.it_peak_kw * peak,
        hourly_peak_kw=tuple(
            max(kw, was * peak) for kw, was in zip(hourly_kw, power.hourly_peak_kw, strict=False)
        ),
    )


def _most_on(result: FleetResult) -> int:
    return max([result.servers, *(hour.servers_on for hour in result.hours)])


def server_kw(power: FleetPower, result: FleetResult) -> tuple[FloatArray, FloatArray]:
    """Load of a server and its kW with its share of the network, rising."""
    points = {
        hour.requests_per_s / hour.servers_on: kw / hour.servers_on
        for hour, kw in zip(result.hours, power.hourly_kw, strict=True)
        if hour.servers_on
    }
    network_kw = max(0.0, power.it_average_kw / _mean_on(result) - power.server_average_kw)
    points.setdefault(0.0, power.server_idle_kw + network_kw)
    loads = np.array(sorted(points))
    return loads, np.array([points[load] for load in loads])


def _mean_on(result: FleetResult) -> float:
    return math.fsum(hour.servers_on for hour in result.hours) / len(result.hours)

"""How many servers a rack holds, what binds, and where they stand (F2.7)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.cooling.density import rack_cooling
from tco.errors import InputError
from tco.facility.feeds import circuits_carrying, feed_kva, feeds_counted, usable_kw_per_rack
from tco.facility.stranded import ROUNDING, fitting
from tco.inputs import Fleet, Server, Site
from tco.results import FleetResult, Limit, PlacedServer, RackLayout


@dataclass(frozen=True, slots=True)
class _Bound:
    """One limit of a rack: what a server takes of it, and what there is."""

    name: str
    unit: str
    each: float | None
    available: float | None
    reason: str = ""
    refused: str = ""  # why not even one server fits, though the numbers alone would allow it

    @property
    def count(self) -> float:
        """Servers that this limit alone would allow; infinite where it cannot bind."""
        if self.refused:
            return 0
        if self.each is None or self.available is None or self.each <= 0:
            return math.inf
        return fitting(self.available, self.each)

    def limit(self, servers: int) -> Limit:
        """Limit of a rack with `servers` in it."""
        used = 0.0 if self.each is None else servers * self.each
        return Limit(self.name, used, self.available, self.unit, self.reason)


def rack_layout(
    fleet: Fleet, result: FleetResult, *, server_provisioned_kw: float
) -> RackLayout | None:
    """Racks of an owned fleet (F2.7, F3.5). None for a rented one.

    Servers per rack = min(feed kW, cooling kW, static load, rack units, circuits), the first of
    equals in that order binding. Circuits: a server takes an even share of its load from each feed
    that it is plugged into, and no feed carries more than its usable kVA (F2.6), so feeds are not
    one pool; with an unknown number of supplies they are, and the reason says so. A server that
    only takes liquid on an air-cooled site gives 0 with ``binds="cooling type"``: cooling decides
    before density. A system as tall as the rack is a rack of its own (1 per place): it brings its
    frame, so units and static load do not bind, but the place must still feed and cool it. An
    unknown height or weight does not bind; its limit's `available` is None and the reason says so.
    Full racks are alike, so one is drawn, filled from the bottom with the free units shared evenly
    between servers.

    Parameters
    ----------
    fleet, result
        The fleet, its site and its number of servers.
    server_provisioned_kw
        Provisioned AC kW of one server (F2.5).

    Raises
    ------
    InputError
        An owned fleet without a site; kW that is not above 0 for a fleet with servers; a feed
        that cannot be (see `usable_kw_per_rack`).
    """
    server = fleet.server
    if server is None:
        return None
    site = fleet.site
    if site is None:
        raise InputError(f"fleets[{fleet.key}].site", "owned servers need a site", "name a site")
    if not math.isfinite(server_provisioned_kw) or server_provisioned_kw < 0:
        raise InputError(
            "server_provisioned_kw", f"{server_provisioned_kw} is below 0", "enter kW above 0"
        )
    if server_provisioned_kw == 0 and result.servers > 0:
        raise InputError("server_provisioned_kw", "a server draws more than 0 kW", "enter kW")
    heat = rack_cooling(server, site.cooling)
    own_rack = _own_rack(server, site)
    bounds = (
        _Bound("power", "kW", server_provisioned_kw, usable_kw_per_rack(site.feed)),
        _Bound("cooling", "kW", server_provisioned_kw, heat.max_kw or 0.0, heat.reason),
        _weight(server, site, own_rack=own_rack),
        _units(server, site, own_rack=own_rack),
        *_circuits(server, site, server_provisioned_kw),
    )
    tightest = min(bounds, key=lambda bound: bound.count)
    per_rack, binds = tightest.count, tightest.name
    if own_rack and per_rack >= 1:
        per_rack, binds = 1, "units"
    if heat.max_kw is None:
        per_rack, binds = 0, "cooling type"
    if math.isinf(per_rack):  # only without any known draw, thus without servers
        per_rack, binds = 0, ""
    return _layout(fleet, server, site, result, bounds, int(per_rack), binds)


def _own_rack(server: Server, site: Site) -> bool:
    """True for a rack-scale system: at least as tall as the rack (F2.7)."""
    return server.rack_units is not None and server.rack_units.value >= site.rack.rack_units


def _weight(server: Server, site: Site, *, own_rack: bool) -> _Bound:
    """Static load, where both the rack's and the server's are known."""
    each = None if server.weight_kg is None else server.weight_kg.value
    if own_rack:
        return _Bound("weight", "kg", each, None, "the system is a rack of its own")
    if each is None:
        return _Bound("weight", "kg", None, None, f"weight of {server.name} unknown: not checked")
    if site.rack.static_load_kg is None:
        return _Bound("weight", "kg", each, None, f"load of {site.rack.name} unknown: not checked")
    return _Bound("weight", "kg", each, site.rack.static_load_kg.value)


def _units(server: Server, site: Site, *, own_rack: bool) -> _Bound:
    """Rack units less those reserved for switches and panels."""
    each = None if server.rack_units is None else float(_height_u(server))
    if own_rack:
        return _Bound("units", "U", each, None, "the system is a rack of its own")
    if each is None:
        return _Bound("units", "U", None, None, f"height of {server.name} unknown: not checked")
    return _Bound("units", "U", each, float(_usable_units(site)))


def _circuits(server: Server, site: Site, server_kw: float) -> tuple[_Bound, ...]:
    """Whole shares of a server on the feeds, where the number of its supplies is known (F2.6)."""
    feed = site.feed
    available = float(feeds_counted(feed))
    server_kva, circuit_kva = server_kw / feed.power_factor.value, feed_kva(feed)
    if server_kw <= 0:
        return ()
    if server.psu_count < 1:
        if server_kva <= circuit_kva * (1 + ROUNDING):
            return ()
        reason = f"supplies of {server.name} unknown: circuits not checked"
        return (_Bound("circuits", "feeds", None, None, reason),)
    carrying = circuits_carrying(feed, server.psu_count)
    share_kva = server_kva / carrying
    shares = math.floor(circuit_kva / share_kva + ROUNDING)
    if shares >= 1:
        return (_Bound("circuits", "feeds", carrying / shares, available),)
    refused = (
        f"{server.name} needs {server_kva:.2f} kVA from {carrying} circuit"
        f"{'s' if carrying > 1 else ''} of {feed.name} (supplies: {server.psu_count},"
        f" redundancy {feed.redundancy}): {share_kva:.2f} kVA each, and one has"
        f" {circuit_kva:.2f} kVA"
    )
    return (_Bound("circuits", "feeds", float(carrying), available, refused=refused),)


def _usable_units(site: Site) -> int:
    """Units for servers; never below 0."""
    return max(0, site.rack.rack_units - site.rack.reserved_units)


def _layout(
    fleet: Fleet,
    server: Server,
    site: Site,
    result: FleetResult,
    bounds: tuple[_Bound, ...],
    per_rack: int,
    binds: str,
) -> RackLayout:
    """Racks, the last rack, the drawing and what is stranded in a full rack."""
    servers = result.servers
    rack_units = site.rack.rack_units
    own_rack = _own_rack(server, site)
    racks = math.ceil(servers / per_rack) if per_rack > 0 else 0
    last = servers - (racks - 1) * per_rack if racks > 0 else 0
    drawn = min(per_rack, servers)
    limits = tuple(bound.limit(per_rack) for bound in bounds)
    power = limits[0]
    stranded_kw = 0.0
    stranded_units = 0
    if per_rack > 0:
        stranded_kw = max(0.0, (power.available or 0.0) - power.used)
        if limits[3].available is not None:
            stranded_units = int(limits[3].available - per_rack * _height_u(server))
    reasons = [limit.reason for limit in limits if limit.reason]
    if per_rack == 0 and servers > 0 and binds != "cooling type":
        reasons.insert(0, _why_none(server, bounds, binds))
    return RackLayout(
        fleet=fleet.key,
        site=site.key,
        rack_name=f"{server.name}, its own rack" if own_rack else site.rack.name,
        rack_units=max(site.rack.rack_units, _height_u(server)) if own_rack else rack_units,
        racks=racks,
        servers_per_rack=per_rack,
        servers_in_last_rack=last,
        binds=binds,
        limits=limits,
        placed=_placed(fleet, server, site, drawn, per_rack),
        stranded_kw=stranded_kw,
        stranded_units=max(0, stranded_units),
        reason="; ".join(dict.fromkeys(reasons)),
    )


def _why_none(server: Server, bounds: tuple[_Bound, ...], binds: str) -> str:
    """Why not one server stands in the rack."""
    for bound in bounds:
        if bound.name == binds and bound.refused:
            return bound.refused
        if bound.name == binds and bound.each is not None and bound.available is not None:
            return (
                f"{server.name} takes {bound.each:g} {bound.unit} and a rack has"
                f" {bound.available:g} {bound.unit} ({bound.name})"
            )
    return f"no server fits ({binds})"


def _height_u(server: Server) -> int:
    """Height in whole units, rounded up; 0 where unknown."""
    return 0 if server.rack_units is None else math.ceil(server.rack_units.value)


def _placed(
    fleet: Fleet, server: Server, site: Site, drawn: int, per_rack: int
) -> tuple[PlacedServer, ...]:
    """Servers of the first rack from the bottom up, spaced as in a full rack.

    Nothing is drawn for servers of unknown height.
    """
    height_u = _height_u(server)
    if height_u == 0 or drawn == 0:
        return ()
    pitch_u = max(height_u, _usable_units(site) // per_rack)
    return tuple(
        PlacedServer(server.name, 1 + place * pitch_u, height_u, fleet.key)
        for place in range(drawn)
    )

"""Between up and down: a side of the supplies lost, and the density that forces another cooling."""

from __future__ import annotations

from collections.abc import Iterator

from tco.checks.view import FleetView
from tco.cooling.degraded import supplies_lost
from tco.cooling.density import STEPS, least_design
from tco.errors import InputError
from tco.results import Finding

_RANK = {kind: place for place, (kind, _) in enumerate(STEPS)}
_WORDS = {
    "air": "air",
    "rear_door": "a rear door",
    "direct_to_chip": "cold plates",
    "immersion": "immersion",
}


def goes_on_slower(view: FleetView) -> Iterator[Finding]:
    """What a server does when the supplies of one feed are gone (F2.2, F2.4)."""
    server, site = view.fleet.server, view.fleet.site
    if server is None or site is None or server.psu_count < 2 or server.psu_w_each is None:
        return
    sides = max(1, site.feed.feeds_per_rack)
    lost = max(1, server.psu_count // sides) if sides > 1 else 1
    try:
        found = supplies_lost(server, lost)
    except InputError:  # no board power: nothing to compare with
        return
    if found.state == "up":
        return
    what = f"with {'one feed' if sides > 1 else 'one supply'} lost"
    if found.state == "down":
        yield view.finding(
            "down_without_a_feed",
            "warning",
            view.machine_path,
            f"{what} servers of {view.fleet.name} go down: {found.reason}",
            "choose a server whose remaining supplies carry it, or measure its device under caps",
        )
        return
    yield view.finding(
        "slower_without_a_feed",
        "info",
        view.machine_path,
        f"{what} servers of {view.fleet.name} go on at {found.throughput_fraction:.0%} of their"
        f" throughput: {found.reason}",
        "plan for it, or choose a server with larger supplies",
    )


def density_forces(view: FleetView) -> Iterator[Finding]:
    """The least cooling that a full rack usually needs, where it is more than air (F3.5).

    Information: what the site says of its own cooling counts, and decides what fits.
    """
    server, site, layout, power = view.fleet.server, view.fleet.site, view.racks, view.power
    if server is None or site is None or layout is None or power is None:
        return
    if not layout.servers_per_rack or not view.result.servers:
        return
    rack_kw = power.it_provisioned_kw / view.result.servers * layout.servers_per_rack
    try:
        least = least_design(server, rack_kw)
    except InputError as error:
        yield view.finding(
            "density_beyond_cooling",
            "info",
            f"{view.site_path}.cooling",
            f"a full rack of {view.fleet.name}: {error.message}",
            error.mend,
        )
        return
    if least == "air":
        return
    steps = ", ".join(f"{_WORDS[kind]} to {most.value:g} kW" for kind, most in STEPS)
    has = _RANK.get(site.cooling.kind, len(_RANK))
    enough = has >= _RANK[least]
    yield view.finding(
        "density_step",
        "info",
        f"{view.site_path}.cooling",
        f"a full rack of {view.fleet.name} sheds {rack_kw:.3g} kW: {_WORDS[least]} is the least"
        f" that usually carries it ({steps})",
        "nothing to do" if enough else "plan the change of the cooling, or fill racks less",
    )

"""Bill of a network: media by reach, modules, watts, units."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tco.inputs import Fabric, Switch, assumed
from tco.network.bill import fabric_result, parts_of


def number(value, unit="x"):
    """An assumed figure."""
    return assumed(value, unit, "test")


SWITCH = Switch(
    "ndr",
    64,
    typical_w=number(747, "W"),
    rack_units=number(1, "U"),
    price_usd=number(36_000, "USD"),
    links_per_cage=2,
)
FABRIC = Fabric(
    "scale_out",
    "rail_optimised",
    8,
    number(50, "GB/s"),
    SWITCH,
    server_link_m=number(3, "m"),
    trunk_link_m=number(30, "m"),
    copper_reach_m=number(3, "m"),
    module_w=number(17, "W"),
)


def test_reach_decides_copper_or_optics() -> None:
    """3 m to the leaf are within copper's 3 m; 30 m to the spine are not; unknown is optical."""
    found = fabric_result(FABRIC, 128, devices_per_server=8)
    assert [(row.medium, row.modules) for row in found.links] == [("copper", 0), ("optical", 1024)]
    assert found.power_w == pytest.approx(48 * 747 + 1024 * 17)
    far = fabric_result(replace(FABRIC, server_link_m=number(3.1, "m")), 128)
    assert far.modules == 2560
    assert fabric_result(replace(FABRIC, server_link_m=None), 128).modules == 2560
    parts = parts_of(FABRIC, 128)
    assert (parts.switches, parts.modules, parts.fibres, parts.coppers) == (48, 1024, 1024, 1024)


def test_watts_that_are_not_known_are_told() -> None:
    """A switch without watts adds none and says so; units round up."""
    found = fabric_result(
        replace(FABRIC, switch=replace(SWITCH, typical_w=None, rack_units=number(1.5, "U"))), 100
    )
    assert "power of the switch not known" in found.reason
    assert found.rack_units == 72


def test_rate_of_a_device_follows_ports_and_oversubscription() -> None:
    """8 ports of 50 GB/s for 8 devices at 3:1 leave 16.7 GB/s; 4 ports at 1:1 leave 25."""
    tight = replace(FABRIC, oversubscription=3.0)
    assert tight.device_gb_s(8).value == pytest.approx(50 / 3)
    assert replace(FABRIC, ports_per_server=4).device_gb_s(8).value == 25
    assert FABRIC.device_gb_s(8) is FABRIC.link_gb_s


def test_a_torus_has_links_and_no_switch() -> None:
    """64 devices of 4 a server: 192 links, nothing to rack."""
    found = fabric_result(
        Fabric("scale_out", "torus", 4, number(100, "GB/s"), None, torus_dimensions=3), 16
    )
    assert (found.switches, found.links[0].count, found.rack_units) == (0, 192, 0)

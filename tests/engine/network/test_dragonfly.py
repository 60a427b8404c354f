"""Dragonfly and torus: hand-worked counts and what must hold for any of them."""

from __future__ import annotations

import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.errors import InputError
from tco.network.dragonfly import dragonfly, group_of, torus, torus_shape


def test_a_64_port_switch_is_balanced() -> None:
    """16 terminals, 31 in the group, 16 to other groups: 63 of 64 ports; 513 groups at most."""
    share = group_of(64)
    assert (share.terminals, share.globals, share.switches) == (16, 16, 32)
    assert share.terminals + share.switches - 1 + share.globals == 63
    assert share.most_groups == 513


def test_two_groups_by_hand() -> None:
    """1,024 ports: 64 switches in 2 groups; 2 x 32 x 31 / 2 links inside, 32 x 16 between."""
    found = dragonfly(256, 4, radix=64)
    assert (found.switches, found.groups) == (64, 2)
    assert {links.name: links.count for links in found.links} == {
        "server to leaf": 1024,
        "in the group": 992,
        "between groups": 512,
    }


@settings(max_examples=150, deadline=None)
@given(st.sampled_from([8, 16, 32, 64]), st.integers(1, 4000), st.floats(1, 3))
def test_ports_suffice_and_more_never_take_fewer(radix, ports, ratio) -> None:
    """Links fit the ports of the switches; one port more never removes a switch."""
    try:
        found = dragonfly(ports, 1, radix=radix, oversubscription=ratio)
        more = dragonfly(ports + 1, 1, radix=radix, oversubscription=ratio)
    except InputError:
        return
    assert sum(tier.ports_used for tier in found.tiers) <= radix * found.switches
    assert found.switches <= more.switches
    share = group_of(radix, ratio)
    between = next((x.count for x in found.links if x.name == "between groups"), 0)
    assert between >= found.groups * (found.groups - 1) // 2
    assert 2 * between <= found.switches * share.globals


@settings(max_examples=100, deadline=None)
@given(st.integers(1, 5000), st.integers(1, 4))
def test_a_torus_holds_every_device(devices, dimensions) -> None:
    """Sides multiply to the devices; no device has more than two links a dimension."""
    sides = torus_shape(devices, dimensions)
    assert (math.prod(sides), len(sides)) == (devices, dimensions)
    assert torus(devices, dimensions=dimensions).switches == 0
    assert sum(x.count for x in torus(devices, dimensions=dimensions).links) <= devices * dimensions


def test_pods_of_the_vendor_by_hand() -> None:
    """A v4 cube of 4 x 4 x 4 has 192 links, a v5e pod of 16 x 16 has 512."""
    assert torus(64, dimensions=3).links[0].count == 192
    assert torus(256, dimensions=2).links[0].count == 512


@pytest.mark.parametrize("radix", [0, 1, 2])
def test_too_small_a_switch_is_named(radix) -> None:
    """A dragonfly needs terminals, a neighbour and a way out."""
    with pytest.raises(InputError) as error:
        group_of(radix)
    assert error.value.field == "radix"


def test_more_than_all_groups_hold() -> None:
    """Radix 8: h = 2, 4 switches of 2 terminals in 9 groups are 72 ports."""
    assert dragonfly(72, 1, radix=8).groups == 9
    with pytest.raises(InputError, match="73 ports are more than the 72"):
        dragonfly(73, 1, radix=8)

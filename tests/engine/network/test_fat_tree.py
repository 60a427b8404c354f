"""Fat trees: hand-worked cases, a search over every even tree, and what must never happen."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.errors import InputError
from tco.network.bill import layout, modules_of
from tco.network.fat_tree import even_spines, fat_tree, leaf_design, leaf_designs


def counts(*args, **more):
    """Switches by tier."""
    return {tier.name: tier.switches for tier in fat_tree(*args, **more).tiers}


def test_rails_take_whole_leaves_of_their_own() -> None:
    """100 servers of 8 ports, 64-port switches: 8 rails x ceil(100/32) = 32 leaves, not 25."""
    assert counts(100, 8, radix=64, rails=True) == {"leaf": 32, "spine": 16}
    assert counts(100, 8, radix=64) == {"leaf": 25, "spine": 16}


def test_spines_divide_the_uplinks_evenly() -> None:
    """25 leaves of 32 uplinks fill 12.5 spines of 64: 13 do not divide 32, 16 do."""
    assert even_spines(25, 32, 64) == 16
    assert even_spines(1, 32, 64) == 1
    assert even_spines(33, 32, 64) == 32


def test_full_two_tiers_and_one_port_more() -> None:
    """64 ports: 2,048 ends in 64 + 32 switches; one more takes a third tier."""
    assert counts(256, 8, radix=64) == {"leaf": 64, "spine": 32}
    assert counts(2049, 1, radix=64) == {"leaf": 65, "aggregation": 96, "core": 64}
    with pytest.raises(InputError, match=r"2,049 ports are more than the 2,048"):
        fat_tree(2049, 1, radix=64, most_tiers=2)


def test_three_tiers_end_at_a_quarter_of_the_cube() -> None:
    """Radix 8: 8^3/4 = 128 ends in 32 + 32 + 16 switches, and not one more."""
    assert counts(128, 1, radix=8) == {"leaf": 32, "aggregation": 32, "core": 16}
    with pytest.raises(InputError, match="129 ports are more than the 128"):
        fat_tree(129, 1, radix=8)


def test_every_port_fits_one_switch() -> None:
    """64 ports of 64 need no spine; none at all needs no switch."""
    assert counts(8, 8, radix=64) == {"leaf": 1}
    assert fat_tree(0, 8, radix=64).switches == 0


def test_common_ratios_are_as_built_by_hand() -> None:
    """64 ports: 3:1 is 48 down and 16 up, 7:1 56 and 8; 2:1 has no even share and stays below."""
    assert (leaf_design(64, 3).down, leaf_design(64, 3).up) == (48, 16)
    assert (leaf_design(64, 7).down, leaf_design(64, 7).up) == (56, 8)
    assert leaf_design(64, 2).oversubscription <= 2
    assert (leaf_design(48, 2).down, leaf_design(48, 2).up) == (32, 16)


def test_modules_of_twin_port_cages() -> None:
    """1,024 devices in two tiers: 2,560 modules, and 4,096 with a cage for each link (F7.2)."""
    tree = fat_tree(128, 8, radix=64, rails=True)
    assert [links.count for links in tree.links] == [1024, 1024]
    twin = [modules_of(x.count, links_per_cage=2, to_server=x.to_server) for x in tree.links]
    single = [modules_of(x.count, links_per_cage=1, to_server=x.to_server) for x in tree.links]
    assert (sum(twin), sum(single)) == (2560, 4096)


def smallest(ports: int, radix: int, shares: list[tuple[int, int]]) -> int:
    """Every even two-tier tree of these leaf shares by brute force: the fewest switches."""
    found = []
    for down, up in shares:
        leaves = math.ceil(ports / down)
        found += [
            leaves + spines
            for spines, links in itertools.product(range(1, up + 1), range(1, up + 1))
            if spines * links == up and leaves * links <= radix and leaves <= radix
        ]
    return min(found)


@pytest.mark.parametrize("radix", [4, 6, 8, 12, 16])
def test_no_smaller_tree_exists(radix: int) -> None:
    """At 1:1 a search over spines and links finds no smaller tree of half-and-half leaves.

    Leaves with ports left idle, or a share of their own for each size, save a switch here and
    there, never more than two: what they cost is that a larger network could have fewer spines.
    """
    half = radix // 2
    any_share = [(down, up) for up in range(1, radix) for down in range(1, min(up, radix - up) + 1)]
    for ports in range(radix + 1, radix * half + 1):
        ours = fat_tree(ports, 1, radix=radix).switches
        assert ours == smallest(ports, radix, [(half, half)]), ports
        assert ours - smallest(ports, radix, any_share) <= 2, ports


@pytest.mark.parametrize("radix", [2, 3, 4, 5, 7, 16, 31, 48, 64])
def test_wiring_holds(radix: int) -> None:
    """No switch has more links than ports, and every leaf reaches every spine alike."""
    for design in leaf_designs(radix):
        for leaves in range(1, radix + 1):
            spines = even_spines(leaves, design.up, radix)
            assert design.up % spines == 0
            assert leaves * design.up // spines <= radix
            assert design.down + design.up <= radix


@settings(max_examples=200, deadline=None)
@given(
    radix=st.sampled_from([4, 8, 16, 32, 40, 48, 64, 128]),
    servers=st.integers(1, 120),
    ports=st.integers(1, 8),
    ratio=st.floats(1, 8),
    rails=st.booleans(),
)
def test_more_ports_never_fewer_switches(radix, servers, ports, ratio, rails) -> None:
    """One server more never removes a switch from any tier."""
    try:
        more = fat_tree(servers + 1, ports, radix=radix, oversubscription=ratio, rails=rails)
    except InputError:
        return
    less = fat_tree(servers, ports, radix=radix, oversubscription=ratio, rails=rails)
    assert less.switches <= more.switches
    assert less.upper_switches <= more.upper_switches


@settings(max_examples=200, deadline=None)
@given(
    radix=st.sampled_from([4, 8, 16, 32, 40, 48, 64, 128]),
    servers=st.integers(1, 120),
    ports=st.integers(1, 8),
    ratio=st.floats(1, 8),
    more=st.floats(0, 4),
    rails=st.booleans(),
)
def test_more_oversubscription_never_more_spines(radix, servers, ports, ratio, more, rails) -> None:
    """What is allowed to be tighter is never larger above the leaves, nor in all."""
    try:
        strict = fat_tree(servers, ports, radix=radix, oversubscription=ratio, rails=rails)
    except InputError:
        return
    loose = fat_tree(servers, ports, radix=radix, oversubscription=ratio + more, rails=rails)
    assert loose.upper_switches <= strict.upper_switches
    assert loose.switches <= strict.switches


@pytest.mark.parametrize(
    ("given_", "field"),
    [
        ({"radix": 0}, "radix"),
        ({"radix": 5000}, "radix"),
        ({"radix": 64, "oversubscription": 0.5}, "oversubscription"),
        ({"radix": 64, "oversubscription": math.nan}, "oversubscription"),
        ({"radix": 64, "oversubscription": math.inf}, "oversubscription"),
    ],
)
def test_bad_figures_are_named(given_, field) -> None:
    """A radix of zero and an oversubscription below 1 are named, with a mend."""
    with pytest.raises(InputError) as error:
        fat_tree(100, 8, **given_)
    assert error.value.field == field
    assert error.value.mend


def test_an_unknown_topology_lists_those_there_are() -> None:
    """A name that is not known is answered by those that are."""
    with pytest.raises(InputError, match="'fat-tre' is not known; known here: fat_tree, rail_opt"):
        layout("fat-tre", 10, 8, radix=64)

"""Servers of a store, and the times that follow from them."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tco.errors import InputError
from tco.inputs import Storage, assumed
from tco.performance.training.goodput import goodput
from tco.simulate.autoscale import Policy
from tco.storage.sizing import Needs, cold_start_s, size_store


def number(value, unit="x"):
    """An assumed figure."""
    return assumed(value, unit, "test")


STORE = Storage(
    data_gb=number(500_000, "GB"),
    checkpoints_kept=10,
    usable_gb_per_server=number(200_000, "GB"),
    read_gb_s_per_server=number(40, "GB/s"),
    write_gb_s_per_server=number(20, "GB/s"),
    server_w=number(800, "W"),
    server_rack_units=number(1, "U"),
    fill_fraction=number(0.8, "fraction"),
    checkpoint_target_s=60.0,
)


def test_capacity_by_hand() -> None:
    """(500,000 + 10 x 980) / 0.8 / 200,000 = 3.19: 4 servers, 80 GB/s in, 980 GB in 12.25 s."""
    found = size_store(STORE, Needs(checkpoint_gb=980.0))
    assert (found.servers, found.binds) == (4, "capacity")
    assert found.checkpoint_s == pytest.approx(12.25)
    assert (found.power_w, found.rack_units) == (3200, 4)


def test_a_checkpoint_in_time_can_bind() -> None:
    """12,000 GB in 60 s at 20 GB/s each: 10 servers."""
    found = size_store(STORE, Needs(checkpoint_gb=12_000.0))
    assert (found.servers, found.binds, found.checkpoint_s) == (10, "writing", 60.0)


def test_replicas_that_start_together_share_the_reading() -> None:
    """8 x 140 GB in 5 s are 224 GB/s: 6 servers of 40; then 4.67 s and the engine's own start."""
    store = replace(STORE, data_gb=None, load_target_s=5.0)
    found = size_store(store, Needs(weights_gb=140.0, loading_at_once=8))
    assert (found.servers, found.binds) == (6, "reading")
    seconds = cold_start_s(found, weights_gb=140.0, replicas_at_once=8, start_s=30.0)
    assert seconds == pytest.approx(30 + 8 * 140 / 240)
    assert Policy(cold_start_s=seconds).cold_start_s == seconds


def test_given_servers_are_kept_and_what_is_short_is_told() -> None:
    """2 servers where 4 are needed: kept, with the reason."""
    found = size_store(replace(STORE, servers=2), Needs(checkpoint_gb=980.0))
    assert (found.servers, found.binds) == (2, "count")
    assert found.short == "capacity: 2 servers given, 4 needed"


def test_a_faster_store_gives_more_goodput() -> None:
    """The checkpoint time that a store gives goes into Daly's formula (F10.4)."""
    slow = size_store(replace(STORE, servers=4), Needs(checkpoint_gb=12_000.0))
    fast = size_store(replace(STORE, servers=40), Needs(checkpoint_gb=12_000.0))
    shares = [
        goodput(6.0, checkpoint=(found.checkpoint_s or 0) / 3600, restart=0.1).fraction
        for found in (slow, fast)
    ]
    assert shares[0] < shares[1]


@settings(max_examples=100, deadline=None)
@given(st.floats(0, 1e6), st.floats(0, 1e6), st.floats(0, 1e5))
def test_more_asked_never_takes_fewer_servers(data, more, checkpoint) -> None:
    """More data or a larger checkpoint never removes a server."""

    def servers(data_gb, checkpoint_gb):
        store = replace(STORE, data_gb=number(data_gb, "GB"))
        return size_store(store, Needs(checkpoint_gb=checkpoint_gb)).servers

    assert servers(data, checkpoint) <= servers(data + more, checkpoint)
    assert servers(data, checkpoint) <= servers(data, checkpoint + more)


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"usable_gb_per_server": number(0, "GB")}, "usable_gb_per_server"),
        ({"write_gb_s_per_server": number(-1, "GB/s")}, "write_gb_s_per_server"),
        ({"fill_fraction": number(0, "fraction")}, "fill_fraction"),
        ({"fill_fraction": number(1.1, "fraction")}, "fill_fraction"),
        ({"checkpoint_target_s": 0.0}, "checkpoint_target_s"),
    ],
)
def test_a_store_that_cannot_be_is_named(changes, field) -> None:
    """No room, no throughput, a share outside 0..1, no time."""
    with pytest.raises(InputError) as error:
        size_store(replace(STORE, **changes), Needs(checkpoint_gb=1.0))
    assert error.value.field == field

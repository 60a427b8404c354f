"""Servers of a store for what it must hold and deliver; the times that follow (P12, F10.4)."""

from __future__ import annotations

import math
from dataclasses import dataclass

from tco.errors import InputError
from tco.inputs import Storage, weakest
from tco.results.networks import StorageResult

_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class Needs:
    """What a fleet asks of its store.

    Parameters
    ----------
    checkpoint_gb
        One checkpoint of the job: weights and optimiser states; 0 for serving.
    weights_gb
        Weights that one replica loads when it starts.
    read_gb_s
        Reading of training data while it runs.
    loading_at_once
        Replicas that start at the same time.
    """

    checkpoint_gb: float = 0.0
    weights_gb: float = 0.0
    read_gb_s: float = 0.0
    loading_at_once: int = 1


def size_store(store: Storage, needs: Needs, *, fleet: str = "") -> StorageResult:
    """Size a store: the most servers that capacity, reading or writing ask for.

    Capacity: (data + checkpoints kept x one checkpoint + copies of the weights) over the share
    that may be full. Writing: one checkpoint within its target. Reading: the larger of the data
    of running jobs and of the replicas that load their weights within their target.

    Raises
    ------
    InputError
        Servers without room or throughput, a share outside 0..1, a target of no time.

    Examples
    --------
    >>> from tco.inputs import assumed
    >>> store = Storage(assumed(1e6, "GB", "x"), 0, assumed(4e5, "GB", "x"),
    ...                 assumed(40.0, "GB/s", "x"), assumed(20.0, "GB/s", "x"),
    ...                 checkpoint_target_s=60.0)
    >>> found = size_store(store, Needs(checkpoint_gb=6000.0))
    >>> found.servers, found.binds, found.checkpoint_s
    (5, 'writing', 60.0)
    """
    per = (
        ("usable_gb_per_server", store.usable_gb_per_server),
        ("read_gb_s_per_server", store.read_gb_s_per_server),
        ("write_gb_s_per_server", store.write_gb_s_per_server),
    )
    for name, figure in per:
        if not figure.value > 0:
            raise InputError(name, f"{figure.value:g} is not above 0", "enter what one server has")
    for name, target in (
        ("checkpoint_target_s", store.checkpoint_target_s),
        ("load_target_s", store.load_target_s),
    ):
        if target is not None and not target > 0:
            raise InputError(name, f"{target:g} s is not above 0", "enter the longest time")
    fill = store.fill_fraction.value if store.fill_fraction else 1.0
    if not 0 < fill <= 1:
        raise InputError("fill_fraction", f"{fill:g} is outside 0..1", "enter a share above 0")
    data = store.data_gb.value if store.data_gb else 0.0
    needed_gb = (
        data
        + store.checkpoints_kept * needs.checkpoint_gb
        + store.weights_copies * needs.weights_gb
    )
    write = needs.checkpoint_gb / store.checkpoint_target_s if store.checkpoint_target_s else 0.0
    load = (
        needs.loading_at_once * needs.weights_gb / store.load_target_s
        if (store.load_target_s)
        else 0.0
    )
    wanted = {
        "capacity": needed_gb / fill / store.usable_gb_per_server.value,
        "reading": max(needs.read_gb_s, load) / store.read_gb_s_per_server.value,
        "writing": write / store.write_gb_s_per_server.value,
    }
    binds = max(wanted, key=lambda name: wanted[name])
    servers = max(1, math.ceil(wanted[binds] - _ROUNDING))
    reason = short = ""
    if store.servers is not None:
        if store.servers < servers:
            short = f"{binds}: {store.servers} servers given, {servers} needed"
        servers, binds = store.servers, "count"
    read_gb_s = servers * store.read_gb_s_per_server.value
    write_gb_s = servers * store.write_gb_s_per_server.value
    known = [figure for _, figure in per]
    known += [one for one in (store.data_gb, store.server_w) if one is not None]
    power, units = store.server_w, store.server_rack_units
    if power is None:
        reason = "power of a storage server not known: left out"
    return StorageResult(
        fleet=fleet,
        servers=servers,
        binds=binds,
        needed_gb=needed_gb,
        usable_gb=servers * store.usable_gb_per_server.value,
        read_gb_s=read_gb_s,
        write_gb_s=write_gb_s,
        checkpoint_gb=needs.checkpoint_gb,
        checkpoint_s=needs.checkpoint_gb / write_gb_s if needs.checkpoint_gb else None,
        load_s=needs.weights_gb / read_gb_s if needs.weights_gb else None,
        power_w=servers * power.value if power else 0.0,
        rack_units=servers * units.value if units else None,
        status=weakest(figure.status for figure in known),
        reason=reason,
        short=short,
    )


def cold_start_s(
    store: StorageResult, *, weights_gb: float, replicas_at_once: int, start_s: float
) -> float:
    """Time until new replicas serve: the weights over a shared store, then the engine's start (P7).

    Examples
    --------
    >>> from tco.inputs import Storage, assumed
    >>> found = size_store(Storage(None, 0, assumed(1e5, "GB", "x"), assumed(10.0, "GB/s", "x"),
    ...                            assumed(5.0, "GB/s", "x")), Needs(weights_gb=140.0))
    >>> cold_start_s(found, weights_gb=140.0, replicas_at_once=4, start_s=30.0)
    86.0
    """
    if replicas_at_once < 1 or weights_gb < 0 or start_s < 0:
        raise InputError(
            "replicas_at_once",
            f"{replicas_at_once} replicas of {weights_gb:g} GB with {start_s:g} s of start",
            "enter at least one replica and no negative figure",
        )
    return replicas_at_once * weights_gb / store.read_gb_s + start_s

"""The store of a fleet: what its workload asks for, and what the store gives back (P12, F10.4)."""

from __future__ import annotations

import dataclasses

from tco.inputs import Fleet, Workload, assumed
from tco.performance import defaults
from tco.performance.dtypes import dtype_bytes
from tco.performance.memory import GB, parameters
from tco.results.networks import StorageResult
from tco.storage.sizing import Needs, size_store

GRADIENT_BYTES = 2.0  # of a parameter: gradients are not kept in a checkpoint
_SHARED = "shared storage: reading of the store over the servers that train (P12)"


def needs_of(workload: Workload) -> Needs:
    """What a workload asks of its store, from the shape of its model.

    A checkpoint holds weights and optimiser states, not the gradients: training keeps them in 2 of
    its bytes per parameter.
    """
    if workload.model is None:
        return Needs()
    count = float(parameters(workload.model).total)
    weights_gb = count * dtype_bytes(workload.weight_dtype) / GB
    if workload.training is None:
        return Needs(weights_gb=weights_gb)
    state = defaults.TRAINING_STATE_BYTES.value - GRADIENT_BYTES
    return Needs(checkpoint_gb=count * state / GB, weights_gb=weights_gb)


def store_of_fleet(fleet: Fleet) -> StorageResult | None:
    """Size the store of an owned fleet, or None where it has none."""
    if fleet.store is None or not fleet.owned:
        return None
    return size_store(fleet.store, needs_of(fleet.workload), fleet=fleet.key)


def with_store(fleet: Fleet, servers: int | None = None) -> Fleet:
    """Return the fleet as its store lets it train: time of a checkpoint, reading by server (F10.4).

    The checkpoint is written by the whole job at the store's rate. `servers` share its reading;
    None leaves that open.
    """
    found, training = store_of_fleet(fleet), fleet.workload.training
    if found is None or training is None or found.checkpoint_s is None:
        return fleet
    changes: dict[str, object] = {"checkpoint_s": found.checkpoint_s}
    if servers:
        each = found.read_gb_s / servers
        given = training.storage_gb_s
        if given is None or each < given.value:
            changes["storage_gb_s"] = assumed(each, "GB/s", _SHARED)
    changed = dataclasses.replace(training, **changes)  # type: ignore[arg-type]
    workload = dataclasses.replace(fleet.workload, training=changed)
    return dataclasses.replace(fleet, workload=workload)

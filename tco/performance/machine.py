"""The machine of a fleet, owned or rented, and results that say why there are none."""

from __future__ import annotations

from dataclasses import dataclass

from tco.inputs import Device, Fleet, Status
from tco.performance.partition import partition_device, shared_device
from tco.results import FleetResult, HourLoad, MemoryLine, Term

DAY_HOURS = 24


@dataclass(frozen=True, slots=True)
class Machine:
    """Devices in one server or one rented instance."""

    device: Device
    device_count: int
    keys: frozenset[str]  # catalog names a measurement may carry


def machine_of(fleet: Fleet) -> Machine | None:
    """Return the fleet's machine, or None when it names neither server nor offer.

    With a partition the devices are its slices, so many of each; a shared device is as much of
    it as the fleet has. What was measured on the whole does not hold for either.
    """
    whole = _whole(fleet)
    if whole is None or (fleet.partition is None and fleet.co_located is None):
        return whole
    device, count = whole.device, whole.device_count
    if fleet.partition is not None:
        device = partition_device(device, fleet.partition)
        count *= fleet.partition.per_device
    if fleet.co_located is not None:
        device = shared_device(device, fleet.co_located, fleet.workload.model)
    return Machine(device, count, frozenset({device.key}) - whole.keys)


def _whole(fleet: Fleet) -> Machine | None:
    if fleet.server is not None:
        keys = frozenset({fleet.server.key, fleet.server.device.key})
        return Machine(fleet.server.device, fleet.server.device_count, keys)
    if fleet.offer is not None:
        keys = frozenset({fleet.offer.key, fleet.offer.instance_type, fleet.offer.device.key})
        return Machine(fleet.offer.device, fleet.offer.device_count, keys)
    return None


def idle_hours(servers: int) -> tuple[HourLoad, ...]:
    """Return 24 hours without load."""
    return tuple(HourLoad(0.0, servers, 0.0, 0.0, 0.0) for _ in range(DAY_HOURS))


def infeasible(
    fleet: Fleet,
    binds: str,
    *,
    horizon_months: int,
    tensor_parallel: int = 0,
    memory: tuple[MemoryLine, ...] = (),
    status: Status = Status.ESTIMATED,
    terms: tuple[Term, ...] = (),
    floor_ms: dict[str, float] | None = None,
    feasible: bool = False,
) -> FleetResult:
    """Return a result without machines that says in `binds` why."""
    machine = machine_of(fleet)
    capacity = machine.device.memory_gb if machine else None
    return FleetResult(
        fleet=fleet.key,
        name=fleet.name,
        workload=fleet.workload.key,
        owned=fleet.owned,
        feasible=feasible,
        servers=0,
        servers_by_month=(0,) * max(horizon_months, 0),
        replicas=0,
        tensor_parallel=tensor_parallel,
        device_count=0,
        binds=binds,
        at_peak=None,
        curve=(),
        targets=(),
        memory=memory,
        memory_capacity_gb=None if capacity is None else capacity.value,
        status=status,
        terms=terms,
        floor_ms=floor_ms or {},
        hours=idle_hours(0),
    )

"""One choice of machine and degree under load: its table of loads and its typical day (P6.4)."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from tco.inputs import Fleet
from tco.performance.growth import whole_servers
from tco.performance.load_table import MAX_LOAD, METRICS, LoadTable
from tco.performance.machine import DAY_HOURS
from tco.performance.operators import Array
from tco.performance.replica import Capacity, Replica
from tco.performance.serving import evaluate
from tco.results import HourLoad


@dataclass(frozen=True, slots=True)
class Choice:
    """One tensor-parallel degree on the fleet's machine."""

    replica: Replica
    capacity: Capacity
    per_server: int

    def servers(self, requests_per_s: float, lost: int) -> int:
        """Whole servers for a design load with `lost` replicas gone."""
        if requests_per_s <= 0:
            return 0
        wanted = requests_per_s / self.capacity.requests_per_s
        return whole_servers(wanted, self.per_server, lost)


@lru_cache(maxsize=256)
def load_table(
    replica: Replica,
    rates: tuple[float, ...],
    percentiles: tuple[float, ...],
    metrics: tuple[str, ...] = METRICS,
) -> LoadTable:
    """Keep the curve while only prices change: previews ask for the same loads again."""
    assert replica.times is not None
    return evaluate(replica.times, np.array(rates), percentiles, metrics)


def follows_the_day(fleet: Fleet) -> bool:
    """Return True for rented machines that are switched off when the load falls."""
    return fleet.rental is not None and fleet.rental.scaling == "hourly" and not fleet.owned


def servers_on(
    fleet: Fleet, choice: Choice, *, peak_per_s: float, headroom: float, most_on: int
) -> tuple[int, ...]:
    """Return the machines switched on in each hour of the typical day (arguments as there)."""
    replica, work = choice.replica, fleet.workload
    assert replica.times is not None
    shape = work.daily_shape or (1.0,) * DAY_HOURS
    if not follows_the_day(fleet):
        return (most_on,) * len(shape)
    saturation = replica.times.saturation_per_s
    each = choice.capacity.requests_per_s or saturation * MAX_LOAD.value
    return tuple(
        min(
            most_on,
            whole_servers(
                peak_per_s * share * headroom / each, choice.per_server, work.replicas_lost
            ),
        )
        if peak_per_s * share > 0
        else 0
        for share in shape
    )


def typical_day(
    fleet: Fleet, choice: Choice, *, peak_per_s: float, headroom: float, most_on: int
) -> tuple[HourLoad, ...]:
    """Return the 24 hours of a typical day of the first year.

    Parameters
    ----------
    headroom
        Factor over each hour's load that is planned for.
    most_on
        Machines of the first year; rented ones may follow the day below that.
    """
    shape = fleet.workload.daily_shape or (1.0,) * DAY_HOURS
    offered = [peak_per_s * share for share in shape]
    on = servers_on(fleet, choice, peak_per_s=peak_per_s, headroom=headroom, most_on=most_on)
    rates = [
        load / (count * choice.per_server) if count else 0.0
        for load, count in zip(offered, on, strict=True)
    ]
    return _hour_loads(choice, offered, on, np.array(rates))


def _hour_loads(
    choice: Choice, offered: list[float], on: tuple[int, ...], rates: Array
) -> tuple[HourLoad, ...]:
    """Shares of peak compute and bandwidth in use while a replica is busy."""
    replica = choice.replica
    times, iteration, spec = replica.times, replica.iteration, replica.spec
    assert times is not None
    assert iteration is not None
    limit = times.saturation_per_s
    served = np.minimum(rates, limit * 0.998)
    table = load_table(replica, tuple(served.tolist()), (), ())
    busy = np.where(rates > 0, table.busy_fraction, 0.0)
    held = np.maximum(busy, 1e-12)
    total = spec.input_tokens + times.decode_tokens
    attended = (
        spec.input_tokens**2 / 2
        + times.decode_tokens * (spec.input_tokens + spec.output_tokens / 2)
    ) / total
    flops = iteration.flops(total, attended, spec.output_tokens)
    compute = served * flops / (spec.parallel.devices * iteration.body.peak_flops) / held
    kv = times.decode_tokens * iteration.kv_read_bytes(spec.input_tokens + spec.output_tokens / 2)
    # a step touches the experts that its rows ask for: more rows, more weights
    mean = np.maximum(table.in_flight, 1.0)
    weights = np.array([iteration.weight_bytes(float(rows)) for rows in mean])
    moved = table.iterations_per_s * weights + served * kv
    memory = moved / iteration.rates.bandwidth_bytes_per_s / held
    return tuple(
        HourLoad(
            requests_per_s=offered[hour],
            servers_on=on[hour],
            busy_fraction=float(busy[hour]),
            compute_fraction=float(min(compute[hour], 1.0)) if rates[hour] > 0 else 0.0,
            memory_fraction=float(min(memory[hour], 1.0)) if rates[hour] > 0 else 0.0,
        )
        for hour in range(len(offered))
    )

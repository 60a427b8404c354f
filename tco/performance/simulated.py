"""Loads outside the range of the closed form: there the simulator decides (P6.3)."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import lru_cache

import numpy as np

from tco.performance.replica import Replica
from tco.results import LoadPoint
from tco.simulate.arrivals import bursty, constant, poisson
from tco.simulate.outcomes import STATISTICS, Outcome, outcome
from tco.simulate.replica import Requests, Served, simulate

REQUESTS = 6_000  # enough for a steady 99th percentile at 90 % load
SEED = 20_261_201


@lru_cache(maxsize=128)
def simulated(
    replica: Replica, requests_per_s: float, arrivals: str = "poisson", variation: float = 1.0
) -> tuple[Served, Outcome]:
    """Serve one replica's share of the load, seeded: the same call gives the same numbers.

    Parameters
    ----------
    arrivals
        ``poisson``, ``constant`` or ``bursty`` with a coefficient of variation.
    """
    times = {
        "poisson": lambda: poisson(requests_per_s, REQUESTS, SEED),
        "constant": lambda: constant(requests_per_s, REQUESTS),
        "bursty": lambda: bursty(requests_per_s, REQUESTS, variation, SEED),
    }[arrivals]()
    spec = replica.spec
    requests = Requests(
        times.tolist(),
        [max(1, round(spec.input_tokens))] * REQUESTS,
        [max(1, round(spec.output_tokens))] * REQUESTS,
        [int(spec.cached_tokens)] * REQUESTS if spec.cached_tokens else (),
    )
    table = replica.step_table()
    served = simulate(table, requests)
    return served, outcome(served, table, offered_per_s=requests_per_s)


def simulated_point(replica: Replica, point: LoadPoint, *, replicas: int) -> LoadPoint:
    """Return the load point as simulated; a saturated one has no latencies (P6.2)."""
    _, found = simulated(replica, point.requests_per_s / replicas)
    if found.saturated:
        return dataclasses.replace(
            point, ttft_ms={}, tpot_ms={}, e2e_ms={}, saturated=True, simulated=True
        )

    def milliseconds(metric: str) -> dict[str, float]:
        measures = found.measures.get(metric, {})
        return {name: measures[name].value_s * 1e3 for name in STATISTICS if name in measures}

    return dataclasses.replace(
        point,
        ttft_ms=milliseconds("ttft"),
        tpot_ms=milliseconds("tpot"),
        e2e_ms=milliseconds("e2e"),
        batch=found.batch * found.busy_fraction,
        simulated=True,
    )


def simulated_ms(replica: Replica, requests_per_s: float, metric: str, percentile: float) -> float:
    """Return one percentile of a load in ms; infinite where the load is not sustained."""
    served, found = simulated(replica, requests_per_s)
    if found.saturated:
        return float("inf")
    columns: dict[str, Sequence[float]] = {
        "ttft": served.ttft_s,
        "tpot": served.tpot_s,
        "e2e": served.e2e_s,
    }
    kept = columns[metric][found.warm_up : REQUESTS - REQUESTS // 20]
    return float(np.percentile(np.asarray(kept), percentile)) * 1e3

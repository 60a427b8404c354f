"""Pre-processing inside the model server against a tier of its own: latency and memory (P9).

Inside, the cores are those of the model's servers, each request stays on its server, and the
server holds what was decoded until the model has answered. Split out, all cores stand behind one
queue, the tier holds a request only while it works on it, and the model server only the small
result.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tco.simulate.pipeline import most_in_flight
from tco.simulate.stages import CpuTier, Tier

Array = NDArray[np.float64]
_STANDARD = (50.0, 90.0, 95.0, 99.0)


@dataclass(frozen=True, eq=False)
class Placement:
    """One of the two ways."""

    latency_ms: Mapping[str, float]  # mean p50 p90 p95 p99, from arrival to the model's answer
    server_peak_gb: float  # held by the fullest model server
    tier_peak_gb: float  # held by the whole CPU tier; 0 inside


def _latency(arrivals: Array, leave: Array) -> dict[str, float]:
    spent = (leave - arrivals)[arrivals.size // 10 :]
    found = {"mean": 1e3 * float(spent.mean())}
    return found | {f"p{at:g}": 1e3 * float(np.percentile(spent, at)) for at in _STANDARD}


def inside_servers(
    arrivals_s: Array,
    *,
    servers: int,
    cores_per_server: int,
    work: CpuTier,
    model: Tier,
    raw_gb: float,
    seed: int = 9,
) -> Placement:
    """Simulate pre-processing on the model's own servers, requests dealt to them in turn.

    Parameters
    ----------
    work
        Mean and variation of the time on one core; its number of cores is not used.
    model
        Replicas or batches of one server.
    raw_gb
        Memory of a request from its arrival until the model has answered.
    """
    tier, leave, peak = work.with_units(cores_per_server), np.empty_like(arrivals_s), 0
    for first in range(min(servers, arrivals_s.size)):
        part = arrivals_s[first::servers]
        ready = tier.finish(part, seed + first)
        order = np.argsort(ready, kind="stable")
        done = np.empty_like(ready)
        done[order] = model.finish(ready[order], seed)
        leave[first::servers] = done
        peak = max(peak, most_in_flight(part, done))
    return Placement(_latency(arrivals_s, leave), peak * raw_gb, 0.0)


def own_tier(
    arrivals_s: Array,
    *,
    servers: int,
    cores: int,
    work: CpuTier,
    model: Tier,
    raw_gb: float,
    result_gb: float,
    hop_s: float = 0.0,
    seed: int = 9,
) -> Placement:
    """Simulate pre-processing on a tier of its own, its results dealt to the model's servers.

    Parameters
    ----------
    result_gb
        Memory of what the tier hands over, on the model server until it has answered.
    hop_s
        Time of the way from the tier to the model server.
    """
    ready = work.with_units(cores).finish(arrivals_s, seed)
    tier_peak = most_in_flight(arrivals_s, ready)
    order = np.argsort(ready, kind="stable")
    sent = ready[order] + hop_s
    done, peak = np.empty_like(sent), 0
    for first in range(min(servers, sent.size)):
        part = sent[first::servers]
        done[first::servers] = model.finish(part, seed)
        peak = max(peak, most_in_flight(part, done[first::servers]))
    leave = np.empty_like(done)
    leave[order] = done
    return Placement(_latency(arrivals_s, leave), peak * result_gb, tier_peak * raw_gb)

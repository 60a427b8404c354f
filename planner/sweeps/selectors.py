"""Reading sweeps: how far they are, what they found."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
from django.db.models import Count, Max, Min, Q, QuerySet
from django.utils import timezone
from numpy.typing import NDArray

from planner.models import Scenario, Sweep

FloatArray = NDArray[np.float64]
STALLED_S = 5.0  # without a shard in work: its messages are lost, or no worker runs


@dataclass(frozen=True, slots=True)
class Far:
    """How far a sweep is."""

    done: int  # points
    points: int
    share_fraction: float
    remaining_s: float | None
    stalled: bool


def sweep_list(*, scenario: Scenario) -> QuerySet[Sweep]:
    """Return the sweeps of a scenario, the newest first."""
    return Sweep.objects.filter(revision__scenario=scenario).select_related("revision")


def how_far(sweep: Sweep) -> Far:
    """Return the points that are priced, and the time that is left at the pace so far."""
    found = sweep.shards.aggregate(
        all=Count("pk"),
        done=Count("pk", filter=Q(done_at__isnull=False)),
        first=Min("taken_at"),
        seen=Max("taken_at"),
        ended=Max("done_at"),
    )
    share = found["done"] / found["all"] if found["all"] else 0.0
    done = sum(sweep.shards.filter(done_at__isnull=False).values_list("last", flat=True)) - sum(
        sweep.shards.filter(done_at__isnull=False).values_list("first", flat=True)
    )
    remaining = None
    if 0 < share < 1 and found["first"] is not None and found["ended"] is not None:
        spent = (found["ended"] - found["first"]).total_seconds()
        remaining = max(spent, 0.0) * (1.0 - share) / share
    last = max(filter(None, (found["seen"], found["ended"], sweep.asked_at)))
    quiet = (timezone.now() - last).total_seconds()
    return Far(done, sweep.points, share, remaining, share < 1 and quiet > STALLED_S)


def cost_of(sweep: Sweep, options: int) -> FloatArray:
    """Return the cost of every option at every point, NaN where a shard is not priced yet."""
    found = np.full((sweep.points, options), np.nan)
    shards = sweep.shards.exclude(cost=None).values_list("first", "last", "cost")
    for first, last, packed in shards.iterator(chunk_size=50):
        raw = np.frombuffer(zlib.decompress(packed or b""), dtype=np.float64)
        found[first:last] = raw.reshape(last - first, options)
    return found

"""Figures of a device from the usable measurements of its runs.

Old figures stay, marked as not current. Only the newest method version of a metric counts: values
of different methods are not comparable.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from statistics import median
from typing import NamedTuple
from uuid import UUID

from django.db import transaction
from django.utils import timezone

from hardware_catalog.benchmarks.pooling import Pooled, RunReading, pool
from hardware_catalog.models import CatalogEntry, Measurement, RunDevice, ThroughputFigure
from hardware_catalog.models.throughput import Metric

Key = tuple[str, str, int, int, int]
# The newest runs speak for the device; a machine that is measured every hour has thousands.
RUNS_MOST = 100


class _Row(NamedTuple):
    """What a figure needs of a usable measurement; usable ones have a value and an interval."""

    benchmark: str
    metric: str
    dtype: str
    m: int
    n: int
    k: int
    value: float
    low: float
    high: float
    unit: str
    device_id: int
    device__kind: str
    run__run_id: UUID
    run__finished_at: datetime


def method_number(benchmark: str) -> int:
    """Return the version in a benchmark id.

    >>> method_number("gemm.v12")
    12
    """
    return int(benchmark.rpartition(".v")[2])


def throughput_refresh(*, entry_id: int) -> int:
    """Bring the figures of a device up to date, for each organisation with news of it.

    Returns the number of new figures. Safe to call at any time, twice, or at once from two
    processes: the entry's row is locked, and each run's own mark says what is still to do.
    """
    with transaction.atomic():
        entry = CatalogEntry.objects.select_for_update().filter(pk=entry_id).first()
        if entry is None:
            return 0
        waiting = list(
            RunDevice.objects.filter(needs_refresh=True, entry=entry).values(
                "pk", "run__organisation"
            )
        )
        organisations = sorted({row["run__organisation"] for row in waiting})
        made = sum(_refresh(entry, organisation_id) for organisation_id in organisations)
        # Only what was seen above: a run that came in since keeps its mark.
        done = [row["pk"] for row in waiting]
        RunDevice.objects.filter(pk__in=done).update(needs_refresh=False)
    return made


def refresh_pending() -> int:
    """Do all refreshes still to do, whatever became of their messages; return how many figures."""
    entries = CatalogEntry.objects.filter(run_devices__needs_refresh=True)
    keys = list(entries.order_by("pk").values_list("pk", flat=True).distinct())
    return sum(throughput_refresh(entry_id=pk) for pk in keys)


def _refresh(entry: CatalogEntry, organisation_id: int) -> int:
    made = 0
    current = {
        (f.metric, f.dtype, f.m, f.n, f.k): f
        for f in ThroughputFigure.objects.filter(
            organisation_id=organisation_id, entry=entry, current=True
        )
    }
    for key, (pooled, method, unit, measured_at) in _pooled(entry, organisation_id).items():
        old = current.get(key)
        if old is not None and _same(old, pooled, method):
            continue
        if old is not None:
            ThroughputFigure.objects.filter(pk=old.pk).update(current=False)
        metric, dtype, m, n, k = key
        figure = ThroughputFigure(
            organisation_id=organisation_id,
            entry=entry,
            metric=metric,
            dtype=dtype,
            m=m,
            n=n,
            k=k,
            value=pooled.value,
            low=pooled.low,
            high=pooled.high,
            unit=unit,
            runs=list(pooled.runs),
            method_version=method,
            measured_at=measured_at,
            created_at=timezone.now(),
        )
        figure.full_clean(validate_unique=False, validate_constraints=False)  # the database does
        figure.save()
        made += 1
    return made


def _same(old: ThroughputFigure, pooled: Pooled, method: str) -> bool:
    return (
        tuple(old.runs) == pooled.runs
        and old.method_version == method
        and (old.value, old.low, old.high) == (pooled.value, pooled.low, pooled.high)
    )


def _pooled(
    entry: CatalogEntry, organisation_id: int
) -> dict[Key, tuple[Pooled, str, str, datetime]]:
    newest = (
        RunDevice.objects.filter(
            entry=entry, run__organisation_id=organisation_id, measurements__usable=True
        )
        .order_by("-run__finished_at", "-run_id")
        .values_list("run_id", flat=True)
        .distinct()
    )
    rows = (
        Measurement.objects.filter(
            device__entry=entry,
            run_id__in=list(dict.fromkeys(newest))[:RUNS_MOST],
            usable=True,
            metric__in=Metric.values,
        )
        .order_by("run__finished_at", "run_id", "position")
        .values_list(*_Row._fields, named=False)
    )
    by_key: dict[Key, list[_Row]] = defaultdict(list)
    for row in map(_Row._make, rows):
        by_key[(row.metric, row.dtype, row.m, row.n, row.k)].append(row)
    found: dict[Key, tuple[Pooled, str, str, datetime]] = {}
    for key, measurements in by_key.items():
        method = max((row.benchmark for row in measurements), key=method_number)
        same = [row for row in measurements if row.benchmark == method]
        kind = "cpu" if same[-1].device__kind == "cpu" else "device"
        found[key] = (
            pool(_per_device(same), kind),
            method,
            same[-1].unit,
            same[-1].run__finished_at,
        )
    return found


def _per_device(rows: list[_Row]) -> list[RunReading]:
    """One reading for each device of each run: bandwidth is the median over its operations."""
    groups: dict[tuple[str, int], list[_Row]] = defaultdict(list)
    for row in rows:
        groups[(str(row.run__run_id), row.device_id)].append(row)
    return [
        RunReading(
            run_id=run_id,
            value=float(median(row.value for row in group)),
            low=float(median(row.low for row in group)),
            high=float(median(row.high for row in group)),
        )
        for (run_id, _), group in groups.items()
    ]

"""Figures of a device from the usable measurements of its runs.

Old figures stay, marked as not current. Only the newest method version of a metric counts: values
of different methods are not comparable.
"""

from __future__ import annotations

from collections import defaultdict
from datetime import datetime
from statistics import median

from django.db import transaction
from django.utils import timezone

from hardware_catalog.benchmarks.pooling import Pooled, RunReading, pool
from hardware_catalog.models import CatalogEntry, Measurement, RunDevice, ThroughputFigure
from hardware_catalog.models.throughput import Metric

Key = tuple[str, str, int, int, int]


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
        figure.full_clean()
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
    rows = (
        Measurement.objects.filter(
            device__entry=entry,
            run__organisation_id=organisation_id,
            usable=True,
            metric__in=Metric.values,
        )
        .select_related("run", "device")
        .order_by("run__finished_at", "run_id", "position")
    )
    by_key: dict[Key, list[Measurement]] = defaultdict(list)
    for row in rows:
        by_key[(row.metric, row.dtype, row.m, row.n, row.k)].append(row)
    found: dict[Key, tuple[Pooled, str, str, datetime]] = {}
    for key, measurements in by_key.items():
        method = max((row.benchmark for row in measurements), key=method_number)
        same = [row for row in measurements if row.benchmark == method]
        kind = "cpu" if same[-1].device.kind == "cpu" else "device"
        pooled = pool(_per_device(same), kind)
        found[key] = (pooled, method, same[-1].unit, same[-1].run.finished_at)
    return found


def _per_device(rows: list[Measurement]) -> list[RunReading]:
    """One reading for each device of each run: bandwidth is the median over its operations."""
    groups: dict[tuple[int, int], list[Measurement]] = defaultdict(list)
    for row in rows:
        groups[(row.run_id, row.device_id)].append(row)
    return [
        RunReading(
            run_id=str(group[0].run.run_id),
            value=float(median(row.value or 0.0 for row in group)),
            low=float(median(row.low or 0.0 for row in group)),
            high=float(median(row.high or 0.0 for row in group)),
        )
        for group in groups.values()
    ]

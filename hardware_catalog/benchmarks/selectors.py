"""Reading runs and measured figures, always of one organisation."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import datetime

from django.db.models import Exists, Max, OuterRef, Prefetch, Q, QuerySet

from accounts.models import Organisation
from hardware_catalog.benchmarks.recognition import device_peaks
from hardware_catalog.benchmarks.verdict import Peaks
from hardware_catalog.models import (
    BenchmarkRun,
    CatalogEntry,
    Measurement,
    RunDevice,
    ThroughputFigure,
)

HEADLINES = (("gemm", "fp32"), ("gemm", "bf16"), ("membw", "fp32"))


def run_list(*, organisation: Organisation) -> QuerySet[BenchmarkRun]:
    """Return the runs, newest first, with devices and the measurements for headline numbers."""
    headline = Q()
    for metric, dtype in HEADLINES:
        headline |= Q(metric=metric, dtype=dtype)
    numbers = Measurement.objects.filter(headline, value__isnull=False).defer(
        "blocks_ns", "params", "flags"
    )
    return (
        BenchmarkRun.objects.filter(organisation=organisation)
        .defer("raw_gzip", "environment", "host")
        .prefetch_related(
            Prefetch("devices", RunDevice.objects.select_related("entry")),
            Prefetch("measurements", numbers, to_attr="headline_measurements"),
        )
        .order_by("-finished_at", "-pk")
    )


def run_detail(*, organisation: Organisation) -> QuerySet[BenchmarkRun]:
    """Return the runs with all that a page of one shows; the caller picks one by its id."""
    return (
        BenchmarkRun.objects.filter(organisation=organisation)
        .defer("raw_gzip")
        .select_related("token")
        .prefetch_related(
            Prefetch("devices", RunDevice.objects.select_related("entry")),
            Prefetch("measurements", Measurement.objects.select_related("device")),
        )
    )


def run_documents(*, organisation: Organisation) -> QuerySet[BenchmarkRun]:
    """Return the runs with their documents as sent."""
    return BenchmarkRun.objects.filter(organisation=organisation)


def best_measurement(
    measurements: Iterable[Measurement], metric: str, dtype: str
) -> Measurement | None:
    """Return the highest of a run's values of a metric, as a headline; None if there is none."""
    found = [row for row in measurements if (row.metric, row.dtype) == (metric, dtype)]
    return max(found, key=lambda row: row.value or 0.0, default=None)


def measured_devices(*, organisation: Organisation) -> QuerySet[CatalogEntry]:
    """Return the catalog devices that runs of the organisation were made on."""
    runs = RunDevice.objects.filter(entry=OuterRef("pk"), run__organisation=organisation)
    return (
        CatalogEntry.objects.filter(Q(organisation=None) | Q(organisation=organisation))
        .filter(Exists(runs), kind="device")
        .annotate(
            last_run_at=Max(
                "run_devices__run__finished_at",
                filter=Q(run_devices__run__organisation=organisation),
            )
        )
        .order_by("name")
    )


def throughput_figures(
    *, organisation: Organisation, entry: CatalogEntry | None = None, current: bool = True
) -> QuerySet[ThroughputFigure]:
    """Return the figures of the organisation, of one device or of all, current ones or all."""
    figures = ThroughputFigure.objects.filter(organisation=organisation).select_related("entry")
    if entry is not None:
        figures = figures.filter(entry=entry)
    return figures.filter(current=True) if current else figures


def published_peaks(entry: CatalogEntry) -> Peaks:
    """Return what the catalog says the device can do at most."""
    return device_peaks(entry)


def newer_measurement(
    *, organisation: Organisation, entries: Sequence[CatalogEntry], since: datetime
) -> datetime | None:
    """Return when figures of these devices last changed after `since`, None if they did not.

    A projection stored at `since` rests on older figures then and is worth recalculating.
    """
    newest = ThroughputFigure.objects.filter(
        organisation=organisation, entry__in=entries, created_at__gt=since
    ).aggregate(newest=Max("created_at"))["newest"]
    return newest if isinstance(newest, datetime) else None

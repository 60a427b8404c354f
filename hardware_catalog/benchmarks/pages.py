"""What the pages of measurements show, ready for the templates."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from hardware_catalog.benchmarks.samples_svg import SamplesDrawing, draw_samples
from hardware_catalog.benchmarks.selectors import HEADLINES, best_measurement, published_peaks
from hardware_catalog.benchmarks.wording import (
    UNITS,
    benchmark_words,
    flag_finding,
    verdict_sentence,
)
from hardware_catalog.models import BenchmarkRun, CatalogEntry, Measurement, ThroughputFigure
from hardware_catalog.models.throughput import Metric


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run in a list; a headline is None where the run did not measure it."""

    run: BenchmarkRun
    devices: tuple[tuple[str, CatalogEntry | None], ...]
    headlines: tuple[Measurement | None, ...]


@dataclass(frozen=True, slots=True)
class ResultRow:
    """A measured result of a run."""

    words: str
    measurement: Measurement
    unit: str
    findings: tuple[dict[str, str], ...]
    drawing: SamplesDrawing | None


@dataclass(frozen=True, slots=True)
class SkippedRow:
    """A result that was not measured, and why."""

    words: str
    status: str
    reason: str


@dataclass(frozen=True, slots=True)
class DeviceRow:
    """A measured figure against the published one; ratio is measured over published."""

    words: str
    figure: ThroughputFigure
    unit: str
    published: float | None
    ratio: float | None


def run_rows(runs: Iterable[BenchmarkRun]) -> list[RunRow]:
    """Return the rows of a list of runs (from `selectors.run_list`)."""
    return [_run_row(run) for run in runs]


def _run_row(run: BenchmarkRun) -> RunRow:
    names: dict[tuple[str, CatalogEntry | None], int] = {}
    for device in run.devices.all():
        known = (device.entry.name if device.entry else device.model, device.entry)
        names[known] = names.get(known, 0) + 1
    rows = getattr(run, "headline_measurements", [])
    return RunRow(
        run=run,
        devices=tuple(
            (f"{count} × {name}" if count > 1 else name, entry)
            for (name, entry), count in names.items()
        ),
        headlines=tuple(best_measurement(rows, metric, dtype) for metric, dtype in HEADLINES),
    )


def run_page(run: BenchmarkRun) -> dict[str, Any]:
    """Return what the page of a run shows."""
    measurements = list(run.measurements.all())
    devices = list(run.devices.all())
    several = len(devices) > 1
    return {
        "run": run,
        "sentence": verdict_sentence(run, measurements),
        "findings": [flag_finding(flag) for flag in run.flags],
        "devices": devices,
        "results": [_result(row, several) for row in measurements if row.status == "ok"],
        "skipped": [
            SkippedRow(_words(row, several), row.status, row.reason)
            for row in measurements
            if row.status != "ok"
        ],
        "environment": _environment(run),
        "machine_signs": _signs(run.host),
    }


def _words(row: Measurement, several: bool) -> str:
    words = benchmark_words(row.benchmark, row.params)
    return f"{words}, device {row.device.key[1:]}" if several else words


def _result(row: Measurement, several: bool) -> ResultRow:
    return ResultRow(
        words=_words(row, several),
        measurement=row,
        unit=UNITS.get(row.unit, row.unit),
        findings=tuple(flag_finding(flag) for flag in row.flags),
        drawing=draw_samples(row.blocks_ns),
    )


_ENVIRONMENT = (
    ("os", "Operating system"),
    ("kernel", "Kernel"),
    ("python", "Python"),
    ("torch", "PyTorch"),
    ("cuda", "CUDA"),
    ("hip", "ROCm"),
    ("blas", "BLAS"),
    ("nccl", "Collectives"),
)
_SIGNS = (
    ("run_delay_share", "Waited for a CPU"),
    ("steal_share", "Taken by the hypervisor"),
    ("psi_cpu_some", "Under CPU pressure"),
    ("throttled_share", "Held back by a quota"),
)


def _environment(run: BenchmarkRun) -> list[tuple[str, str]]:
    found = [
        (label, str(run.environment[k])) for k, label in _ENVIRONMENT if run.environment.get(k)
    ]
    threads = run.environment.get("settings", {}).get("threads")
    if threads:
        found.append(("Threads", str(threads)))
    return found


def _signs(host: dict[str, Any]) -> list[tuple[str, float | None]]:
    """Signs of a shared machine as fractions; None where the system does not say."""
    return [(label, host.get(name)) for name, label in _SIGNS if name in host]


def device_rows(entry: CatalogEntry, figures: Sequence[ThroughputFigure]) -> list[DeviceRow]:
    """Return the measured figures of a device beside what the catalog publishes."""
    peaks = published_peaks(entry)
    order = list(Metric.values)
    rows = []
    for figure in sorted(figures, key=lambda one: (order.index(one.metric), one.dtype, one.m)):
        published = None
        if figure.metric == "gemm":
            published = peaks.tflops.get(figure.dtype)
        elif figure.metric == "membw":
            published = peaks.memory_gb_s
        rows.append(
            DeviceRow(
                words=_figure_words(figure),
                figure=figure,
                unit=UNITS.get(figure.unit, figure.unit),
                published=published,
                ratio=figure.value / published if published else None,
            )
        )
    return rows


def _figure_words(figure: ThroughputFigure) -> str:
    if figure.metric == "gemm":
        shape = {"m": figure.m, "n": figure.n, "k": figure.k, "dtype": figure.dtype}
        return benchmark_words(figure.method_version, shape)
    words = str(figure.get_metric_display())
    if figure.metric.startswith("block_"):
        words += f", {figure.m:,} token{'s' if figure.m != 1 else ''} at width {figure.n:,}"
    return f"{words}, {figure.dtype}" if figure.dtype else words

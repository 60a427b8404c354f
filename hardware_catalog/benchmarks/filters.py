"""Filters of runs and figures, for pages and API alike."""

from __future__ import annotations

import django_filters

from hardware_catalog.models import BenchmarkRun, ThroughputFigure
from hardware_catalog.models.benchmark_run import Verdict
from hardware_catalog.models.throughput import Metric


class RunFilter(django_filters.FilterSet):  # type: ignore[misc]
    """Runs by verdict, profile and device."""

    verdict = django_filters.ChoiceFilter(choices=Verdict.choices, empty_label="Any")
    profile = django_filters.CharFilter()
    device = django_filters.CharFilter(
        field_name="devices__entry__key", distinct=True, label="Key of the device in the catalog"
    )

    class Meta:
        model = BenchmarkRun
        fields: list[str] = []


class FigureFilter(django_filters.FilterSet):  # type: ignore[misc]
    """Figures by device and metric; `current` is true unless given."""

    device = django_filters.CharFilter(field_name="entry__key")
    metric = django_filters.ChoiceFilter(choices=Metric.choices)
    current = django_filters.BooleanFilter()

    class Meta:
        model = ThroughputFigure
        fields: list[str] = []

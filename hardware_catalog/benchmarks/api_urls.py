"""Addresses of runs and figures under /api/v1/."""

from __future__ import annotations

from django.urls import path

from hardware_catalog.benchmarks import api

urlpatterns = [
    path("benchmark-runs/", api.BenchmarkRunList.as_view(), name="api_benchmark_runs"),
    path(
        "benchmark-runs/<uuid:run_id>/",
        api.BenchmarkRunDetail.as_view(),
        name="api_benchmark_run",
    ),
    path("throughput-figures/", api.ThroughputFigureList.as_view(), name="api_throughput_figures"),
]

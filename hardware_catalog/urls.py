"""Addresses of pages."""

from __future__ import annotations

from django.urls import include, path

app_name = "hardware_catalog"

urlpatterns = [
    path("", include("hardware_catalog.price_book.urls")),
    path("", include("hardware_catalog.catalog.urls")),
    path("", include("hardware_catalog.benchmarks.urls")),
    path("", include("hardware_catalog.accuracy.urls")),
]

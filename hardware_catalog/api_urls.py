"""Addresses under /api/v1/."""

from __future__ import annotations

from django.urls import include, path

urlpatterns = [
    path("", include("hardware_catalog.price_book.api_urls")),
    path("", include("hardware_catalog.catalog.api_urls")),
    path("", include("hardware_catalog.benchmarks.api_urls")),
]

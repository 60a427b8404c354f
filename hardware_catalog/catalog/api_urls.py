"""Addresses of the catalog under /api/v1/."""

from __future__ import annotations

from django.urls import path

from hardware_catalog.catalog import api

urlpatterns = [
    path("catalog/", api.CatalogList.as_view(), name="api_catalog"),
    path("catalog/<int:pk>/", api.CatalogDetail.as_view(), name="api_catalog_entry"),
    path("catalog/<int:pk>/history/", api.CatalogHistory.as_view(), name="api_catalog_history"),
]

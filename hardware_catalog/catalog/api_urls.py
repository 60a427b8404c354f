"""Addresses of the catalog under /api/v1/."""

from __future__ import annotations

from django.urls import path

from hardware_catalog.catalog import api, api_import

urlpatterns = [
    path("catalog/", api.CatalogList.as_view(), name="api_catalog"),
    path(
        "catalog/models/import/", api_import.ModelImport.as_view(), name="api_catalog_model_import"
    ),
    path("catalog/<int:pk>/", api.CatalogDetail.as_view(), name="api_catalog_entry"),
    path("catalog/<int:pk>/history/", api.CatalogHistory.as_view(), name="api_catalog_history"),
]

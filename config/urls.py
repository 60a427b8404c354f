"""Addresses of the site."""

from __future__ import annotations

from django.urls import include, path
from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerSplitView

from config.health import healthz

handler404 = "config.error_pages.page_not_found"
handler500 = "config.error_pages.server_error"

urlpatterns = [
    path("healthz", healthz, name="healthz"),
    path("api/v1/schema/", SpectacularAPIView.as_view(), name="schema"),
    path("api/v1/docs/", SpectacularSwaggerSplitView.as_view(url_name="schema"), name="swagger"),
    path("api/v1/", include("config.api_urls")),
    path("accounts/", include("accounts.urls")),
    path("", include("hardware_catalog.urls")),
    path("", include("planner.urls")),
]

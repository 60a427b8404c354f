"""Addresses of pages."""

from __future__ import annotations

app_name = "hardware_catalog"

urlpatterns: list = []

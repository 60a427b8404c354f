"""Addresses of pages."""

from __future__ import annotations

app_name = "planner"

urlpatterns: list = []

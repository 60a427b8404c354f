"""Addresses under /api/v1/."""

from __future__ import annotations

urlpatterns: list = []

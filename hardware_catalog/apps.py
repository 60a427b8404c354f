"""Application of the catalog and of benchmark runs."""

from __future__ import annotations

from django.apps import AppConfig


class HardwareCatalogConfig(AppConfig):
    """Hardware catalog."""

    name = "hardware_catalog"
    verbose_name = "Hardware catalog"

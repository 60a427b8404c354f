"""Seed records as inputs of the engine."""

from hardware_catalog.seed.to_engine.catalog import RecordCatalog, SeedCatalog
from hardware_catalog.seed.to_engine.entries import device, price_figure
from hardware_catalog.seed.to_engine.figures import figure
from hardware_catalog.seed.to_engine.language_models import why_unsupported

__all__ = [
    "RecordCatalog",
    "SeedCatalog",
    "device",
    "figure",
    "price_figure",
    "why_unsupported",
]

"""Seed records as inputs of the engine."""

from hardware_catalog.seed.to_engine.catalog import RecordCatalog, SeedCatalog
from hardware_catalog.seed.to_engine.entries import device, figure, price_figure, why_unsupported

__all__ = [
    "RecordCatalog",
    "SeedCatalog",
    "device",
    "figure",
    "price_figure",
    "why_unsupported",
]

"""Tables of the hardware catalog."""

from hardware_catalog.models.change import Change, SeedLoad
from hardware_catalog.models.entry import CatalogEntry
from hardware_catalog.models.figure import Figure
from hardware_catalog.models.price import Price

__all__ = ["CatalogEntry", "Change", "Figure", "Price", "SeedLoad"]

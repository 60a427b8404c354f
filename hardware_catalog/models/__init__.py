"""Tables of the hardware catalog."""

from hardware_catalog.models.agreement import Agreement
from hardware_catalog.models.benchmark_run import BenchmarkRun, Measurement, RunDevice
from hardware_catalog.models.change import Change, SeedLoad
from hardware_catalog.models.entry import CatalogEntry
from hardware_catalog.models.figure import Figure
from hardware_catalog.models.price import Price
from hardware_catalog.models.throughput import ThroughputFigure

__all__ = [
    "Agreement",
    "BenchmarkRun",
    "CatalogEntry",
    "Change",
    "Figure",
    "Measurement",
    "Price",
    "RunDevice",
    "SeedLoad",
    "ThroughputFigure",
]

"""How fast hardware serves a workload, and how much of it is needed (P0 to P11, F1.3)."""

from tco.performance.sizing import size_fleet

__all__ = ["size_fleet"]

"""Training: step time, memory, scaling, goodput, days and servers (P11, P12, F10.4)."""

from tco.performance.training.run import step_seconds
from tco.performance.training.sizing import size_training

__all__ = ["size_training", "step_seconds"]

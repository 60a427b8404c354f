"""A scenario as a problem of the optimiser, and its answer as an option (F1.9)."""

from tco.mix.best import BestMix, best_mix
from tco.mix.lower import Lowered, lower

__all__ = ["BestMix", "Lowered", "best_mix", "lower"]

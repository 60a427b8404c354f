"""A scenario as a problem of the optimiser, and its answer as an option (F1.9)."""

from tco.mix.as_document import mix_document
from tco.mix.best import BestMix, best_mix
from tco.mix.front import MixFront, mix_front
from tco.mix.lower import Lowered, lower, minimising
from tco.mix.plain import plain_mix
from tco.mix.robust import robustness
from tco.mix.why_not import WhyNot, why_not

__all__ = [
    "BestMix",
    "Lowered",
    "MixFront",
    "WhyNot",
    "best_mix",
    "lower",
    "minimising",
    "mix_document",
    "mix_front",
    "plain_mix",
    "robustness",
    "why_not",
]

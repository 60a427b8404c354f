"""One scored value: measured beside predicted, flat, whatever kind of work it came from."""

from __future__ import annotations

import math
from dataclasses import dataclass

FOLDS = ("device", "model", "source")  # what can be left out of a fit
UNANSWERED_ERROR = 1.0  # an unanswered row counts as 100 % error (P16.3)


@dataclass(frozen=True, slots=True)
class ScoreRow:
    """A measured value and what was predicted for it without its fold.

    ``predicted`` is None where there is no answer; ``reason`` then says why. ``low`` and ``high``
    are the ends of the 80 % interval, None where none is given.
    """

    source: str
    device: str
    model: str
    metric: str
    measured: float
    predicted: float | None
    low: float | None = None
    high: float | None = None
    fold: str = "device"  # what was left out: device | model | source
    stratum: str = "not stated"
    run_id: str = ""
    reason: str = ""
    filled: tuple[str, ...] = ()
    evidence: str = ""
    overloaded: bool = False

    @property
    def cell(self) -> tuple[str, str, str]:
        """Source, device and model: what averages go over (P16.3)."""
        return (self.source, self.device, self.model)

    @property
    def error(self) -> float | None:
        """Absolute error over the measured value, a fraction; None without an answer."""
        if self.predicted is None:
            return None
        return abs(self.predicted - self.measured) / self.measured

    @property
    def has_interval(self) -> bool:
        """Whether both ends of a usable interval are given."""
        return (
            self.predicted is not None
            and self.low is not None
            and self.high is not None
            and 0 < self.low <= self.high
            and math.isfinite(self.high)
        )

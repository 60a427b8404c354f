"""A limit: used against available."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Limit:
    """One of the rack's limits: used against available."""

    name: str  # power | cooling | weight | units | circuits
    used: float
    available: float | None
    unit: str
    reason: str = ""  # why it does not bind, e.g. weight unknown

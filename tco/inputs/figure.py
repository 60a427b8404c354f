"""A number with its unit, its status, its source and its date."""

from __future__ import annotations

import enum
import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tco.errors import InputError
from tco.inputs.currency import Foreign


class Status(enum.StrEnum):
    """How well a figure is known, best first."""

    MEASURED = "measured"
    PUBLISHED = "published"
    ESTIMATED = "estimated"
    ASSUMED = "assumed"

    @property
    def rank(self) -> int:
        """0 for measured up to 3 for assumed."""
        return _RANKS[self]


_RANKS = {status: rank for rank, status in enumerate(Status)}


def weakest(statuses: Iterable[Status]) -> Status:
    """Status of a result: the weakest of its inputs'.

    Examples
    --------
    >>> weakest([Status.MEASURED, Status.ESTIMATED]).value
    'estimated'
    >>> weakest([]).value
    'measured'
    """
    return max(statuses, key=lambda status: status.rank, default=Status.MEASURED)


@dataclass(frozen=True, slots=True)
class Figure:
    """A value that can be traced.

    Parameters
    ----------
    value
        The number in `unit`. Finite.
    unit
        Unit as printed, e.g. ``USD/kWh``; ``fraction`` and ``ratio`` for pure numbers.
    status
        measured, published, estimated or assumed.
    source
        Who says it, or which runs.
    as_of
        Date of the figure as the source gives it (``2026-05``, ``2026-05-06``), or empty.
    low, high
        Range in `unit`, if one is known.
    verified
        False when the value was only recalled and the document not opened again.
    evidence
        How the value was checked.
    shape
        How it spreads over the range (F21.2): ``pert`` (also when empty), ``triangular``,
        ``uniform``, ``lognormal`` (then low and high are its 10 % and 90 % points), ``empirical``.
    samples
        Measured repeats in `unit`, for ``empirical``.
    foreign
        For a price in another currency: what it was before it was converted (F0.6).
    """

    value: float
    unit: str
    status: Status
    source: str
    as_of: str = ""
    low: float | None = None
    high: float | None = None
    verified: bool = True
    evidence: str = ""
    shape: str = ""
    samples: tuple[float, ...] = ()
    foreign: Foreign | None = None

    def __post_init__(self) -> None:
        for number in (self.value, self.low, self.high):
            if number is not None and not math.isfinite(number):
                raise InputError(self.unit, f"{number} is not a finite number", "enter a number")

    @property
    def is_zero(self) -> bool:
        """Whether it is 0 (in every draw)."""
        return not np.any(self.value)

    def drawn(self, values: NDArray[np.float64]) -> Figure:
        """This figure with draws in place of its value, a column of shape (draws, 1) (F21.2).

        Only `tco.uncertainty` makes such figures: lines of the ledger broadcast over them, every
        other room gets plain numbers.
        """
        return self._holding(values.reshape(-1, 1), None, None)

    def scaled(self, factor: float) -> Figure:
        """This figure with value and ends times `factor`, plain or drawn; its original stays."""
        low, high = (None if end is None else end * factor for end in (self.low, self.high))
        return self._holding(self.value * factor, low, high)

    def _holding(self, value: Any, low: float | None, high: float | None) -> Figure:
        copy = replace(self, value=0.0, low=low, high=high)
        object.__setattr__(copy, "value", value)
        return copy

    def derived(self, value: float, unit: str, note: str) -> Figure:
        """Return a figure computed from this one: same pedigree, no better than estimated."""
        foreign = self.foreign
        return Figure(
            value=value,
            unit=unit,
            status=weakest([self.status, Status.ESTIMATED]),
            source=f"{note} ({self.source})",
            as_of=self.as_of,
            verified=self.verified,
            foreign=foreign and replace(foreign, value=value / foreign.account_per_unit),
        )


def assumed(value: float, unit: str, source: str) -> Figure:
    """Shorthand for a default or a planning value."""
    return Figure(value=value, unit=unit, status=Status.ASSUMED, source=source)

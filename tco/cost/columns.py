"""Monthly columns, plain or with one row for each draw (F0.1, F21.2).

A column has shape (months,), or (draws, months) where something in it was drawn; a price is a
number, or a column of shape (draws, 1). What is written for one works for the other.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tco.cost.finance import FloatArray
from tco.results import LedgerLine


def blank(months: int, *parts: Any) -> FloatArray:
    """Zeros for `months` columns, with the draws of `parts`.

    Examples
    --------
    >>> blank(3, 2.0).shape, blank(3, np.ones((5, 1)), np.ones(3)).shape
    ((3,), (5, 3))
    """
    return np.zeros(np.broadcast_shapes((months,), *(np.shape(part) for part in parts)))


def once(months: int, month: int, amount: Any) -> FloatArray:
    """`amount` in one month, nothing in the others.

    Examples
    --------
    >>> once(3, 1, 5.0).tolist()
    [0.0, 5.0, 0.0]
    """
    column = blank(months, amount)
    column[..., month : month + 1] = amount
    return column


def months_with(values: FloatArray) -> list[int]:
    """Months in which something is there, in any draw.

    Examples
    --------
    >>> months_with(np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 2.0]]))
    [1, 2]
    """
    return [int(month) for month in np.flatnonzero(np.any(np.atleast_2d(values), axis=0))]


def mean(values: Any) -> float:
    """One number to print: the mean over draws."""
    # most figures have none: looking is cheaper than averaging
    return values if isinstance(values, float) else float(np.mean(values))


def last(values: FloatArray) -> float:
    """Value of the last month, the mean over draws; 0 without months."""
    return mean(values[..., -1]) if values.shape[-1] else 0.0


def summed(lines: Sequence[LedgerLine], months: int, *sides: str) -> FloatArray:
    """Sum of lines by month; `sides` are ``start_usd``, ``end_usd``."""
    total: FloatArray = np.zeros(months)
    for line in lines:
        for side in sides:
            total = total + np.asarray(getattr(line, side))
    return total

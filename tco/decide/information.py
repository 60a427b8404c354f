"""What knowing an input is worth before a choice is made: expected value of partial information.

Each option's cost is fitted by a mean and one curve for each input (the first-order part of an
analysis of variance), and the choice made for every value of the input by these curves. One sample
of draws serves all inputs: no draws within draws.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.polynomial import legendre
from numpy.typing import NDArray

FloatArray = NDArray[np.float64]
Spread = Callable[[FloatArray], FloatArray]  # probabilities -> values of one input

_DEGREE = 5  # of the polynomials in the probability, beside the value itself
_POINTS = 2001  # of an input, at which the choice is made
_NOISE = 4.0  # times what chance explains: below it an input is said to be worth nothing


@dataclass(frozen=True, slots=True)
class Information:
    """Worth of knowing, in the unit of the costs.

    Parameters
    ----------
    perfect_units
        Of knowing everything at once.
    each
        Of knowing one input exactly, shape (inputs,).
    measured
        Of measuring one input with its own error, shape (inputs,); equal to `each` without one.
    """

    perfect_units: float
    each: FloatArray
    measured: FloatArray


def worth_of_knowing(
    cost: FloatArray,
    uniform: FloatArray,
    spreads: Sequence[Spread],
    *,
    independent: bool = True,
    error_fractions: Sequence[float] | None = None,
) -> Information:
    """Return what knowing each input saves on average, when the cheapest option is then chosen.

    Parameters
    ----------
    cost
        Of every option in every draw, shape (options, draws).
    uniform
        The draws as probabilities, shape (draws, inputs).
    spreads
        Value of each input at a probability.
    independent
        False where inputs are correlated: each curve is then fitted alone, and takes over what
        goes with it.
    error_fractions
        Standard error of a measurement of each input as a share of its own standard deviation
        (0: exact). A measurement with error e explains 1 / (1 + e^2) of the input's variance.

    Examples
    --------
    >>> u = (np.arange(4096) + 0.5)[:, None] / 4096
    >>> cost = np.vstack([np.full(4096, 10.0), 8.0 + 4.0 * u[:, 0]])
    >>> found = worth_of_knowing(cost, u, [lambda p: p])
    >>> round(found.perfect_units, 2), round(float(found.each[0]), 2)
    (0.5, 0.5)
    """
    options, draws = cost.shape
    inputs = uniform.shape[1]
    zero = np.zeros(inputs)
    if options < 2 or inputs == 0:
        return Information(0.0, zero, zero)
    errors = np.zeros(inputs) if error_fractions is None else np.asarray(error_fractions)
    perfect = float(cost.mean(axis=1).min() - cost.min(axis=0).mean())
    bases = [_basis(spread) for spread in spreads]
    columns = [base(uniform[:, place]) for place, base in enumerate(bases)]
    gaps = cost - cost[0]  # what all options have in common decides nothing
    each, measured = np.zeros(inputs), np.zeros(inputs)
    if independent:
        means, curves, noise = _fit(columns, gaps)
    for place in range(inputs):
        if not independent:
            means, alone, noise = _fit([columns[place]], gaps)
            curves = [alone[0] if i == place else np.empty(0) for i in range(inputs)]
        weights = curves[place]
        if not _explains(columns[place], weights, noise, draws):
            continue
        grid = (np.arange(_POINTS) + 0.5) / _POINTS
        at = bases[place](grid) @ weights  # (points, options)
        each[place] = _saved(means, at)
        share = 1.0 / np.sqrt(1.0 + errors[place] ** 2)
        measured[place] = _saved(means, at * share) if errors[place] else each[place]
    return Information(max(perfect, 0.0), each, measured)


def _saved(means: FloatArray, at: FloatArray) -> float:
    """Cost of the one choice made now, less that of the choice made when the input is known."""
    return max(0.0, float(means.min() - (means + at).min(axis=1).mean()))


def _basis(spread: Spread) -> Callable[[FloatArray], FloatArray]:
    """Functions of one input with a mean of exactly 0: its value, and polynomials in its rank."""
    grid = (np.arange(_POINTS) + 0.5) / _POINTS
    values = spread(grid)
    mean, size = float(values.mean()), float(values.std())

    def raw(probability: FloatArray) -> FloatArray:
        value = (spread(probability) - mean) / size if size > 0 else np.zeros(probability.shape)
        ranks = [
            legendre.Legendre.basis(degree)(2 * probability - 1) for degree in range(1, _DEGREE + 1)
        ]
        return np.column_stack([value, *ranks])

    centre = raw(grid).mean(axis=0)
    return lambda probability: raw(probability) - centre


def _fit(
    columns: Sequence[FloatArray], gaps: FloatArray
) -> tuple[FloatArray, list[FloatArray], FloatArray]:
    """Mean of every option, the weights of each input's curves, the variance that is left."""
    draws = gaps.shape[1]
    table = np.column_stack([np.ones(draws), *columns])
    solved, *_ = np.linalg.lstsq(table, gaps.T, rcond=1e-9)
    left = gaps.T - table @ solved
    widths = np.cumsum([1, *(column.shape[1] for column in columns)])
    curves = [solved[first:last] for first, last in pairwise(widths)]
    return np.asarray(solved[0]), [np.asarray(one) for one in curves], np.asarray(left.var(axis=0))


def _explains(column: FloatArray, weights: FloatArray, noise: FloatArray, draws: int) -> bool:
    """Whether an input explains more of some difference than chance would."""
    explained = (column @ weights).var(axis=0)
    by_chance = noise * column.shape[1] / draws
    return bool(np.any(explained > _NOISE * by_chance + 1e-18))

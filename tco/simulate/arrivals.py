"""When requests arrive: seeded, or as given (P6.1)."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tco.errors import InputError

Array = NDArray[np.float64]


def _rate(requests_per_s: float, name: str = "requests_per_s") -> float:
    if not requests_per_s > 0 or not np.isfinite(requests_per_s):
        raise InputError(name, f"{requests_per_s:g} is not above 0", "enter requests per second")
    return float(requests_per_s)


def _count(requests: int) -> int:
    if requests < 1:
        raise InputError("requests", f"{requests} is below 1", "simulate at least one request")
    return requests


def poisson(requests_per_s: float, requests: int, seed: int) -> Array:
    """Return arrival seconds of a Poisson process.

    Examples
    --------
    >>> times = poisson(2.0, 10_000, seed=1)
    >>> round(len(times) / float(times[-1]), 1)
    2.0
    """
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.exponential(1 / _rate(requests_per_s), _count(requests)))


def constant(requests_per_s: float, requests: int) -> Array:
    """Return arrival seconds one interval apart, the first at 0."""
    return np.arange(_count(requests)) / _rate(requests_per_s)


def bursty(requests_per_s: float, requests: int, variation: float, seed: int) -> Array:
    """Return arrivals with gamma intervals.

    Parameters
    ----------
    variation
        Coefficient of variation of the intervals: 1 is Poisson, above it come bursts.
    """
    if not 0 < variation < np.inf:
        raise InputError("variation", f"{variation:g} is not above 0", "1 is Poisson; try 2")
    shape = 1 / variation**2
    rng = np.random.default_rng(seed)
    return np.cumsum(rng.gamma(shape, 1 / (shape * _rate(requests_per_s)), _count(requests)))


def staged(stages: Sequence[tuple[float, float]], *, seed: int | None = None) -> Array:
    """Return arrivals at one rate after the other.

    Parameters
    ----------
    stages
        (requests per second, seconds) each.
    seed
        At random within a stage, as Poisson arrivals of this number are; None: constant intervals.

    Examples
    --------
    >>> len(staged([(5.0, 600.0), (10.0, 600.0)]))
    9000
    """
    if not stages:
        raise InputError("stages", "there is none", "give (requests per second, seconds) pairs")
    parts, start = [], 0.0
    for index, (rate, seconds) in enumerate(stages):
        if not 0 < seconds < np.inf:
            mend = "enter seconds above 0"
            raise InputError(f"stages[{index}]", f"{seconds:g} s is not above 0", mend)
        count = max(0, round(_rate(rate, f"stages[{index}]") * seconds))
        one = constant(rate, count)
        if seed is not None:
            one = np.sort(np.random.default_rng((seed, index)).uniform(0, seconds, count))
        parts.append(start + one)
        start += seconds
    return np.concatenate(parts)

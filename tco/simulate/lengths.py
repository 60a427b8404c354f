"""How long prompts and answers are: fixed, drawn from a law, or from what was seen (P6.1)."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from tco.errors import InputError

Integers = NDArray[np.int64]
_Z99 = 2.3263478740408408  # standard normal quantile of 99 %


def fixed(tokens: float, requests: int) -> Integers:
    """Return the same whole number of tokens for each request, at least 1.

    Raises
    ------
    InputError
        A length that is not above 0.
    """
    if not 0 < tokens < math.inf:
        raise InputError("tokens", f"{tokens:g} is not above 0", "count at least one token")
    return np.full(requests, max(1, round(tokens)), dtype=np.int64)


def lognormal(mean_tokens: float, p99_tokens: float, requests: int, seed: int) -> Integers:
    """Return lengths of a lognormal law with this mean and 99th percentile.

    Raises
    ------
    InputError
        If no lognormal law has them: the percentile must be above the mean and at most 15 times it.

    Examples
    --------
    >>> drawn = lognormal(500, 2000, 200_000, seed=1)
    >>> bool(abs(drawn.mean() - 500) < 10), bool(abs(np.quantile(drawn, 0.99) - 2000) < 60)
    (True, True)
    """
    # mean = exp(m + s²/2), p99 = exp(m + z·s): s from z·s - s²/2 = log(p99 / mean)
    ratio = math.log(p99_tokens / mean_tokens) if min(mean_tokens, p99_tokens) > 0 else -1.0
    inside = _Z99**2 - 2 * ratio
    if ratio <= 0 or inside < 0:
        raise InputError(
            "p99_tokens",
            f"{p99_tokens:g} does not go with a mean of {mean_tokens:g}",
            "give a 99th percentile above the mean and at most 15 times it",
        )
    spread = _Z99 - math.sqrt(inside)
    centre = math.log(mean_tokens) - spread**2 / 2
    drawn = np.random.default_rng(seed).lognormal(centre, spread, requests)
    found: Integers = np.maximum(1, np.rint(drawn)).astype(np.int64)
    return found


def empirical(seen: Sequence[float], requests: int, seed: int) -> Integers:
    """Return lengths drawn from those seen."""
    if not len(seen):
        raise InputError("lengths", "there is none", "give the lengths that were seen")
    for row, tokens in enumerate(seen):
        if not 0 < tokens < math.inf:
            mend = "count at least one token"
            raise InputError(f"lengths[{row}]", f"{tokens:g} is not above 0", mend)
    drawn = np.random.default_rng(seed).choice(np.asarray(seen, dtype=np.float64), requests)
    found: Integers = np.maximum(1, np.rint(drawn)).astype(np.int64)
    return found

"""How long a request decodes: one iteration a token, each plain or mixed with a prefill (P6.3).

A life of m tokens is m iterations, J of which carry a chunk of another request's prompt, so that it
takes ``m·T + J·(M - T)`` with T a plain and M a mixed iteration: never more than ``m·M``. The first
iteration is mixed when a prompt was left waiting (probability `first`); later ones approach the
long-run share of mixed iterations, the faster the sooner the queue empties. J has the mean and the
variance of a chain with that memory, and a beta-binomial law; where
tokens are many, the life has a gamma law cut at ``m·M``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import betaln, gammaln

from tco.performance.operators import Array
from tco.performance.queueing import gamma_quantiles

_COUNTED = 64  # up to so many tokens the mixed iterations are counted one by one


@dataclass(frozen=True)
class DecodeLife:
    """Law of the decode time of one request, by load; seconds."""

    life_tokens: float
    mean_s: Array
    least_s: Array  # every iteration plain, alone
    most_s: Array  # every iteration mixed, in a crowded batch
    plain_s: Array  # T
    extra_s: Array  # M - T
    mixed_share: Array  # of its iterations, mean
    mixed_variance: Array  # of J
    variance_s2: Array  # of the whole life

    def quantiles(self, levels: Array) -> Array:
        """Return seconds [load, level], within `least_s` and `most_s`."""
        if self.life_tokens <= _COUNTED:
            return self._counted(levels)
        fitted = gamma_quantiles(
            np.minimum(self.least_s, self.mean_s), self.mean_s, self.variance_s2, levels
        )
        return np.minimum(fitted, self.most_s[:, None])

    def _counted(self, levels: Array) -> Array:
        m, p = self.life_tokens, self.mixed_share
        over = self.mixed_variance / (p * (1 - p) * m) - 1
        alike = np.clip(over / max(m - 1, 1e-9), 1e-6, 1 - 1e-6)  # correlation of two iterations
        a, b = p * (1 / alike - 1), (1 - p) * (1 / alike - 1)
        counts = np.arange(np.floor(m) + 1)
        logs = (
            (gammaln(m + 1) - gammaln(counts + 1) - gammaln(m - counts + 1))[None, :]
            + betaln(a[:, None] + counts, b[:, None] + m - counts)
            - betaln(a, b)[:, None]
        )
        below = np.cumsum(np.exp(logs), axis=1)
        below /= below[:, -1:]
        # first count whose distribution function reaches the level
        mixed = (below[:, None, :] < levels[None, :, None] - 1e-12).sum(axis=2)
        mixed = np.minimum(mixed, counts[-1])
        return np.asarray(m * self.plain_s[:, None] + mixed * self.extra_s[:, None])


def decode_life(
    *,
    tokens: float,
    chunks: int,
    plain_s: Array,
    mixed_s: Array,
    least_s: Array,
    most_s: Array,
    first: Array,
    long_run: Array,
    surplus_prompts: Array,
    stationary_s: Array,
    requests_per_s: Array,
    left_behind: Array,
    held_s: Array,
    batch_variance_s2: Array,
) -> DecodeLife:
    """Build the law of a life.

    Parameters
    ----------
    first, long_run
        Probability that the first, and that a late iteration is mixed.
    surplus_prompts
        Prompts a life without end meets beyond the average, those left at its start.
    stationary_s
        Mean life at the average speed of the replica.
    left_behind
        Prompts waiting at the start of a life beyond the average, taken as geometric.
    held_s
        What one prompt adds to a long life, with those that arrive meanwhile.
    batch_variance_s2
        Variance that the changing batch gives.
    """
    extra = np.maximum(mixed_s - plain_s, 1e-12)
    span = tokens / chunks  # lives in prompts: the chunks of one prompt follow each other
    start = np.maximum(first - long_run, 0.0)
    memory = np.clip(1 - start / np.maximum(surplus_prompts, 1e-12), 0.0, 1 - 1e-9)
    reach = (1 - memory**span) / (1 - memory) if span > 1 else np.full_like(first, span)
    mean = stationary_s + extra * chunks * start * reach
    # the share of mixed iterations only falls from its first value
    ceiling = tokens * (plain_s + np.maximum(first, long_run) * extra)
    mean = np.clip(np.minimum(mean, ceiling), least_s, most_s)
    met = requests_per_s * mean + left_behind * (1 + left_behind)  # variance of their number
    share = np.clip((mean / tokens - plain_s) / extra, 1e-6, 1 - 1e-6)
    # the memory with which a long life gets the variance of its count
    each = share * (1 - share)
    ratio = held_s**2 * met / (extra**2 * chunks**2 * span * each)
    alike = np.clip((ratio - 1) / (ratio + 1), -0.9, 1 - 1e-9)
    if span > 1:
        sums = span * (1 + alike) / (1 - alike)
        sums = sums - 2 * alike * (1 - np.abs(alike) ** span) / (1 - alike) ** 2
    else:
        sums = np.full_like(alike, span**2)
    counted = chunks**2 * each * np.clip(sums, 0.0, span**2)
    return DecodeLife(
        life_tokens=tokens,
        mean_s=mean,
        least_s=least_s,
        most_s=most_s,
        plain_s=plain_s,
        extra_s=extra,
        mixed_share=share,
        mixed_variance=counted,
        variance_s2=counted * extra**2 + batch_variance_s2,
    )

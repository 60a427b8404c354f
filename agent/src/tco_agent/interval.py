"""Median of block medians and its interval (rules G8 to G10 of the method).

The interval is a t-interval on the logarithms of the block medians. A bootstrap over pooled
samples was rejected: it ignores that a block shares its disturbance, and covers the true value in
43 to 64 % of runs instead of 95 %.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from typing import Any

MIN_SAMPLES_FOR_INTERVAL = 6
OUTLIER_MADS = 5.0
MAD_TO_SIGMA = 1.4826

# Two-sided 95 % quantiles of Student's t for 1 to 30 degrees of freedom.
_T_975 = (
    12.706205, 4.302653, 3.182446, 2.776445, 2.570582, 2.446912, 2.364624, 2.306004, 2.262157,
    2.228139, 2.200985, 2.178813, 2.160369, 2.144787, 2.131450, 2.119905, 2.109816, 2.100922,
    2.093024, 2.085963, 2.079614, 2.073873, 2.068658, 2.063899, 2.059539, 2.055529, 2.051831,
    2.048407, 2.045230, 2.042272,
)  # fmt: skip
_Z_975 = 1.959963985


def t_975(degrees_of_freedom: int) -> float:
    """Quantile 0.975 of Student's t; beyond 30 degrees the first terms of its normal expansion.

    >>> round(t_975(4), 3), round(t_975(40), 3)
    (2.776, 2.021)
    """
    if degrees_of_freedom < 1:
        raise ValueError("degrees_of_freedom must be at least 1")
    if degrees_of_freedom <= len(_T_975):
        return _T_975[degrees_of_freedom - 1]
    z, n = _Z_975, float(degrees_of_freedom)
    return z + (z**3 + z) / (4 * n) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * n**2)


def ci95_of_block_medians(medians_ns: Sequence[float]) -> tuple[float, float] | None:
    """95 % interval [ns] of the typical block median, or None with fewer than two blocks."""
    if len(medians_ns) < 2:
        return None
    logs = [math.log(value) for value in medians_ns]
    centre = statistics.fmean(logs)
    half = t_975(len(logs) - 1) * statistics.stdev(logs) / math.sqrt(len(logs))
    return math.exp(centre - half), math.exp(centre + half)


def quantile(ordered: Sequence[float], share: float) -> float:
    """Linear interpolation between the ordered values (type 7 of Hyndman and Fan).

    >>> quantile([1.0, 2.0, 3.0, 4.0], 0.5)
    2.5
    """
    position = share * (len(ordered) - 1)
    low = math.floor(position)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (ordered[high] - ordered[low]) * (position - low)


def summarise(blocks_ns: Sequence[Sequence[int]], converged_at: float) -> dict[str, Any]:
    """The `summary` member of a result from its raw samples by block.

    `converged_at` is the half-width of the interval, as a fraction of the median, at which the
    measurement counts as converged (0.01 on a device, 0.02 on a CPU). Nothing is deleted: outliers
    are counted. ValueError when there is no sample.
    """
    blocks = [block for block in blocks_ns if block]
    samples = sorted(float(value) for block in blocks for value in block)
    if not samples:
        raise ValueError("no samples")
    medians = [max(1.0, statistics.median(block)) for block in blocks]
    median = statistics.median(medians)
    middle = statistics.median(samples)
    mad = statistics.median(abs(value - middle) for value in samples)
    limit = middle + OUTLIER_MADS * MAD_TO_SIGMA * mad
    summary: dict[str, Any] = {
        "median_ns": round(median),
        "min_ns": round(samples[0]),
        "p5_ns": round(quantile(samples, 0.05)),
        "p25_ns": round(quantile(samples, 0.25)),
        "p75_ns": round(quantile(samples, 0.75)),
        "p95_ns": round(quantile(samples, 0.95)),
        "mad_ns": round(mad),
        "outlier_share": sum(value > limit for value in samples) / len(samples),
    }
    if len(samples) < MIN_SAMPLES_FOR_INTERVAL:
        return {**summary, "ci95_ns": None, "ci_method": "none-n<6", "converged": False}
    interval = ci95_of_block_medians(medians)
    if interval is None:
        return {**summary, "ci95_ns": None, "ci_method": "none-blocks<2", "converged": False}
    low, high = interval
    return {
        **summary,
        "ci95_ns": [round(low), min(round(high), 10**15)],
        "ci_method": f"t-log-block-medians-df{len(medians) - 1}",
        "converged": (high - low) / 2 <= converged_at * median,
    }


def thin(samples_ns: Sequence[int], most: int = 200) -> tuple[list[int], str]:
    """At most `most` samples, every k-th in order of time, and the name of the rule used.

    >>> thin([1, 2, 3, 4, 5], most=3)
    ([1, 3, 5], 'every-k')
    """
    if len(samples_ns) <= most:
        return list(samples_ns), "none"
    step = math.ceil(len(samples_ns) / most)
    return list(samples_ns[::step]), "every-k"

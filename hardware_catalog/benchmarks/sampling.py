"""Statistics of raw samples in blocks: median, interval, trend, second mode.

A block shares its disturbance, so the block is the unit of the interval: a bootstrap over pooled
samples would cover the true value in half of all runs only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median, stdev
from typing import Any

from scipy import stats

MIN_SAMPLES_FOR_INTERVAL = 6


@dataclass(frozen=True, slots=True)
class Timing:
    """Raw times of one measurement.

    Parameters
    ----------
    blocks_ns
        Samples by block in order of time, ns per call.
    medians_ns
        Median of each block, ns per call.
    samples_total
        Samples taken, before thinning.
    """

    blocks_ns: tuple[tuple[float, ...], ...]
    medians_ns: tuple[float, ...]
    samples_total: int

    @property
    def samples_ns(self) -> tuple[float, ...]:
        """All samples in order of time, ns per call."""
        return tuple(sample for block in self.blocks_ns for sample in block)

    @property
    def median_ns(self) -> float:
        """Median of the block medians, ns per call (G8)."""
        return float(median(self.medians_ns))

    def interval_ns(self) -> tuple[float, float] | None:
        """95 % interval: t on the logarithms of the block medians (G8).

        None with fewer than six samples or two blocks.

        >>> Timing(((1.0,) * 3, (1.0,) * 3), (1.0, 1.0), 6).interval_ns()
        (1.0, 1.0)
        """
        if self.samples_total < MIN_SAMPLES_FOR_INTERVAL or len(self.medians_ns) < 2:
            return None
        logs = [math.log(value) for value in self.medians_ns]
        quantile = float(stats.t.ppf(0.975, len(logs) - 1))
        half = quantile * stdev(logs) / math.sqrt(len(logs))
        return math.exp(fmean(logs) - half), math.exp(min(fmean(logs) + half, 700.0))


def timing_of(result: dict[str, Any]) -> Timing | None:
    """Return the raw times of a result of the document, None without a positive time.

    Block medians are recomputed where every sample is there; after thinning the agent's own
    medians are the better ones, and the samples are shared out to the blocks by their counts.
    """
    samples = [float(value) for value in result.get("samples_ns", [])]
    stated = result.get("blocks", [])
    counts = [int(block["n"]) for block in stated]
    if samples and not counts:
        blocks = [samples]
    elif samples:
        blocks = _share_out(samples, counts)
    else:
        blocks = []
    if samples and (not counts or sum(counts) == len(samples)):
        medians = [float(median(block)) for block in blocks]
    else:
        medians = [float(block["median_ns"]) for block in stated]
    if not medians or min([*medians, *samples]) <= 0:
        return None
    total = max(int(result.get("samples_total", 0)), len(samples))
    return Timing(tuple(tuple(block) for block in blocks), tuple(medians), total)


def _share_out(samples: list[float], counts: list[int]) -> list[list[float]]:
    """Cut samples in order into blocks in proportion to `counts`.

    >>> _share_out([1, 2, 3, 4], [10, 30])
    [[1], [2, 3, 4]]
    """
    total = sum(counts)
    blocks: list[list[float]] = []
    start = passed = 0
    for count in counts:
        passed += count
        end = round(len(samples) * passed / total)
        if end > start:
            blocks.append(samples[start:end])
        start = end
    return blocks


def block_shift(medians_ns: Sequence[float]) -> float:
    """Largest over smallest block median, 1 or more.

    >>> block_shift([100.0, 110.0, 105.0])
    1.1
    """
    return max(medians_ns) / min(medians_ns)


def spread_in_block(blocks_ns: Sequence[Sequence[float]]) -> float:
    """Coefficient of variation of the samples of a typical block: the median over the blocks.

    One sample that was held up spoils its own block only. 0 where no block has two samples.

    >>> round(spread_in_block([[90.0, 110.0], [100.0, 100.0], [80.0, 120.0]]), 4)
    0.1414
    >>> spread_in_block([[100.0]])
    0.0
    """
    spreads = [stdev(block) / fmean(block) for block in blocks_ns if len(block) > 1]
    return float(median(spreads)) if spreads else 0.0


def trend_p(medians_ns: Sequence[float]) -> float:
    """Two-sided p of the Mann–Kendall test for a trend over the blocks; 1 below five blocks."""
    if len(medians_ns) < 5 or len(set(medians_ns)) == 1:
        return 1.0
    return float(stats.kendalltau(range(len(medians_ns)), medians_ns).pvalue)


def second_mode(samples_ns: Sequence[float]) -> float:
    """Largest gap between sorted log-times over the spread of the modes beside it.

    The gap must leave a tenth of the samples, at least five, on either side. The spread is the
    larger interquartile range of the two sides: that of all samples would contain the gap itself
    when both modes are well filled. 0 without such a gap; a gap below 2 % counts as none.

    >>> second_mode([100.0, 101, 102, 103, 104, 100.5] * 4) == 0
    True
    >>> second_mode([100.0, 101, 102, 103, 104] * 4 + [150.0, 151, 152, 153, 154] * 2) > 4
    True
    """
    logs = sorted(math.log(value) for value in samples_ns)
    side = max(5, math.ceil(len(logs) / 10))
    if len(logs) < 2 * side:
        return 0.0
    cut = max(range(side, len(logs) - side + 1), key=lambda i: logs[i] - logs[i - 1])
    gap = logs[cut] - logs[cut - 1]
    if gap < math.log(1.02):
        return 0.0
    spread = max(_quartile_range(logs[:cut]), _quartile_range(logs[cut:]))
    return gap / max(spread, 1e-4)


def _quartile_range(values: Sequence[float]) -> float:
    low, high = stats.scoreatpercentile(values, [25, 75])
    return float(high - low)

"""The median of block medians and its interval."""

from __future__ import annotations

import math
import random
import statistics

import pytest

from tco_agent.interval import ci95_of_block_medians, quantile, summarise, t_975, thin


def student_cdf(t: float, df: int, steps: int = 4000) -> float:
    """P(T <= t) by Simpson's rule over the density: an oracle that shares nothing with the code."""
    scale = math.exp(math.lgamma((df + 1) / 2) - math.lgamma(df / 2)) / math.sqrt(df * math.pi)

    def density(x: float) -> float:
        return scale * (1 + x * x / df) ** (-(df + 1) / 2)

    h = t / steps
    total = density(0.0) + density(t)
    total += sum((4 if i % 2 else 2) * density(i * h) for i in range(1, steps))
    return 0.5 + total * h / 3


@pytest.mark.parametrize("df", [1, 2, 4, 7, 12, 30, 31, 40, 63])
def test_quantile_of_student_leaves_two_and_a_half_percent(df: int) -> None:
    """The quantile of the table and of the expansion has 97.5 % of the distribution below it."""
    assert student_cdf(t_975(df), df) == pytest.approx(0.975, abs=2e-5)


def test_interval_of_two_blocks_by_hand() -> None:
    """Logs 0 and 2: mean 1, deviation √2, over √2 blocks, times t(1) = 12.706 gives 1 ± 12.706."""
    interval = ci95_of_block_medians([1.0, math.exp(2)])
    assert interval is not None
    assert math.log(interval[0]) == pytest.approx(1 - 12.706205)
    assert math.log(interval[1]) == pytest.approx(1 + 12.706205)


@pytest.mark.parametrize(
    ("blocks", "samples", "between", "within"),
    [(3, 20, 0.03, 0.05), (5, 20, 0.03, 0.05), (10, 6, 0.03, 0.05), (5, 20, 0.10, 0.05)],
)
def test_interval_covers_the_true_time(
    blocks: int, samples: int, between: float, within: float
) -> None:
    """On lognormal blocks the 95 % interval holds the true median in 92 to 98 % of the runs."""
    chance = random.Random(20261130)
    true_ns, runs, held = 50_000.0, 600, 0
    for _ in range(runs):
        medians = []
        for _ in range(blocks):
            shift = chance.gauss(0, between)
            block = [true_ns * math.exp(shift + chance.gauss(0, within)) for _ in range(samples)]
            medians.append(statistics.median(block))
        interval = ci95_of_block_medians(medians)
        assert interval is not None
        held += interval[0] <= true_ns <= interval[1]
    assert 0.92 <= held / runs <= 0.98


def test_median_is_taken_over_blocks_and_not_over_samples() -> None:
    """A long disturbed block counts once: medians 10, 10, 90 give 10, the pooled samples 90."""
    summary = summarise([[10, 10], [10, 10], [90] * 9], converged_at=0.02)
    assert summary["median_ns"] == 10


def test_few_samples_give_no_interval() -> None:
    """Below six samples, and with a single block, the interval is null and names why."""
    few = summarise([[100, 101], [100, 102, 99]], converged_at=0.02)
    assert (few["ci95_ns"], few["ci_method"], few["converged"]) == (None, "none-n<6", False)
    single = summarise([[100] * 8], converged_at=0.02)
    assert (single["ci95_ns"], single["ci_method"]) == (None, "none-blocks<2")
    six = summarise([[100, 101, 102], [99, 100, 101]], converged_at=0.02)
    assert six["ci_method"] == "t-log-block-medians-df1"
    assert six["ci95_ns"][0] < 100 < six["ci95_ns"][1]


def test_convergence_is_half_the_width_against_the_limit() -> None:
    """Medians 1000 ± 0.5 % converge at 2 % and not at 0.1 %."""
    blocks = [[1000 + shift] * 3 for shift in (-5, 0, 5, -5, 5)]
    assert summarise(blocks, converged_at=0.02)["converged"]
    assert not summarise(blocks, converged_at=0.001)["converged"]


def test_outliers_are_counted_and_kept() -> None:
    """One sample of ten far above the rest: a tenth are outliers, and the p95 still sees it."""
    summary = summarise([[100, 101, 99, 100, 101], [100, 99, 101, 100, 10_000]], converged_at=0.02)
    assert summary["outlier_share"] == pytest.approx(0.1)
    assert summary["p95_ns"] > 1000
    assert summary["min_ns"] == 99


def test_quantile_interpolates_like_type_seven() -> None:
    """Of 10, 20, 30, 40 the 25 % quantile lies at 0.75 of the way: 17.5."""
    assert quantile([10.0, 20.0, 30.0, 40.0], 0.25) == pytest.approx(17.5)


@pytest.mark.parametrize(("count", "kept"), [(200, 200), (201, 101), (999, 200)])
def test_thinning_keeps_at_most_two_hundred_in_order(count: int, kept: int) -> None:
    """Every k-th sample stays, with the first, in the order of time."""
    samples, rule = thin(list(range(count)))
    assert len(samples) == kept
    assert samples == sorted(samples)
    assert samples[0] == 0
    assert rule == ("none" if count <= 200 else "every-k")

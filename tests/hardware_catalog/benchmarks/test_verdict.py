"""Each flag fires on a series made to show it, and stays silent on the clean run."""

from __future__ import annotations

import math
import statistics

import pytest

from hardware_catalog.benchmarks.sampling import Timing, second_mode, trend_p
from hardware_catalog.benchmarks.verdict import Peaks, judge

# Generous peaks for the clean run: 0.8 TFLOP/s fp32 and 60 GB/s are measured there.
PEAKS = {"d0": Peaks({"fp32": 1.2, "fp64": 0.6}, 80.0)}
GEMM, MEMBW = 4, 7  # positions in the clean document: fp32 at 512 rows, memory read


def _codes(document, peaks=PEAKS):
    judgement = judge(document, peaks)
    found = {flag.code for flag in judgement.flags}
    found |= {flag.code for result in judgement.results for flag in result.flags}
    return judgement.verdict, found


def _set_samples(result, by_block):
    """Give a result these raw samples, with blocks and summary that follow from them."""
    samples = [sample for block in by_block for sample in block]
    medians = [round(statistics.median(block)) for block in by_block]
    result["samples_ns"] = samples
    result["samples_total"] = len(samples)
    result["blocks"] = [
        {"n": len(block), "median_ns": middle}
        for block, middle in zip(by_block, medians, strict=True)
    ]
    result["summary"] = {"median_ns": round(statistics.median(medians))}


def _blocks(factors, base=1_000_000, per_block=10):
    """Blocks around base × factor with a fixed ripple of 0.2 %."""
    ripple = [0, 11, -7, 19, -15, 5, -20, 13, -9, 3]
    return [
        [round(base * factor * (1 + ripple[(i + b) % 10] / 1e4)) for i in range(per_block)]
        for b, factor in enumerate(factors)
    ]


def test_clean_run_is_trusted_without_a_flag(document):
    """Nothing fires on a quiet machine, and every understood measurement may be used."""
    judgement = judge(document, PEAKS)
    assert (judgement.verdict, judgement.flags) == ("trusted", ())
    assert [result.flags for result in judgement.results if result.flags] == []
    used = [result.reading.metric for result in judgement.results if judgement.usable(result)]
    # membw copy is no figure, the last result was skipped
    assert used == ["gemm"] * 7 + ["membw"] * 2 + ["block_prefill", "block_decode", "launch"]


@pytest.mark.parametrize(
    ("member", "value", "code", "verdict"),
    [
        ("run_delay_share", 0.03, "cpu_contention", "degraded"),
        ("run_delay_share", 0.11, "cpu_contention", "untrusted"),
        ("idle_run_delay_share", 0.31, "cpu_contention", "untrusted"),
        ("steal_share", 0.02, "steal", "degraded"),
        ("steal_share", 0.06, "steal", "untrusted"),
    ],
)
def test_shared_machine(document, member, value, code, verdict):
    """The signs of sharing count although every interval is as tight as before."""
    document["host"][member] = value
    assert _codes(document) == (verdict, {code})


@pytest.mark.parametrize(("member", "value"), [("run_delay_share", 0.02), ("steal_share", 0.01)])
def test_limits_are_not_over_themselves(document, member, value):
    """At the limit is not above it."""
    document["host"][member] = value
    assert _codes(document) == ("trusted", set())


def test_signs_that_are_not_available_are_no_flags(document):
    """Missing is not zero and not a fault."""
    for name in ("run_delay_share", "steal_share", "throttled_share", "nr_throttled"):
        document["host"][name] = None
    document["results"][0]["host"] = None
    assert _codes(document) == ("trusted", set())


def test_container_quota(document):
    """Throttling counts only when it took time."""
    document["host"] |= {"nr_throttled": 12, "throttled_share": 0.005}
    assert _codes(document) == ("trusted", set())
    document["host"]["throttled_share"] = 0.02
    assert _codes(document) == ("degraded", {"cgroup_throttled"})


def test_contention_of_one_measurement(document):
    """A measurement that was kept waiting is flagged itself; the verdict is the worst."""
    document["results"][GEMM]["host"]["run_delay_share"] = 0.05
    judgement = judge(document, PEAKS)
    assert judgement.verdict == "degraded"
    assert not judgement.usable(judgement.results[GEMM])
    assert judgement.usable(judgement.results[MEMBW])
    document["results"][GEMM]["host"]["run_delay_share"] = 0.5
    judgement = judge(document, PEAKS)
    assert judgement.verdict == "untrusted"
    assert not any(judgement.usable(result) for result in judgement.results)


def test_few_samples(document):
    """Five samples give no interval."""
    _set_samples(document["results"][GEMM], _blocks([1.0], per_block=5))
    assert _codes(document) == ("degraded", {"few_samples"})


def test_interval_by_hand():
    """Two blocks at 100 and 110: exp(mean ± 12.706 s/√2) with s of the logarithms."""
    timing = Timing(((100.0,) * 3, (110.0,) * 3), (100.0, 110.0), 6)
    low, high = timing.interval_ns()
    middle, s = math.log(100 * 110) / 2, math.log(1.1) / math.sqrt(2)
    assert low == pytest.approx(math.exp(middle - 12.7062 * s / math.sqrt(2)), rel=1e-5)
    assert high == pytest.approx(math.exp(middle + 12.7062 * s / math.sqrt(2)), rel=1e-5)


def test_not_converged(document):
    """Blocks that differ by 5 % up and down: half-width 2.8 % on a CPU, above 2 %."""
    _set_samples(document["results"][GEMM], _blocks([1, 1.05, 0.99, 1.04, 1.0, 1.05]))
    assert _codes(document) == ("degraded", {"not_converged"})


def test_warm_up_that_did_not_settle(document):
    """`warmup.steady` false bars that measurement (G3); a run without the word is not flagged."""
    document["results"][GEMM]["warmup"]["steady"] = False
    judgement = judge(document, PEAKS)
    assert [flag.code for flag in judgement.results[GEMM].flags] == ["not_converged"]
    assert judgement.verdict == "degraded"
    assert not judgement.usable(judgement.results[GEMM])
    assert judgement.usable(judgement.results[MEMBW])
    for result in document["results"]:
        if result["status"] == "ok":
            result["warmup"]["steady"] = False
    judgement = judge(document, PEAKS)
    assert not any(judgement.usable(result) for result in judgement.results)
    for result in document["results"]:
        result.pop("warmup", None)
    assert _codes(document) == ("trusted", set())


def _seesaw(share, blocks=6, pairs=60, base=1_000_000):
    """Blocks of the same median whose samples lie `share` above and below it, by turns.

    The share itself swings by a tenth, so that neither side is a mode of its own. CV of one
    block: share x sqrt(1.00667 x n / (n - 1)).
    """
    swings = [0.9, 1.0, 1.1]
    return [
        [
            base,
            *(
                round(base * (1 + way * share * swings[i % 3]))
                for i in range(pairs)
                for way in (1, -1)
            ),
        ]
        for _ in range(blocks)
    ]


@pytest.mark.parametrize(("share", "codes"), [(0.085, set()), (0.115, {"not_converged"})])
def test_samples_that_differ_too_much_within_their_blocks(document, share, codes):
    """All block medians agree to the last ns, and still a CV above 10 % is degraded."""
    by_block = _seesaw(share)
    assert len({statistics.median(block) for block in by_block}) == 1
    _set_samples(document["results"][GEMM], by_block)
    found = [flag.code for flag in judge(document, PEAKS).results[GEMM].flags]
    assert set(found) - {"bimodal"} == codes


def test_one_sample_that_was_held_up_spoils_no_measurement(document):
    """Ten times the time once in sixty samples: the other five blocks are as tight as before."""
    by_block = _blocks([1.0] * 6)
    by_block[2][4] *= 10
    _set_samples(document["results"][GEMM], by_block)
    assert _codes(document) == ("trusted", set())


def test_limits_are_tighter_on_a_device_than_on_a_cpu(document):
    """1.5 % passes on a CPU and not on a GPU."""
    factors = [1, 1.025, 0.995, 1.02, 1.0, 1.02]
    _set_samples(document["results"][GEMM], _blocks(factors))
    assert _codes(document) == ("trusted", set())
    document["devices"][0]["kind"] = "gpu"
    assert _codes(document) == ("degraded", {"not_converged"})


def test_block_shift(document):
    """A step of 20 % between blocks is a shift (limit 15 % on a CPU)."""
    _set_samples(document["results"][GEMM], _blocks([1.0, 1.0, 1.0, 1.2, 1.2, 1.2]))
    assert "block_shift" in _codes(document)[1]


def test_trend(document):
    """Eight blocks that climb by 0.2 % each: p of Mann-Kendall is 2/8!, far below 1 %."""
    factors = [1 + 0.002 * i for i in range(8)]
    assert trend_p(factors) == pytest.approx(2 / math.factorial(8))
    _set_samples(document["results"][GEMM], _blocks(factors))
    assert _codes(document) == ("degraded", {"block_shift"})


@pytest.mark.parametrize("slow", [2, 3, 5])
def test_bimodal(document, slow):
    """Two groups 30 % apart, be it 20, 30 or 50 % of the samples in the slow one."""
    blocks = [
        [value if i >= slow else round(value * 1.3) for i, value in enumerate(block)]
        for block in _blocks([1.0] * 6)
    ]
    _set_samples(document["results"][GEMM], blocks)
    assert "bimodal" in _codes(document)[1]


def test_wide_but_single_mode_is_not_bimodal():
    """Quantiles of a lognormal, however wide, have no gap."""
    normal = statistics.NormalDist()
    for sigma in (0.02, 0.2, 0.8):
        for count in (10, 30, 200):
            samples = [
                1e6 * math.exp(sigma * normal.inv_cdf((i + 0.5) / count)) for i in range(count)
            ]
            assert second_mode(samples) < 4


def test_a_single_outlier_is_not_a_mode(document):
    """Nothing is deleted, and one late sample does not spoil a measurement."""
    blocks = _blocks([1.0] * 6)
    blocks[2][4] *= 3
    _set_samples(document["results"][GEMM], blocks)
    assert _codes(document) == ("trusted", set())


def test_too_fast(document):
    """0.8 TFLOP/s is above 1.02 × a peak of 0.78; a CPU's peak counts for two sockets."""
    document["devices"][0]["kind"] = "gpu"
    assert _codes(document, {"d0": Peaks({"fp32": 0.79}, None)})[0] == "trusted"
    assert _codes(document, {"d0": Peaks({"fp32": 0.78}, None)}) == ("untrusted", {"too_fast"})
    document["devices"][0]["kind"] = "cpu"
    assert _codes(document, {"d0": Peaks({"fp32": 0.78}, None)})[0] == "trusted"
    assert _codes(document, {"d0": Peaks({"fp32": 0.39}, None)}) == ("untrusted", {"too_fast"})


def test_claimed_rate_and_work_are_not_believed(document):
    """The rate is recomputed from the samples and the shape, whatever the document says."""
    document["results"][GEMM]["rate"]["value"] = 1e18
    document["results"][GEMM]["work"]["flop"] = 10**15
    judgement = judge(document, PEAKS)
    assert judgement.verdict == "trusted"
    assert judgement.results[GEMM].reading.value == pytest.approx(0.8, rel=2e-3)


def test_roofline_violation(document):
    """60 GB/s out of a memory of 58 is impossible; out of the cache it is not."""
    document["devices"][0]["kind"] = "gpu"
    peaks = {"d0": Peaks({}, 58.0)}
    assert _codes(document, peaks) == ("untrusted", {"roofline_violation"})
    for position in range(MEMBW, MEMBW + 3):
        document["results"][position]["params"]["cache"] = "warm"
    assert _codes(document, peaks) == ("trusted", set())


def test_coarse_clock(document):
    """A clock of 2 % of the sample is too coarse; the inner calls lengthen the sample."""
    launch = next(r for r in document["results"] if r["id"] == "launch.v1")
    launch["timer"] |= {"resolution_ns": 68, "inner": 1}  # 3,400 ns a call
    assert _codes(document) == ("untrusted", {"timer_bad"})
    launch["timer"]["inner"] = 100
    assert _codes(document) == ("trusted", set())


def test_clock_that_runs_back_or_does_not_fit(document):
    """Duration, start and end must agree, but for the step of the wall clock that was noted."""
    document["time"]["duration_ns"] += 5_000_000_000
    assert _codes(document) == ("untrusted", {"timer_bad"})
    document["time"]["wall_step_ns"] = -5_000_000_000
    assert _codes(document) == ("trusted", set())
    document["host"]["timer"]["monotonic"] = False
    assert _codes(document) == ("untrusted", {"timer_bad"})


def test_time_of_zero(document):
    """No rate can be made of zero."""
    document["results"][GEMM]["samples_ns"][3] = 0
    assert _codes(document) == ("untrusted", {"timer_bad"})


def test_summary_that_does_not_follow(document):
    """A median half of what the samples say is a lie or a fault."""
    document["results"][GEMM]["summary"]["median_ns"] //= 2
    assert _codes(document) == ("untrusted", {"summary_wrong"})


@pytest.mark.parametrize("status", ["ok", "failed"])
def test_wrong_result(document, status):
    """A wrong product makes the run untrusted, also when the agent gave the case up for it."""
    document["results"][GEMM] |= {"status": status, "reason": "result_wrong: relative error 0.3"}
    document["results"][GEMM]["check"] = {"ok": False, "rel_fro": 0.3}
    assert _codes(document) == ("untrusted", {"result_wrong"})


def test_thinned_samples_use_the_agents_block_medians(document):
    """After thinning the medians of all samples are the agent's; the kept ones show the shape."""
    result = document["results"][GEMM]
    result["samples_ns"] = result["samples_ns"][::2]
    for block in result["blocks"]:
        block["n"] = 20
    result["samples_total"] = 120
    judged = judge(document, PEAKS).results[GEMM]
    assert judged.flags == ()
    assert judged.timing.medians_ns == tuple(b["median_ns"] for b in result["blocks"])
    assert [len(block) for block in judged.timing.blocks_ns] == [5] * 6

"""Whether a run can be trusted: every flag recomputed from the raw samples.

A tight interval inside a run is not trust: a host shared with others can be evenly slow. So the
signs of sharing count first. The agent reports inputs only; it judges nothing.

The verdict of a run is the worst of its flags. A flag of the run bars all its measurements from the
figures, a flag of a measurement bars that measurement, and an untrusted run bars everything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from hardware_catalog.benchmarks.contract import moment
from hardware_catalog.benchmarks.readings import Reading, reading_of
from hardware_catalog.benchmarks.sampling import (
    MIN_SAMPLES_FOR_INTERVAL,
    Timing,
    block_shift,
    second_mode,
    spread_in_block,
    timing_of,
    trend_p,
)

TRUSTED, DEGRADED, UNTRUSTED = "trusted", "degraded", "untrusted"
RANK = {TRUSTED: 0, DEGRADED: 1, UNTRUSTED: 2}

RUN_DELAY = (0.02, 0.10)
IDLE_RUN_DELAY = 0.30
STEAL = (0.01, 0.05)
THROTTLED = 0.01
HALF_WIDTH = {"cpu": 0.02, "device": 0.01}
SAMPLE_SPREAD = 0.10
BLOCK_SHIFT = {"cpu": 1.15, "device": 1.05}
TREND_P = 0.01
SECOND_MODE = 4.0
OVER_PEAK = 1.02
# The catalog has one socket; a board may have two, and the document does not say.
CPU_SOCKETS = 2
RESOLUTION_SHARE = 0.01
CLOCK_SLACK_S = 1.0
SUMMARY_DIFFERENCE = 0.25


@dataclass(frozen=True, slots=True)
class Flag:
    """One reason for doubt: what, how much, and where the limit lies."""

    code: str
    verdict: str
    text: str
    value: float | None = None
    threshold: float | None = None

    def as_json(self) -> dict[str, Any]:
        """Return the flag as it is stored and sent."""
        return {
            "code": self.code,
            "verdict": self.verdict,
            "text": self.text,
            "value": self.value,
            "threshold": self.threshold,
        }


@dataclass(frozen=True, slots=True)
class Peaks:
    """What the catalog says a device can do at most; empty where it says nothing.

    `tflops` by dtype are dense peaks in TFLOP/s, `memory_gb_s` is in GB/s (1e9).
    """

    tflops: Mapping[str, float]
    memory_gb_s: float | None


@dataclass(frozen=True, slots=True)
class Judged:
    """One result of the document with its times, reading and flags."""

    timing: Timing | None
    reading: Reading | None
    flags: tuple[Flag, ...]

    @property
    def verdict(self) -> str:
        """Worst of its own flags."""
        return worst(self.flags)


@dataclass(frozen=True, slots=True)
class Judgement:
    """The whole run: its own flags, and its results in the order of the document."""

    flags: tuple[Flag, ...]
    results: tuple[Judged, ...]

    @property
    def verdict(self) -> str:
        """Worst of all flags, the run's and its measurements'."""
        return worst([*self.flags, *(flag for result in self.results for flag in result.flags)])

    def usable(self, result: Judged) -> bool:
        """Tell whether a result may feed a figure."""
        return (
            result.reading is not None
            and result.reading.metric != ""
            and not result.flags
            and not self.flags
            and self.verdict != UNTRUSTED
        )


def worst(flags: Any) -> str:
    """Return the worst verdict of the flags, `trusted` without any."""
    return max((flag.verdict for flag in flags), key=lambda word: RANK[word], default=TRUSTED)


def judge(document: dict[str, Any], peaks: Mapping[str, Peaks]) -> Judgement:
    """Judge a document; `peaks` by device key of the document, where the catalog knows them."""
    devices = {device["key"]: device for device in document["devices"]}
    results = tuple(
        _judge_result(result, devices[result["device"]], peaks.get(result["device"]))
        for result in document["results"]
    )
    return Judgement(tuple(_run_flags(document)), results)


def _two_steps(
    code: str, value: float | None, limits: tuple[float, float], text: str
) -> list[Flag]:
    """Degraded above the first limit, untrusted above the second; nothing is read into None."""
    if value is None or value <= limits[0]:
        return []
    over = value > limits[1]
    return [
        Flag(code, UNTRUSTED if over else DEGRADED, text, value, limits[1] if over else limits[0])
    ]


def _run_flags(document: dict[str, Any]) -> list[Flag]:
    host = document.get("host", {})
    flags = _two_steps(
        "cpu_contention",
        host.get("run_delay_share"),
        RUN_DELAY,
        "Other work on the machine kept the benchmark waiting for a CPU.",
    )
    idle = host.get("idle_run_delay_share")
    if not flags and idle is not None and idle > IDLE_RUN_DELAY:
        text = "The machine was busy before the benchmark began."
        flags.append(Flag("cpu_contention", UNTRUSTED, text, idle, IDLE_RUN_DELAY))
    flags += _two_steps(
        "steal",
        host.get("steal_share"),
        STEAL,
        "The hypervisor gave the machine's CPU time to others.",
    )
    throttled = host.get("throttled_share")
    if host.get("nr_throttled") and throttled is not None and throttled > THROTTLED:
        text = "The container's CPU quota held the benchmark back."
        flags.append(Flag("cgroup_throttled", DEGRADED, text, throttled, THROTTLED))
    return flags + _clock_flags(document)


def _clock_flags(document: dict[str, Any]) -> list[Flag]:
    timer = document.get("host", {}).get("timer")
    if isinstance(timer, dict) and timer.get("monotonic") is False:
        return [Flag("timer_bad", UNTRUSTED, "The clock that times the benchmarks ran backwards.")]
    time = document["time"]
    wall_s = (moment(time["finished_at"]) - moment(time["started_at"])).total_seconds()
    step_s = abs(time.get("wall_step_ns", 0)) / 1e9
    gap_s = abs(wall_s - time["duration_ns"] / 1e9) - step_s
    if gap_s > CLOCK_SLACK_S:
        text = "The stated duration does not fit the start and the end of the run."
        return [Flag("timer_bad", UNTRUSTED, text, gap_s, CLOCK_SLACK_S)]
    return []


def _judge_result(result: dict[str, Any], device: dict[str, Any], peaks: Peaks | None) -> Judged:
    timing = timing_of(result)
    reading = reading_of(result, device, timing)
    flags: list[Flag] = []
    check = result.get("check") or {}
    if check.get("ok") is False:
        text = "The result of the timed operation is wrong."
        flags.append(Flag("result_wrong", UNTRUSTED, text, check.get("rel_fro")))
    if result["status"] != "ok":
        return Judged(timing, None, tuple(flags))
    if timing is None:
        flags.append(Flag("timer_bad", UNTRUSTED, "A time of zero was reported."))
        return Judged(None, None, tuple(flags))
    flags += _two_steps(
        "cpu_contention",
        (result.get("host") or {}).get("run_delay_share"),
        RUN_DELAY,
        "Other work kept this measurement waiting for a CPU.",
    )
    flags += _timer_flags(result, timing)
    flags += _settled_flags(result, timing, "cpu" if device["kind"] == "cpu" else "device")
    if reading is not None and peaks is not None:
        flags += _peak_flags(reading, peaks, CPU_SOCKETS if device["kind"] == "cpu" else 1)
    return Judged(timing, reading, tuple(flags))


def _timer_flags(result: dict[str, Any], timing: Timing) -> list[Flag]:
    flags = []
    timer = result.get("timer", {})
    sample_ns = timing.median_ns * timer.get("inner", 1)
    share = timer.get("resolution_ns", 0) / sample_ns
    if share > RESOLUTION_SHARE:
        text = "The clock is too coarse for samples this short."
        flags.append(Flag("timer_bad", UNTRUSTED, text, share, RESOLUTION_SHARE))
    stated = result.get("summary", {}).get("median_ns") or 0
    difference = abs(stated - timing.median_ns) / timing.median_ns
    if stated and difference > SUMMARY_DIFFERENCE:
        text = "The stated median does not follow from the samples."
        flags.append(Flag("summary_wrong", UNTRUSTED, text, difference, SUMMARY_DIFFERENCE))
    return flags


def _settled_flags(result: dict[str, Any], timing: Timing, kind: str) -> list[Flag]:
    """Spread of the samples, and a warm-up that gave up before the timings were steady (G3).

    One flag of a kind is enough: the samples' own evidence goes before the agent's word.
    """
    flags = _spread_flags(timing, kind)
    if any(flag.code == "not_converged" for flag in flags):
        return flags
    spread = spread_in_block(timing.blocks_ns)
    if spread > SAMPLE_SPREAD:
        text = "Calls beside one another differ too much in time."
        return [Flag("not_converged", DEGRADED, text, spread, SAMPLE_SPREAD), *flags]
    if (result.get("warmup") or {}).get("steady") is False:
        text = "The timings were not steady yet when the warm-up ended."
        return [Flag("not_converged", DEGRADED, text), *flags]
    return flags


def _spread_flags(timing: Timing, kind: str) -> list[Flag]:
    interval = timing.interval_ns()
    if interval is None:
        few = timing.samples_total < MIN_SAMPLES_FOR_INTERVAL
        value = timing.samples_total if few else len(timing.medians_ns)
        text = "Too few samples for an interval." if few else "One block only: no interval."
        threshold = MIN_SAMPLES_FOR_INTERVAL if few else 2
        return [Flag("few_samples", DEGRADED, text, value, threshold)]
    flags = []
    half_width = (interval[1] - interval[0]) / 2 / timing.median_ns
    if half_width > HALF_WIDTH[kind]:
        text = "The interval did not get narrow enough in the time given."
        flags.append(Flag("not_converged", DEGRADED, text, half_width, HALF_WIDTH[kind]))
    shift, trend = block_shift(timing.medians_ns), trend_p(timing.medians_ns)
    if shift > BLOCK_SHIFT[kind]:
        text = "The speed changed between the blocks of the run."
        flags.append(Flag("block_shift", DEGRADED, text, shift, BLOCK_SHIFT[kind]))
    elif trend < TREND_P:
        text = "The speed drifted one way during the run."
        flags.append(Flag("block_shift", DEGRADED, text, trend, TREND_P))
    modes = second_mode(timing.samples_ns)
    if modes > SECOND_MODE:
        text = "The samples fall into two groups."
        flags.append(Flag("bimodal", DEGRADED, text, modes, SECOND_MODE))
    return flags


def _peak_flags(reading: Reading, peaks: Peaks, sockets: int) -> list[Flag]:
    flags = []
    peak = peaks.tflops.get(reading.dtype) if reading.metric == "gemm" else None
    if peak and reading.value > OVER_PEAK * sockets * peak:
        text = "Faster than the device's dense peak: wrong data type, reused result or wrong clock."
        flags.append(Flag("too_fast", UNTRUSTED, text, reading.value, OVER_PEAK * sockets * peak))
    memory = peaks.memory_gb_s
    if memory and reading.moved_gb_s and reading.moved_gb_s > OVER_PEAK * sockets * memory:
        text = "More bytes per second than the device's memory can deliver."
        limit = OVER_PEAK * sockets * memory
        flags.append(Flag("roofline_violation", UNTRUSTED, text, reading.moved_gb_s, limit))
    return flags

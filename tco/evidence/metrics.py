"""Metrics and load kinds of the UNIFIED schema: units, and which family a metric belongs to."""

from __future__ import annotations

from dataclasses import dataclass

LOAD_KINDS = (
    "closed",
    "open_constant_rps",
    "open_poisson_rps",
    "open_poisson_at_slo",
    "offline",
    "static_batch",
    "static_max_num_seqs",
)
LOADED_KINDS = frozenset(LOAD_KINDS) - {"open_poisson_at_slo", "offline"}  # load_value is needed
OVERLOAD_TTFT_MS = 5000.0  # a run whose own time to first token passes this was not sustained


@dataclass(frozen=True, slots=True)
class Metric:
    """One measured quantity of a run."""

    key: str
    family: str  # ttft | tpot | itl | e2e | throughput | power | energy
    unit: str
    label: str


_STATISTICS = {"mean": "mean", "p50": "p50", "p90": "p90", "p95": "p95", "p99": "p99"}
_LATENCIES = {
    "ttft": "time to first token",
    "tpot": "time per output token",
    "itl": "inter-token time",
    "e2e": "end to end",
}
_OTHERS = (
    Metric("output_tok_s_per_gpu", "throughput", "tok/s/GPU", "output tokens/s per device"),
    Metric(
        "output_tok_s_per_gpu_littles",
        "throughput",
        "tok/s/GPU",
        "output tokens/s per device, derived from the measured times",
    ),
    Metric("gpu_board_power_w", "power", "W", "board power per device"),
    Metric("system_wall_power_w", "power", "W", "wall power of the system"),
    Metric("j_per_output_token_gpu", "energy", "J", "joules per output token, device only"),
)
METRICS: dict[str, Metric] = {
    **{
        f"{name}_{statistic}": Metric(f"{name}_{statistic}", name, "ms", f"{label}, {word}")
        for name, label in _LATENCIES.items()
        for statistic, word in _STATISTICS.items()
    },
    **{metric.key: metric for metric in _OTHERS},
}
_FACTORS = {
    "ms": {"ms": 1.0, "s": 1000.0, "us": 0.001},
    "tok/s/GPU": {"tok/s/GPU": 1.0, "tok/s/gpu": 1.0, "tokens/s/GPU": 1.0},
    "W": {"W": 1.0, "kW": 1000.0},
    "J": {"J": 1.0, "kJ": 1000.0},
}


def unit_factor(metric: str, unit: str) -> float | None:
    """Return what a value in `unit` is multiplied by, or None where the unit does not fit.

    An empty unit is the metric's own.

    Examples
    --------
    >>> unit_factor("ttft_mean", "s"), unit_factor("ttft_mean", "W")
    (1000.0, None)
    """
    own = METRICS[metric].unit
    return _FACTORS[own].get(unit or own)


def higher_is_better(metric: str) -> bool:
    """Return whether more of `metric` is better: only throughput."""
    return METRICS[metric].family == "throughput"

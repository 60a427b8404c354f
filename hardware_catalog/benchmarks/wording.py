"""Runs in words: what was measured, what a flag says, what a verdict means."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hardware_catalog.models import BenchmarkRun, Measurement

VERDICT_SEVERITY = {"trusted": "good", "degraded": "warning", "untrusted": "error"}

FAMILIES = {
    "gemm": "Matrix product",
    "membw": "Memory",
    "launch": "Launch of one operation",
    "block": "Decoder block",
}
OPERATIONS = {"read": "read", "write": "write", "copy": "copy", "triad": "scaled add"}
MODES = {"enqueue": "handed over, not waited for", "enqueue_sync": "each waited for"}
UNITS = {"us": "µs"}

# How the value and the limit of a flag are written.
_SHARE = frozenset(
    {"cpu_contention", "steal", "cgroup_throttled", "not_converged", "summary_wrong"}
)
_UNIT_OF_FLAG = {"too_fast": "TFLOP/s", "roofline_violation": "GB/s"}


def benchmark_words(benchmark: str, params: dict[str, Any]) -> str:
    """Say what was measured.

    >>> benchmark_words("gemm.v1", {"m": 512, "n": 1024, "k": 1024, "dtype": "fp32", "threads": 8})
    'Matrix product 512 × 1,024 × 1,024, fp32, 8 threads'
    >>> benchmark_words("coldstart.v1", {})
    'Coldstart, not understood here'
    """
    family = benchmark.rpartition(".v")[0]
    if family not in FAMILIES:
        return f"{family.replace('_', ' ').capitalize()}, not understood here"
    parts = [FAMILIES[family]]
    if family == "gemm":
        parts[0] += " " + " × ".join(_number(params.get(name)) for name in ("m", "n", "k"))
    elif family == "membw":
        operation = str(params.get("op"))
        parts[0] += f" {OPERATIONS.get(operation, operation)}"
        parts.append(_mebibytes(params.get("size_bytes")))
        parts.append("from the cache" if params.get("cache") == "warm" else "")
    elif family == "launch":
        parts.append(MODES.get(str(params.get("mode")), ""))
    else:
        parts[0] += f", {params.get('phase')}"
        parts.append(_tokens(params))
    parts.append(str(params.get("dtype") or ""))
    threads = params.get("threads")
    parts.append(f"{threads} thread{'s' if threads != 1 else ''}" if threads else "")
    return ", ".join(part for part in parts if part)


def _number(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else "?"


def _mebibytes(value: object) -> str:
    return f"{value / 2**20:,.0f} MiB" if isinstance(value, int) else ""


def _tokens(params: dict[str, Any]) -> str:
    batch, seq = params.get("batch"), params.get("seq")
    if not isinstance(batch, int) or not isinstance(seq, int):
        return ""
    count = batch * seq
    return f"{count:,} token{'s' if count != 1 else ''} at width {_number(params.get('d_model'))}"


def flag_finding(flag: dict[str, Any]) -> dict[str, str]:
    """Return a flag as a finding: the words, with the value and the limit."""
    message = str(flag["text"])
    value, threshold = flag.get("value"), flag.get("threshold")
    if value is not None and threshold is not None:
        message += f" {_amount(flag, value)}; the limit is {_amount(flag, threshold)}."
    return {"severity": VERDICT_SEVERITY[flag["verdict"]], "message": message, "mend": ""}


def _three(value: float) -> str:
    """Write three significant figures without an exponent."""
    return f"{float(f'{value:.3g}'):,.10g}"


def _amount(flag: dict[str, Any], value: float) -> str:
    code = str(flag["code"])
    if code in _SHARE or (code == "timer_bad" and "coarse" in flag["text"]):
        return f"{_three(value * 100)} %"
    if code == "block_shift" and "drifted" in flag["text"]:
        return f"p = {value:.2g}"
    if code == "block_shift":
        return f"{_three((value - 1) * 100)} %"
    if code == "timer_bad":
        return f"{_three(value)} s"
    return f"{_three(value)} {_UNIT_OF_FLAG.get(code, '')}".strip()


def verdict_sentence(run: BenchmarkRun, measurements: Sequence[Measurement]) -> str:
    """Say in one sentence whether the run counts."""
    measured = [row for row in measurements if row.status == "ok"]
    used = sum(row.usable for row in measured)
    if run.verdict == "untrusted":
        return "Untrusted: the run is kept, and none of its numbers feeds a figure."
    if run.verdict == "trusted":
        return f"Trusted: {used} of {len(measured)} measurements feed the figures of the device."
    if run.flags:
        return "Degraded: the machine was disturbed, so none of its numbers feeds a figure."
    return (
        f"Degraded: {used} of {len(measured)} measurements feed the figures; "
        "those with a flag of their own are left out."
    )

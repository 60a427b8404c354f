"""A naive roofline: enough of a predictor to try the scoring with, of no use otherwise."""

from __future__ import annotations

from tco.evidence.run import Predicted
from tco.performance.work import work_of

FLOPS_SHARE, BANDWIDTH_SHARE, STEP_MS = 0.5, 0.7, 3.0


def _batch(one):
    load = one.run.load_value or 1.0
    if one.run.load_kind.startswith("open_") and one.run.load_kind != "open_poisson_at_slo":
        return max(1.0, load * one.output_tokens * 0.02)
    return load if one.run.load_value else 64.0


def roofline(runs, leave_out):
    """One answer a run: times, tokens/s and energy at a batch guessed from the load."""
    answers = []
    for one in runs:
        bandwidth = one.device.memory_bandwidth_gb_s
        peak = one.device.peak(one.weight_dtype) or one.device.peak("bf16")
        if bandwidth is None or peak is None:
            answers.append("no peak of the device")
            continue
        batch = _batch(one)
        work = work_of(
            one.model, one.parallel, weight_dtype=one.weight_dtype, kv_dtype=one.kv_dtype
        )
        context = one.input_tokens + one.output_tokens / 2
        step_ms = STEP_MS + 1e3 * (
            work.weight_bytes(batch) + work.full.kv_bytes * batch * context
        ) / (bandwidth.value * 1e9 * BANDWIDTH_SHARE)
        first_ms = step_ms + 1e3 * work.flops(one.input_tokens, 1) / (
            peak.value * 1e12 * FLOPS_SHARE
        )
        whole_ms = first_ms + step_ms * one.output_tokens
        speed = batch * one.output_tokens / (whole_ms / 1e3) / one.parallel.devices
        values = {
            "output_tok_s_per_gpu": speed,
            "output_tok_s_per_gpu_littles": speed,
            **{f"ttft_{name}": first_ms for name in ("mean", "p50", "p90", "p99")},
            **{f"tpot_{name}": step_ms for name in ("mean", "p50", "p90", "p99")},
            **{f"itl_{name}": step_ms for name in ("mean", "p50", "p90", "p99")},
            **{f"e2e_{name}": whole_ms for name in ("mean", "p50", "p90", "p99")},
        }
        if one.device.board_w is not None:
            watts = 0.7 * one.device.board_w.value
            values["gpu_board_power_w"] = watts
            values["j_per_output_token_gpu"] = watts / speed
        answers.append(
            {
                metric: Predicted(value, value / 1.5, value * 1.5, "data sheet")
                for metric, value in values.items()
            }
        )
    return answers


def staged_roofline(runs, leave_out):
    """The same for each stage and the whole run of the sim2real study."""
    answers = roofline([run.resolved for run in runs], leave_out)
    return [
        answer if isinstance(answer, str) else {-1: answer, **{s.index: answer for s in run.stages}}
        for run, answer in zip(runs, answers, strict=True)
    ]

"""Predictions of measured serving runs, each by a fit that has not seen its like (P13, P16)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from tco.evidence.folds import fold_of, known_fold
from tco.evidence.run import Predicted, ResolvedRun
from tco.evidence.serving_fit import predicted
from tco.evidence.serving_groups import Group, groups
from tco.evidence.sim2real import WHOLE_RUN, StagedRun
from tco.performance.factors import Key, shipped_factors
from tco.performance.residuals import (
    class_of,
    family_of,
    interval_for,
    shipped_intervals,
    shipped_tails,
    tail_for,
)

MEANS = {  # metric of the rows: (what the model gives, factor to the unit of the rows)
    **{f"{name}_{at}": ("tpot", 1e3) for name in ("tpot", "itl") for at in ("mean", "p50")},
    **{f"{name}_{at}": ("tpot", 1e3) for name in ("tpot", "itl") for at in ("p90", "p95", "p99")},
    **{f"ttft_{at}": ("ttft", 1e3) for at in ("mean", "p50", "p90", "p95", "p99")},
    **{f"e2e_{at}": ("e2e", 1e3) for at in ("mean", "p50", "p90", "p95", "p99")},
    "output_tok_s_per_gpu": ("throughput", 1.0),
    "output_tok_s_per_gpu_littles": ("littles", 1.0),
}
OVERLOAD = 0.93  # share of the time taken by prompts and slots, from which a queue only grows


def raw_values(
    group: Group, values: Mapping[Key, float]
) -> tuple[dict[str, np.ndarray], np.ndarray]:
    """Return the model's means by quantity, and which runs it calls overloaded."""
    target, state = predicted(group, values), group.state(values)
    load = np.nan_to_num(group.load, nan=1.0)
    known = {
        "tpot": target.tpot,
        "ttft": target.ttft,
        "e2e": target.e2e,
        "throughput": target.throughput,
        "littles": load * group.output_tokens / state.e2e_s / group.devices,
    }
    open_kind = group.kind.startswith("open") and group.kind != "open_poisson_at_slo"
    full = state.sequences > group.batch(values).room(1.0)
    over = (state.prompt_share > OVERLOAD) | full if open_kind else np.zeros_like(load, bool)
    return known, over


def predict_runs(runs: Sequence[ResolvedRun], leave_out: str) -> list[dict[str, Predicted] | str]:
    """Return what the model says of each run, with an 80 % interval, or why it says nothing.

    Parameters
    ----------
    leave_out
        ``device``, ``model`` or ``source``: what the fit behind each prediction has not seen.
    """
    answers: list[dict[str, Predicted] | str] = [""] * len(runs)
    found, refused = groups(runs)
    for place, reason in refused.items():
        answers[place] = reason
    factors, tails, intervals = shipped_factors(), shipped_tails(), shipped_intervals()
    for group in found:
        folds = [known_fold(fold_of(runs[place], leave_out), factors) for place in group.index]
        for fold in sorted(set(folds)):
            known, over = raw_values(group, factors[fold])
            evidence = "fit without it" if fold != "all" else "family of devices seen"
            for row, place in enumerate(group.index):
                if folds[row] != fold:
                    continue
                if over[row]:
                    answers[place] = "overloaded: arrivals outrun what the replica serves"
                    continue
                answers[place] = {}
                for metric, (name, factor) in MEANS.items():
                    mean = float(known[name][row]) * factor
                    if not math.isfinite(mean) or mean <= 0:
                        continue
                    one = class_of(metric, group.kind, float(group.load[row]))
                    value = mean * math.exp(tail_for(one, tails[fold]))
                    spread = interval_for(family_of(metric, group.kind), intervals[fold])
                    answers[place][metric] = Predicted(
                        value,
                        value * math.exp(spread.low),
                        value * math.exp(spread.high),
                        evidence,
                    )
    return answers


def predict_staged(
    staged: Sequence[StagedRun], leave_out: str
) -> list[dict[int, dict[str, Predicted]] | str]:
    """Return each stage of the study's runs and the whole run, weighted by its requests."""
    answers: list[dict[int, dict[str, Predicted]] | str] = []
    flat: list[ResolvedRun] = []
    for one in staged:
        for stage in one.stages:
            run = replace(
                one.resolved.run,
                load_value=stage.rate_per_s,
                note=f"shared prefix {one.shared_prefix_tokens:.0f} tok",
            )
            flat.append(replace(one.resolved, run=run))
    said = iter(predict_runs(flat, leave_out))
    for one in staged:
        parts = {stage.index: next(said) for stage in one.stages}
        refused = [part for part in parts.values() if isinstance(part, str)]
        if refused:
            answers.append(refused[0])
            continue
        weights = {stage.index: stage.rate_per_s * stage.duration_s for stage in one.stages}
        kept = {index: part for index, part in parts.items() if not isinstance(part, str)}
        answers.append({**kept, WHOLE_RUN: _whole(kept, weights)})
    return answers


def _whole(
    parts: Mapping[int, dict[str, Predicted]], weights: Mapping[int, float]
) -> dict[str, Predicted]:
    """Means of the whole run by requests; for percentiles that of the slowest stage decides."""
    total = sum(weights.values())
    whole = {}
    for metric in next(iter(parts.values())):
        if metric.endswith(("_p90", "_p95", "_p99")):
            whole[metric] = max((part[metric] for part in parts.values()), key=lambda p: p.value)
            continue

        def mean(name: str, of: str = metric) -> float:
            found = (weights[i] * float(getattr(part[of], name)) for i, part in parts.items())
            return sum(found) / total

        first = next(iter(parts.values()))[metric]
        whole[metric] = Predicted(mean("value"), mean("low"), mean("high"), first.evidence)
    return whole

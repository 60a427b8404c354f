"""Fit the factors of the serving model to measured runs, shrunk scope by scope (P13.2).

The residual is the logarithm of predicted over measured, robust, with each (source, device, model)
cell weighing as the square root of its runs. Each factor of a narrower scope has a prior of 0 with
the width given here, so that a device or a stack without rows takes its family's.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import least_squares

from tco.evidence.run import ResolvedRun
from tco.evidence.serving_groups import AT_SLO, OFFLINE, OPEN, RUNNING, TUNED_LOAD, Group
from tco.performance.factors import Key

Array = NDArray[np.float64]
PRIOR = {  # centre and width of the factors all replicas share; costs in the unit of their name
    "compute": (-0.05, 0.15),
    "compute_8bit": (-0.3, 0.25),
    "compute_4bit": (-0.5, 0.3),
    "compute_experts": (-0.4, 0.4),
    "memory": (0.0, 0.1),
    "memory_8bit": (-0.15, 0.2),
    "memory_4bit": (-0.25, 0.25),
    "memory_experts": (-0.1, 0.25),
    "kv": (-0.1, 0.3),
    "attention": (0.0, 0.4),
    "prompt_attention": (-0.3, 0.3),
    "collective": (-0.5, 0.4),
    "routing": (-0.1, 0.07),
    "layer_us": (np.log(30.0), 0.15),
    "prompt_kernel_us": (np.log(3.0), 0.5),
    "step_ms": (np.log(0.2), 0.25),
    "sequence_us": (np.log(4.0), 0.2),
    # public host cost 15 ms; A100 runs of the vLLM study leave 8 to 10 ms once the prefill is off
    "request_ms": (np.log(9.0), 0.2),
    "device": (0.0, 0.05),
}
WIDTH = {
    "stack": {"device": 0.08, "layer_us": 0.5, "sequence_us": 0.8, "step_ms": 0.7, "kv": 0.3,
              "request_ms": 0.6, "collective": 0.6, "prompt_kernel_us": 0.7, "compute": 0.3,
              "compute_experts": 0.4, "memory_experts": 0.2, "memory_8bit": 0.15,
              "compute_8bit": 0.25},
    "vintage": {"device": 0.08, "layer_us": 0.3, "collective": 0.3, "memory_experts": 0.15},
    "vendor": {"device": 0.5, "layer_us": 0.3, "kv": 0.25},
    "architecture": {"device": 0.12, "layer_us": 0.2, "kv": 0.15, "compute_8bit": 0.2,
                     "compute_4bit": 0.2, "compute": 0.1},
    "device": {"device": 0.08},
    "port": {"device": 0.4, "layer_us": 0.4, "sequence_us": 0.8, "kv": 0.3},
}  # fmt: skip
REFERENCE_VENDOR = "NVIDIA"
METRIC_WEIGHT = {"tpot": 1.0, "e2e": 1.0, "throughput": 0.8, "ttft": 0.5}
CELL_POWER = 0.35  # between every row alike (0) and every cell alike (0.5)
ERROR_SCALE, ROBUST_SCALE, WIDE_SCALE, PRIOR_WEIGHT = 0.12, 0.15, 0.8, 0.9


@dataclass(frozen=True, slots=True)
class Target:
    """Measured seconds or tokens/s of a group, NaN where there is none."""

    tpot: Array
    e2e: Array
    throughput: Array
    ttft: Array


def targets(group: Group, runs: Sequence[ResolvedRun]) -> Target:
    """Return what the fit compares: means where measured, medians else."""

    def first(place: int, names: tuple[str, ...], scale: float) -> float:
        measured = runs[place].run.measured
        for name in names:
            if name in measured and measured[name].value > 0:
                return measured[name].value * scale
        return float("nan")

    def column(names: tuple[str, ...], scale: float = 1e-3) -> Array:
        values = [
            float("nan") if runs[place].run.overloaded else first(place, names, scale)
            for place in group.index
        ]
        return np.array(values)

    nothing = np.full(len(group.index), np.nan)
    # closed loops start with all requests at once: their first tokens measure that burst
    ttft = column(("ttft_mean", "ttft_p50")) if group.kind in OPEN else nothing
    saturating = group.kind in (OFFLINE, AT_SLO, RUNNING)
    return Target(
        # a run tuned to a limit has the token time of the limit
        tpot=nothing if group.kind == AT_SLO else column(("tpot_mean", "tpot_p50", "itl_mean")),
        e2e=column(("e2e_mean",)) if group.kind == "static_batch" else nothing,
        throughput=column(("output_tok_s_per_gpu",), 1.0) if saturating else nothing,
        ttft=ttft,
    )


def predicted(group: Group, values: Mapping[Key, float]) -> Target:
    """Return the model's values of the same quantities."""
    state = group.state(values)
    tuned = TUNED_LOAD if group.kind == AT_SLO else 1.0
    return Target(
        tpot=state.tpot_s,
        e2e=state.e2e_s,
        throughput=state.output_tokens_per_s * tuned / group.devices,
        ttft=state.ttft_s,
    )


def parameter_keys(found: Sequence[Group]) -> list[Key]:
    """Return every factor to fit: those of all, then of each scope that has rows."""
    keys: list[Key] = [("all", "", name) for name in PRIOR]
    present: dict[str, set[str]] = {scope: set() for scope in WIDTH}
    for group in found:
        for each in group.subjects:
            for scope, whose in each.scopes()[1:]:
                if whose:
                    present[scope].add(whose)
    for scope, widths in WIDTH.items():
        for whose in sorted(present[scope]):
            if scope == "vendor" and whose == REFERENCE_VENDOR:
                continue
            keys += [(scope, whose, name) for name in widths]
    return keys


def prior_of(key: Key) -> tuple[float, float]:
    """Centre and width of a factor's prior."""
    scope, _, name = key
    return PRIOR[name] if scope == "all" else (0.0, WIDTH[scope][name])


def fit(
    found: Sequence[Group],
    runs: Sequence[ResolvedRun],
    *,
    leave_out: Callable[[ResolvedRun], bool] = lambda run: False,
    start: Mapping[Key, float] | None = None,
    evaluations: int = 12,
) -> dict[Key, float]:
    """Return the factors fitted to the runs that are not left out.

    Raises
    ------
    ValueError
        When nothing is left to fit.
    """
    kept = [
        np.array(
            [
                not leave_out(runs[place]) and not runs[place].run.overloaded
                for place in group.index
            ],
            dtype=bool,
        )
        for group in found
    ]
    if not any(mask.any() for mask in kept):
        raise ValueError("no run is left to fit")
    cells: dict[tuple[str, str, str], int] = {}
    for group, mask in zip(found, kept, strict=True):
        for place in group.index[mask]:
            cells[_cell(runs[place])] = cells.get(_cell(runs[place]), 0) + 1
    parts = []
    for group, mask in zip(found, kept, strict=True):
        if mask.any():
            part = _part(group, mask)
            weights = np.array(
                [
                    source_weight(runs[place]) / cells[_cell(runs[place])] ** CELL_POWER
                    for place in part.index
                ]
            )
            parts.append(_Part(part, targets(part, runs), weights))
    keys = parameter_keys([part.group for part in parts])
    centre = np.array([prior_of(key)[0] for key in keys])
    width = np.array([prior_of(key)[1] for key in keys])
    touched = {scope: [part.affected(*scope) for part in parts] for scope in {k[:2] for k in keys}}

    def residuals(p: Array, scale: float) -> Array:
        values = dict(zip(keys, p, strict=True))
        rows = [part.residuals(values, scale) for part in parts]
        return np.concatenate([*rows, (p - centre) / width * PRIOR_WEIGHT])

    def slopes(p: Array, scale: float) -> Array:
        """Differences of the rows a factor touches: a narrow scope costs a part of the rows."""
        values = dict(zip(keys, p, strict=True))
        base = [part.residuals(values, scale) for part in parts]
        ends = np.cumsum([0, *(len(rows) for rows in base)])
        matrix = np.zeros((ends[-1] + len(keys), len(keys)))
        for column, key in enumerate(keys):
            moved = {**values, key: values[key] + _STEP}
            for place, few in enumerate(touched[key[:2]]):
                if few is None:
                    continue
                part, rows = few
                change = (part.residuals(moved, scale) - base[place][rows]) / _STEP
                matrix[ends[place] + rows, column] = change
            matrix[ends[-1] + column, column] = PRIOR_WEIGHT / width[column]
        return matrix

    first = (
        centre
        if start is None
        else np.array([start.get(key, value) for key, value in zip(keys, centre, strict=True)])
    )
    # wide first: a stack that runs three times slower than it could is not to be called an outlier
    for scale in (ROBUST_SCALE,) if start else (WIDE_SCALE, ROBUST_SCALE):
        answer = least_squares(
            residuals, first, jac=slopes, args=(scale,), max_nfev=evaluations, x_scale=width
        )
        first = answer.x
    return {key: float(value) for key, value in zip(keys, first, strict=True)}


_STEP = 1e-4


@dataclass(frozen=True, eq=False)
class _Part:
    """Runs of one kind that are fitted, with what was measured and how much each weighs."""

    group: Group
    target: Target
    weights: Array

    def residuals(self, values: Mapping[Key, float], scale: float) -> Array:
        """Robust weighted log errors, metric by metric."""
        model = predicted(self.group, values)
        rows = []
        for name, share in METRIC_WEIGHT.items():
            measured = getattr(self.target, name)
            known = np.isfinite(measured)
            error = np.log(getattr(model, name)[known] / measured[known])
            # Cauchy: a server that was held up by something else does not pull the fit
            robust = np.sign(error) * np.sqrt(np.log1p((error / scale) ** 2))
            rows.append(robust * self.weights[known] * share * scale / ERROR_SCALE)
        return np.concatenate(rows)

    def affected(self, scope: str, whose: str) -> tuple[_Part, NDArray[np.int64]] | None:
        """Runs that a factor of `scope` touches, and which residuals are theirs."""
        mask = np.array([(scope, whose) in each.scopes() for each in self.group.subjects])
        if not mask.any():
            return None
        chosen = np.flatnonzero(mask)
        rows, offset = [], 0
        for name in METRIC_WEIGHT:
            known = np.isfinite(getattr(self.target, name))
            place = np.cumsum(known) - 1 + offset
            rows.append(place[known & mask])
            offset += int(known.sum())
        target = Target(**{name: getattr(self.target, name)[chosen] for name in METRIC_WEIGHT})
        part = _Part(_part(self.group, mask), target, self.weights[chosen])
        return part, np.concatenate(rows)


SOURCE_WEIGHT = {"vllm": 2.5, "argonne": 0.5}  # stated loads of today's engine; stacks of 2024


def source_weight(run: ResolvedRun) -> float:
    """Return how much a run weighs: how well its load is known and how old its software is."""
    return next((w for name, w in SOURCE_WEIGHT.items() if run.run.source.startswith(name)), 1.0)


def _cell(run: ResolvedRun) -> tuple[str, str, str]:
    return run.run.source, run.device.key, run.model.key


def _part(group: Group, mask: NDArray[np.bool_]) -> Group:
    chosen = np.flatnonzero(mask)
    return Group(
        kind=group.kind,
        index=group.index[chosen],
        arrays=group.arrays.take(chosen),
        subjects=tuple(group.subjects[i] for i in chosen),
        input_tokens=group.input_tokens[chosen],
        output_tokens=group.output_tokens[chosen],
        cached_tokens=group.cached_tokens[chosen],
        kv_tokens=group.kv_tokens[chosen],
        load=group.load[chosen],
        limit_tpot_s=group.limit_tpot_s[chosen],
        devices=group.devices[chosen],
    )

"""Measured runs with their names resolved: what a predictor is given, or why it is not (P16.1)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from tco.evidence import fill
from tco.evidence.aliases import Aliases, Catalog, find_device, find_model
from tco.evidence.metrics import METRICS
from tco.evidence.run import MeasuredValue, ResolvedRun, Run
from tco.performance.dtypes import execution
from tco.performance.work import work_of

FLOOR_SLACK = 0.98  # rounding of a printed value may pass the floor by this
_PACED = frozenset({"tpot", "itl"})  # one token each: a step reads the weights once


@dataclass(frozen=True, slots=True)
class Unresolved:
    """A run that cannot be predicted, and why."""

    run: Run
    reason: str


@dataclass(frozen=True, slots=True)
class BelowFloor:
    """A value faster than reading the weights once takes (P0.1): refused as evidence."""

    run: Run
    metric: str
    value: float
    floor_ms: float


def resolve(
    runs: Iterable[Run], catalog: Catalog, aliases: Aliases
) -> list[ResolvedRun | Unresolved]:
    """Resolve names, degrees, dtypes and lengths of `runs`, in their order.

    Parameters
    ----------
    catalog
        Devices and models by key; entries of the user's own go in front of the shared ones.
    aliases
        Names of measured rows as keys of the catalog (`tco.evidence.aliases.aliases_of`).
    """
    return [_resolve(run, catalog, aliases) for run in runs]


def _resolve(run: Run, catalog: Catalog, aliases: Aliases) -> ResolvedRun | Unresolved:
    device = find_device(catalog, aliases, run.device_key, run.source)
    if isinstance(device, str):
        return Unresolved(run, device)
    found = find_model(catalog, aliases, run.model)
    if isinstance(found, str):
        return Unresolved(run, found)
    model, named, spelled = found
    if model.kind != "decoder":
        return Unresolved(run, f"{model.name} generates no tokens: another kind of work (P10)")
    if not model.supported:
        return Unresolved(run, f"{model.key}: {model.why_unsupported}")
    if device.memory_bandwidth_gb_s is None and device.measured is None:
        return Unresolved(run, f"the memory bandwidth of {device.key} is not known")
    weight_dtype, dtype_rule = fill.weight_dtype_of(run, device, model, named)
    if weight_dtype is None:
        return Unresolved(run, f"{run.precision or model.native_dtype} is not a known dtype")
    if execution(device, weight_dtype) is None:
        return Unresolved(run, f"{device.key} executes neither {weight_dtype} nor a wider format")
    prompt, prompt_rule = fill.input_tokens_of(run)
    answer, answer_rule = fill.output_tokens_of(run)
    if prompt is None or answer is None:
        what = "input" if prompt is None else "output"
        return Unresolved(run, f"the {what} length is not given and no rule fills it")
    parallel, parallel_rule = fill.parallel_of(run, device, model, weight_dtype)
    if isinstance(parallel, str):
        return Unresolved(run, parallel)
    rules = (prompt_rule, answer_rule, parallel_rule, dtype_rule, "model" if spelled else "")
    return ResolvedRun(
        run=run,
        device=device,
        model=model,
        parallel=parallel,
        weight_dtype=weight_dtype,
        kv_dtype=fill.kv_dtype_of(run, weight_dtype),
        input_tokens=prompt,
        output_tokens=answer,
        filled=tuple(rule for rule in rules if rule),
    )


def resolved_only(found: Sequence[ResolvedRun | Unresolved]) -> list[ResolvedRun]:
    """Return the runs that can be predicted."""
    return [one for one in found if isinstance(one, ResolvedRun)]


def weight_read_floor_ms(resolved: ResolvedRun) -> float | None:
    """Return the time to read one sequence's weights once, in ms (P0.1); None without a bandwidth.

    Weights of one row, so a mixture of experts reads only those it activates; the printed
    bandwidth, no overhead and no cache.
    """
    bandwidth = resolved.device.memory_bandwidth_gb_s
    if bandwidth is None:
        return None
    work = work_of(
        resolved.model,
        resolved.parallel,
        weight_dtype=resolved.weight_dtype,
        kv_dtype=resolved.kv_dtype,
    )
    return work.weight_bytes(1) * resolved.parallel.pipeline / (bandwidth.value * 1e9) * 1e3


def _floor_of(metric: str, value: MeasuredValue, floor_ms: float, answer: float) -> float | None:
    """Return the floor of a latency value, or None where the floor says nothing of it."""
    family = METRICS[metric].family
    if family in _PACED:
        return floor_ms
    if family == "e2e":
        return floor_ms * answer
    return floor_ms if family == "ttft" else None


def drop_below_floor(
    found: Sequence[ResolvedRun | Unresolved],
) -> tuple[list[ResolvedRun | Unresolved], list[BelowFloor]]:
    """Take values faster than the weight-read floor out of the runs, and name them (P0.1).

    They are mistakes of the row (precision, degree, devices), not evidence. A mean answer length
    hides shorter answers, so an end-to-end percentile is held against one token only.
    """
    kept: list[ResolvedRun | Unresolved] = []
    dropped: list[BelowFloor] = []
    for one in found:
        floor_ms = weight_read_floor_ms(one) if isinstance(one, ResolvedRun) else None
        if not isinstance(one, ResolvedRun) or floor_ms is None:
            kept.append(one)
            continue
        measured = {}
        for metric, value in one.run.measured.items():
            answer = one.output_tokens if metric == "e2e_mean" else 1.0
            floor = _floor_of(metric, value, floor_ms, answer)
            if floor is not None and value.value < floor * FLOOR_SLACK:
                dropped.append(BelowFloor(one.run, metric, value.value, floor))
            else:
                measured[metric] = value
        if len(measured) == len(one.run.measured):
            kept.append(one)
        else:
            kept.append(replace(one, run=replace(one.run, measured=measured)))
    return kept, dropped

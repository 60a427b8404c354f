"""Predictions of runs as flat score rows; which runs are saturated, repeated, comparable (P16)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from tco.evidence.metrics import METRICS, OVERLOAD_TTFT_MS
from tco.evidence.order import OrderRow
from tco.evidence.record import ScoreRow
from tco.evidence.resolve import Unresolved
from tco.evidence.run import Predicted, ResolvedRun, Run
from tco.evidence.sim2real import WHOLE_RUN, StagedPredictor, StagedRun

Predictor = Callable[[Sequence[ResolvedRun], str], list[dict[str, Predicted] | str]]
OVERLOADED = "overloaded"  # how a predictor's text begins when it calls a run so
_JOINED = frozenset({"system_wall_power_w"})
_SATURATED_KINDS = frozenset({"offline", "open_poisson_at_slo"})


def predict(
    found: Sequence[ResolvedRun | Unresolved], predictor: Predictor, fold: str
) -> list[dict[str, Predicted] | str]:
    """Return the prediction of each run, or why there is none, in the order of `found`."""
    resolved = [one for one in found if isinstance(one, ResolvedRun)]
    answers = predictor(resolved, fold)
    if len(answers) != len(resolved):
        raise ValueError(f"{len(answers)} predictions for {len(resolved)} runs")
    following = iter(answers)
    return [one.reason if isinstance(one, Unresolved) else next(following) for one in found]


def score_rows(
    found: Sequence[ResolvedRun | Unresolved],
    predicted: Sequence[dict[str, Predicted] | str],
    fold: str,
) -> list[ScoreRow]:
    """Return a row for every measured value; those of overloaded runs are marked, not scored."""
    rows = []
    for one, answer in zip(found, predicted, strict=True):
        run = one.run
        resolved = one if isinstance(one, ResolvedRun) else None
        for metric, value in run.measured.items():
            said = answer.get(metric) if not isinstance(answer, str) else None
            reason = ""
            if isinstance(answer, str):
                reason = answer
            elif said is None:
                reason = f"no prediction of {METRICS[metric].label}"
            rows.append(
                ScoreRow(
                    source=run.source,
                    device=resolved.device.key if resolved else run.device_key,
                    model=resolved.model.key if resolved else run.model,
                    metric=metric,
                    measured=value.value,
                    predicted=said.value if said else None,
                    low=said.low if said else None,
                    high=said.high if said else None,
                    fold=fold,
                    stratum=run.stratum,
                    run_id=run.run_id,
                    reason=reason,
                    filled=resolved.filled if resolved else (),
                    evidence=said.evidence if said else "",
                    overloaded=run.overloaded,
                )
            )
    return rows


def completed(rows: Sequence[ScoreRow], others: Sequence[ScoreRow]) -> list[ScoreRow]:
    """Return `rows` with wall power answered by its own model where the serving model has none.

    Wall power needs no serving prediction: saturated servers draw near their rating. Joules and
    board watts at the measured throughput are not taken, they know a measured value.
    """
    own = {
        (row.source, row.run_id, row.metric): row
        for row in others
        if row.metric in _JOINED and row.predicted is not None
    }
    return [
        own.get((row.source, row.run_id, row.metric), row) if row.predicted is None else row
        for row in rows
    ]


def called_overloaded(answer: dict[str, Predicted] | str) -> bool | None:
    """Return whether a prediction calls its run overloaded; None where nothing was predicted.

    It does where its text begins with "overloaded" or its own time to first token passes 5 s.
    """
    if isinstance(answer, str):
        return True if answer.startswith(OVERLOADED) else None
    times = [answer[name].value for name in ("ttft_mean", "ttft_p50") if name in answer]
    return any(time > OVERLOAD_TTFT_MS for time in times) if times else None


def saturated_runs(runs: Sequence[Run]) -> set[tuple[str, str]]:
    """Return (source, run id) of runs at saturation.

    Offline and at-the-objective runs, and of every sweep over a load (same device, model, stack,
    degrees and lengths) the run with the highest load.
    """
    sweeps: dict[tuple[object, ...], Run] = {}
    kept = set()
    for run in runs:
        if "output_tok_s_per_gpu" not in run.measured or run.overloaded:
            continue
        if run.load_kind in _SATURATED_KINDS:
            kept.add((run.source, run.run_id))
        elif not run.load_kind.startswith("open"):
            key = (*_settings(run), run.load_kind)
            best = sweeps.get(key)
            if best is None or (run.load_value or 0.0) > (best.load_value or 0.0):
                sweeps[key] = run
    return kept | {(run.source, run.run_id) for run in sweeps.values() if run.load_value}


def _settings(run: Run) -> tuple[object, ...]:
    return (
        run.source,
        run.device_key,
        run.devices,
        run.tensor_parallel,
        run.data_parallel,
        run.expert_parallel,
        run.model,
        run.precision,
        run.engine,
        run.input_tokens,
        round(run.output_tokens or 0.0, -2),
    )


def repeated(runs: Sequence[Run], metric: str) -> dict[object, list[float]]:
    """Return values of `metric` measured more than once with the same settings and stack."""
    groups: dict[object, list[float]] = defaultdict(list)
    for run in runs:
        if metric in run.measured and not run.overloaded:
            key = (*_settings(run), run.output_tokens, run.load_kind, run.load_value)
            groups[key].append(run.measured[metric].value)
    return {key: values for key, values in groups.items() if len(values) > 1}


def order_rows(
    found: Sequence[ResolvedRun | Unresolved],
    predicted: Sequence[Mapping[str, Predicted] | str],
    metric: str,
) -> list[OrderRow]:
    """Return what is comparable between devices: answered values of sustained runs."""
    rows = []
    for one, answer in zip(found, predicted, strict=True):
        if isinstance(one, Unresolved) or isinstance(answer, str) or one.run.overloaded:
            continue
        value, said = one.run.measured.get(metric), answer.get(metric)
        if value is None or said is None or said.value <= 0:
            continue
        rows.append(
            OrderRow(
                source=one.run.source,
                model=one.model.key,
                device=one.device.key,
                input_tokens=one.input_tokens,
                output_tokens=one.output_tokens,
                load_kind=one.run.load_kind,
                measured=value.value,
                predicted=said.value,
            )
        )
    return rows


def staged_rows(
    runs: Sequence[StagedRun], predictor: StagedPredictor, fold: str
) -> list[tuple[StagedRun, int, ScoreRow]]:
    """Return (run, stage, row) of the sim2real study; stage -1 is the whole run."""
    if not runs:
        return []
    answers = predictor(runs, fold)
    if len(answers) != len(runs):
        raise ValueError(f"{len(answers)} predictions for {len(runs)} runs")
    found = []
    for one, answer in zip(runs, answers, strict=True):
        stages = {WHOLE_RUN: one.whole, **{stage.index: stage.measured for stage in one.stages}}
        for index, measured in stages.items():
            for metric, value in measured.items():
                stage = answer.get(index, {}) if not isinstance(answer, str) else {}
                said = stage.get(metric)
                row = ScoreRow(
                    source=one.resolved.run.source,
                    device=one.resolved.device.key,
                    model=one.resolved.model.key,
                    metric=metric,
                    measured=value,
                    predicted=said.value if said else None,
                    low=said.low if said else None,
                    high=said.high if said else None,
                    fold=fold,
                    stratum=one.resolved.run.stratum,
                    run_id=one.experiment,
                    reason=answer if isinstance(answer, str) else "" if said else "no prediction",
                    filled=one.resolved.filled,
                    evidence=said.evidence if said else "",
                )
                found.append((one, index, row))
    return found

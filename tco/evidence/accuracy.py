"""The accuracy report: measured rows in, scored tables out, as one JSON-able document (P16).

`accuracy` needs a predictor and knows nothing of how it predicts: each prediction must come from a
fit without the fold of its run (its device, its model or its source), or the figure is worthless.
"""

from __future__ import annotations

import functools
import json
import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib import resources
from pathlib import Path
from typing import Any

from tco import __version__
from tco.evidence.aliases import Aliases, Catalog
from tco.evidence.metrics import METRICS
from tco.evidence.order import order_summary, regret_summary, repeat_noise
from tco.evidence.peers import read_peers, shipped_peers, summarise_peers
from tco.evidence.record import ScoreRow
from tco.evidence.resolve import BelowFloor, Unresolved, drop_below_floor, resolve
from tco.evidence.rows import RowSet, read_folder
from tco.evidence.run import Predicted, ResolvedRun
from tco.evidence.score_runs import (
    Predictor,
    called_overloaded,
    completed,
    order_rows,
    predict,
    repeated,
    saturated_runs,
    score_rows,
    staged_rows,
)
from tco.evidence.scoring import by, interval_summary, overload_summary, summarise
from tco.evidence.sim2real import StagedPredictor, StagedRun, read_staged
from tco.evidence.targets import Measures, targets

SCHEMA = "tco-accuracy/1"
Report = dict[str, Any]
ExtraRows = Callable[[str | Path, str], Sequence[ScoreRow]]  # (folder, fold): training, power
_BAD_SHOWN = 50
_PER_METRIC = ("metric", "rows", "answered", "median", "p90", "median_all")  # within a group


@dataclass(frozen=True, slots=True)
class Predictors:
    """What is scored. `others` give score rows of other work: training steps, board power."""

    runs: Predictor
    staged: StagedPredictor | None = None
    others: tuple[ExtraRows, ...] = ()


@dataclass(frozen=True, slots=True)
class _Folder:
    """What was read from the folder."""

    place: str | Path
    rows: RowSet
    found: list[ResolvedRun | Unresolved]
    below: list[BelowFloor]
    staged: list[StagedRun]
    staged_out: list[Unresolved]


def accuracy(
    folder: str | Path,
    catalog: Catalog,
    aliases: Aliases,
    predictors: Predictors,
    folds: Sequence[str] = ("device",),
    *,
    date: str,
) -> Report:
    """Score every measured row of `folder` (P16.1 to P16.3).

    Parameters
    ----------
    folder
        Holds ``UNIFIED*.csv``; the sim2real study and the peers' predictions are used if there.
    folds
        What is left out of the fit in turn: device, model, source.
    date
        Of the report, ISO.

    Returns
    -------
    dict
        JSON-able; errors and shares are fractions. `tco.evidence.sections` words it.

    Raises
    ------
    InputError
        If the folder has no rows to score.
    """
    rows = read_folder(folder)
    found, below = drop_below_floor(resolve(rows.runs, catalog, aliases))
    staged, staged_out = read_staged(folder, catalog, aliases)
    read = _Folder(folder, rows, found, below, staged, staged_out)
    peers = read_peers(folder)
    report: Report = {
        "schema": SCHEMA,
        "made": {
            "date": date,
            "engine": __version__,
            "files": list(rows.files),
            "rows": rows.rows,
            "runs": len(rows.runs),
            "sources": len({run.source for run in rows.runs}),
            "devices": len({run.device_key for run in rows.runs}),
            "models": len({run.model for run in rows.runs}),
        },
        "refused": _refused(read),
        "noise": _noise(read),
        "folds": {},
    }
    for fold in folds:
        report["folds"][fold] = _fold(read, predictors, fold, peers)
    report["peers"] = [asdict(one) for one in (summarise_peers(peers) or shipped_peers())]
    report["targets"] = [asdict(one) for one in targets(report["folds"])]
    rounded: Report = _rounded(report)
    return rounded


def _refused(read: _Folder) -> Report:
    bad = read.rows.bad
    return {
        "bad_rows": read.rows.bad_rows,
        "bad": [asdict(one) for one in bad[:_BAD_SHOWN]],
        "bad_by_reason": [
            {"field": field, "reason": reason, "rows": count}
            for (field, reason), count in _count((one.field, one.reason, one.rows) for one in bad)
        ],
        "below_floor": len(read.below),
        "below": [
            {
                "run": one.run.run_id,
                "source": one.run.source,
                "metric": one.metric,
                "value": one.value,
                "floor_ms": one.floor_ms,
            }
            for one in read.below[:_BAD_SHOWN]
        ],
    }


def _count(items: Any) -> list[tuple[tuple[str, str], int]]:
    counts: Counter[tuple[str, str]] = Counter()
    for field, reason, rows in items:
        counts[(field, reason)] += rows
    return counts.most_common()


def _noise(read: _Folder) -> list[Report]:
    found = []
    for metric in METRICS:
        noise = repeat_noise(repeated(read.rows.runs, metric))
        if noise is not None:
            found.append({"metric": metric, "spread": noise[0], "groups": noise[1]})
    return found


def _fold(read: _Folder, predictors: Predictors, fold: str, peers: Sequence[Any]) -> Report:
    answers = predict(read.found, predictors.runs, fold)
    others = [row for one in predictors.others for row in one(read.place, fold)]
    every = completed(score_rows(read.found, answers, fold), others)
    rows = [row for row in every if not row.overloaded]
    staged = staged_rows(read.staged, predictors.staged, fold) if predictors.staged else []
    saturated = saturated_runs(read.rows.runs)
    measures = Measures(rows, staged, others, saturated)
    return {
        "coverage": _coverage(every, rows),
        "metrics": _by_metric(rows),
        "saturated": _summary(measures.saturated),
        "strata": _grouped(rows, lambda row: row.stratum),
        "sources": _grouped(rows, lambda row: row.source),
        "devices": _grouped(rows, lambda row: row.device),
        "models": _grouped(rows, lambda row: row.model),
        "stated": _by_metric([row for row in rows if not row.filled]),
        "filled": _by_metric([row for row in rows if row.filled]),
        "intervals": _intervals(rows),
        "overload": _overload(read.found, answers),
        "order": _order(read, answers),
        "sim2real": _sim2real(read, staged, peers),
        "other": _other(others),
        "measures": measures.headlines(),
    }


def _summary(rows: Sequence[ScoreRow]) -> Report:
    interval = interval_summary(rows)
    return {**asdict(summarise(rows)), "covered": interval.covered if interval else None}


def _by_metric(rows: Sequence[ScoreRow]) -> list[Report]:
    groups = by(rows, lambda row: row.metric)
    return [
        {"metric": metric, "label": METRICS[metric].label, **_summary(groups[metric])}
        for metric in METRICS
        if metric in groups
    ]


def _grouped(rows: Sequence[ScoreRow], key: Callable[[ScoreRow], str]) -> list[Report]:
    """Errors by group, and by metric within it."""
    return [
        {
            "group": name,
            **_summary(kept),
            "metrics": [{part: one[part] for part in _PER_METRIC} for one in _by_metric(kept)],
        }
        for name, kept in by(rows, key).items()
    ]


def _coverage(every: Sequence[ScoreRow], rows: Sequence[ScoreRow]) -> Report:
    answered = [row for row in rows if row.predicted is not None]
    reasons: Counter[str] = Counter(row.reason for row in rows if row.predicted is None)
    runs: dict[str, set[tuple[str, str]]] = {}
    for row in rows:
        if row.predicted is None:
            runs.setdefault(row.reason, set()).add((row.source, row.run_id))
    return {
        "rows": len(rows),
        "answered": len(answered),
        "share": len(answered) / len(rows) if rows else None,
        "overloaded_rows": len(every) - len(rows),
        "reasons": [
            {"reason": reason, "rows": count, "runs": len(runs[reason])}
            for reason, count in reasons.most_common()
        ],
        "filled": [
            {"rule": rule, "rows": count}
            for rule, count in Counter(rule for row in rows for rule in row.filled).most_common()
        ],
    }


def _intervals(rows: Sequence[ScoreRow]) -> list[Report]:
    found = []
    groups = {"all": list(rows), **by(rows, lambda row: METRICS[row.metric].family)}
    for name, kept in groups.items():
        one = interval_summary(kept)
        if one is not None:
            found.append({"group": name, **asdict(one), "better": one.beats_constant})
    return found


def _overload(
    found: Sequence[ResolvedRun | Unresolved], answers: Sequence[dict[str, Predicted] | str]
) -> Report:
    pairs = [
        (one.run.overloaded, called_overloaded(answer))
        for one, answer in zip(found, answers, strict=True)
    ]
    one = overload_summary(pairs)
    return {**asdict(one), "share_called": one.share_called}


def _order(read: _Folder, answers: Sequence[Mapping[str, Predicted] | str]) -> Report:
    speed = order_rows(read.found, answers, "output_tok_s_per_gpu")
    energy = order_rows(read.found, answers, "j_per_output_token_gpu")
    prices = {
        one.device.key: one.device.price_usd.value if one.device.price_usd else None
        for one in read.found
        if isinstance(one, ResolvedRun)
    }
    return {
        "throughput": asdict(order_summary(speed, more_is_better=True)),
        "energy": asdict(order_summary(energy, more_is_better=False)),
        "regret": asdict(regret_summary(speed, prices)),
        "price": "purchase price of the device, from the catalog",
    }


def _sim2real(read: _Folder, staged: Sequence[Any], peers: Sequence[Any]) -> Report:
    """Each set apart, whole runs and stages apart, peers on exactly the rows that we answer."""
    ours = []
    for scope, whole in (("whole runs", True), ("stages", False)):
        kept = [row for row in staged if (row[1] < 0) is whole]
        names = sorted({(one.set, row.device, row.metric) for one, _, row in kept})
        for name, device, metric in names:
            rows = [
                row
                for one, _, row in kept
                if (one.set, row.device, row.metric) == (name, device, metric)
            ]
            sure = [
                row
                for one, _, row in kept
                if (one.set, row.device, row.metric) == (name, device, metric) and not one.doubt
            ]
            ours.append(
                {
                    "set": name,
                    "device": device,
                    "metric": metric,
                    "scope": scope,
                    **_summary(rows),
                    "median_sure": summarise(sure).median,
                    "rows_sure": len(sure),
                }
            )
    answered = {
        (one.set, one.experiment, stage, row.metric)
        for one, stage, row in staged
        if row.predicted is not None
    }
    return {
        "runs": len(read.staged),
        "left_out": [
            {"run": one.run.run_id.split("/", 1)[-1], "reason": one.reason}
            for one in read.staged_out
        ],
        "doubted": sorted(one.experiment for one in read.staged if one.doubt),
        "ours": ours,
        "peers_same_rows": [asdict(one) for one in summarise_peers(peers, answered)],
    }


def _other(rows: Sequence[ScoreRow]) -> list[Report]:
    """Scores of other work (training steps, board power), by metric and source."""
    groups = by(rows, lambda row: f"{row.metric}\n{row.source}")
    found = []
    for name, kept in groups.items():
        metric, source = name.split("\n")
        found.append({"metric": metric, "source": source, **_summary(kept)})
    return found


def _rounded(value: Any) -> Any:
    """Five significant digits: what is shown is what is stored."""
    if isinstance(value, float):
        return float(f"{value:.5g}") if math.isfinite(value) else None
    if isinstance(value, dict):
        return {name: _rounded(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(one) for one in value]
    return value


@functools.cache
def shipped_report() -> Report:
    """Return the report of the last run over the measured rows, as shipped with the engine."""
    text = resources.files("tco.evidence").joinpath("tables/accuracy.json").read_text("utf-8")
    found: Report = json.loads(text)
    return found

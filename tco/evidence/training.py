"""Step times of measured training runs, each predicted without its chip or its model (P11, P16)."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path

from tco.evidence.record import ScoreRow
from tco.evidence.training_fit import chip_of, left_out
from tco.evidence.training_rows import TrainingRow, training_rows
from tco.performance.training.factors import interval_of

METRIC = "step_time_s"
TARGETS = ("llm-foundry", "torchtitan", "mlperf-5.1")


@functools.cache
def _answers(fold: str) -> tuple[tuple[TrainingRow, float], ...]:
    group = {
        "device": chip_of,
        "model": lambda row: row.model,
        "source": lambda row: row.source,
    }[fold]
    return tuple(left_out(training_rows(), group))


def training_score_rows(folder: str | Path, fold: str) -> Sequence[ScoreRow]:
    """Return the shipped measured runs scored with `fold` left out.

    The runs are those of the package, whatever `folder` holds: the public files have no common
    schema. Rows kept for the report alone (other stacks, no stated plan) are not among them.
    """
    rows = []
    for one, seconds in _answers(fold):
        if one.role == "report" or one.source not in TARGETS:
            continue
        interval = interval_of(one.evidence)
        rows.append(
            ScoreRow(
                source=one.source,
                device=one.device,
                model=one.model,
                metric=METRIC,
                measured=one.measured_seconds,
                predicted=seconds,
                low=seconds * interval.low,
                high=seconds * interval.high,
                fold=fold,
                stratum="seen",
                run_id=one.row,
                filled=(one.filled,) if one.filled else (),
                evidence=one.evidence,
            )
        )
    return rows

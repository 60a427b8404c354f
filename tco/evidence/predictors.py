"""What `tco accuracy` scores: serving, board watts at the predicted throughput, training, wall."""

from __future__ import annotations

from collections.abc import Sequence

from tco.evidence.accuracy import Predictors
from tco.evidence.aliases import Aliases, Catalog
from tco.evidence.power import BOARD_W, JOULES, THROUGHPUT, power_metrics, power_rows, shares_at
from tco.evidence.run import Predicted, ResolvedRun
from tco.evidence.serving import predict_runs, predict_staged
from tco.evidence.training import training_score_rows


def standard(catalog: Catalog, aliases: Aliases) -> Predictors:
    """Return the engine's own predictors."""
    return Predictors(
        runs=predict_with_power,
        staged=predict_staged,
        others=(power_rows(catalog, aliases), training_score_rows),
    )


def predict_with_power(
    runs: Sequence[ResolvedRun], leave_out: str
) -> list[dict[str, Predicted] | str]:
    """Return the serving predictions with watts and joules at the predicted throughput (P14)."""
    answers = predict_runs(runs, leave_out)
    for run, answer in zip(runs, answers, strict=True):
        wanted = {BOARD_W, JOULES} & run.run.measured.keys()
        if isinstance(answer, str) or not wanted or THROUGHPUT not in answer:
            continue
        rate = answer[THROUGHPUT]
        shares = shares_at(run, rate.value)
        if isinstance(shares, str):
            continue
        watts = power_metrics(run, shares, output_tokens_per_s=rate.value, fold=leave_out)
        if not isinstance(watts, str):
            answer.update(_joined(watts, rate))
    return answers


def _joined(watts: dict[str, Predicted], rate: Predicted) -> dict[str, Predicted]:
    """Joules per token are watts over a predicted rate: both spreads count."""
    joules = watts.get(JOULES)
    if joules is None:
        return watts
    below, above = rate.value / rate.high, rate.value / rate.low
    low = joules.value * (1 - ((1 - joules.low / joules.value) ** 2 + (1 - below) ** 2) ** 0.5)
    high = joules.value * (1 + ((joules.high / joules.value - 1) ** 2 + (above - 1) ** 2) ** 0.5)
    wide = Predicted(joules.value, max(low, joules.value * 0.05), high, joules.evidence)
    return {**watts, JOULES: wide}

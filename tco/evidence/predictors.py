"""The engine's own predictors, put together for the accuracy report."""

from __future__ import annotations

import math
from collections.abc import Sequence

from tco.evidence.accuracy import Predictors
from tco.evidence.aliases import Aliases, Catalog
from tco.evidence.power import BOARD_W, JOULES, THROUGHPUT, power_metrics, power_rows, shares_at
from tco.evidence.run import Predicted, ResolvedRun
from tco.evidence.serving import predict_runs, predict_staged


def standard(catalog: Catalog, aliases: Aliases) -> Predictors:
    """Return the serving model with watts and joules, the staged runs, and power of its own."""
    return Predictors(
        runs=predict_with_power,
        staged=predict_staged,
        others=(power_rows(catalog, aliases),),
    )


def predict_with_power(
    runs: Sequence[ResolvedRun], leave_out: str
) -> list[dict[str, Predicted] | str]:
    """Return serving predictions, with board watts and joules at the predicted throughput (P14)."""
    return [
        answer if isinstance(answer, str) else answer | _watts(run, answer, leave_out)
        for run, answer in zip(runs, predict_runs(runs, leave_out), strict=True)
    ]


def _watts(run: ResolvedRun, answer: dict[str, Predicted], fold: str) -> dict[str, Predicted]:
    asked = BOARD_W in run.run.measured or JOULES in run.run.measured
    speed = answer.get(THROUGHPUT)
    if not asked or speed is None:
        return {}
    shares = shares_at(run, speed.value)
    if isinstance(shares, str):
        return {}
    found = power_metrics(run, shares, output_tokens_per_s=speed.value, fold=fold)
    if isinstance(found, str):
        return {}
    if JOULES in found:
        found[JOULES] = _wider(found[JOULES], speed)
    return found


def _wider(joules: Predicted, speed: Predicted) -> Predicted:
    """Joules carry the uncertainty of the watts and of the throughput: added as squares of logs.

    Examples
    --------
    >>> wide = _wider(Predicted(1.0, 0.5, 2.0, ""), Predicted(10.0, 5.0, 20.0, ""))
    >>> round(wide.low, 3), round(wide.high, 3)  # 2 to the power of the square root of 2
    (0.375, 2.665)
    """

    def both(end: float, other: float) -> float:
        return math.hypot(math.log(end / joules.value), math.log(other / speed.value))

    return Predicted(
        joules.value,
        joules.value * math.exp(-both(joules.low, speed.high)),
        joules.value * math.exp(both(joules.high, speed.low)),
        joules.evidence,
    )

"""The figures that count, with what they should reach and the best public figure beside (P16.2)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tco.evidence.metrics import METRICS
from tco.evidence.record import ScoreRow
from tco.evidence.scoring import summarise
from tco.evidence.sim2real import StagedRun

_BOARD_W = "gpu_board_power_w"
_MIDDLE_TPOT = frozenset({"tpot_mean", "tpot_p50"})
TRAINING_METRICS = frozenset({"step_time_s", "tok_s_per_gpu", "time_to_train_min"})


@dataclass(frozen=True, slots=True)
class Measures:
    """Score rows of one fold: serving, sim2real by stage, other work, saturated runs."""

    rows: Sequence[ScoreRow]
    staged: Sequence[tuple[StagedRun, int, ScoreRow]]
    others: Sequence[ScoreRow]
    saturated_ids: set[tuple[str, str]]

    @property
    def saturated(self) -> list[ScoreRow]:
        """Throughput rows of runs at saturation."""
        return [
            row
            for row in self.rows
            if row.metric == "output_tok_s_per_gpu"
            and (row.source, row.run_id) in self.saturated_ids
        ]

    def whole(self, metric: str, name: str, *, sure: bool = False) -> list[ScoreRow]:
        """Whole runs of one set of the sim2real study on H100; `sure`: of a known rate."""
        return [
            row
            for one, stage, row in self.staged
            if stage < 0
            and row.metric == metric
            and one.set == name
            and row.device == "h100-sxm"
            and not (sure and one.doubt)
        ]

    def headlines(self) -> dict[str, Any]:
        """Summaries of what the targets ask for, by name."""
        groups: dict[str, Sequence[ScoreRow]] = {
            "tpot": [row for row in self.rows if row.metric in _MIDDLE_TPOT],
            "saturated": self.saturated,
            "power": [row for row in self.rows if row.metric == _BOARD_W],
            "power alone": [row for row in self.others if row.metric == _BOARD_W],
            "training": [row for row in self.others if row.metric in TRAINING_METRICS],
        }
        for name in ("eval38", "trainval13"):
            for metric in ("e2e_mean", "itl_mean", "ttft_mean"):
                groups[f"{name} {metric}"] = self.whole(metric, name)
                groups[f"{name} {metric} sure"] = self.whole(metric, name, sure=True)
        found = {}
        for name, rows in groups.items():
            one = summarise(rows)
            found[name] = {
                "median": one.median,
                "p90": one.p90,
                "rows": one.rows,
                "answered": one.answered,
                "runs": one.runs,
            }
        return found


@dataclass(frozen=True, slots=True)
class Target:
    """A headline: what to expect, what it should reach, what the public reaches."""

    key: str
    label: str
    fold: str  # what was left out
    value: float | None
    low: float | None  # a target band; None: no lower end
    high: float | None
    rows: int
    runs: int
    public: str
    kind: str = "error"  # error | share | tau

    @property
    def met(self) -> bool | None:
        """Whether the target is reached; None without a figure."""
        if self.value is None:
            return None
        above = self.low is None or self.value >= self.low
        return above and (self.high is None or self.value <= self.high)


_Fold = Mapping[str, Any]
_Value = Callable[[_Fold], tuple[float | None, int, int]]


def _headline(name: str) -> _Value:
    def value(fold: _Fold) -> tuple[float | None, int, int]:
        one = fold["measures"][name]
        return one["median"], one["answered"], one["runs"]

    return value


def _coverage(fold: _Fold) -> tuple[float | None, int, int]:
    one = fold["coverage"]
    return one["share"], one["rows"], 0


def _covered(fold: _Fold) -> tuple[float | None, int, int]:
    one = next((row for row in fold["intervals"] if row["group"] == "all"), None)
    return (one["covered"], one["rows"], 0) if one else (None, 0, 0)


def _score_ratio(fold: _Fold) -> tuple[float | None, int, int]:
    one = next((row for row in fold["intervals"] if row["group"] == "all"), None)
    return (one["score"] / one["constant_score"], one["rows"], 0) if one else (None, 0, 0)


def _tau(fold: _Fold) -> tuple[float | None, int, int]:
    one = fold["order"]["throughput"]
    return one["tau"], one["pairs"], one["groups"]


def _regret(fold: _Fold) -> tuple[float | None, int, int]:
    one = fold["order"]["regret"]
    return one["mean"], one["groups"], one["groups"]


# (key, label, fold, value, low, high, best public figure, kind)
_TARGETS: tuple[tuple[str, str, str, _Value, float | None, float | None, str, str], ...] = (
    *(
        (
            f"{name} {metric}",
            f"{words}, {title} sim2real set",
            fold,
            _headline(f"{name} {metric}"),
            None,
            most,
            public,
            "error",
        )
        for name, title in (("eval38", "first"), ("trainval13", "second"))
        for metric, words, fold, most, public in (
            (
                "e2e_mean",
                "End to end",
                "model",
                0.05,
                "4.4–6.8 %" if name == "eval38" else "15 %",
            ),
            (
                "itl_mean",
                "Inter-token time",
                "model",
                0.05,
                "4.1–6.5 %" if name == "eval38" else "8 %",
            ),
            (
                "ttft_mean",
                "Time to first token",
                "model",
                0.12,
                "14.4–18.4 %" if name == "eval38" else "12 %",
            ),
            ("e2e_mean", "End to end", "device", 0.12, "13–16 %"),
            ("ttft_mean", "Time to first token", "device", 0.15, "12 % (3 runs)"),
        )
    ),
    *(
        (
            f"trainval13 {metric} sure",
            f"{words}, second set, runs of a known rate",
            fold,
            _headline(f"trainval13 {metric} sure"),
            None,
            most,
            public,
            "error",
        )
        for metric, words, fold, most, public in (
            ("e2e_mean", "End to end", "model", 0.05, "15 %"),
            ("itl_mean", "Inter-token time", "model", 0.05, "8 %"),
            ("ttft_mean", "Time to first token", "model", 0.12, "12 %"),
            ("e2e_mean", "End to end", "device", 0.12, "13–16 %"),
            ("ttft_mean", "Time to first token", "device", 0.15, "12 % (3 runs)"),
        )
    ),
    (
        "tpot",
        "Time per output token",
        "device",
        _headline("tpot"),
        None,
        0.15,
        "17.4–25 %",
        "error",
    ),
    (
        "saturated",
        "Output tokens/s per device at saturation",
        "device",
        _headline("saturated"),
        None,
        0.18,
        "17.5–25 %",
        "error",
    ),
    (
        "power",
        "Board power under serving load",
        "device",
        _headline("power"),
        None,
        0.10,
        "13–21 % (share of TDP)",
        "error",
    ),
    (
        "power alone",
        "The same, throughput as measured",
        "device",
        _headline("power alone"),
        None,
        0.10,
        "–",
        "error",
    ),
    (
        "training",
        "Training step time",
        "device",
        _headline("training"),
        None,
        0.08,
        "3.65 % on its own set",
        "error",
    ),
    (
        "covered",
        "80 % interval holds the value",
        "device",
        _covered,
        0.75,
        0.85,
        "none given",
        "share",
    ),
    (
        "interval score",
        "Interval score over one constant width",
        "device",
        _score_ratio,
        None,
        1.0,
        "none given",
        "ratio",
    ),
    ("tau", "Order of devices (Kendall tau)", "device", _tau, 0.85, None, "none published", "tau"),
    ("tau known", "The same, model left out", "model", _tau, 0.85, None, "none published", "tau"),
    ("regret", "Regret of the pick", "device", _regret, None, 0.07, "none published", "error"),
    ("regret known", "The same, model left out", "model", _regret, None, 0.07, "–", "error"),
    ("coverage", "Rows predicted", "device", _coverage, 0.85, None, "–", "share"),
)


def targets(folds: Mapping[str, _Fold]) -> list[Target]:
    """Return the headlines of the folds that were run; a fold not run has no figure."""
    found = []
    for key, label, fold, value, low, high, public, kind in _TARGETS:
        given = folds.get(fold)
        figure, rows, runs = value(given) if given is not None else (None, 0, 0)
        found.append(Target(key, label, fold, figure, low, high, rows, runs, public, kind))
    return found


def metric_label(metric: str) -> str:
    """Return the words of a metric, the key itself where it is another kind of work's."""
    return METRICS[metric].label if metric in METRICS else metric.replace("_", " ")

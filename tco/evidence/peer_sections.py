"""The sim2real study in words: ours beside public simulators, set by set (P16.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tco.evidence.metrics import METRICS
from tco.evidence.section import LEFT_OUT, Section
from tco.evidence.words import BLANK, count, pair, percent, titled

Report = Mapping[str, Any]
WHOLE = "whole runs"
_SHOWN = ("e2e_mean", "itl_mean", "ttft_mean", "ttft_p90", "ttft_p99", "e2e_p90", "e2e_p99")
SET_NAMES = {"eval38": "First set", "trainval13": "Second set"}


def sim2real_section(report: Report) -> Section:
    """Return whole runs of each set: ours by fold, and the best public variant on those rows."""
    folds = {
        name: fold["sim2real"] for name, fold in report["folds"].items() if fold["sim2real"]["ours"]
    }
    keys = sorted(
        {
            (one["set"], one["device"], one["metric"])
            for fold in folds.values()
            for one in fold["ours"]
            if one["scope"] == WHOLE
        },
        key=lambda key: (key[0], key[1], _SHOWN.index(key[2])),
    )
    rows = []
    for key in keys:
        ours = [_of(fold["ours"], key) for fold in folds.values()]
        peers = next(iter(folds.values()))["peers_same_rows"]
        some = next(one for one in ours if one)
        rows.append(
            (
                SET_NAMES.get(key[0], key[0]),
                key[1],
                titled(METRICS[key[2]].label),
                count(some["rows"]),
                *(percent(one["median"]) if one else BLANK for one in ours),
                *(percent(one["p90"]) if one else BLANK for one in ours),
                _best(peers, key),
            )
        )
    head = (
        "set",
        "device",
        "metric",
        "runs",
        *(LEFT_OUT[name] for name in folds),
        *(f"p90, {LEFT_OUT[name]}" for name in folds),
        "best public variant, same runs",
    )
    return Section(
        "sim2real",
        "The sim2real study, whole runs",
        _study_text(folds),
        head if rows else (),
        tuple(rows),
        words=3,
    )


def _of(rows: Sequence[Report], key: tuple[str, str, str]) -> Report | None:
    return next(
        (
            one
            for one in rows
            if (one["set"], one["device"], one["metric"]) == key and one["scope"] == WHOLE
        ),
        None,
    )


def _best(peers: Sequence[Report], key: tuple[str, str, str]) -> str:
    """The variant with the least median error among those that answer half the rows at least."""
    same = [
        one
        for one in peers
        if (one["set"], one["device"], one["metric"]) == key and one["scope"] == WHOLE
    ]
    if not same:
        return BLANK
    most = max(one["rows"] for one in same)
    best = min((one for one in same if 2 * one["rows"] >= most), key=lambda one: one["median"])
    return f"{percent(best['median'])} {_name(best)} ({best['rows']})"


def _name(one: Report) -> str:
    return f"{one['simulator']} {one['variant']}".strip()


def _study_text(folds: Mapping[str, Report]) -> str:
    if not folds:
        return ""
    one = next(iter(folds.values()))
    doubted = len(one["doubted"])
    text = (
        "One server under constant arrivals at one or two rates in turn, ten to twenty minutes "
        "each. The sets stand apart: public simulators may have been fitted on the first. "
        f"{count(one['runs'])} runs are predicted; {len(one['left_out'])} are left out, because "
        "their rate was never published."
    )
    if doubted:
        text += (
            f" {doubted} runs of the second set are named as lite variants; they are predicted at "
            "the full rate all the same."
        )
    return text


def peer_section(report: Report) -> Section:
    """Return every public simulator's errors over whole runs, all rows that it answers."""
    shown = ("e2e_mean", "itl_mean", "ttft_mean")
    found: dict[tuple[str, str, str], dict[str, Report]] = {}
    for one in report["peers"]:
        if one["scope"] == WHOLE and one["metric"] in shown:
            name = (one["set"], one["device"], _name(one))
            found.setdefault(name, {})[one["metric"]] = one
    rows = [
        (
            SET_NAMES.get(key[0], key[0]),
            key[1],
            key[2],
            count(max(one["rows"] for one in metrics.values())),
            *(
                pair(metrics[metric]["median"], metrics[metric]["p90"])
                if metric in metrics
                else BLANK
                for metric in shown
            ),
        )
        for key, metrics in found.items()
    ]
    head = ("set", "device", "simulator", "runs", "end to end", "inter-token", "first token")
    return Section(
        "peers",
        "Public simulators on the same study",
        "Median / 90th percentile of the absolute error in per cent, mean values of whole runs; "
        "computed from the predictions that the study's authors published.",
        head,
        tuple(rows),
        words=3,
    )

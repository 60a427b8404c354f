"""The accuracy report in words: the same tables for the terminal, docs/accuracy.md and the page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tco.evidence.method import COLUMN_NOTE, METHOD
from tco.evidence.metrics import METRICS
from tco.evidence.peer_sections import peer_section, sim2real_section
from tco.evidence.section import LEFT_OUT, Section
from tco.evidence.targets import metric_label
from tco.evidence.words import BLANK, count, pair, percent, ratio, titled

Report = Mapping[str, Any]

# Columns of a group table: the first metric that a group has stands for its family.
_FAMILIES = (
    ("first token", ("ttft_mean", "ttft_p50")),
    ("per token", ("tpot_mean", "tpot_p50", "itl_mean")),
    ("end to end", ("e2e_mean", "e2e_p50")),
    ("tokens/s", ("output_tok_s_per_gpu", "output_tok_s_per_gpu_littles")),
    ("board W", ("gpu_board_power_w",)),
    ("joules", ("j_per_output_token_gpu",)),
    ("wall W", ("system_wall_power_w",)),
)
_MOST_REASONS = 25


def made_line(report: Report) -> str:
    """Return what the report was made from, and when."""
    made = report["made"]
    return (
        f"{made['date']}, engine {made['engine']}: {count(made['rows'])} measured values of "
        f"{count(made['runs'])} runs, {made['sources']} sources, {made['devices']} devices, "
        f"{made['models']} model names."
    )


def headline(report: Report) -> Section:
    """Return the figures that count, beside their targets and the best public ones."""
    rows = []
    for one in report["targets"]:
        if one["fold"] not in report["folds"]:
            continue
        rows.append(
            (
                one["label"],
                LEFT_OUT[one["fold"]],
                figure_of(one),
                goal_of(one),
                {True: "yes", False: "no", None: BLANK}[met(one)],
                count(one["rows"]),
                one["public"],
            )
        )
    head = ("figure", "fitted", "ours", "target", "reached", "rows", "best public figure")
    text = (
        "Median errors, each predicted by a fit that has not seen the device (or the model) in "
        "question."
    )
    return Section("headline", "What to expect", text, head, tuple(rows), words=2)


def met(target: Mapping[str, Any]) -> bool | None:
    """Return whether a target is reached; None without a figure."""
    value = target["value"]
    if value is None:
        return None
    above = target["low"] is None or value >= target["low"]
    return bool(above and (target["high"] is None or value <= target["high"]))


def figure_of(target: Mapping[str, Any]) -> str:
    """Return a headline's value as printed."""
    return ratio(target["value"]) if _plain(target) else percent(target["value"])


def goal_of(target: Mapping[str, Any]) -> str:
    """Return a headline's target as printed."""
    shown = ratio if _plain(target) else percent
    low, high = target["low"], target["high"]
    if low is not None and high is not None:
        return f"{shown(low).removesuffix(' %')} to {shown(high)}"
    if low is not None:
        return f"at least {shown(low)}"
    return f"at most {shown(high)}" if target["kind"] != "ratio" else "below 1"


def _plain(target: Mapping[str, Any]) -> bool:
    return target["kind"] in {"tau", "ratio"}


def fold_sections(report: Report, fold: str) -> list[Section]:
    """Return the tables of one fold, most wanted first."""
    one = report["folds"][fold]
    told = LEFT_OUT[fold]
    return [
        _metrics("metrics", f"By metric, {told}", one["metrics"], COLUMN_NOTE),
        _coverage(one["coverage"], told),
        _groups("strata", f"By stratum, {told}", one["strata"]),
        _groups("sources", f"By source, {told}", one["sources"]),
        _groups("devices", f"By device, {told}", one["devices"]),
        _groups("models", f"By model, {told}", one["models"]),
        _intervals(one["intervals"], told),
        _order(one, told),
        _filled(one, told),
        _other(one["other"], told),
    ]


def sections(report: Report) -> list[Section]:
    """Return every table of the report, in the order of reading."""
    found = [headline(report), sim2real_section(report), peer_section(report)]
    for fold in report["folds"]:
        found += fold_sections(report, fold)
    found += [_noise(report["noise"]), _refused(report["refused"])]
    return [one for one in found if one.rows]


def method() -> Sequence[tuple[str, str]]:
    """Return (heading, text) of how the figures are made."""
    return METHOD


def _metrics(key: str, title: str, rows: Sequence[Report], text: str = "") -> Section:
    head = ("metric", "rows", "runs", "answered", "median", "p90", "cells", "with unanswered")
    return Section(
        key,
        title,
        text,
        (*head, "80 % interval holds"),
        tuple(
            (
                titled(one["label"]),
                count(one["rows"]),
                count(one["runs"]),
                count(one["answered"]),
                percent(one["median"]),
                percent(one["p90"]),
                percent(one["cell_median"]),
                percent(one["cell_median_all"]),
                percent(one["covered"]),
            )
            for one in rows
        ),
    )


def _coverage(one: Report, told: str) -> Section:
    reasons = one["reasons"]
    rows = [
        ("Predicted", count(one["answered"]), BLANK, percent(one["share"])),
        *(
            (
                why["reason"],
                count(why["rows"]),
                count(why["runs"]),
                percent(why["rows"] / one["rows"]),
            )
            for why in reasons[:_MOST_REASONS]
        ),
    ]
    rest = reasons[_MOST_REASONS:]
    if rest:
        more = sum(why["rows"] for why in rest)
        rows.append((f"{len(rest)} more reasons", count(more), BLANK, percent(more / one["rows"])))
    text = (
        f"{count(one['rows'])} rows of runs that the server sustained; "
        f"{count(one['overloaded_rows'])} more rows belong to overloaded runs, which are to be "
        "called so and are not scored."
    )
    return Section(
        "coverage", f"Coverage, {told}", text, ("rows", "count", "runs", "share"), tuple(rows)
    )


def _groups(key: str, title: str, rows: Sequence[Report]) -> Section:
    head = ("group", "rows", "runs", "answered", *(name for name, _ in _FAMILIES))
    table = []
    for one in rows:
        by_metric = {row["metric"]: row for row in one["metrics"]}
        cells = []
        for _, names in _FAMILIES:
            found = next((by_metric[name] for name in names if name in by_metric), None)
            cells.append(pair(found["median"], found["p90"]) if found else BLANK)
        share = one["answered"] / one["rows"] if one["rows"] else None
        table.append((one["group"], count(one["rows"]), count(one["runs"]), percent(share), *cells))
    text = "Median / 90th percentile of the absolute error, in per cent of the measured value."
    return Section(key, title, text, head, tuple(table))


def _intervals(rows: Sequence[Report], told: str) -> Section:
    head = ("rows of", "count", "holds", "score", "constant width", "its score", "better")
    return Section(
        "intervals",
        f"80 % intervals, {told}",
        "Share of measured values inside, and the interval score (width plus ten times the miss, "
        "in natural logarithms; lower is better) beside one constant relative width for all rows, "
        "chosen afterwards as the best for these very rows.",
        head,
        tuple(
            (
                one["group"],
                count(one["rows"]),
                percent(one["covered"]),
                ratio(one["score"]),
                f"± {percent(one['constant_width'])}",
                ratio(one["constant_score"]),
                "yes" if one["better"] else "no",
            )
            for one in rows
        ),
    )


def _order(one: Report, told: str) -> Section:
    order, over = one["order"], one["overload"]
    speed, energy, regret = order["throughput"], order["energy"], order["regret"]
    dollars = regret["mean_usd"]
    rows = [
        _tau("Kendall tau by tokens/s", speed, "tau", f"{count(speed['cells'])} cells"),
        *(
            _tau(f"of {source['source']}", source, "tau", f"{count(source['pairs'])} pairs")
            for source in speed["by_source"]
        ),
        _tau("all pairs at once", speed, "tau_pairs", f"{count(speed['pairs'])} pairs"),
        _tau("Kendall tau by joules per token", energy, "tau", f"{count(energy['cells'])} cells"),
        ("Regret of the pick, mean", percent(regret["mean"]), f"{count(regret['groups'])} groups"),
        ("Regret of the pick, p90", percent(regret["p90"]), f"{count(regret['groups'])} groups"),
        (
            "Regret in USD per 1,000 tokens/s",
            BLANK if dollars is None else count(round(dollars)),
            order["price"],
        ),
        ("Picked the cheapest", count(regret["same_pick"]), f"of {count(regret['groups'])} groups"),
        (
            "Overloaded runs called overloaded",
            percent(over["share_called"]),
            f"{count(over['overloaded'])} runs",
        ),
        (
            "Sustained runs called overloaded",
            count(over["false_alarms"]),
            f"of {count(over['sustained'])} runs",
        ),
    ]
    left = regret["unpriced"]
    text = (
        "Devices compared at one model and length of the same source, each with its best run."
        + (f" Without a price and left out of the regret: {', '.join(left)}." if left else "")
    )
    return Section("order", f"Order of devices, {told}", text, ("what", "value", "of"), tuple(rows))


def _tau(label: str, order: Report, name: str, of: str) -> tuple[str, str, str]:
    return label, ratio(order[name]), of


def _filled(one: Report, told: str) -> Section:
    stated = {row["metric"]: row for row in one["stated"]}
    filled = {row["metric"]: row for row in one["filled"]}
    rows = [
        (
            titled(METRICS[name].label),
            *(
                cell
                for row in (stated.get(name), filled.get(name))
                for cell in (
                    (count(row["rows"]), percent(row["median"]), percent(row["p90"]))
                    if row
                    else (BLANK,) * 3
                )
            ),
        )
        for name in METRICS
        if name in stated or name in filled
    ]
    rules = ", ".join(
        f"{rule['rule'].replace('_', ' ')} on {count(rule['rows'])} rows"
        for rule in one["coverage"]["filled"]
    )
    head = ("metric", "stated", "median", "p90", "filled in", "median", "p90")
    text = f"What a row does not say is filled in by the rules below: {rules}." if rules else ""
    return Section("filled", f"Stated and filled-in runs, {told}", text, head, tuple(rows))


def _other(rows: Sequence[Report], told: str) -> Section:
    head = ("metric", "source", "rows", "answered", "median", "p90", "80 % interval holds")
    return Section(
        "other",
        f"Other work, {told}",
        "Models with rows of their own. Board power and joules here take the throughput as "
        "measured: how good the watts alone are.",
        head,
        tuple(
            (
                titled(metric_label(one["metric"])),
                one["source"],
                count(one["rows"]),
                count(one["answered"]),
                percent(one["median"]),
                percent(one["p90"]),
                percent(one["covered"]),
            )
            for one in rows
        ),
        words=2,
    )


def _noise(rows: Sequence[Report]) -> Section:
    return Section(
        "noise",
        "Repeat noise",
        "Half the range over the mean of values measured more than once with the same settings "
        "and engine version: no model can be expected to do better.",
        ("metric", "median spread", "groups"),
        tuple(
            (titled(METRICS[one["metric"]].label), percent(one["spread"]), count(one["groups"]))
            for one in rows
        ),
    )


def _refused(one: Report) -> Section:
    rows = [
        (f"{why['field'] or 'row'}: {why['reason']}", count(why["rows"]))
        for why in one["bad_by_reason"]
    ]
    if one["below_floor"]:
        rows.append(("Faster than reading the weights once", count(one["below_floor"])))
    text = "Rows that could not be read, and values faster than the physical floor."
    return Section("refused", "Refused rows", text, ("reason", "rows"), tuple(rows))

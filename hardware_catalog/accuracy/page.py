"""What the accuracy page shows: the shipped report, worded by the engine (P16.2)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tco.evidence.section import LEFT_OUT, Section
from tco.evidence.sections import (
    figure_of,
    fold_sections,
    goal_of,
    headline,
    made_line,
    met,
    method,
    sections,
)
from tco.evidence.words import count

# Headlines in the order of a reader's questions: (key, fold).
_CARDS = (
    ("tpot", "device"),
    ("saturated", "device"),
    ("eval38 e2e_mean", "device"),
    ("eval38 ttft_mean", "device"),
    ("power", "device"),
    ("training", "device"),
    ("tau", "device"),
    ("covered", "device"),
)
_SHORT = {
    "tpot": "Time per output token",
    "saturated": "Tokens/s per device, saturated",
    "eval38 e2e_mean": "End to end under load",
    "eval38 ttft_mean": "Time to first token under load",
    "power": "Board power",
    "training": "Training step time",
    "tau": "Order of devices",
    "covered": "80 % interval holds",
}
_MEANING = {"tau": "Kendall tau", "covered": "of measured values"}
_COUNTED = {"tau": "pairs"}


@dataclass(frozen=True, slots=True)
class Card:
    """One headline figure."""

    label: str
    value: str
    meaning: str
    goal: str
    reached: bool | None
    public: str
    rows: str


@dataclass(frozen=True, slots=True)
class Fold:
    """The tables of one fold."""

    key: str
    title: str
    tables: Sequence[Section]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page."""

    made: str
    cards: Sequence[Card]
    coverage: str
    headline: Section
    study: Sequence[Section]
    folds: Sequence[Fold]
    rest: Sequence[Section]
    method: Sequence[tuple[str, str]]


def accuracy_page(report: Mapping[str, Any]) -> Page:
    """Return the page of a report; tables without rows are left out."""
    every = {one.key: one for one in sections(report)}
    found = {(one["key"], one["fold"]): one for one in report["targets"]}
    return Page(
        made=made_line(report),
        cards=[_card(found[key]) for key in _CARDS if _has_figure(found.get(key))],
        coverage=_coverage(report),
        headline=headline(report),
        study=[every[key] for key in ("sim2real", "peers") if key in every],
        folds=[
            Fold(
                fold,
                LEFT_OUT[fold].capitalize(),
                [table for table in fold_sections(report, fold) if table.rows],
            )
            for fold in report["folds"]
        ],
        rest=[every[key] for key in ("noise", "refused") if key in every],
        method=method(),
    )


def _has_figure(target: Mapping[str, Any] | None) -> bool:
    return target is not None and target["value"] is not None


def _card(target: Mapping[str, Any]) -> Card:
    return Card(
        label=_SHORT[target["key"]],
        value=figure_of(target),
        meaning=_MEANING.get(target["key"], "median error"),
        goal=goal_of(target),
        reached=met(target),
        public=target["public"],
        rows=f"{count(target['rows'])} {_COUNTED.get(target['key'], 'rows')}",
    )


def _coverage(report: Mapping[str, Any]) -> str:
    fold = next(iter(report["folds"].values()))["coverage"]
    return (
        f"{count(fold['answered'])} of {count(fold['rows'])} measured values are predicted; "
        "the others are counted below with the reason."
    )

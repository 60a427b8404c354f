"""What the reconcile page shows: every example, run by the engine, grouped by topic."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from tco.examples.example import Value, shipped_examples
from tco.examples.run import Check, Outcome, Report, run_examples
from tco.examples.scenarios import example_scenario
from tco.examples.wording import difference_text, name_text, tolerance_text, value_text

_KINDS = {
    "published": "published",
    "published_inputs_recalled": "published, inputs recalled",
    "reference_tool": "run of a reference tool",
    "derived": "derived from chosen inputs",
    "claim": "claim of an essay",
    "seed": "claim of an essay",
}


@dataclass(frozen=True, slots=True)
class Row:
    """One figure; lists are one line a value."""

    name: str
    unit: str
    published: Sequence[str]
    ours: Sequence[str]
    difference: str
    tolerance: str
    ok: bool


@dataclass(frozen=True, slots=True)
class Card:
    """One example."""

    id: str
    title: str
    formula: str
    kind: str
    source: str
    notes: str
    ok: bool
    rows: Sequence[Row]
    scenario: bool  # whether a scenario carries it


@dataclass(frozen=True, slots=True)
class Topic:
    """Examples of one topic."""

    key: str
    title: str
    cards: Sequence[Card]


@dataclass(frozen=True, slots=True)
class Page:
    """Everything on the page."""

    passed: int
    examples: int
    figures: int
    summary: str
    topics: Sequence[Topic]


@lru_cache(maxsize=1)
def reconcile_page() -> Page:
    """Return the page of the shipped examples; they do not change while the site runs."""
    return page_of(run_examples(shipped_examples()))


def page_of(report: Report) -> Page:
    """Return the page of a report, topics in the order in which they first appear."""
    topics: dict[str, list[Card]] = {}
    for outcome in report.outcomes:
        topics.setdefault(outcome.topic, []).append(_card(outcome))
    return Page(
        passed=report.passed,
        examples=len(report.outcomes),
        figures=sum(len(one.checks) for one in report.outcomes),
        summary=report.summary(),
        topics=[
            Topic(re.sub(r"\W+", "-", title.lower()), title, cards)
            for title, cards in topics.items()
        ],
    )


def _card(outcome: Outcome) -> Card:
    example = outcome.example
    return Card(
        id=example.id,
        title=example.title,
        formula=", ".join(example.formulas),
        kind=_KINDS.get(example.kind, example.kind),
        source=example.source,
        notes=example.notes,
        ok=outcome.ok,
        rows=[_row(check) for check in outcome.checks],
        scenario=example_scenario(example) is not None,
    )


def _row(check: Check) -> Row:
    expected = check.expected
    return Row(
        name=name_text(check.name),
        unit=expected.unit,
        published=_lines(expected.value),
        ours=_lines(check.ours),
        difference=difference_text(
            expected.value,
            check.ours,
            absolute=bool(expected.absolute and not expected.relative_fraction),
        ),
        tolerance=tolerance_text(expected),
        ok=check.ok,
    )


def _lines(value: Value) -> list[str]:
    return [value_text(each) for each in (value if isinstance(value, list) else [value])]

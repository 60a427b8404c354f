"""Scenarios side by side: results with their differences, assumptions that differ first."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planner.charts.cards import Card, card, value_text
from planner.charts.kpis import KPI_ORDER
from planner.comparison.steps import Way, ways
from planner.models import Projection, Scenario, ScenarioRevision
from planner.projections.services import projection_get_or_run
from planner.scenarios.builder import choices_for
from planner.scenarios.choices import Choices
from planner.scenarios.differences import document_differences
from planner.scenarios.form_values import read_number
from planner.scenarios.selectors import revision_get
from planner.scenarios.to_engine import catalog_of, revision_inputs
from planner.uncertainty.takeaways import comparison_takeaway
from tco.errors import InputError, InputErrors
from tco.fields import sections

if TYPE_CHECKING:
    from accounts.models import Organisation

MOST = 6
NUMBERS = {"figure", "number", "integer"}


@dataclass(frozen=True, slots=True)
class Column:
    """One option of one scenario."""

    scenario: Scenario
    option_key: str
    option_name: str
    feasible: bool
    best: bool
    kpis: dict[str, Any]
    result: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Cell:
    """A figure with its difference to the base column."""

    card: Card | None
    delta: str
    change_fraction: float | None


@dataclass(frozen=True, slots=True)
class Row:
    """One KPI across the columns."""

    label: str
    unit: str
    cells: tuple[Cell, ...]
    differs: bool


@dataclass(frozen=True, slots=True)
class AssumptionRow:
    """One field of the documents across the scenarios; an empty text: not given."""

    label: str
    values: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Everything the comparison page shows."""

    scenarios: tuple[Scenario, ...]
    broken: tuple[Scenario, ...]
    columns: tuple[Column, ...]
    assumptions: tuple[AssumptionRow, ...]
    rows: tuple[Row, ...]
    takeaway: str
    ways: tuple[Way, ...] = ()  # from the first column to each other one
    stale: tuple[Scenario, ...] = ()  # their figures have moved since they were projected


def compare(*, organisation: Organisation, scenarios: Sequence[Scenario]) -> Comparison:
    """Return up to six scenarios side by side; the first option of the first one is the base."""
    catalog = catalog_of(organisation)
    documents: list[dict[str, Any]] = []
    columns: list[Column] = []
    kept: list[Scenario] = []
    broken: list[Scenario] = []
    revisions: list[ScenarioRevision] = []
    stale: list[Scenario] = []
    for scenario in scenarios[:MOST]:
        revision = revision_get(scenario=scenario)
        try:
            projection = projection_get_or_run(revision=revision, catalog=catalog)
        except (InputError, InputErrors):
            broken.append(scenario)
            continue
        kept.append(scenario)
        if revision_inputs(revision).content_hash != projection.input_hash:
            stale.append(scenario)
        revisions.append(revision)
        documents.append(revision.document)
        columns += _columns(scenario, projection)
    rows = [_row(key, columns) for key in KPI_ORDER]
    return Comparison(
        scenarios=tuple(kept),
        broken=tuple(broken),
        columns=tuple(columns),
        assumptions=_assumptions(
            [comparable(document) for document in documents], choices_for(organisation, {})
        ),
        rows=tuple(row for row in rows if row is not None),
        # a sentence with the figures of today would not be about the results beside it
        takeaway=comparison_takeaway(revisions=revisions).sentence
        if revisions and not stale
        else "",
        stale=tuple(stale),
        ways=ways([(_named(column, kept), column.option_key, column.result) for column in columns]),
    )


def _named(column: Column, scenarios: Sequence[Scenario]) -> str:
    """Name of an option, with its scenario where there are several."""
    if len(scenarios) < 2:
        return column.option_name
    return f"{column.option_name}, {column.scenario.name}"


def _columns(scenario: Scenario, projection: Projection) -> list[Column]:
    result = projection.result
    return [
        Column(
            scenario=scenario,
            option_key=option["key"],
            option_name=option["name"],
            feasible=option["feasible"],
            best=option["key"] == result["best_option"],
            kpis=result["kpis"][option["key"]],
            result=result,
        )
        for option in result["options"]
    ]


def _row(key: str, columns: Sequence[Column]) -> Row | None:
    kpis = [column.kpis.get(key) for column in columns]
    known = [kpi for kpi in kpis if kpi is not None and kpi["value"] is not None]
    if not known:
        return None
    base = kpis[0]["value"] if kpis[0] is not None else None
    cells = []
    for number, kpi in enumerate(kpis):
        value = kpi["value"] if kpi is not None else None
        delta, change = "", None
        if number and base is not None and value is not None:
            sign = "+" if value > base else ""
            delta = f"{sign}{value_text(value - base, known[0]['unit'])}" if value != base else "0"
            change = value / base - 1 if base else None
        cells.append(Cell(card(kpi) if kpi is not None else None, delta, change))
    values = {kpi["value"] if kpi is not None else None for kpi in kpis}
    first = card(known[0])
    return Row(first.label, first.unit, tuple(cells), len(values) > 1)


def comparable(document: dict[str, Any], section: str = "scenario") -> dict[str, Any]:
    """Return a document with its defaults written out and figures as their values.

    What is left out in one scenario and written as the default in another is no difference, nor
    is another source for the same number.

    >>> comparable({"pue": {"value": 1.54, "source": "x"}}, "site")["feed_redundancy"]
    '2N'
    """
    fields = sections().get(section, {})
    found: dict[str, Any] = {}
    for name, value in document.items():
        field = fields.get(name)
        if field is not None and field.kind == "one" and isinstance(value, dict):
            value = comparable(value, field.of)
        elif field is not None and field.kind == "many" and isinstance(value, list):
            value = [comparable(v, field.of) if isinstance(v, dict) else v for v in value]
        elif isinstance(value, dict) and "value" in value:
            value = value["value"]
        found[name] = value
    for name, field in fields.items():
        if name not in found and field.default and not field.required:
            found[name] = read_number(field.default) if field.kind in NUMBERS else field.default
    return found


def _assumptions(documents: Sequence[dict[str, Any]], names: Choices) -> tuple[AssumptionRow, ...]:
    """Return every field in which a scenario differs from the first, with all the values."""
    if len(documents) < 2:
        return ()
    labels: dict[str, str] = {}
    values: dict[str, list[str | None]] = {}
    for number, document in enumerate(documents[1:], start=1):
        for change in document_differences(documents[0], document, names):
            if change.path in {"name", "description"}:
                continue
            labels.setdefault(change.label, change.label)
            row = values.setdefault(change.label, [None] * len(documents))
            row[0] = change.old
            row[number] = change.new
    rows = []
    for label, row in values.items():
        base = row[0] or ""
        rows.append(AssumptionRow(label, tuple(base if v is None else v for v in row)))
    return tuple(rows)

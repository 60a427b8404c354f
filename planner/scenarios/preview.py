"""The live preview: project what is typed, store nothing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from planner.charts.cards import Card, head_cards
from planner.charts.theme import colour
from planner.scenarios.exchange import error_rows
from planner.scenarios.paths import path_label
from planner.scenarios.to_engine import scenario_inputs
from tco.errors import InputError, InputErrors
from tco.projection import project

if TYPE_CHECKING:
    from accounts.models import Organisation
    from tco.document.catalog import Catalog


@dataclass(frozen=True, slots=True)
class PreviewOption:
    """One option as the preview shows it."""

    name: str
    colour: str
    feasible: bool
    complete: bool
    best: bool
    cards: list[Card]


@dataclass(frozen=True, slots=True)
class Preview:
    """What would be projected; `errors` alone where the document cannot be read yet."""

    verdict: str
    options: list[PreviewOption]
    findings: list[dict[str, str]]
    errors: list[dict[str, str]]


def preview(
    *,
    document: dict[str, Any],
    organisation: Organisation | None,
    catalog: Catalog | None = None,
) -> Preview:
    """Return the projection of a document in short. Nothing is stored."""
    try:
        inputs = scenario_inputs(document=document, organisation=organisation, catalog=catalog)
        projection = project(inputs)
    except (InputError, InputErrors) as error:
        return Preview("", [], [], error_rows(document, error))
    options = []
    place = 0
    for option in projection.options:
        options.append(
            PreviewOption(
                name=option.name,
                colour=colour(place),
                feasible=option.feasible,
                complete=option.complete,
                best=option.key == projection.best_option,
                cards=head_cards(option.kpis),
            )
        )
        place += len(option.fleets)
    findings = [
        {
            "field": finding.field,
            "label": path_label(document, finding.field),
            "severity": finding.severity,
            "message": finding.message,
            "mend": finding.mend,
        }
        for finding in projection.findings
    ]
    order = {"error": 0, "warning": 1, "info": 2}
    findings.sort(key=lambda finding: order.get(finding["severity"], 3))
    return Preview(projection.verdict, options, findings, [])

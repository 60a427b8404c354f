"""Files for finance, made of a stored projection."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.utils import timezone
from django.utils.text import slugify

from planner.actuals.selectors import actuals
from planner.decisions.selectors import decision_entries
from planner.models import Projection
from planner.reports.csv_decisions import build_decisions_csv
from planner.reports.csv_ledger import build_csv
from planner.reports.csv_performance import build_performance_csv
from planner.reports.workbook import build_workbook
from planner.scenarios.to_engine import revision_inputs
from planner.uncertainty.asking import assessment_run
from planner.uncertainty.services import assessment_in
from planner.uncertainty.takeaways import scenario_takeaway
from tco.errors import InputError, InputErrors
from tco.uncertainty.assess import Assessment

XLSX_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
CSV_TYPE = "text/csv; charset=utf-8"


@dataclass(frozen=True)
class ReportFile:
    """A file to download."""

    name: str
    content_type: str
    content: bytes


def report_workbook(*, projection: Projection) -> ReportFile:
    """Return the workbook of a projection."""
    sentence, uncertainty = _decision(projection)
    content = build_workbook(
        projection.result,
        takeaway=sentence,
        uncertainty=uncertainty,
        facts=_facts(projection),
        decisions=decision_entries(scenario=projection.revision.scenario),
        actuals=_actuals(projection),
        generated_at=timezone.now(),
    )
    return ReportFile(f"{_stem(projection)}.xlsx", XLSX_TYPE, content)


def report_csv(*, projection: Projection) -> ReportFile:
    """Return the monthly ledger of a projection as CSV."""
    return ReportFile(f"{_stem(projection)}-ledger.csv", CSV_TYPE, build_csv(projection.result))


def report_performance_csv(*, projection: Projection) -> ReportFile:
    """Return how each fleet serves as CSV."""
    content = build_performance_csv(projection.result)
    return ReportFile(f"{_stem(projection)}-performance.csv", CSV_TYPE, content)


def report_decisions_csv(*, projection: Projection) -> ReportFile:
    """Return the decision log of the projection's scenario as CSV."""
    content = build_decisions_csv(decision_entries(scenario=projection.revision.scenario))
    return ReportFile(f"{_stem(projection)}-decisions.csv", CSV_TYPE, content)


def _decision(projection: Projection) -> tuple[str, Assessment | str]:
    """Take-away and uncertainty of the figures that the projection was made of."""
    revision = projection.revision
    try:
        if revision_inputs(revision).content_hash != projection.input_hash:
            return "", "The catalog has newer figures than this projection: recalculate it first."
        run = assessment_run(revision=revision)
        found = assessment_in(run)
        sentence = scenario_takeaway(revision=revision).sentence
    except (InputError, InputErrors) as error:
        return "", f"The ranges cannot be drawn: {error}"
    if found is None:
        return sentence, f"Not drawn yet ({run.state}): see the page Uncertainty of the scenario."
    return sentence, found


def _actuals(projection: Projection) -> dict[str, Any] | None:
    """Bills against this revision; None where there are none, or where they do not fit it."""
    revision = projection.revision
    try:
        found = actuals(scenario=revision.scenario, revision=revision.number)
    except InputErrors:
        return None
    return found.to_dict() if found is not None else None


def _stem(projection: Projection) -> str:
    revision = projection.revision
    name = slugify(revision.scenario.name)[:60] or "scenario"
    return f"{name}-revision-{revision.number}"


def _facts(projection: Projection) -> dict[str, str]:
    revision = projection.revision
    return {
        "Scenario": revision.scenario.name,
        "Revision": f"{revision.number}, saved {revision.at:%Y-%m-%d %H:%M} UTC by {revision.by}",
        "Message": revision.message,
        "Document hash (SHA-256)": revision.document_hash,
        "Projected at": f"{projection.created_at:%Y-%m-%d %H:%M} UTC",
    }

"""Goal seek on a scenario: the engine's answer as it is stored."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.runs.services import Report
from planner.scenarios.to_engine import catalog_of
from tco.decide import goal_seek, read_target

if TYPE_CHECKING:
    from planner.models import ScenarioRevision

KIND = "goal_seek"


def sought(revision: ScenarioRevision, question: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return the answer to `vary`, `target`, `option`, `low`, `high` of a question.

    Raises
    ------
    tco.errors.InputError, tco.errors.InputErrors
        See `tco.decide.goal_seek`.
    """
    found = goal_seek(
        revision.document,
        catalog_of(revision.scenario.organisation),
        vary=question["vary"],
        target=read_target(question["target"], revision.document, question["option"]),
        low=question["low"],
        high=question["high"],
        progress=lambda done, total: report(done, total, min(done / (2 * total), 0.99)),
    )
    return found.to_dict()

"""The assessment of a scenario under its ranges: a pure function of its inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.runs.services import Report
from tco.uncertainty.assess import Assessment, assess
from tco.uncertainty.stored import assessment_of

if TYPE_CHECKING:
    from planner.models import BackgroundRun
    from tco.inputs import ScenarioInputs

KIND = "uncertainty"


def assessed(inputs: ScenarioInputs, question: dict[str, Any], report: Report) -> dict[str, Any]:
    """Return the assessment as it is stored."""
    found = assess(
        inputs,
        draws=question["draws"],
        seed=question["seed"],
        progress=lambda step: report(step.done_draws, step.draws, step.share_fraction),
    )
    return found.to_dict()


def assessment_in(run: BackgroundRun | None) -> Assessment | None:
    """Return the assessment of a run that is done."""
    if run is None or run.state != "done" or run.result is None:
        return None
    return assessment_of(run.result)

"""How firm a choice is, as it is stored: a pure function of the inputs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.runs.services import Report
from tco.decide.firmness import DRAWS, SEED, firmness

if TYPE_CHECKING:
    from tco.inputs import ScenarioInputs

KIND = "firmness"
QUESTION = {"draws": DRAWS, "seed": SEED}


def found(inputs: ScenarioInputs, report: Report) -> dict[str, Any]:
    """Return the answer as JSON values."""
    answer = firmness(inputs, progress=lambda done, total: report(done, total, done / total))
    return answer.to_dict()

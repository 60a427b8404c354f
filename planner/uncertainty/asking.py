"""Asking for an assessment: answered at once while it is short, else by a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.runs.asking import run_asked, run_known
from planner.uncertainty.services import KIND, assessed
from planner.uncertainty.tasks import uncertainty_run_task
from tco.uncertainty.assess import DRAWS, SEED

if TYPE_CHECKING:
    from planner.models import BackgroundRun, ScenarioRevision


def assessment_run(
    *, revision: ScenarioRevision, draws: int = DRAWS, seed: int = SEED, again: bool = False
) -> BackgroundRun:
    """Return the run of a revision's assessment with the figures of today.

    Ranges that are drawn within a second are drawn at once, the others by a worker.

    Parameters
    ----------
    again
        Start it if it was cancelled or has failed.

    Raises
    ------
    tco.errors.InputError, tco.errors.InputErrors
        Draws out of range; something the catalog no longer has; a range that cannot be priced.
    """
    question = {"draws": draws, "seed": seed}
    return run_asked(
        revision=revision,
        kind=KIND,
        question=question,
        compute=lambda inputs, report: assessed(inputs, question, report),
        task=uncertainty_run_task,
        again=again,
    )


def assessment_known(
    *, revision: ScenarioRevision, draws: int = DRAWS, seed: int = SEED
) -> BackgroundRun | None:
    """Return the run if somebody has asked for it, without starting one."""
    question = {"draws": draws, "seed": seed}
    return run_known(revision=revision, kind=KIND, question=question)

"""Asking for an assessment: answered at once while it is short, else by a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.runs.services import run_get, run_get_or_start, run_key, run_start
from planner.uncertainty.services import KIND, assessed, inputs_of
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
    inputs = inputs_of(revision)
    question = {"draws": draws, "seed": seed}
    key = run_key(input_hash=inputs.content_hash, kind=KIND, question=question)
    if again:
        return run_start(
            revision=revision, kind=KIND, key=key, question=question, task=uncertainty_run_task
        )
    return run_get_or_start(
        revision=revision,
        kind=KIND,
        key=key,
        question=question,
        compute=lambda report: assessed(inputs, question, report),
        task=uncertainty_run_task,
    )


def assessment_known(
    *, revision: ScenarioRevision, draws: int = DRAWS, seed: int = SEED
) -> BackgroundRun | None:
    """Return the run if somebody has asked for it, without starting one."""
    inputs = inputs_of(revision)
    question = {"draws": draws, "seed": seed}
    key = run_key(input_hash=inputs.content_hash, kind=KIND, question=question)
    return run_get(revision=revision, key=key)

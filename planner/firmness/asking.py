"""Asking how firm a choice is: answered at once while it is short, else by a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.firmness.services import KIND, QUESTION, found
from planner.firmness.tasks import firmness_run_task
from planner.runs.asking import run_asked, run_known

if TYPE_CHECKING:
    from planner.models import BackgroundRun, ScenarioRevision


def firmness_run(*, revision: ScenarioRevision, again: bool = False) -> BackgroundRun:
    """Return the run of a revision with the figures of today.

    Raises
    ------
    tco.errors.InputError, tco.errors.InputErrors
        No option can be priced; something the catalog no longer has.
    """
    return run_asked(
        revision=revision,
        kind=KIND,
        question=QUESTION,
        compute=found,
        task=firmness_run_task,
        again=again,
    )


def firmness_known(*, revision: ScenarioRevision) -> BackgroundRun | None:
    """Return the run if somebody has asked for it, without starting one."""
    return run_known(revision=revision, kind=KIND, question=QUESTION)

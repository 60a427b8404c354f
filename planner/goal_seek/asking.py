"""Asking for a goal seek: answered at once while it is short, else by a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.goal_seek.services import KIND, sought
from planner.goal_seek.tasks import goal_seek_run_task
from planner.runs.asking import run_asked, run_known

if TYPE_CHECKING:
    from planner.models import BackgroundRun, ScenarioRevision


def goal_seek_run(
    *, revision: ScenarioRevision, question: dict[str, Any], again: bool = False
) -> BackgroundRun:
    """Return the run of a goal seek with the figures of today; see `sought` for the question.

    Raises
    ------
    tco.errors.InputError, tco.errors.InputErrors
        The question cannot be answered, and that shows at once.
    """
    return run_asked(
        revision=revision,
        kind=KIND,
        question=question,
        compute=lambda inputs, report: sought(revision, question, report),
        task=goal_seek_run_task,
        again=again,
    )


def goal_seek_known(
    *, revision: ScenarioRevision, question: dict[str, Any]
) -> BackgroundRun | None:
    """Return the run if somebody has asked for it, without starting one."""
    return run_known(revision=revision, kind=KIND, question=question)

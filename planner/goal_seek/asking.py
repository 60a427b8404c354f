"""Asking for a goal seek: answered at once while it is short, else by a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from planner.goal_seek.services import KIND, sought
from planner.goal_seek.tasks import goal_seek_run_task
from planner.runs.services import run_get, run_get_or_start, run_key, run_start
from planner.scenarios.to_engine import scenario_inputs

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
    key = _key(revision, question)
    if again:
        return run_start(
            revision=revision, kind=KIND, key=key, question=question, task=goal_seek_run_task
        )
    return run_get_or_start(
        revision=revision,
        kind=KIND,
        key=key,
        question=question,
        compute=lambda report: sought(revision, question, report),
        task=goal_seek_run_task,
    )


def goal_seek_known(
    *, revision: ScenarioRevision, question: dict[str, Any]
) -> BackgroundRun | None:
    """Return the run if somebody has asked for it, without starting one."""
    return run_get(revision=revision, key=_key(revision, question))


def _key(revision: ScenarioRevision, question: dict[str, Any]) -> str:
    inputs = scenario_inputs(
        document=revision.document, organisation=revision.scenario.organisation
    )
    return run_key(input_hash=inputs.content_hash, kind=KIND, question=question)

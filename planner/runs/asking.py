"""Asking a question about a revision: answered at once while it is short, else by a worker."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from planner.runs.services import Report, run_get, run_get_or_start, run_key, run_start
from planner.scenarios.to_engine import revision_inputs

if TYPE_CHECKING:
    from celery import Task

    from planner.models import BackgroundRun, ScenarioRevision
    from tco.inputs import ScenarioInputs


def run_asked(
    *,
    revision: ScenarioRevision,
    kind: str,
    question: dict[str, Any],
    compute: Callable[[ScenarioInputs, Report], dict[str, Any]],
    task: Task[Any, Any],
    again: bool = False,
) -> BackgroundRun:
    """Return the run of a question with the figures of today.

    Parameters
    ----------
    again
        Start it if it was cancelled or has failed.

    Raises
    ------
    tco.errors.InputError, tco.errors.InputErrors
        Something the catalog no longer has; a question that cannot be answered, where that shows
        within the second.
    """
    inputs = revision_inputs(revision)
    key = run_key(input_hash=inputs.content_hash, kind=kind, question=question)
    if again:
        return run_start(revision=revision, kind=kind, key=key, question=question, task=task)
    return run_get_or_start(
        revision=revision,
        kind=kind,
        key=key,
        question=question,
        compute=lambda report: compute(inputs, report),
        task=task,
    )


def run_known(
    *, revision: ScenarioRevision, kind: str, question: dict[str, Any]
) -> BackgroundRun | None:
    """Return the run if somebody has asked for it, without starting one.

    Raises
    ------
    tco.errors.InputError, tco.errors.InputErrors
        The catalog no longer has something that the revision names.
    """
    inputs = revision_inputs(revision)
    key = run_key(input_hash=inputs.content_hash, kind=kind, question=question)
    return run_get(revision=revision, key=key)

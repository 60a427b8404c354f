"""Asking the optimiser: answered at once while it is short, else by a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.mix.services import Kind, Question, answered, inputs_of
from planner.mix.tasks import mix_run_task
from planner.runs.services import run_get, run_get_or_start, run_key, run_start

if TYPE_CHECKING:
    from planner.models import BackgroundRun, ScenarioRevision


def mix_run(
    *, revision: ScenarioRevision, kind: Kind, question: Question, again: bool = False
) -> BackgroundRun:
    """Return the run of a question with the figures of today.

    Parameters
    ----------
    again
        Start it if it was cancelled or has failed.

    Raises
    ------
    tco.errors.InputError, tco.errors.InputErrors
        Something the catalog no longer has, no candidate, an unknown option.
    """
    inputs = inputs_of(revision)
    key = run_key(input_hash=inputs.content_hash, kind=kind.key, question=question)
    if again:
        return run_start(
            revision=revision, kind=kind.key, key=key, question=question, task=mix_run_task
        )
    return run_get_or_start(
        revision=revision,
        kind=kind.key,
        key=key,
        question=question,
        compute=lambda report: answered(kind, inputs, question, report),
        task=mix_run_task,
    )


def mix_known(
    *, revision: ScenarioRevision, kind: Kind, question: Question
) -> BackgroundRun | None:
    """Return the run if somebody has asked for it, without starting one."""
    inputs = inputs_of(revision)
    key = run_key(input_hash=inputs.content_hash, kind=kind.key, question=question)
    return run_get(revision=revision, key=key)

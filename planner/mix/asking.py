"""Asking the optimiser: answered at once while it is short, else by a worker."""

from __future__ import annotations

from typing import TYPE_CHECKING

from planner.mix.services import Kind, Question, answered
from planner.mix.tasks import mix_run_task
from planner.runs.asking import run_asked, run_known

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
    return run_asked(
        revision=revision,
        kind=kind.key,
        question=question,
        compute=lambda inputs, report: answered(kind, inputs, question, report),
        task=mix_run_task,
        again=again,
    )


def mix_known(
    *, revision: ScenarioRevision, kind: Kind, question: Question
) -> BackgroundRun | None:
    """Return the run if somebody has asked for it, without starting one."""
    return run_known(revision=revision, kind=kind.key, question=question)

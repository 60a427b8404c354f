"""Assessments that take longer than a page may. A thin shell over the services."""

from __future__ import annotations

from celery import shared_task

from planner.runs.services import run_work
from planner.uncertainty.services import assessed, inputs_of


@shared_task(name="planner.uncertainty_run")
def uncertainty_run_task(run_id: int, attempt: int) -> str:
    """Draw the ranges of a revision; a second run of the same attempt changes nothing."""
    return run_work(
        run_id,
        attempt,
        lambda run, report: assessed(inputs_of(run.revision), run.question, report),
    )

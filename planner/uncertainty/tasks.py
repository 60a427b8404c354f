"""Assessments that take longer than a page may. A thin shell over the services."""

from __future__ import annotations

from celery import shared_task

from planner.runs.services import run_work
from planner.scenarios.to_engine import revision_inputs
from planner.uncertainty.services import assessed


@shared_task(name="planner.uncertainty_run")
def uncertainty_run_task(run_id: int, attempt: int) -> str:
    """Draw the ranges of a revision; a second run of the same attempt changes nothing."""
    return run_work(
        run_id,
        attempt,
        lambda run, report: assessed(revision_inputs(run.revision), run.question, report),
    )

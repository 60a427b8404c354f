"""Questions of firmness that take longer than a page may. A thin shell over the engine."""

from __future__ import annotations

from celery import shared_task

from planner.firmness.services import found
from planner.runs.services import run_work
from planner.scenarios.to_engine import revision_inputs


@shared_task(name="planner.firmness_run")
def firmness_run_task(run_id: int, attempt: int) -> str:
    """Look for the turn of a revision; a second run of the same attempt changes nothing."""
    return run_work(
        run_id, attempt, lambda run, report: found(revision_inputs(run.revision), report)
    )

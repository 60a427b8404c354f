"""Goal seeks that take longer than a page may. A thin shell over the services."""

from __future__ import annotations

from celery import shared_task

from planner.goal_seek.services import sought
from planner.runs.services import run_work


@shared_task(name="planner.goal_seek_run")
def goal_seek_run_task(run_id: int, attempt: int) -> str:
    """Seek on a revision; a second run of the same attempt changes nothing."""
    return run_work(run_id, attempt, lambda run, report: sought(run.revision, run.question, report))

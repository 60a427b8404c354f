"""Optimisations that take longer than a page may. A thin shell over the services."""

from __future__ import annotations

from celery import shared_task

from planner.mix.services import KINDS, answered
from planner.runs.services import run_work
from planner.scenarios.to_engine import revision_inputs


@shared_task(name="planner.mix_run")
def mix_run_task(run_id: int, attempt: int) -> str:
    """Answer a question about a revision; a second run of the same attempt changes nothing."""
    return run_work(
        run_id,
        attempt,
        lambda run, report: answered(
            KINDS[run.kind], revision_inputs(run.revision), run.question, report
        ),
    )

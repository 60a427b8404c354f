"""Background work: projections again after a new measurement. Thin shells over the services."""

from __future__ import annotations

import logging

from celery import shared_task

from planner.models import ScenarioRevision
from planner.projections.services import projection_run
from tco.errors import InputErrors

logger = logging.getLogger(__name__)


@shared_task(name="planner.projection_run")
def projection_run_task(revision_id: int) -> int | None:
    """Compute one revision's projection with the figures of today; a second run changes nothing.

    Returns the projection's id, or None if the revision is gone or can no longer be read.
    """
    revision = (
        ScenarioRevision.objects.select_related("scenario__organisation")
        .filter(pk=revision_id)
        .first()
    )
    if revision is None:
        return None
    try:
        return projection_run(revision=revision).pk
    except InputErrors as errors:
        logger.warning("revision %s cannot be projected any more: %s", revision_id, errors)
        return None

"""Asking for projections after a measurement: a message is only a wake-up.

Pages compare the inputs of today with those shown whenever they are opened, so a lost message loses
nothing: the worker only has the new figures ready before anyone asks.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from django.conf import settings
from django.db import transaction
from django.db.models import F

from planner.models import ScenarioRevision
from planner.projections.tasks import projection_run_task

logger = logging.getLogger(__name__)
MOST = 200  # newest scenarios of an organisation


def wake_projections(organisation_id: int) -> int:
    """Have the newest revision of each projected scenario computed again; return how many asked.

    Never raises: without a worker the pages do it when they are opened.
    """
    if not (settings.CELERY_BROKER_URL or getattr(settings, "CELERY_TASK_ALWAYS_EAGER", False)):
        return 0
    revisions = (
        ScenarioRevision.objects.filter(
            scenario__organisation_id=organisation_id,
            scenario__archived=False,
            number=F("scenario__revision_number"),
            projections__adopted_at__isnull=False,
        )
        .order_by("-at", "-pk")
        .values_list("pk", flat=True)
        .distinct()[:MOST]
    )
    asked = 0
    for pk in list(revisions):
        try:
            projection_run_task.apply_async((pk,), retry=False)
            asked += 1
        except Exception:
            logger.exception("revision %s is projected again when its page is opened", pk)
    return asked


@dataclass(frozen=True, slots=True)
class _Wake:
    """Runs once a transaction, however many figures it wrote."""

    organisation_id: int

    def __call__(self) -> None:
        wake_projections(self.organisation_id)


def after_commit(organisation_id: int) -> None:
    """Ask for projections when the transaction of new figures is committed, once."""
    wake = _Wake(organisation_id)
    connection = transaction.get_connection()
    if any(entry[1] == wake for entry in connection.run_on_commit):
        return
    transaction.on_commit(wake)

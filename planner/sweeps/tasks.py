"""Workers on sweeps. A message is a wake-up: the rows say what there is to do."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from celery import shared_task
from django.conf import settings

from planner.sweeps.services import sweep_work

if TYPE_CHECKING:
    from planner.models import Sweep

logger = logging.getLogger(__name__)
LANES = 32  # messages for one sweep: as many workers can be at it


@shared_task(name="planner.sweep_shard")
def sweep_shard_task() -> bool:
    """Price one shard, of whoever is next; call for another one while there is work."""
    worked = sweep_work()
    if worked:
        sweep_shard_task.apply_async(retry=False)
    return worked


def sweep_wake(sweep: Sweep) -> None:
    """Send messages for a sweep that runs; without a broker its request has done it."""
    if sweep.state != "running" or not settings.CELERY_BROKER_URL:
        return
    waiting = sweep.shards.filter(done_at=None).count()
    try:
        for _ in range(min(waiting, LANES)):
            sweep_shard_task.apply_async(retry=False)
    except Exception:  # the page wakes it again
        logger.exception("no queue for sweep %s", sweep.pk)

"""Waking whoever brings the figures up to date. The marks in the database are the truth."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any

from celery import shared_task
from celery.signals import worker_ready
from django.conf import settings

from hardware_catalog.benchmarks import throughput

log = logging.getLogger(__name__)


@shared_task(name="hardware_catalog.throughput_refresh")
def throughput_refresh(entry_id: int) -> None:
    """Bring the figures of a device up to date, and then whatever else still waits."""
    throughput.throughput_refresh(entry_id=entry_id)
    throughput.refresh_pending()


@shared_task(name="hardware_catalog.refresh_pending")
def refresh_pending() -> None:
    """Do all refreshes still to do."""
    throughput.refresh_pending()


@worker_ready.connect
def sweep_at_start(**kwargs: Any) -> None:
    """A worker that starts takes up what was lost while none ran."""
    refresh_pending.delay()


def wake(entry_ids: Iterable[int]) -> None:
    """Have the figures of these devices refreshed: by a worker, or here without a broker.

    Never raises: the upload is stored, and a message that is lost or a refresh that fails leaves
    its mark for `refresh_pending`.
    """
    queued = bool(settings.CELERY_BROKER_URL or getattr(settings, "CELERY_TASK_ALWAYS_EAGER", 0))
    for entry_id in entry_ids:
        try:
            if queued:
                throughput_refresh.apply_async((entry_id,), retry=False)
            else:
                throughput.throughput_refresh(entry_id=entry_id)
        except Exception:
            log.exception("The figures of device %s wait for the next sweep.", entry_id)

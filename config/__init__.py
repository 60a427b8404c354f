"""Wiring only: settings, addresses, the Celery application. Nothing here computes."""

from config.celery import app as celery_app

__all__ = ["celery_app"]

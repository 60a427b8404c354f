"""Do the refreshes of measured figures whose messages were lost."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand

from hardware_catalog.benchmarks.throughput import refresh_pending


class Command(BaseCommand):
    """`manage.py refresh_pending`: safe to run at any time, as often as wanted."""

    help = "Bring measured figures up to date with all runs that still wait for it."

    def handle(self, *args: Any, **options: Any) -> None:
        """Refresh and say how many figures are new."""
        made = refresh_pending()
        self.stdout.write(f"{made} new figures.")

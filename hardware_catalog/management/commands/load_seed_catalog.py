"""Load the seed files into the shared catalog."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand

from hardware_catalog.catalog.seed_services import seed_load


class Command(BaseCommand):
    """`python manage.py load_seed_catalog`: safe to repeat."""

    help = "Load the seed catalog; the same files again do nothing."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Add --force."""
        parser.add_argument(
            "--force", action="store_true", help="compare every row even if the files are the same"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        """Load and say what was done."""
        started = time.monotonic()
        count = seed_load(force=options["force"])
        if options["verbosity"] == 0:
            return
        if count.skipped:
            self.stdout.write("The seed catalog is loaded already.")
            return
        self.stdout.write(
            f"Seed catalog: {count.added} entries added, {count.changed} changed, "
            f"{count.archived} archived, {count.unchanged} as before "
            f"({time.monotonic() - started:.1f} s)."
        )

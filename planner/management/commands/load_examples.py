"""`manage.py load_examples --organisation NAME`: the shipped scenarios, projected."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Organisation, User
from planner.projections.examples import load_examples
from tco.errors import InputErrors


class Command(BaseCommand):
    """Load the examples into an organisation; running it again changes nothing."""

    help = "Store and project the shipped example scenarios."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the organisation's name and, where known, the person's address."""
        parser.add_argument("--organisation", required=True, help="name of the organisation")
        parser.add_argument("--by", default="", help="e-mail address of the person")

    def handle(self, *args: Any, **options: Any) -> None:
        """Load, project and print one line each."""
        organisation = Organisation.objects.filter(name=options["organisation"]).first()
        if organisation is None:
            raise CommandError(f"There is no organisation {options['organisation']!r}.")
        by = User.objects.filter(email=options["by"].lower()).first() if options["by"] else None
        if options["by"] and by is None:
            raise CommandError(f"There is no person {options['by']!r}.")
        try:
            loaded = load_examples(organisation=organisation, by=by)
        except InputErrors as errors:
            raise CommandError(str(errors)) from errors
        for item in loaded:
            self.stdout.write(f"{item.name}: {item.word}. {item.verdict}")
        added = sum(1 for item in loaded if item.word == "added")
        self.stdout.write(f"{len(loaded)} example scenarios, {added} added, all projected.")

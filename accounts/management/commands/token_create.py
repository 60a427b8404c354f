"""Write a new API token into a file that only its owner can read."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.models import Organisation, Scope
from accounts.services import token_create


class Command(BaseCommand):
    """`manage.py token_create --organisation NAME --label TEXT --file PATH [--scope upload]`."""

    help = "Write a new API token into a file of mode 0600; it is never printed."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take whose token it is, what it may do and where to write it."""
        parser.add_argument("--organisation", required=True)
        parser.add_argument("--label", required=True)
        parser.add_argument("--file", required=True, type=Path)
        parser.add_argument("--scope", choices=Scope.values, default=str(Scope.UPLOAD))

    def handle(self, *args: Any, **options: Any) -> None:
        """Make the token and write it."""
        organisation = Organisation.objects.filter(name=options["organisation"]).first()
        if organisation is None:
            raise CommandError(f"There is no organisation {options['organisation']!r}.")
        path: Path = options["file"]
        beside = path.with_name(path.name + ".new")
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            beside.unlink(missing_ok=True)
            descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        except OSError as error:
            raise CommandError(f"{beside} cannot be written: {error.strerror}.") from None
        with os.fdopen(descriptor, "w", encoding="ascii") as file:
            try:
                _, text = token_create(
                    organisation=organisation,
                    label=options["label"],
                    scope=options["scope"],
                    by=None,
                )
            except ValidationError as error:
                beside.unlink()
                raise CommandError(" ".join(error.messages)) from None
            file.write(text + "\n")
        beside.replace(path)
        self.stdout.write(f"The token is in {path}.")

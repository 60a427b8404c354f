"""Print the path of a one-time sign-in link."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import ValidationError
from django.core.management.base import BaseCommand, CommandError, CommandParser
from django.urls import reverse

from accounts.models import User
from accounts.services import LINK_MINUTES, person_create, sign_in_link_create


class Command(BaseCommand):
    """`manage.py sign_in_link EMAIL [--create --organisation NAME] [--minutes 15]`."""

    help = "Print the path of a one-time sign-in link."

    def add_arguments(self, parser: CommandParser) -> None:
        """Take the address and what to do when nobody has it."""
        parser.add_argument("email")
        parser.add_argument("--create", action="store_true", help="make the person if new")
        parser.add_argument("--organisation", help="with --create: the organisation to join")
        parser.add_argument("--minutes", type=float, default=LINK_MINUTES)

    def handle(self, *args: Any, **options: Any) -> None:
        """Print one line: the path, with the secret in it."""
        try:
            if options["create"]:
                if not options["organisation"]:
                    raise CommandError("--create needs --organisation NAME.")
                user: User | None = person_create(
                    email=options["email"], organisation_name=options["organisation"]
                )
            else:
                user = User.objects.filter(email=options["email"].lower(), is_active=True).first()
            if user is None:
                raise CommandError(f"Nobody has the address {options['email']}: use --create.")
            _, secret = sign_in_link_create(user=user, minutes=options["minutes"])
        except ValidationError as error:
            raise CommandError(" ".join(error.messages)) from None
        self.stdout.write(reverse("accounts:sign_in_link", args=[secret]))

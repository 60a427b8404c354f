"""Application of people, organisations and tokens."""

from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Accounts."""

    name = "accounts"
    verbose_name = "People and tokens"

    def ready(self) -> None:
        """Make the description of our tokens known to the API's schema."""
        from accounts import openapi  # noqa: F401 -- registers itself

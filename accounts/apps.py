"""Application of people, organisations and tokens."""

from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    """Accounts."""

    name = "accounts"
    verbose_name = "People and tokens"

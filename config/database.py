"""DATABASE_URL to Django's settings. PostgreSQL is the only dialect."""

from __future__ import annotations

from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit

from django.core.exceptions import ImproperlyConfigured


def database_settings(url: str) -> dict[str, Any]:
    """Return Django's database settings for a postgresql:// address.

    >>> database_settings("postgresql://u:p@db:5433/tco")["PORT"]
    '5433'
    >>> database_settings("postgresql://postgres@/tco?host=/run/pg")["HOST"]
    '/run/pg'
    """
    parts = urlsplit(url)
    if parts.scheme not in {"postgresql", "postgres"}:
        raise ImproperlyConfigured(
            f"DATABASE_URL has the scheme {parts.scheme!r}: use postgresql://user@host/name."
        )
    query = parse_qs(parts.query)
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": unquote(parts.path.lstrip("/")),
        "USER": unquote(parts.username or ""),
        "PASSWORD": unquote(parts.password or ""),
        "HOST": query.get("host", [parts.hostname or ""])[0],
        "PORT": query.get("port", [str(parts.port or "")])[0],
        "CONN_MAX_AGE": 60,
        "CONN_HEALTH_CHECKS": True,
        "ATOMIC_REQUESTS": False,
    }

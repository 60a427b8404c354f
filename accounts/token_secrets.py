"""Secrets of tokens and sign-in links: how they are made and under which hash they are kept."""

from __future__ import annotations

import hashlib
import hmac
import secrets

from django.conf import settings

TOKEN_PREFIX = "tco"


def secret_hash(secret: str) -> str:
    """Return the keyed hash (HMAC-SHA-256 with the pepper, hex) under which a secret is kept."""
    return hmac.new(settings.TOKEN_PEPPER.encode(), secret.encode(), hashlib.sha256).hexdigest()


def same_hash(left: str, right: str) -> bool:
    """Compare two hashes in constant time."""
    return hmac.compare_digest(left, right)


def new_key_id() -> str:
    """Return 12 hex characters by which a token is found; not secret."""
    return secrets.token_hex(6)


def new_secret() -> str:
    """Return 43 characters that carry 256 random bits."""
    return secrets.token_urlsafe(32)


def token_text(key_id: str, secret: str) -> str:
    """Write a token as it is shown once: `tco_<key id>_<secret>`."""
    return f"{TOKEN_PREFIX}_{key_id}_{secret}"

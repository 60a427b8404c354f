"""Bearer tokens: `tco_<key id>_<secret>`, compared by keyed hash in constant time."""

from __future__ import annotations

import hashlib
import hmac

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from rest_framework import authentication, exceptions
from rest_framework.request import Request

from accounts.models import ApiToken


def secret_hash(secret: str) -> str:
    """Return the keyed hash under which a secret is kept."""
    return hmac.new(settings.TOKEN_PEPPER.encode(), secret.encode(), hashlib.sha256).hexdigest()


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer tco_…`; the token, not a person, is `request.auth`."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, ApiToken] | None:
        """Return (nobody, token), None without a token, or fail."""
        header = authentication.get_authorization_header(request).decode("latin-1").split()
        if not header or header[0].lower() != "bearer":
            return None
        parts = header[1].split("_", 2) if len(header) == 2 else []
        if len(parts) != 3 or parts[0] != "tco":
            raise exceptions.AuthenticationFailed("The token is not of the form tco_<id>_<secret>.")
        token = ApiToken.objects.select_related("organisation").filter(key_id=parts[1]).first()
        expected = token.secret_hash if token else "0" * 64
        if not hmac.compare_digest(secret_hash(parts[2]), expected) or token is None:
            raise exceptions.AuthenticationFailed("The token is unknown.")
        if not token.usable:
            raise exceptions.PermissionDenied("The token is revoked or expired: make a new one.")
        now = timezone.now()
        if token.last_used_at is None or (now - token.last_used_at).total_seconds() > 60:
            ApiToken.objects.filter(pk=token.pk).update(last_used_at=now)
        return AnonymousUser(), token

    def authenticate_header(self, request: Request) -> str:
        """Answer 401 with this challenge."""
        return 'Bearer realm="api"'

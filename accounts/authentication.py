"""Bearer tokens: `tco_<key id>_<secret>`, compared by keyed hash in constant time."""

from __future__ import annotations

from django.contrib.auth.models import AnonymousUser
from django.utils import timezone
from rest_framework import authentication, exceptions
from rest_framework.request import Request

from accounts.models import ApiToken
from accounts.token_secrets import TOKEN_PREFIX, same_hash, secret_hash


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer tco_…`; the token, not a person, is `request.auth`."""

    def authenticate(self, request: Request) -> tuple[AnonymousUser, ApiToken] | None:
        """Return (nobody, token), None without a token, or fail."""
        header = authentication.get_authorization_header(request).decode("latin-1").split()
        if not header or header[0].lower() != "bearer":
            return None
        parts = header[1].split("_", 2) if len(header) == 2 else []
        if len(parts) != 3 or parts[0] != TOKEN_PREFIX:
            raise exceptions.AuthenticationFailed("The token is not of the form tco_<id>_<secret>.")
        token = ApiToken.objects.select_related("organisation").filter(key_id=parts[1]).first()
        expected = token.secret_hash if token else "0" * 64
        if not same_hash(secret_hash(parts[2]), expected) or token is None:
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

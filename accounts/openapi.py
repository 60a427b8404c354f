"""How the API's description names our tokens."""

from __future__ import annotations

from typing import Any

from drf_spectacular.extensions import OpenApiAuthenticationExtension


class TokenScheme(OpenApiAuthenticationExtension):  # type: ignore[no-untyped-call]
    """A bearer token `tco_<key id>_<secret>`."""

    target_class = "accounts.authentication.TokenAuthentication"
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        """Describe the header."""
        return {
            "type": "http",
            "scheme": "bearer",
            "bearerFormat": "tco_<key id>_<secret>",
            "description": "Made on the tokens page; its scope decides what it may do.",
        }

"""Who may do what through the API; the organisation of a request."""

from __future__ import annotations

from typing import Any

from rest_framework.permissions import SAFE_METHODS, BasePermission
from rest_framework.request import Request

from accounts.models import ApiToken, Organisation, Scope
from accounts.selectors import WRITERS, membership_of, organisation_of


def request_organisation(request: Request) -> Organisation | None:
    """Return the organisation of the token, else of the signed-in person."""
    if isinstance(request.auth, ApiToken):
        return request.auth.organisation
    return organisation_of(request.user)


class MemberOrScope(BasePermission):
    """Members read; administrators and architects write; tokens do what their scope says.

    A view that takes uploads sets `upload_scope = True`: then an upload token may POST to it, and
    nothing else anywhere.
    """

    def has_permission(self, request: Request, view: Any) -> bool:
        """Decide by token scope or by role."""
        if isinstance(request.auth, ApiToken):
            scope = request.auth.scope
            if getattr(view, "upload_scope", False) and request.method == "POST":
                return scope in {Scope.UPLOAD, Scope.WRITE}
            if request.method in SAFE_METHODS:
                return scope in {Scope.READ, Scope.WRITE}
            return scope == Scope.WRITE
        membership = membership_of(request.user)
        if membership is None:
            return False
        if request.method in SAFE_METHODS:
            return True
        return membership.role in WRITERS

"""Reading accounts."""

from __future__ import annotations

from typing import Any

from django.db.models import F, QuerySet

from accounts.models import ApiToken, Membership, Organisation, Role

WRITERS = frozenset({str(Role.ADMIN), str(Role.ARCHITECT)})


def membership_of(user: Any) -> Membership | None:
    """Return the membership a person works in: the oldest one."""
    if not getattr(user, "is_authenticated", False):
        return None
    return (
        Membership.objects.select_related("organisation").filter(user=user).order_by("pk").first()
    )


def organisation_of(user: Any) -> Organisation | None:
    """Return the organisation a person works in."""
    membership = membership_of(user)
    return membership.organisation if membership else None


def may_write(user: Any) -> bool:
    """Tell whether a person may change things: administrators and architects."""
    membership = membership_of(user)
    return membership is not None and membership.role in WRITERS


def token_list(*, organisation: Organisation) -> QuerySet[ApiToken]:
    """Tokens of an organisation: usable ones first, newest first."""
    return (
        ApiToken.objects.filter(organisation=organisation)
        .select_related("created_by")
        .order_by(F("revoked_at").desc(nulls_first=True), "-created_at")
    )

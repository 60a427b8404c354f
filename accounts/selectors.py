"""Reading accounts."""

from __future__ import annotations

from typing import Any

from accounts.models import Membership, Organisation


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

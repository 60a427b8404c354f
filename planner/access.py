"""Who may see and change what on the planner's pages."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse

from accounts.models import Organisation, Role
from accounts.selectors import membership_of

WRITERS = {Role.ADMIN, Role.ARCHITECT}
View = Callable[..., HttpResponse]


def organisation_for(request: HttpRequest) -> Organisation:
    """Return the organisation of the signed-in person.

    Raises
    ------
    Http404
        If the person belongs to none.
    """
    membership = membership_of(request.user)
    if membership is None:
        raise Http404("no organisation")
    return membership.organisation


def may_write(request: HttpRequest) -> bool:
    """True for administrators and architects."""
    membership = membership_of(request.user)
    return membership is not None and membership.role in WRITERS


def writer_required(view: View) -> View:
    """Let only people in who may change scenarios; others are asked to sign in or refused."""

    @functools.wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not may_write(request):
            raise PermissionDenied("finance and viewers read")
        return view(request, *args, **kwargs)

    return login_required(checked)

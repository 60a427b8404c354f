"""Who may see and change what on the planner's pages and through its API."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from rest_framework import exceptions
from rest_framework.request import Request

from accounts.models import Organisation
from accounts.permissions import request_organisation
from accounts.selectors import may_write as person_may_write
from accounts.selectors import organisation_of

View = Callable[..., HttpResponse]


def organisation_for(request: HttpRequest) -> Organisation:
    """Return the organisation of the signed-in person.

    Raises
    ------
    Http404
        If the person belongs to none.
    """
    organisation = organisation_of(request.user)
    if organisation is None:
        raise Http404("no organisation")
    return organisation


def may_write(request: HttpRequest) -> bool:
    """True for administrators and architects."""
    return person_may_write(request.user)


def writer_required(view: View) -> View:
    """Let only people in who may change scenarios; others are asked to sign in or refused."""

    @functools.wraps(view)
    def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
        if not may_write(request):
            raise PermissionDenied("finance and viewers read")
        return view(request, *args, **kwargs)

    return login_required(checked)


def api_organisation(request: Request) -> Organisation:
    """Return the organisation of a request.

    Raises
    ------
    rest_framework.exceptions.PermissionDenied
        If the caller belongs to none.
    """
    organisation = request_organisation(request)
    if organisation is None:
        raise exceptions.PermissionDenied("You belong to no organisation.")
    return organisation

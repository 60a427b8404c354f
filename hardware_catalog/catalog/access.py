"""Who may open a page of the catalog."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, ParamSpec

from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render

from accounts.models import Organisation
from accounts.selectors import may_write, organisation_of

P = ParamSpec("P")
Inner = Callable[Concatenate[HttpRequest, Organisation, P], HttpResponseBase]
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def member_page(view: Inner[P]) -> View[P]:
    """Give the view the organisation of the signed-in person; others sign in first."""

    @login_required
    def inner(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        organisation = organisation_of(request.user)
        if organisation is None:
            return render(request, "accounts/no_organisation.html", status=403)
        return view(request, organisation, *args, **kwargs)

    functools.update_wrapper(inner, view)
    return inner


def writer_page(view: Inner[P]) -> View[P]:
    """Like `member_page`, for administrators and architects only."""

    def inner(
        request: HttpRequest, organisation: Organisation, /, *args: P.args, **kwargs: P.kwargs
    ) -> HttpResponseBase:
        if not may_write(request.user):
            raise PermissionDenied("Only administrators and architects change the catalog.")
        return view(request, organisation, *args, **kwargs)

    functools.update_wrapper(inner, view)
    return member_page(inner)

"""404 and 500 that speak JSON under /api/ and HTML elsewhere."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views import defaults

from config.problem import problem_response


def page_not_found(request: HttpRequest, exception: Exception) -> HttpResponse:
    """Answer 404."""
    if request.path.startswith("/api/"):
        return problem_response(404, "not_found", "There is no such address.")
    return render(request, "404.html", status=404)


def server_error(request: HttpRequest) -> HttpResponse:
    """Answer 500 without leaking anything."""
    if request.path.startswith("/api/"):
        return problem_response(500, "server_error", "The server failed; the fault is logged.")
    return defaults.server_error(request)

"""The reconcile page. Public: it holds nothing of any organisation."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from planner.reconcile.page import reconcile_page


@require_GET
def reconcile(request: HttpRequest) -> HttpResponse:
    """Show published worked examples beside what the engine makes of their inputs."""
    return render(request, "planner/reconcile/reconcile.html", {"page": reconcile_page()})

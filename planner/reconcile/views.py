"""The reconcile pages. Public: they hold nothing of any organisation, until one is saved."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from planner.access import may_write, organisation_for, writer_required
from planner.reconcile.page import reconcile_page
from planner.reconcile.sheet import example_named, open_as_scenario, sheet_of


@require_GET
def reconcile(request: HttpRequest) -> HttpResponse:
    """Show published worked examples beside what the engine makes of their inputs."""
    return render(request, "planner/reconcile/reconcile.html", {"page": reconcile_page()})


@require_GET
def reconcile_example(request: HttpRequest, example: str) -> HttpResponse:
    """Show one example: inputs, formula, figures, and the scenario it is."""
    sheet = sheet_of(example)
    if sheet is None:
        raise Http404("no such example")
    context = {"sheet": sheet, "may_write": may_write(request)}
    return render(request, "planner/reconcile/sheet.html", context)


@writer_required
@require_POST
def reconcile_open(request: HttpRequest, example: str) -> HttpResponse:
    """Make a scenario of the organisation out of an example."""
    found = example_named(example)
    if found is None:
        raise Http404("no such example")
    assert isinstance(request.user, User)
    scenario = open_as_scenario(
        example=found, organisation=organisation_for(request), by=request.user
    )
    if scenario is None:
        messages.info(request, f"{found.id} is a bare formula: no scenario carries it.")
        return redirect("planner:reconcile_example", found.id)
    messages.success(request, f"Opened {found.id} as a scenario with its inputs and its source.")
    return redirect("planner:scenario_detail", scenario.pk)

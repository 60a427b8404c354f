"""Pages of the scenario list, its history and what can be done with a scenario."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from planner.access import may_write, organisation_for, writer_required
from planner.scenarios.builder import choices_for
from planner.scenarios.differences import document_differences
from planner.scenarios.errors import StaleRevision
from planner.scenarios.selectors import revision_get, revision_list, scenario_get, scenario_list
from planner.scenarios.services import scenario_archive, scenario_duplicate, scenario_restore
from tco.errors import InputErrors

PAGE_SIZE = 50


@login_required
@require_GET
def scenarios(request: HttpRequest) -> HttpResponse:
    """List the organisation's scenarios."""
    organisation = organisation_for(request)
    search = request.GET.get("q", "").strip()[:100]
    archived = request.GET.get("archived") == "1"
    found = scenario_list(organisation=organisation, archived=archived, search=search)
    page = Paginator(found, PAGE_SIZE).get_page(request.GET.get("page"))
    context = {
        "page": page,
        "search": search,
        "archived": archived,
        "may_write": may_write(request),
    }
    return render(request, "planner/scenarios/list.html", context)


@login_required
@require_GET
def scenario_history(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the revisions of a scenario and what each changed."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    page = Paginator(revision_list(scenario=scenario), 20).get_page(request.GET.get("page"))
    numbers = [revision.number for revision in page]
    wanted = {*numbers, *(number - 1 for number in numbers)}
    documents: dict[int, Any] = dict(
        scenario.revisions.filter(number__in=wanted).values_list("number", "document")
    )
    names = choices_for(scenario.organisation, {})
    rows = [
        (
            revision,
            document_differences(documents[revision.number - 1], documents[revision.number], names)
            if revision.number - 1 in documents
            else None,
        )
        for revision in page
    ]
    context = {"scenario": scenario, "page": page, "rows": rows, "may_write": may_write(request)}
    return render(request, "planner/scenarios/history.html", context)


@writer_required
@require_POST
def duplicate(request: HttpRequest, pk: int) -> HttpResponse:
    """Copy a scenario as a whole."""
    assert isinstance(request.user, User)
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    try:
        copy = scenario_duplicate(scenario=scenario, by=request.user)
    except InputErrors:
        messages.error(
            request, "This scenario names something the catalog no longer has: mend it first."
        )
        return redirect("planner:scenario_edit", scenario.pk)
    messages.success(request, f"{copy.name} is a copy of {scenario.name}.")
    return redirect("planner:scenario_detail", copy.pk)


@writer_required
@require_POST
def archive(request: HttpRequest, pk: int) -> HttpResponse:
    """Take a scenario off the list, or put it back."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    scenario_archive(scenario=scenario, archived=not scenario.archived)
    word = "archived" if scenario.archived else "back on the list"
    messages.success(request, f"{scenario.name} is {word}.")
    return redirect("planner:scenario_list")


@writer_required
@require_POST
def restore(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Make an earlier revision the newest one."""
    assert isinstance(request.user, User)
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision_get(scenario=scenario, number=number)
    base = request.POST.get("base_number", "0")
    try:
        scenario_restore(
            scenario=scenario,
            number=number,
            base_number=int(base) if base.isdecimal() and len(base) < 10 else 0,
            by=request.user,
        )
    except StaleRevision:
        messages.warning(request, "Somebody saved in between: look at the history again.")
        return redirect("planner:scenario_history", scenario.pk)
    except InputErrors:
        messages.error(request, f"Revision {number} names something the catalog no longer has.")
        return redirect("planner:scenario_history", scenario.pk)
    messages.success(request, f"Revision {number} is the newest again.")
    return redirect("planner:scenario_detail", scenario.pk)

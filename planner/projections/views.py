"""Pages of a projection."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from planner.access import may_write, organisation_for, writer_required
from planner.charts.cards import card
from planner.models import Scenario, ScenarioRevision
from planner.projections.news import projection_news
from planner.projections.page import projection_page
from planner.projections.selectors import adopted_projection, projection_get
from planner.projections.services import (
    projection_get_or_run,
    projection_recalculate,
    projection_run,
)
from planner.scenarios.exchange import error_rows
from planner.scenarios.selectors import revision_get, scenario_get
from planner.scenarios.to_engine import catalog_of
from tco.errors import InputError, InputErrors


@login_required
@require_GET
def scenario_detail(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the projection of a scenario's newest revision."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    return _page(request, scenario, revision_get(scenario=scenario))


@login_required
@require_GET
def revision_detail(request: HttpRequest, pk: int, number: int) -> HttpResponse:
    """Show the projection of an earlier revision."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    return _page(request, scenario, revision_get(scenario=scenario, number=number))


def _page(request: HttpRequest, scenario: Scenario, revision: ScenarioRevision) -> HttpResponse:
    context: dict[str, Any] = {
        "scenario": scenario,
        "revision": revision,
        "may_write": may_write(request),
    }
    newest = revision.number == scenario.revision_number
    try:
        catalog = catalog_of(scenario.organisation)
        projection = projection_get_or_run(revision=revision, catalog=catalog)
        context["projection"] = projection
        if newest:  # an old revision is history: it stays as it was shown
            today = projection_run(revision=revision, catalog=catalog)
            context["news"] = projection_news(projection.result, today.result)
    except (InputError, InputErrors) as error:
        context["errors"] = error_rows(revision.document, error)
        context["projection"] = shown = adopted_projection(revision=revision)
        if shown is None:
            return render(request, "planner/projections/detail.html", context)
        projection = shown
    context["page"] = projection_page(projection.result)
    return render(request, "planner/projections/detail.html", context)


@writer_required
@require_POST
def recalculate(request: HttpRequest, pk: int) -> HttpResponse:
    """Project the newest revision with the figures of today and show that from now on."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    try:
        projection_recalculate(revision=revision_get(scenario=scenario))
    except (InputError, InputErrors):
        messages.error(request, "This scenario names something the catalog no longer has.")
    else:
        messages.success(request, "Projected with the figures of today.")
    return redirect("planner:scenario_detail", scenario.pk)


@login_required
@require_GET
def explain(request: HttpRequest, pk: int, option: str, kpi: str) -> HttpResponse:
    """Show formula, terms and sources of one figure: enough to compute it again by hand."""
    projection = projection_get(organisation=organisation_for(request), pk=pk)
    found = projection.result["kpis"].get(option, {}).get(kpi)
    if found is None:
        raise Http404("no such figure")
    scenario = projection.revision.scenario
    names = {item["key"]: item["name"] for item in projection.result["options"]}
    number = projection.revision.number
    newest = number == scenario.revision_number
    back = (
        reverse("planner:scenario_detail", args=[scenario.pk])
        if newest
        else reverse("planner:revision_detail", args=[scenario.pk, number])
    )
    context = {
        "kpi": found,
        "card": card(found),
        "scenario": scenario,
        "option_name": names[option],
        "back": back,
    }
    partial = request.headers.get("HX-Request") == "true"
    name = "_explanation.html" if partial else "explain.html"
    return render(request, f"planner/projections/{name}", context)

"""Page of a scenario's halls."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from planner.access import may_write, organisation_for
from planner.halls.page import hall_page
from planner.projections.selectors import adopted_projection
from planner.projections.services import projection_get_or_run
from planner.scenarios.exchange import error_rows
from planner.scenarios.selectors import revision_get, scenario_get
from planner.scenarios.to_engine import catalog_of
from tco.errors import InputError, InputErrors


@login_required
@require_GET
def scenario_halls(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the halls of a scenario's newest revision: plan, elevation, what a lost part does."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision = revision_get(scenario=scenario)
    writes = may_write(request)
    context: dict[str, Any] = {
        "scenario": scenario,
        "may_write": writes,
        "standing": ("racks.csv", "devices.csv", "node_pools.json"),
        "planned": ("planned_devices.csv", "planned_node_pools.json"),
    }
    projection = adopted_projection(revision=revision)
    if projection is None:
        try:
            projection = projection_get_or_run(
                revision=revision, catalog=catalog_of(scenario.organisation)
            )
        except (InputError, InputErrors) as error:
            context["errors"] = error_rows(revision.document, error)
    if projection is not None:
        asked = {
            name: request.GET.get(name, "")[:200] for name in ("option", "site", "rack", "lost")
        }
        context["page"] = hall_page(projection.result, may_see=writes, **asked)
    return render(request, "planner/halls/detail.html", context)

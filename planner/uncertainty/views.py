"""Page of a scenario's uncertainty."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from planner.access import may_write, organisation_for
from planner.scenarios.exchange import error_rows
from planner.scenarios.selectors import revision_get, scenario_get
from planner.uncertainty.charts import spreads, tornado
from planner.uncertainty.services import assessment_run
from tco.errors import InputError, InputErrors
from tco.uncertainty.assess import Assessment, Duel


def closest(found: Assessment) -> Duel | None:
    """The pair that decides: the option cheapest in the middle, and its nearest rival."""
    ranked = sorted(found.options, key=lambda one: one.p50_usd)
    names = {one.name for one in ranked[:2]}
    return next((duel for duel in found.duels if {duel.a, duel.b} == names), None)


@login_required
@require_GET
def uncertainty(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what the ranges of a scenario's newest revision make of its options."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision = revision_get(scenario=scenario)
    context: dict[str, Any] = {
        "scenario": scenario,
        "revision": revision,
        "may_write": may_write(request),
    }
    try:
        found = assessment_run(revision=revision)
    except (InputError, InputErrors) as error:
        context["errors"] = error_rows(revision.document, error)
        return render(request, "planner/uncertainty/detail.html", context)
    charts = [
        tornado(option, found.swings[option.option], place)
        for place, option in enumerate(found.options)
    ]
    first = closest(found)
    context |= {
        "found": found,
        "first": first,
        "others": [duel for duel in found.duels if duel is not first],
        "spreads": spreads(found),
        "tornados": [one for one in charts if one is not None],
        "inside": [one for one in found.switches if one.within_range],
        "outside": [one for one in found.switches if not one.within_range],
    }
    return render(request, "planner/uncertainty/detail.html", context)

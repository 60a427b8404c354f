"""The comparison page."""

from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_GET

from planner.access import organisation_for
from planner.comparison.selectors import MOST, compare
from planner.scenarios.selectors import scenario_get, scenario_list

LETTERS = "abcdef"


@login_required
@require_GET
def comparison(request: HttpRequest) -> HttpResponse:
    """Show up to six scenarios side by side: /compare/?a=1&b=2."""
    organisation = organisation_for(request)
    picked = []
    for letter in LETTERS[:MOST]:
        text = request.GET.get(letter, "")
        if not text:
            continue
        if not text.isdecimal() or len(text) > 18:
            raise Http404("no such scenario")
        scenario = scenario_get(organisation=organisation, pk=int(text))
        if scenario not in picked:
            picked.append(scenario)
    only_differences = request.GET.get("only") == "differences"
    choices = list(scenario_list(organisation=organisation)[:200])
    context = {
        "choices": choices,
        "slots": [
            (letter, picked[number].pk if number < len(picked) else None)
            for number, letter in enumerate(LETTERS[:MOST])
            if number <= len(picked) or number < 2
        ],
        "comparison": compare(organisation=organisation, scenarios=picked) if picked else None,
        "picked": picked,
        "only_differences": only_differences,
    }
    return render(request, "planner/comparison/compare.html", context)

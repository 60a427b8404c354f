"""Page of a scenario's decision log."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods

from accounts.models import User
from planner.access import may_write, organisation_for
from planner.decisions.selectors import decided_projection, decision_entries, option_figures
from planner.decisions.services import Choice, decision_record
from planner.models import Scenario
from planner.scenarios.selectors import scenario_get
from tco.errors import InputError, InputErrors


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def decisions(request: HttpRequest, pk: int) -> HttpResponse:
    """List the log with a form to add to it; finance and viewers read."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    if request.method != "POST":
        return _page(request, scenario, _number(request.GET.get("corrects", "")))
    if not may_write(request):
        raise PermissionDenied("finance and viewers read")
    assert isinstance(request.user, User)
    try:
        decision = decision_record(
            scenario=scenario, choice=choice_of(request.POST), by=request.user
        )
    except InputErrors as error:
        corrects = _number(request.POST.get("corrects", ""))
        return _page(request, scenario, corrects, error, request.POST)
    messages.success(request, f"Decision {decision.number} is in the log.")
    return redirect("planner:scenario_decisions", scenario.pk)


def choice_of(posted: QueryDict) -> Choice:
    """Return what a form says.

    Raises
    ------
    InputErrors
        If the day is no date, or the entry to correct no number.
    """
    day = posted.get("decided_on", "").strip()
    try:
        decided_on = dt.date.fromisoformat(day) if day else None
    except ValueError as error:
        wrong = InputError("decided_on", f"{day[:40]!r} is not a date", "write it as 2026-12-01")
        raise InputErrors((wrong,)) from error
    corrects = posted.get("corrects", "").strip()
    if corrects and _number(corrects) is None:
        wrong = InputError("corrects", f"{corrects[:40]!r} is no entry of the log", "leave it out")
        raise InputErrors((wrong,))
    chosen = posted.get("chosen", "")
    return Choice(
        chosen=chosen,
        reason=posted.get("reason", ""),
        decided_by=posted.get("decided_by", ""),
        decided_on=decided_on,
        rejected={
            name.removeprefix("why-"): posted.get(name, "")
            for name in posted
            if name.startswith("why-") and name != f"why-{chosen}" and posted.get(name, "").strip()
        },
        corrects=_number(corrects),
    )


def _number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _page(
    request: HttpRequest,
    scenario: Scenario,
    corrects: int | None,
    error: InputErrors | None = None,
    posted: QueryDict | None = None,
) -> HttpResponse:
    projection = decided_projection(scenario=scenario)
    given = posted or QueryDict()
    options = option_figures(projection) if projection is not None else []
    for option in options:
        option["why"] = given.get(f"why-{option['key']}", "")
    wrong = {one.field.split(".")[0]: one for one in error.errors} if error else {}
    context: dict[str, Any] = {
        "scenario": scenario,
        "entries": decision_entries(scenario=scenario),
        "options": options,
        "projection": projection,
        "corrects": corrects,
        "today": timezone.now().date().isoformat(),
        "given": given,
        "errors": error.errors if error else (),
        "wrong": wrong,
        "may_write": may_write(request),
    }
    return render(request, "planner/decisions/log.html", context, status=422 if error else 200)

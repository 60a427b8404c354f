"""Page of a goal seek: one input, what is wanted, every value at which it is met."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_POST

from planner.access import may_write, organisation_for, writer_required
from planner.goal_seek.asking import goal_seek_known, goal_seek_run
from planner.runs.page import run_response, run_view
from planner.runs.services import run_cancel
from planner.scenarios.exchange import error_rows
from planner.scenarios.selectors import revision_get, scenario_get
from tco.decide.listing import numbers_in
from tco.errors import InputError, InputErrors


class SeekForm(forms.Form):
    """What is asked; nothing is asked while the input or what is wanted is empty."""

    vary = forms.CharField(max_length=300, required=False)
    target = forms.CharField(max_length=200, required=False)
    option = forms.CharField(max_length=100, required=False)
    low = forms.FloatField(required=False)
    high = forms.FloatField(required=False)

    def asked(self) -> dict[str, Any]:
        """Return the question; a range that is no number is left out."""
        self.is_valid()
        found = self.cleaned_data
        return {name: found.get(name, "") for name in ("vary", "target", "option")} | {
            name: found.get(name) for name in ("low", "high")
        }


@login_required
@require_GET
def goal_seek(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the question and, once it is asked, its answer or how far it is."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision = revision_get(scenario=scenario)
    asked = SeekForm(request.GET).asked()
    context: dict[str, Any] = {
        "scenario": scenario,
        "revision": revision,
        "may_write": may_write(request),
        "asked": asked,
        "options": revision.document["options"],
        "inputs": numbers_in(revision.document),
    }
    run = None
    if asked["vary"] and asked["target"]:
        try:
            run = goal_seek_run(revision=revision, question=asked)
            if run.state == "failed":
                errors = [InputError(e["field"], e["message"], e["mend"]) for e in run.errors]
                context["errors"] = error_rows(revision.document, InputErrors(tuple(errors)))
            elif run.state == "done":
                context["found"] = run.result
        except (InputError, InputErrors) as error:
            context["errors"] = error_rows(revision.document, error)
    here = reverse("planner:goal_seek", args=[scenario.pk])
    shown = {name: value for name, value in asked.items() if value not in ("", None)}
    context["run"] = run_view(run, here, shown, what="values", word="Seek") if run else None
    return run_response(request, run, "planner/goal_seek", context)


@writer_required
@require_POST
def goal_seek_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop seeking."""
    return _changed(request, pk, again=False)


@writer_required
@require_POST
def goal_seek_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Seek again what was cancelled or has failed."""
    return _changed(request, pk, again=True)


def _changed(request: HttpRequest, pk: int, *, again: bool) -> HttpResponse:
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision = revision_get(scenario=scenario)
    asked = SeekForm(request.POST).asked()
    try:
        run = goal_seek_known(revision=revision, question=asked)
        if run is not None and again:
            goal_seek_run(revision=revision, question=asked, again=True)
        elif run is not None:
            run_cancel(run=run)
    except (InputError, InputErrors):
        pass  # the page says what is wrong
    shown = {name: value for name, value in asked.items() if value not in ("", None)}
    where = reverse("planner:goal_seek", args=[scenario.pk])
    return redirect(f"{where}?{urlencode(shown)}" if shown else where)

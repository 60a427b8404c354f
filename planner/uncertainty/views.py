"""Page of a scenario's uncertainty: the answer, or how far it is."""

from __future__ import annotations

from typing import Any

from django import forms
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from planner.access import may_write, organisation_for, writer_required
from planner.models import BackgroundRun, ScenarioRevision
from planner.runs.page import run_response, run_view
from planner.runs.services import run_cancel
from planner.scenarios.exchange import error_rows
from planner.scenarios.selectors import revision_get, scenario_get
from planner.uncertainty.asking import assessment_known, assessment_run
from planner.uncertainty.charts import spreads, tornado
from planner.uncertainty.services import assessment_in
from tco.errors import InputError, InputErrors
from tco.uncertainty.assess import DRAWS, MOST_DRAWS, SEED, Assessment, Duel

CHOICES = (1_000, DRAWS, 50_000, MOST_DRAWS)


class DrawsForm(forms.Form):
    """How many draws, from which seed; what is left out or no number has its default."""

    draws = forms.IntegerField(min_value=100, max_value=MOST_DRAWS, required=False)
    seed = forms.IntegerField(min_value=0, max_value=2**31 - 1, required=False)

    def asked(self) -> dict[str, Any]:
        """Return the two numbers."""
        self.is_valid()
        found = self.cleaned_data
        draws, seed = found.get("draws"), found.get("seed")
        return {"draws": draws or DRAWS, "seed": SEED if seed is None else seed}


def closest(found: Assessment) -> Duel | None:
    """The pair that decides: the option cheapest in the middle, and its nearest rival."""
    ranked = sorted(found.options, key=lambda one: one.p50_usd)
    names = {one.name for one in ranked[:2]}
    return next((duel for duel in found.duels if {duel.a, duel.b} == names), None)


@login_required
@require_GET
def uncertainty(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what the ranges of a scenario's newest revision make of its options.

    While a worker draws, the page asks for this address again and gets the part that changes.
    """
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision = revision_get(scenario=scenario)
    asked = DrawsForm(request.GET).asked()
    context: dict[str, Any] = {
        "scenario": scenario,
        "revision": revision,
        "may_write": may_write(request),
        "choices": CHOICES,
        **asked,
    }
    run = None
    try:
        run = assessment_run(revision=revision, **asked)
        context |= _answer(run, revision)
    except (InputError, InputErrors) as error:
        context["errors"] = error_rows(revision.document, error)
    here = reverse("planner:scenario_uncertainty", args=[scenario.pk])
    context["run"] = run_view(run, here, asked, what="draws", word="Draw") if run else None
    return run_response(request, run, "planner/uncertainty", context)


@writer_required
@require_POST
def uncertainty_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop drawing."""
    return _changed(request, pk, again=False)


@writer_required
@require_POST
def uncertainty_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Draw again what was cancelled or has failed."""
    return _changed(request, pk, again=True)


def _changed(request: HttpRequest, pk: int, *, again: bool) -> HttpResponse:
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision = revision_get(scenario=scenario)
    asked = DrawsForm(request.POST).asked()
    try:
        run = assessment_known(revision=revision, **asked)
        if again:
            assessment_run(revision=revision, **asked, again=True)
        elif run is not None:
            run_cancel(run=run)
    except (InputError, InputErrors):
        pass  # the page says what is wrong
    where = reverse("planner:scenario_uncertainty", args=[scenario.pk])
    return redirect(f"{where}?draws={asked['draws']}&seed={asked['seed']}")


def _answer(run: BackgroundRun, revision: ScenarioRevision) -> dict[str, Any]:
    """What the page shows of a run that is done, or why it failed."""
    if run.state == "failed":
        errors = [InputError(one["field"], one["message"], one["mend"]) for one in run.errors]
        return {"errors": error_rows(revision.document, InputErrors(tuple(errors)))}
    found = assessment_in(run)
    if found is None:
        return {}
    charts = [
        tornado(option, found.swings[option.option], place, found.currency)
        for place, option in enumerate(found.options)
    ]
    first = closest(found)
    return {
        "found": found,
        "first": first,
        "others": [duel for duel in found.duels if duel is not first],
        "spreads": spreads(found),
        "tornados": [one for one in charts if one is not None],
        "inside": [one for one in found.switches if one.within_range],
        "outside": [one for one in found.switches if not one.within_range],
    }

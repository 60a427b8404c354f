"""Page of a choice's firmness: the answer, or how far it is."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_GET, require_POST

from planner.access import may_write, organisation_for, writer_required
from planner.firmness.asking import firmness_known, firmness_run
from planner.firmness.charts import knowing_chart
from planner.runs.page import run_response, run_view
from planner.runs.services import run_cancel
from planner.scenarios.exchange import error_rows
from planner.scenarios.selectors import revision_get, scenario_get
from tco.errors import InputError, InputErrors

DOING = {
    "measure": "Measure it with the agent",
    "quote": "Ask for a quote",
    "traffic": "Measure the traffic",
    "source": "Find a source",
}


@login_required
@require_GET
def firmness(request: HttpRequest, pk: int) -> HttpResponse:
    """Show how near another choice is, and what to measure next."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision = revision_get(scenario=scenario)
    context: dict[str, Any] = {
        "scenario": scenario,
        "revision": revision,
        "may_write": may_write(request),
    }
    run = None
    try:
        run = firmness_run(revision=revision)
        if run.state == "failed":
            errors = [InputError(one["field"], one["message"], one["mend"]) for one in run.errors]
            context["errors"] = error_rows(revision.document, InputErrors(tuple(errors)))
        elif run.state == "done" and run.result is not None:
            result = run.result
            context["found"] = result
            context["knowing"] = [{**one, "doing": DOING[one["kind"]]} for one in result["knowing"]]
            context["devices"] = sorted({one["device"] for one in result["knowing"]} - {""})
            context["chart"] = knowing_chart(result)
    except (InputError, InputErrors) as error:
        context["errors"] = error_rows(revision.document, error)
    here = reverse("planner:scenario_firmness", args=[scenario.pk])
    context["run"] = run_view(run, here, {}, what="points", word="Look") if run else None
    return run_response(request, run, "planner/firmness", context)


@writer_required
@require_POST
def firmness_cancel(request: HttpRequest, pk: int) -> HttpResponse:
    """Stop looking."""
    return _changed(request, pk, again=False)


@writer_required
@require_POST
def firmness_again(request: HttpRequest, pk: int) -> HttpResponse:
    """Look again after a cancellation or a failure."""
    return _changed(request, pk, again=True)


def _changed(request: HttpRequest, pk: int, *, again: bool) -> HttpResponse:
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision = revision_get(scenario=scenario)
    try:
        run = firmness_known(revision=revision)
        if run is not None and again:
            firmness_run(revision=revision, again=True)
        elif run is not None:
            run_cancel(run=run)
    except (InputError, InputErrors):
        pass  # the page says what is wrong
    return redirect(reverse("planner:scenario_firmness", args=[scenario.pk]))

"""Pages of the optimiser: the best mix, the front, why not another one."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from planner.access import may_write, organisation_for, writer_required
from planner.mix.asking import mix_known, mix_run
from planner.mix.forms import MixForm, is_asked
from planner.mix.opening import mix_open
from planner.mix.page import best_page, front_page, why_not_page
from planner.mix.services import BEST, FRONT, OBJECTIVES, SECONDS, WHY_NOT, Kind
from planner.models import BackgroundRun, ScenarioRevision
from planner.runs.page import run_response, run_view
from planner.runs.services import run_cancel
from planner.scenarios.exchange import error_rows
from planner.scenarios.selectors import revision_get, scenario_get
from tco.errors import InputError, InputErrors

Answer = Callable[[HttpRequest, BackgroundRun, ScenarioRevision], dict[str, Any]]


@dataclass(frozen=True, slots=True)
class Page:
    """A page of one kind of question."""

    kind: Kind
    name: str  # of its address
    folder: str
    what: str  # is counted while it works
    answer: Answer


PAGES = {
    "optimise": Page(BEST, "scenario_optimise", "planner/mix/best", "seconds at most", best_page),
    "trade-offs": Page(FRONT, "scenario_front", "planner/mix/front", "mixes", front_page),
    "why-not": Page(
        WHY_NOT, "scenario_why_not", "planner/mix/why_not", "seconds at most", why_not_page
    ),
}
NAMES = {key: page.name for key, page in PAGES.items()}


@login_required
@require_GET
def optimise(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the best mix of a scenario's fleets, or how far it is."""
    return _shown(request, pk, PAGES["optimise"])


@login_required
@require_GET
def trade_offs(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the mixes of which none is better in everything."""
    return _shown(request, pk, PAGES["trade-offs"])


@login_required
@require_GET
def why_not(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what one option alone would take in place of the best mix."""
    return _shown(request, pk, PAGES["why-not"])


@writer_required
@require_POST
def mix_cancel(request: HttpRequest, pk: int, page: str) -> HttpResponse:
    """Stop looking."""
    return _changed(request, pk, page, again=False)


@writer_required
@require_POST
def mix_again(request: HttpRequest, pk: int, page: str) -> HttpResponse:
    """Look again for what was cancelled or has failed."""
    return _changed(request, pk, page, again=True)


@writer_required
@require_POST
def mix_as_scenario(request: HttpRequest, pk: int) -> HttpResponse:
    """Open one mix of an answer as a scenario of its own."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    posted = request.POST.get("run", "")
    number = int(posted) if posted.isdecimal() and len(posted) < 12 else 0
    run = get_object_or_404(BackgroundRun, pk=number, revision__scenario=scenario, state="done")
    assert isinstance(request.user, User)
    try:
        made = mix_open(run=run, point=request.POST.get("point", ""), by=request.user)
    except LookupError as error:
        raise Http404 from error
    except (InputError, InputErrors) as error:
        rows = error_rows(run.revision.document, error)
        messages.error(request, "; ".join(f"{row['label']}: {row['message']}" for row in rows))
        return redirect(reverse("planner:scenario_optimise", args=[scenario.pk]))
    messages.success(request, f"{made.name} is a scenario of its own now.")
    return redirect("planner:scenario_detail", pk=made.pk)


def _objective(revision: ScenarioRevision) -> str:
    given = revision.document.get("optimise")
    found = given.get("objective") if isinstance(given, dict) else None
    return found if found in OBJECTIVES else "usd"


def _shown(request: HttpRequest, pk: int, page: Page) -> HttpResponse:
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision = revision_get(scenario=scenario)
    asked = MixForm(request.GET).asked(page.kind, _objective(revision))
    context: dict[str, Any] = {
        "scenario": scenario,
        "revision": revision,
        "may_write": may_write(request),
        "asked": asked,
        "objectives": OBJECTIVES.items(),
        "choices": SECONDS,
        "options": revision.document["options"],
    }
    run = None
    if is_asked(page.kind, asked, request.GET):
        try:
            run = mix_run(revision=revision, kind=page.kind, question=asked)
            if run.state == "failed":
                errors = [InputError(e["field"], e["message"], e["mend"]) for e in run.errors]
                context["errors"] = error_rows(revision.document, InputErrors(tuple(errors)))
            elif run.state == "done" and run.result is not None:
                context["found"] = run.result
                context |= page.answer(request, run, revision)
        except (InputError, InputErrors) as error:
            context["errors"] = error_rows(revision.document, error)
    here = reverse(f"planner:{page.name}", args=[scenario.pk])
    context["run"] = run_view(run, here, asked, what=page.what, word="Look") if run else None
    return run_response(request, run, page.folder, context)


def _changed(request: HttpRequest, pk: int, name: str, *, again: bool) -> HttpResponse:
    page = PAGES[name]
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision = revision_get(scenario=scenario)
    asked = MixForm(request.POST).asked(page.kind, _objective(revision))
    try:
        run = mix_known(revision=revision, kind=page.kind, question=asked)
        if run is not None and again:
            mix_run(revision=revision, kind=page.kind, question=asked, again=True)
        elif run is not None:
            run_cancel(run=run)
    except (InputError, InputErrors):
        pass  # the page says what is wrong
    where = reverse(f"planner:{page.name}", args=[scenario.pk])
    return redirect(f"{where}?{urlencode(asked)}")

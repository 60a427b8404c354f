"""Pages of the builder: new, edit, live preview."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.views.decorators.http import require_http_methods, require_POST
from django_htmx.http import trigger_client_event

from accounts.models import Organisation, User
from planner.access import organisation_for, writer_required
from planner.models import Scenario
from planner.scenarios.builder import (
    builder_context,
    posted_document,
    slot_for,
    slots,
)
from planner.scenarios.errors import StaleRevision
from planner.scenarios.estimate_form import query_of, starter_document
from planner.scenarios.exchange import in_order
from planner.scenarios.form_rows import change_rows
from planner.scenarios.preview import preview as make_preview
from planner.scenarios.selectors import revision_get, scenario_get
from planner.scenarios.services import scenario_create, scenario_revise
from tco.errors import InputError, InputErrors

Failure = InputError | InputErrors | None


def _user(request: HttpRequest) -> User:
    assert isinstance(request.user, User)  # every view here asks for a signed-in member
    return request.user


def _builder(
    request: HttpRequest,
    organisation: Organisation,
    document: dict[str, Any],
    *,
    scenario: Scenario | None,
    base_number: int,
    error: Failure = None,
    stale: StaleRevision | None = None,
    status: int = 200,
) -> HttpResponse:
    context = builder_context(document, organisation, error)
    context |= {
        "scenario": scenario,
        "base_number": base_number,
        "stale": stale,
        "message": request.POST.get("message", ""),
    }
    return render(request, "planner/scenarios/builder.html", context, status=status)


def _rows(
    request: HttpRequest,
    organisation: Organisation,
    document: dict[str, Any],
    scenario: Scenario | None,
    base_number: int,
) -> HttpResponse:
    """One row more or less; everything typed so far is in `document`."""
    error: Failure = None
    status = 200
    try:
        document = change_rows(document, request.POST["do"])
    except InputError as wrong:
        error, status = wrong, 422
    response = _builder(
        request,
        organisation,
        document,
        scenario=scenario,
        base_number=base_number,
        error=error,
        status=status,
    )
    return trigger_client_event(response, "rows-changed", after="settle")


def _number(request: HttpRequest) -> int:
    text = request.POST.get("base_number", "0")
    return int(text) if text.isdecimal() and len(text) < 10 else 0


@writer_required
@require_http_methods(["GET", "POST"])
def scenario_new(request: HttpRequest) -> HttpResponse:
    """Show the builder for a new scenario; save it as revision 1."""
    organisation = organisation_for(request)
    if request.method == "GET":
        query, _ = query_of(request.GET)
        document = starter_document(query, organisation, timezone.localdate().isoformat())
        return _builder(request, organisation, document, scenario=None, base_number=0)
    try:
        document = posted_document(request.POST, organisation)
    except InputErrors as lost:
        query, _ = query_of(request.GET)
        document = starter_document(query, organisation, timezone.localdate().isoformat())
        return _builder(
            request, organisation, document, scenario=None, base_number=0, error=lost, status=422
        )
    if "do" in request.POST:
        return _rows(request, organisation, document, None, 0)
    try:
        scenario = scenario_create(
            organisation=organisation,
            document=document,
            by=_user(request),
            message=request.POST.get("message", "")[:300],
        )
    except (InputError, InputErrors) as error:
        return _builder(
            request, organisation, document, scenario=None, base_number=0, error=error, status=422
        )
    messages.success(request, f"Saved {scenario.name}.")
    return redirect("planner:scenario_detail", scenario.pk)


@writer_required
@require_http_methods(["GET", "POST"])
def scenario_edit(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the builder of a scenario; save what it says as a new revision."""
    organisation = organisation_for(request)
    scenario = scenario_get(organisation=organisation, pk=pk)
    if request.method == "GET":
        revision = revision_get(scenario=scenario)
        return _builder(
            request,
            organisation,
            in_order(revision.document),
            scenario=scenario,
            base_number=revision.number,
        )
    base_number = _number(request)
    try:
        document = posted_document(request.POST, organisation)
    except InputErrors as lost:
        revision = revision_get(scenario=scenario)
        return _builder(
            request,
            organisation,
            in_order(revision.document),
            scenario=scenario,
            base_number=revision.number,
            error=lost,
            status=422,
        )
    if "do" in request.POST:
        return _rows(request, organisation, document, scenario, base_number)
    try:
        revision = scenario_revise(
            scenario=scenario,
            document=document,
            base_number=base_number,
            by=_user(request),
            message=request.POST.get("message", "")[:300],
        )
    except StaleRevision as stale:
        # Saving again from here is a decision: the base becomes the newest revision.
        return _builder(
            request,
            organisation,
            document,
            scenario=scenario,
            base_number=stale.current_number,
            stale=stale,
            status=409,
        )
    except (InputError, InputErrors) as error:
        return _builder(
            request,
            organisation,
            document,
            scenario=scenario,
            base_number=base_number,
            error=error,
            status=422,
        )
    if revision.number == base_number:
        messages.info(request, "Nothing was changed, so nothing was saved.")
    else:
        messages.success(request, f"Saved revision {revision.number}.")
    return redirect("planner:scenario_detail", scenario.pk)


@writer_required
@require_POST
def scenario_preview(request: HttpRequest) -> HttpResponse:
    """Project what is typed, store nothing; findings come with the place they belong to."""
    organisation = organisation_for(request)
    try:
        document = posted_document(request.POST, organisation)
    except InputErrors as lost:
        found = [
            {"field": e.field, "label": "Form", "message": e.message, "mend": e.mend}
            for e in lost.errors
        ]
        context: dict[str, Any] = {"errors": found, "placed": []}
        return render(request, "planner/scenarios/_preview.html", context)
    made = make_preview(document=document, organisation=organisation)
    known = slots(document)
    placed = [
        {
            "slot": slot_for(item["field"], known),
            "severity": item.get("severity", "error"),
            "message": item["message"][:1].upper() + item["message"][1:],
            "mend": item["mend"],
        }
        for item in [*made.errors, *made.findings]
    ]
    context = {
        "preview": made,
        "errors": made.errors,
        "placed": [item for item in placed if item["slot"]],
    }
    return render(request, "planner/scenarios/_preview.html", context)

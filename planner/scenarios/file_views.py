"""Scenario files: the text view, import and export."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.text import slugify
from django.views.decorators.http import require_GET, require_http_methods

from accounts.models import User
from planner.access import may_write, organisation_for, writer_required
from planner.scenarios.errors import StaleRevision
from planner.scenarios.exchange import (
    CONTENT_TYPES,
    error_rows,
    read_document,
    write_document,
)
from planner.scenarios.selectors import revision_get, scenario_get
from planner.scenarios.services import scenario_create, scenario_revise
from tco.document.parse import MAX_CHARACTERS
from tco.errors import InputError, InputErrors


@login_required
@require_http_methods(["GET", "POST"])
def scenario_file(request: HttpRequest, pk: int) -> HttpResponse:
    """Show the scenario as YAML; those who may can save it from here."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    writes = may_write(request)
    context = {"scenario": scenario, "may_write": writes, "base_number": scenario.revision_number}
    if request.method == "GET" or not writes:
        revision = revision_get(scenario=scenario)
        context["text"] = write_document(revision.document, "yaml")
        status = 200 if request.method == "GET" else 403
        return render(request, "planner/scenarios/file.html", context, status=status)
    text = request.POST.get("text", "").replace("\r\n", "\n")
    base = request.POST.get("base_number", "0")
    base_number = int(base) if base.isdecimal() and len(base) < 10 else 0
    context |= {"text": text, "base_number": base_number}
    document = {}
    try:
        document = read_document(text)
        assert isinstance(request.user, User)
        revision = scenario_revise(
            scenario=scenario,
            document=document,
            base_number=base_number,
            by=request.user,
            message=request.POST.get("message", "")[:300],
        )
    except StaleRevision as stale:
        context |= {"stale": stale, "base_number": stale.current_number}
        return render(request, "planner/scenarios/file.html", context, status=409)
    except (InputError, InputErrors) as error:
        context["errors"] = error_rows(document, error)
        return render(request, "planner/scenarios/file.html", context, status=422)
    if revision.number == base_number:
        messages.info(request, "The text says what the scenario already says: nothing was saved.")
    else:
        messages.success(request, f"Saved revision {revision.number}.")
    return redirect("planner:scenario_detail", scenario.pk)


@writer_required
@require_http_methods(["GET", "POST"])
def scenario_import(request: HttpRequest) -> HttpResponse:
    """Make a scenario out of a file or of pasted text; every error is shown at once."""
    organisation = organisation_for(request)
    if request.method == "GET":
        return render(request, "planner/scenarios/import.html", {"text": ""})
    upload = request.FILES.get("file")
    text = request.POST.get("text", "")
    document = {}
    try:
        if upload is not None:
            if upload.size and upload.size > 4 * MAX_CHARACTERS:
                raise InputError(
                    "file", f"{upload.size:,} bytes are too many", "send a smaller one"
                )
            try:
                text = upload.read().decode("utf-8-sig")
            except UnicodeDecodeError:
                raise InputError("file", "it is not text in UTF-8", "send YAML or JSON") from None
        document = read_document(text)
        assert isinstance(request.user, User)
        scenario = scenario_create(
            organisation=organisation,
            document=document,
            by=request.user,
            message="Imported from a file." if upload is not None else "Imported.",
        )
    except (InputError, InputErrors) as error:
        context = {"text": text.replace("\r\n", "\n"), "errors": error_rows(document, error)}
        return render(request, "planner/scenarios/import.html", context, status=422)
    messages.success(request, f"Imported {scenario.name}.")
    return redirect("planner:scenario_detail", scenario.pk)


@login_required
@require_GET
def scenario_export(request: HttpRequest, pk: int, form: str) -> HttpResponse:
    """Download the newest revision as a file; importing it gives the same scenario."""
    if form not in CONTENT_TYPES:
        raise Http404("no such format")
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    revision = revision_get(scenario=scenario)
    response = HttpResponse(
        write_document(revision.document, form), content_type=CONTENT_TYPES[form]
    )
    name = f"{slugify(scenario.name)[:60] or 'scenario'}-r{revision.number}.{form}"
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    response["Cache-Control"] = "no-store"
    return response

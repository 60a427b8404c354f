"""Files of a hall on its page: taken in, tried first, and sent."""

from __future__ import annotations

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import Http404, HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_GET, require_POST

from accounts.models import User
from planner.access import organisation_for, writer_required
from planner.halls.inventory import inventory_files, inventory_import
from planner.scenarios.selectors import scenario_get
from tco.document.inventory.exchange import FILE_NAMES, FILES
from tco.errors import InputError, InputErrors

LARGEST_BYTES = 20_000_000
TYPES = {"csv": "text/csv; charset=utf-8", "json": "application/json"}


@writer_required
@require_POST
def hall_import(request: HttpRequest, pk: int) -> HttpResponse:
    """Take in the files sent, or only say what they would change."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    site = request.POST.get("site", "")[:200]
    dry = request.POST.get("action") == "try"
    assert isinstance(request.user, User)
    try:
        found = inventory_import(
            scenario=scenario, site=site, files=_files(request), by=request.user, dry_run=dry
        )
    except InputErrors as error:
        return _refused(request, pk, error.errors)
    except InputError as error:
        return _refused(request, pk, (error,))
    counted = f"{found.racks} racks, {found.devices} devices, {found.pools} pools of nodes"
    if dry:
        word = "would change the hall" if found.changed else "would change nothing"
        messages.info(request, f"Nothing is wrong with the files: {counted}; they {word}.")
    elif found.changed:
        messages.success(request, f"Revision {found.revision}: {counted} stand in the hall.")
    else:
        messages.info(request, f"The hall stays as it was: {counted}.")
    where = reverse("planner:scenario_halls", args=[scenario.pk])
    return redirect(f"{where}?{urlencode({'site': site})}" if site else where)


@login_required
@require_GET
def hall_file(request: HttpRequest, pk: int, name: str) -> HttpResponse:
    """Send one file of a hall."""
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    asked = {key: request.GET.get(key, "")[:200] for key in ("site", "option")}
    try:
        found = inventory_files(scenario=scenario, **asked)
    except (InputError, InputErrors) as error:
        raise Http404 from error
    if name not in found:
        raise Http404
    answer = HttpResponse(found[name], content_type=TYPES[name.rsplit(".", 1)[1]])
    answer["Content-Disposition"] = f'attachment; filename="{name}"'
    return answer


def _files(request: HttpRequest) -> dict[str, str]:
    found: dict[str, str] = {}
    errors = []
    for name in FILES:
        sent = request.FILES.get(name)
        if sent is None:
            continue
        place = FILE_NAMES[name]
        if (sent.size or 0) > LARGEST_BYTES:
            errors.append(InputError(place, f"{sent.size:,} bytes are too many", "split it"))
            continue
        try:
            found[name] = str(sent.read(), "utf-8-sig")
        except UnicodeDecodeError as error:
            message = f"is not UTF-8 at byte {error.start}"
            errors.append(InputError(place, message, "save it as UTF-8"))
    if errors:
        raise InputErrors(tuple(errors))
    return found


def _refused(request: HttpRequest, pk: int, errors: tuple[InputError, ...]) -> HttpResponse:
    scenario = scenario_get(organisation=organisation_for(request), pk=pk)
    context = {"scenario": scenario, "errors": errors, "may_write": True}
    return render(request, "planner/halls/refused.html", context, status=422)
